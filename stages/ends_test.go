package stages

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/sourcegraph/conc/panics"

	"veyyon.dev/veyyon/frames"
)

// flood sends until it may not.
func flood(ctx context.Context, _ <-chan frames.Inbound, out Outbox) error {
	for {
		if err := out.Send(ctx, say(strings.Repeat("f", 1000))); err != nil {
			return err
		}
	}
}

func TestAHardStopReachesEveryoneThatIsBlocked(t *testing.T) {
	cause := errors.New("enough")
	for _, c := range []struct {
		name   string
		middle Middle
		opts   Options
	}{
		{"a write and the readers", func(ctx context.Context, _ <-chan frames.Inbound, out Outbox) error {
			_ = out.Send(ctx, say("never read"))
			<-ctx.Done() // inbound fills up meanwhile
			return nil
		}, Options{}},
		{"senders, with a full disk", flood, Options{OutboxBytes: 1 << 10, SpillDir: missingDir(t)}},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, stop := context.WithCancelCause(t.Context())
				h := start(ctx, c.middle, c.opts)
				go func() { _, _ = io.Copy(h, strings.NewReader(strings.Repeat("command\n", 1<<20))) }()
				synctest.Wait()
				stop(cause)
				began := time.Now()
				h.wants(t, cause)
				if waited := time.Since(began); waited > hangUpGrace {
					t.Errorf("took %v", waited)
				}
				_ = h.out.Close() // frees the pen
			})
		})
	}
}

func TestAFullDiskMakesSendersWaitAndLosesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const n = 500
		var want []string
		waited := false
		h := start(t.Context(), func(ctx context.Context, _ <-chan frames.Inbound, out Outbox) error {
			began := time.Now()
			for i := range n {
				want = append(want, fmt.Sprintf("%d%s", i, strings.Repeat("x", 100)))
				if err := out.Send(ctx, say(want[i])); err != nil {
					return err
				}
			}
			waited = time.Since(began) > 0
			return nil
		}, Options{OutboxBytes: 1 << 10, SpillDir: missingDir(t)})
		time.Sleep(time.Minute)
		got := h.rest(t)
		h.wants(t, nil)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if !waited {
			t.Error("the sender did not wait")
		}
	})
}

func TestABrokenPipeEndsEverything(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var seen error
		h := start(t.Context(), func(ctx context.Context, _ <-chan frames.Inbound, out Outbox) error {
			_ = out.Send(ctx, say("hello"))
			<-ctx.Done()
			seen = context.Cause(ctx)
			return nil
		}, Options{})
		_ = h.out.Close()
		h.wants(t, ErrHostGone)
		if !errors.Is(seen, ErrHostGone) || !errors.Is(seen, io.ErrClosedPipe) {
			t.Errorf("the middle saw %v", seen)
		}
	})
}

func TestABrokenPipeOfTheKernelIsAnError(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	_ = r.Close()
	if err := Pipe(t.Context(), strings.NewReader("a\n"), w, words{}, echo, Options{}); !errors.Is(err, ErrHostGone) {
		t.Errorf("got %v", err)
	}
}

// TestAWriteBlockedInTheKernelIsGivenUp relies on goleak in TestMain: the write
// deadline must bring the writing goroutine back.
func TestAWriteBlockedInTheKernelIsGivenUp(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	cause := errors.New("enough")
	ctx, stop := context.WithCancelCause(t.Context())
	err = Pipe(ctx, strings.NewReader(""), w, words{}, func(ctx context.Context, _ <-chan frames.Inbound, out Outbox) error {
		for range 1000 { // more than the kernel holds
			if err := out.Send(ctx, say(strings.Repeat("f", 1000))); err != nil {
				return err
			}
		}
		stop(cause)
		return nil
	}, Options{})
	if !errors.Is(err, cause) {
		t.Errorf("got %v", err)
	}
}

func TestAHostThatHungUpAndDoesNotReadIsGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := start(t.Context(), echo, Options{})
		h.say(t, "a\n")
		time.Sleep(time.Hour) // while there is input we wait
		_ = h.Close()
		ended := time.Now()
		h.wants(t, ErrHostGone)
		if waited := time.Since(ended); waited != DefaultWriteAfterEOF+hangUpGrace {
			t.Errorf("gave up after %v", waited)
		}
		_ = h.out.Close() // frees the pen
	})
}

