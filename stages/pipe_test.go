package stages

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"veyyon.dev/veyyon/frames"
)

// echo answers each command with its name.
func echo(ctx context.Context, inbound <-chan frames.Inbound, out Outbox) error {
	for {
		in, ok, err := Recv(ctx, inbound)
		if err != nil || !ok {
			return err
		}
		answer := frames.Response{}
		switch in := in.(type) {
		case frames.Command:
			answer.Data = in.Name
		case frames.Malformed:
			answer = in.Answer
		}
		if err := out.Send(ctx, answer); err != nil {
			return err
		}
	}
}

// A host is the other end of a running pipe.
type host struct {
	io.WriteCloser // to stdin
	out            *io.PipeReader
	result         chan error
}

// start runs a pipe over io.Pipes, which hold nothing: a write waits for its
// reader, like a kernel pipe that is full.
func start(ctx context.Context, middle Middle, opts Options) *host {
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	h := &host{WriteCloser: inW, out: outR, result: make(chan error, 1)}
	go func() {
		err := Pipe(ctx, inR, outW, words{}, middle, opts)
		_ = inR.Close() // frees Read
		_ = outW.Close()
		h.result <- err
	}()
	return h
}

func (h *host) say(t *testing.T, text string) {
	t.Helper()
	if _, err := io.WriteString(h, text); err != nil {
		t.Fatal(err)
	}
}

func (h *host) rest(t *testing.T) []string {
	t.Helper()
	all, err := io.ReadAll(h.out)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(string(all), "\n"), "\n")
}

func (h *host) wants(t *testing.T, want error) {
	t.Helper()
	if err := <-h.result; !errors.Is(err, want) {
		t.Errorf("Pipe returned %v, want %v", err, want)
	}
}

func TestEveryLineIsAnsweredInItsPlaceBeforeTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := start(t.Context(), echo, Options{MaxLine: 10})
		go func() {
			h.say(t, "a\r\n\n  \n?\n12345678901\nb\nunfinished")
			_ = h.Close()
		}()
		want := []string{"a", "malformed", "over 10", "b", "unfinished"}
		if diff := cmp.Diff(want, h.rest(t)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		h.wants(t, nil)
	})
}

func TestAnAnswerLeavesAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := start(t.Context(), echo, Options{})
		lines := bufio.NewReader(h.out)
		began := time.Now()
		for _, text := range []string{"a\n", "b\n"} {
			h.say(t, text)
			if got, err := lines.ReadString('\n'); got != text || err != nil {
				t.Errorf("got %q, %v", got, err)
			}
		}
		if waited := time.Since(began); waited > 0 {
			t.Errorf("waited %v", waited)
		}
		_ = h.Close()
		h.wants(t, nil)
	})
}

// TestAHostMayWriteEverythingBeforeItReads is field fault B01: both ends asleep,
// each blocked in a write.
func TestAHostMayWriteEverythingBeforeItReads(t *testing.T) {
	const n = 50_000
	h := start(t.Context(), echo, Options{OutboxBytes: 64 << 10, SpillDir: t.TempDir()})
	var all strings.Builder
	for i := range n {
		fmt.Fprintf(&all, "command%d\n", i)
	}
	h.say(t, all.String())
	_ = h.Close()
	if diff := cmp.Diff(strings.Fields(all.String()), h.rest(t)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	h.wants(t, nil)
}

func TestASlowHostStallsNoSender(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const n = 5000
		var want []string
		h := start(t.Context(), func(ctx context.Context, _ <-chan frames.Inbound, out Outbox) error {
			began := time.Now()
			for i := range n {
				want = append(want, fmt.Sprintf("frame %d %s", i, strings.Repeat("x", 200)))
				if err := out.Send(ctx, say(want[i])); err != nil {
					return err
				}
			}
			if waited := time.Since(began); waited > 0 {
				t.Errorf("senders waited %v", waited)
			}
			return nil
		}, Options{OutboxBytes: 32 << 10, SpillDir: t.TempDir()})
		var got []string
		lines := bufio.NewScanner(h.out)
		for lines.Scan() {
			time.Sleep(20 * time.Millisecond)
			got = append(got, lines.Text())
		}
		h.wants(t, nil)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

// A tally records the blocks it is given.
type tally struct{ blocks [][]byte }

func (w *tally) Write(block []byte) (int, error) {
	w.blocks = append(w.blocks, bytes.Clone(block))
	return len(block), nil
}

func TestEachWriteCallHasWholeLines(t *testing.T) {
	var out tally
	var in strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&in, "%d%s\n", i, strings.Repeat("x", i%300))
	}
	in.WriteString(strings.Repeat("y", 3*blockBytes) + "\n")
	if err := Pipe(t.Context(), strings.NewReader(in.String()), &out, words{}, echo, Options{}); err != nil {
		t.Fatal(err)
	}
	for i, block := range out.blocks {
		if block[len(block)-1] != '\n' {
			t.Errorf("block %d of %d bytes ends within a line", i, len(block))
		}
		if len(block) > blockBytes && bytes.Count(block, []byte("\n")) > 1 {
			t.Errorf("block %d gathers %d bytes", i, len(block))
		}
	}
	if got := string(bytes.Join(out.blocks, nil)); got != in.String() {
		t.Error("the output is not the input")
	}
}

// TestASendThatReturnedComesBeforeOneThatBeginsLater is the one ordering
// promise of the Outbox: each sender takes the ticket after its predecessor's
// Send has returned.
func TestASendThatReturnedComesBeforeOneThatBeginsLater(t *testing.T) {
	const senders, each = 16, 500
	var want []string
	var out bytes.Buffer
	err := Pipe(t.Context(), strings.NewReader(""), &out, words{}, func(ctx context.Context, _ <-chan frames.Inbound, o Outbox) error {
		baton := make(chan int, 1)
		baton <- 0
		var all sync.WaitGroup
		for s := range senders {
			all.Go(func() {
				for range each {
					n := <-baton
					if err := o.Send(ctx, say(fmt.Sprintf("%d by %d", n, s))); err != nil {
						t.Error(err)
					}
					want = append(want, fmt.Sprintf("%d by %d", n, s))
					baton <- n + 1
				}
			})
		}
		all.Wait()
		return nil
	}, Options{OutboxBytes: 4 << 10, SpillDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	got := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestTopologyIsThePipe(t *testing.T) {
	var got strings.Builder
	for _, s := range Topology() {
		fmt.Fprintf(&got, "%s ×%d", s.Name, s.Goroutines)
		if s.Out != nil {
			fmt.Fprintf(&got, " → %s %s[%d]", s.Out.Name, s.Out.Element, s.Out.Capacity)
		}
		got.WriteString("\n")
	}
	want := `Read ×1 → lines []frames.Line[1]
Decode ×1 → inbound frames.Inbound[16]
Middle ×1 → outbox frames.Outbound[64]
FanIn ×1 → wire []uint8[0]
Write ×2
`
	if diff := cmp.Diff(want, got.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
