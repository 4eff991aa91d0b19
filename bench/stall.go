package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"
)

// stallSize is what the model sends, counted as its event stream, in bytes.
const stallSize = 64 << 20

// runStall measures what it costs when a host does not read while a model
// sends, and whether all of the text arrives in the end. The reference is the
// same server with a host that reads, since an answer takes memory even then:
// the session keeps its text, and writes it whole into message_end, turn_end
// and agent_end.
func runStall(ctx context.Context, b *bench) (found result, err error) {
	n := stallSize / len(appendText(nil, numbered(0)))
	awake, err := stall(ctx, b, n, 0)
	if err != nil {
		return result{}, fmt.Errorf("with a host that reads: %w", err)
	}
	asleep, err := stall(ctx, b, n, time.Duration(b.pick(10, 3))*time.Second)
	if err != nil {
		return result{}, err
	}
	if asleep.measured {
		found.rows = append(found.rows, compared("stall", "memory", asleep.memory, awake.memory, "MiB"))
	}
	found.rows = append(found.rows,
		figure("stall", "lost", float64(asleep.lost), "bytes"),
		compared("stall", "model_done", asleep.modelDone.Seconds(), awake.modelDone.Seconds(), "s"),
		figure("stall", "catch_up", asleep.catchUp.Seconds(), "s"))
	return found, nil
}

type stalled struct {
	measured  bool          // whether memory could be measured
	memory    float64       // peak above that before, up to the end of the run, in MiB
	lost      int           // bytes of text that did not arrive
	modelDone time.Duration // from the prompt until the model had sent all
	catchUp   time.Duration // from the host's waking to the end of the run
}

// stall runs one prompt of n deltas; the host does not read for so long.
func stall(ctx context.Context, b *bench, n int, asleep time.Duration) (found stalled, err error) {
	done := make(chan time.Time, 1)
	model, err := serveModel(func(out *events, asked request) error {
		err := streams(out, asked)
		done <- time.Now()
		return err
	})
	if err != nil {
		return stalled{}, err
	}
	defer func() { err = errors.Join(err, model.close()) }()
	h, err := b.connect(ctx, model)
	if err != nil {
		return stalled{}, err
	}
	defer func() { err = errors.Join(err, h.close()) }()

	pause(ctx, idle)
	w, unmeasured := h.watchMemory()
	if unmeasured != nil && !errors.Is(unmeasured, fs.ErrNotExist) {
		return stalled{}, unmeasured
	}
	found.measured = unmeasured == nil
	prompted := time.Now()
	if err := h.send(fmt.Appendf(nil, `{"id":"req_1","type":"prompt","message":"burst %d"}`+"\n", n)); err != nil {
		return stalled{}, err
	}
	pause(ctx, asleep)
	woke := time.Now()
	var follow checker
	if _, _, err := h.follow(follow.take); err != nil {
		return stalled{}, err
	}
	found.catchUp = time.Since(woke)
	found.lost = (n - follow.next) * deltaWidth
	select {
	case at := <-done:
		found.modelDone = at.Sub(prompted)
	default: // it broke off, and lost tells
	}
	if found.measured {
		found.memory, err = w.growth()
	}
	return found, err
}
