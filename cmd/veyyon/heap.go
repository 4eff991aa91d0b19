package main

import (
	"context"
	"runtime"
	"runtime/debug"
	"time"
)

// ballastBytes is the size of a part of the heap that does nothing but make the
// garbage collector run half as often while the heap is small, as in an agent
// that streams: it collects when the heap has doubled, and the ballast counts,
// though its pages are never touched and so cost nothing. In return up to 8 MiB
// more garbage may stand in memory (measured: 15 % more commands and deltas a
// second). It is allocated after ready, since that begins a collection.
const ballastBytes = 4 << 20

const (
	// tendEvery is how often the heap is looked at; a look takes microseconds.
	tendEvery = 10 * time.Second
	// slackBytes is how much memory without a use is let be.
	slackBytes = 64 << 20
)

// tend gives memory back to the system that a large session or answer has left
// behind, once there is quiet; the runtime would keep it for minutes. It ends
// with ctx.
func tend(ctx context.Context) {
	tick := time.NewTicker(tendEvery)
	defer tick.Stop()
	h := newHeap()
	for {
		select {
		case <-tick.C:
			h.look()
		case <-ctx.Done():
			return
		}
	}
}

// A heap knows what the last look at the runtime's heap has seen. One goroutine
// only. (runtime/metrics would look without stopping the world for some
// microseconds, but takes a tenth of all initialization.)
type heap struct {
	stats  runtime.MemStats
	cycles uint32 // of the collector, until the last look
	tidy   uint64 // bytes that were left in spite of giving back
}

func newHeap() *heap { return &heap{} }

// look gives memory back if there is much of it and nothing has been collected
// since the last look, which means that not much goes on.
func (h *heap) look() (gave bool) {
	held, live := h.read()
	quiet := h.stats.NumGC == h.cycles
	h.cycles = h.stats.NumGC
	if !quiet || held < max(live, h.tidy)+slackBytes {
		return false
	}
	debug.FreeOSMemory()
	debug.FreeOSMemory() // what a sync.Pool holds goes with the second collection
	h.tidy, _ = h.read()
	h.cycles = h.stats.NumGC
	return true
}

// read is how much memory the heap holds, and how much of it was of use at the last
// collection: the next begins when it has doubled. Both are in bytes.
func (h *heap) read() (held, live uint64) {
	runtime.ReadMemStats(&h.stats)
	return h.stats.HeapInuse + h.stats.HeapIdle - h.stats.HeapReleased, h.stats.NextGC / 2
}
