package job

import (
	"context"
	"slices"
	"time"
)

// List lists the jobs, the oldest first. It claims nothing.
func (b *Board) List() []Job {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.forget()
	jobs := make([]Job, len(b.jobs))
	for i, w := range b.jobs {
		jobs[i] = w.snapshot()
	}
	return jobs
}

// Running counts the jobs that go on.
func (b *Board) Running() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.running()
}

// Free counts the results that nobody has claimed and no call waits for.
func (b *Board) Free() (n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, w := range b.jobs {
		if w.free() {
			n++
		}
	}
	return n
}

func (w *Work) free() bool { return w.job.Status != Running && !w.claimed && w.waiting == 0 }

// ClaimFree hands out all results that are free, the oldest first. Each is
// handed out once, by this or by a Wait.
func (b *Board) ClaimFree() (jobs []Job) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, w := range b.jobs {
		if w.free() {
			w.claimed = true
			jobs = append(jobs, w.snapshot())
		}
	}
	return jobs
}

// A Claim is a job as a Wait found it. Known is false for an id without a job;
// Fresh tells that its result is handed out with this, and had not been before.
type Claim struct {
	Job
	Known bool
	Fresh bool
}

// Wait waits until one of the jobs of these ids (of all that run, without any)
// has a result to hand out, until limit is over, or for the end of ctx, and tells
// how they stand then. A limit of 0 only looks. Meanwhile their results are kept
// for it; what it does not hand out is free again.
func (b *Board) Wait(ctx context.Context, ids []string, limit time.Duration) []Claim {
	watched, ids := b.watch(ids)
	timer := time.NewTimer(limit)
	defer timer.Stop()
	for {
		ready, changed := b.ready(watched)
		if ready {
			break
		}
		select {
		case <-changed:
			continue
		case <-timer.C:
		case <-ctx.Done():
		}
		break
	}
	return b.claim(ids, watched)
}

// watch finds the jobs and keeps their results for the caller.
func (b *Board) watch(ids []string) (watched []*Work, named []string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.forget()
	for _, w := range b.jobs {
		if slices.Contains(ids, w.job.ID) || len(ids) == 0 && !w.claimed {
			w.waiting++
			watched = append(watched, w)
			if len(ids) == 0 {
				named = append(named, w.job.ID)
			}
		}
	}
	if len(ids) > 0 {
		named = ids
	}
	return watched, named
}

// ready tells whether there is nothing to wait for; otherwise changed is closed
// when that may have changed.
func (b *Board) ready(watched []*Work) (ready bool, changed <-chan struct{}) {
	b.mu.Lock()
	defer b.mu.Unlock()
	running := false
	for _, w := range watched {
		if w.job.Status != Running && !w.claimed {
			return true, nil
		}
		running = running || w.job.Status == Running
	}
	return !running, b.changed
}

func (b *Board) claim(ids []string, watched []*Work) []Claim {
	b.mu.Lock()
	defer b.mu.Unlock()
	claims := make([]Claim, len(ids))
	for i, id := range ids {
		claims[i].ID = id
		for _, w := range watched {
			if w.job.ID == id {
				claims[i] = Claim{Job: w.snapshot(), Known: true, Fresh: w.job.Status != Running && !w.claimed}
				w.claimed = w.claimed || claims[i].Fresh
			}
		}
	}
	for _, w := range watched {
		w.waiting--
		if w.free() {
			defer b.tell()
		}
	}
	return claims
}

// Outcome says what became of the wish to cancel a job.
type Outcome string

// The outcomes of Cancel (facts/agent 8.10).
const (
	WasCancelled Outcome = "cancelled"
	NotFound     Outcome = "not_found"
	WasOver      Outcome = "already_completed"
)

// Cancel tells a job to end. It does not wait, and nobody is told of the end of
// a job that was cancelled.
func (b *Board) Cancel(id string) Outcome {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, w := range b.jobs {
		switch {
		case w.job.ID != id:
			continue
		case w.job.Status != Running:
			return WasOver
		}
		w.cancel(errCancelled)
		return WasCancelled
	}
	return NotFound
}

// ladder is how long a smart wait takes, the more patient the more often nothing
// came of it (facts/agent 7.5).
var ladder = []time.Duration{5 * time.Second, 10 * time.Second, 30 * time.Second, time.Minute, 5 * time.Minute}

// Patience is how long the next smart wait should take.
func (b *Board) Patience() time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	return ladder[min(b.patience, len(ladder)-1)]
}

// Waited says whether something came of a smart wait.
func (b *Board) Waited(fruitful bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.patience++
	if fruitful {
		b.patience = 0
	}
}