func TestAHostThatHungUpAndReadsSlowlyGetsAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := start(t.Context(), flood100, Options{OutboxBytes: 1000, SpillDir: t.TempDir()})
		_ = h.Close()
		var got int
		for buf := make([]byte, 100_001); ; got++ {
			if _, err := io.ReadFull(h.out, buf); err != nil {
				break
			}
			time.Sleep(DefaultWriteAfterEOF - time.Second)
		}
		h.wants(t, nil)
		if got < 10 {
			t.Errorf("%d reads are no test", got)
		}
	})
}

// flood100 sends 100 frames of 100 kB, each a block of its own.
func flood100(ctx context.Context, _ <-chan frames.Inbound, out Outbox) error {
	for range 100 {
		if err := out.Send(ctx, say(strings.Repeat("f", 100_000))); err != nil {
			return err
		}
	}
	return nil
}

func TestAStallIsLoggedOnce(t *testing.T) {
	var log bytes.Buffer
	defer slog.SetDefault(slog.Default())
	slog.SetDefault(slog.New(slog.NewTextHandler(&log, nil)))
	synctest.Test(t, func(t *testing.T) {
		h := start(t.Context(), echo, Options{})
		h.say(t, "a\n")
		for range 50 {
			h.say(t, strings.Repeat("b", blockBytes)+"\n") // a block of its own
		}
		time.Sleep(time.Hour)
		_ = h.Close()
		h.rest(t)
		h.wants(t, nil)
	})
	if got := strings.Count(log.String(), "host is not reading"); got != 1 {
		t.Errorf("logged %d times: %s", got, &log)
	}
	if !regexp.MustCompile(`for=10s waiting=49 `).Match(log.Bytes()) {
		t.Errorf("no counts: %s", &log)
	}
}

func TestAPanicInAStageIsRaisedByPipe(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		inR, inW := io.Pipe()
		recovered := panics.Try(func() {
			_ = Pipe(t.Context(), inR, io.Discard, words{}, func(context.Context, <-chan frames.Inbound, Outbox) error {
				panic("bug")
			}, Options{})
		})
		if recovered == nil || !strings.Contains(recovered.String(), "bug") {
			t.Errorf("got %v", recovered)
		}
		_ = inW.Close()
	})
}

func TestTheMiddlesErrorIsThePipes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		mine := errors.New("mine")
		h := start(t.Context(), func(context.Context, <-chan frames.Inbound, Outbox) error { return mine }, Options{})
		h.wants(t, mine)
	})
}

func TestAMiddleMayEndBeforeTheInput(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := start(t.Context(), func(ctx context.Context, inbound <-chan frames.Inbound, out Outbox) error {
			<-inbound
			return out.Send(ctx, say("last words"))
		}, Options{})
		go func() { _, _ = io.Copy(h, strings.NewReader(strings.Repeat("command\n", 1<<20))) }()
		if diff := cmp.Diff([]string{"last words"}, h.rest(t)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		h.wants(t, nil)
	})
}

func TestEndInputIsLikeEOF(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		signal, raise := context.WithCancel(t.Context())
		h := start(t.Context(), echo, Options{EndInput: signal})
		h.say(t, "a\n")
		synctest.Wait()
		raise()
		if diff := cmp.Diff([]string{"a"}, h.rest(t)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		h.wants(t, nil)
	})
}

func TestAMiddleMayHangUpAndListenOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		inR, inW := io.Pipe()
		var out bytes.Buffer
		err := Pipe(t.Context(), inR, &out, words{}, func(ctx context.Context, inbound <-chan frames.Inbound, o Outbox) error {
			if err := o.Send(ctx, say("goodbye")); err != nil {
				t.Error(err)
			}
			o.Close()
			in, ok, err := Recv(ctx, inbound)
			if _, isCommand := in.(frames.Command); !isCommand || !ok {
				t.Errorf("got %v, %v, %v", in, ok, err)
			}
			if err := o.Send(ctx, say("too late")); !errors.Is(err, ErrClosed) {
				t.Errorf("Send after the end: %v", err)
			}
			return nil
		}, Options{Written: func() {
			if got := out.String(); got != "goodbye\n" {
				t.Errorf("written %q", got)
			}
			go func() { _, _ = io.WriteString(inW, "still here\n"); _ = inW.Close() }()
		}})
		if err != nil {
			t.Error(err)
		}
	})
}
