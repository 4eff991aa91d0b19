package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"time"

	"golang.org/x/sync/errgroup"
)

const (
	crowd     = 50                     // commands at once
	nap       = 200 * time.Millisecond // what each of them sleeps
	bigOutput = 200_000_000            // bytes
	// settle goes before each round, so that what a server prepares for its
	// next commands costs itself and not the reference.
	settle = 300 * time.Millisecond
)

// runBash measures what a shell command costs through a server.
func runBash(ctx context.Context, b *bench) (found result, err error) {
	if found, err = bashTrue(ctx, b); err != nil {
		return found, err
	}
	server, err := b.meet(ctx, nil)
	if err != nil {
		return found, err
	}
	defer func() { err = errors.Join(err, server.leave()) }()
	server.IgnoreEvents()
	for _, part := range []func(context.Context, *bench, peer) (result, error){bashAtOnce, bashAbort, bashOutput} {
		r, err := part(ctx, b, server)
		found.rows, found.curves = append(found.rows, r.rows...), append(found.curves, r.curves...)
		if err != nil {
			return found, err
		}
	}
	return found, nil
}

// bashTrue runs commands one after another: the next when the answer to the last
// has come, without a pause in between. The server is driven by hand, as for
// get_state: the reference has no client whose cost would count.
func bashTrue(ctx context.Context, b *bench) (found result, err error) {
	server, err := b.connect(ctx, nil)
	if err != nil {
		return result{}, err
	}
	defer func() { err = errors.Join(err, server.close()) }()
	const n = 50 // in a quick round, too: most of its time is the pause before it
	ours, theirs := newSpread(), newSpread()
	round := func(took *spread, bash shellFunc) sample {
		return func() (float64, error) {
			pause(ctx, settle)
			for range n {
				began := time.Now()
				if err := bash(ctx, "true"); err != nil {
					return 0, err
				}
				took.add(time.Since(began))
			}
			return took.endRound(), nil
		}
	}
	s, r, err := b.compare(round(ours, server.bash), round(theirs, plainBash))
	if err != nil {
		return result{}, err
	}
	return result{
		rows:   append([]row{compared("bash", "true_p50", s, r, "ms")}, tails("bash", "true_", ours, theirs)...),
		curves: []curve{{"bash: true, one after another", ours, theirs}},
	}, nil
}

// bashAtOnce runs many commands at the same time. The limit is on the time beyond
// the sleep, which is in both figures and which no server can shorten: where a
// shell starts in a millisecond, fifty of them take about 60 ms with two
// processors, so 0.6 times the whole of the reference would be less than the
// sleep alone.
func bashAtOnce(ctx context.Context, b *bench, server peer) (result, error) {
	round := func(bash shellFunc) sample {
		return func() (float64, error) {
			pause(ctx, settle)
			began := time.Now()
			all, ctx := errgroup.WithContext(ctx) // ends with the commands
			for range crowd {
				all.Go(func() error { return bash(ctx, fmt.Sprintf("sleep %g", nap.Seconds())) })
			}
			err := all.Wait()
			return ms(time.Since(began)), err
		}
	}
	s, r, err := b.compare(round(server.bash), round(plainBash))
	if err != nil {
		return result{}, err
	}
	return result{rows: []row{
		compared("bash", "at_once", s, r, "ms"),
		compared("bash", "at_once_beyond_sleep", s-ms(nap), r-ms(nap), "ms"),
	}}, nil
}

// bashAbort measures from abort_bash to the answer of the command it ends.
func bashAbort(ctx context.Context, _ *bench, server peer) (result, error) {
	took := newSpread()
	for range 10 {
		answered := make(chan time.Time, 1)
		var sleeper errgroup.Group // ends with the command
		sleeper.Go(func() error {
			_, err := server.Bash(ctx, "sleep 30")
			answered <- time.Now()
			return err
		})
		pause(ctx, settle) // by now it runs
		asked := time.Now()
		if err := errors.Join(server.AbortBash(ctx), sleeper.Wait()); err != nil {
			return result{}, err
		}
		took.add((<-answered).Sub(asked))
	}
	return result{rows: []row{figure("bash", "abort_p50", took.endRound(), "ms")}}, nil
}

// bashOutput measures the memory that a flood of output costs.
func bashOutput(ctx context.Context, _ *bench, server peer) (result, error) {
	w, err := server.watchMemory()
	if errors.Is(err, fs.ErrNotExist) {
		return result{}, nil
	}
	if err != nil {
		return result{}, err
	}
	began := time.Now()
	answer, err := server.Bash(ctx, fmt.Sprintf(`head -c %d /dev/zero | tr '\0' x`, bigOutput))
	if err != nil {
		return result{}, err
	}
	took := time.Since(began)
	if answer.TotalBytes != bigOutput {
		return result{}, fmt.Errorf("%d bytes of output were read, not %d", answer.TotalBytes, bigOutput)
	}
	mib, err := w.growth()
	if err != nil {
		return result{}, err
	}
	return result{rows: []row{
		figure("bash", "output_memory", mib, "MiB"),
		figure("bash", "output_rate", bigOutput/1e6/took.Seconds(), "MB/s"),
	}}, nil
}

// A shellFunc runs a command that must succeed.
type shellFunc func(ctx context.Context, command string) error

func (h *host) bash(_ context.Context, command string) error {
	line, err := h.ask(fmt.Appendf(nil, `{"id":"req_1","type":"bash","command":%q}`+"\n", command))
	if err == nil && !bytes.Contains(line, []byte(`"exitCode":0`)) {
		err = fmt.Errorf("bash %q failed: %.300s", command, line)
	}
	return err
}

func (p peer) bash(ctx context.Context, command string) error {
	answer, err := p.Bash(ctx, command)
	if err == nil && (answer.ExitCode == nil || *answer.ExitCode != 0) {
		err = fmt.Errorf("bash %q failed: %+v", command, answer)
	}
	return err
}

// plainBash is the reference: what a program without a server would do.
func plainBash(ctx context.Context, command string) error {
	cmd := exec.CommandContext(ctx, "/bin/bash", "-c", command)
	inGroup(cmd)
	return cmd.Run()
}
