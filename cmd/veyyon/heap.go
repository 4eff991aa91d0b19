package main

import (
	"context"
	"runtime/debug"
	"runtime/metrics"
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
// only.
type heap struct {
	samples []metrics.Sample
	cycles  uint64 // of the collector, until the last look
	tidy    uint64 // bytes that were left in spite of giving back
}

func newHeap() *heap {
	return &heap{samples: []metrics.Sample{
		{Name: "/gc/cycles/total:gc-cycles"},
		{Name: "/gc/heap/live:bytes"},
		{Name: "/memory/classes/heap/objects:bytes"},
		{Name: "/memory/classes/heap/free:bytes"},
		{Name: "/memory/classes/heap/unused:bytes"},
	}}
}

// look gives memory back if there is much of it and nothing has been collected
// since the last look, which means that not much goes on.
func (h *heap) look() (gave bool) {
	metrics.Read(h.samples)
	cycles, live := h.samples[0].Value.Uint64(), h.samples[1].Value.Uint64()
	held := h.samples[2].Value.Uint64() + h.samples[3].Value.Uint64() + h.samples[4].Value.Uint64()
	quiet := cycles == h.cycles
	h.cycles = cycles
	if !quiet || held < max(live, h.tidy)+slackBytes {
		return false
	}
	debug.FreeOSMemory()
	debug.FreeOSMemory() // what a sync.Pool holds goes with the second collection
	metrics.Read(h.samples)
	h.cycles = h.samples[0].Value.Uint64()
	h.tidy = h.samples[2].Value.Uint64() + h.samples[3].Value.Uint64() + h.samples[4].Value.Uint64()
	return true
}
