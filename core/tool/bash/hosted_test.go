package bash

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"veyyon.dev/veyyon/core/host"
	"veyyon.dev/veyyon/core/host/memory"
	"veyyon.dev/veyyon/core/shell"
	"veyyon.dev/veyyon/core/tool"
)

// visit is a call at a host in memory, in a bubble.
type visit struct {
	terminals memory.Terminals
	tool      tool.Tool
	dir       string
	session   store
	spill     tool.Spill
	updates   []tool.Output
	ctx       context.Context
	abort     context.CancelFunc
}

// atHost runs a test in a bubble; the runner, which starts processes, is outside.
func atHost(t *testing.T, run func(t *testing.T, v *visit)) {
	t.Helper()
	runner := shell.New(shell.Options{ShellPath: "/bin/sh", Env: os.Environ()})
	defer func() {
		if err := runner.Close(context.Background()); err != nil {
			t.Error(err)
		}
	}()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		v := &visit{dir: dir}
		v.ctx, v.abort = context.WithCancel(t.Context())
		defer v.abort()
		limit := time.Second
		v.tool = New(Options{Runner: runner, Terminals: &v.terminals, Columns: 768, Async: true, Threshold: &limit, Stall: &limit, Board: nil})
		run(t, v)
	})
}

func (v *visit) run(t *testing.T, args string) (tool.Output, Details) {
	t.Helper()
	out, err := v.tool.Run(v.ctx, tool.Call{
		ID: "1", Args: json.RawMessage(args), Dir: v.dir, Session: &v.session, Spill: v.spill, Update: func(o tool.Output) { v.updates = append(v.updates, o) },
	})
	if err != nil {
		t.Fatal(err)
	}
	var details Details
	if out.Details != nil {
		if err := json.Unmarshal(out.Details, &details); err != nil {
			t.Fatal(err)
		}
	}
	return out, details
}

// calls are those of the only terminal. It was released once, and last.
func (v *visit) calls(t *testing.T) []string {
	t.Helper()
	created := v.terminals.Created()
	if len(created) != 1 {
		t.Fatalf("%d terminals", len(created))
	}
	calls := created[0].Calls()
	if n := slices.Index(calls, "release"); n != len(calls)-1 {
		t.Errorf("the release is not the end of %v", calls)
	}
	return calls
}

func zero() *int { return new(int) }

func TestACommandRunsInATerminalOfTheHost(t *testing.T) {
	atHost(t, func(t *testing.T, v *visit) {
		v.terminals.Begin = func(_ context.Context, term *memory.Terminal) error {
			go func() {
				term.Print("\x1b[32mone\x1b[0m\r\n", false)
				time.Sleep(time.Minute) // no threshold takes it away from the host
				term.Print("one\r\ntwo\r\n", false)
				term.End(host.Exit{Code: zero()})
			}()
			return nil
		}
		out, details := v.run(t, `{"command":"echo one; echo two","env":{"A":"b"}}`)
		want := host.TerminalSpec{Command: "/bin/sh", Args: []string{"-c", "echo one; echo two"}, Env: map[string]string{"A": "b"}, Dir: v.dir, OutputByteLimit: 51200}
		if diff := cmp.Diff(want, v.terminals.Created()[0].Spec); diff != "" {
			t.Error(diff)
		}
		if out.IsError || out.Content.Text() != "one\ntwo\n" {
			t.Errorf("%v %q", out.IsError, out.Content.Text())
		}
		if diff := cmp.Diff(Details{WallTimeMs: 60_000, TimeoutSeconds: 300, TerminalID: "term-1"}, details); diff != "" {
			t.Error(diff)
		}
		calls := v.calls(t)
		if calls[0] != "wait" || !slices.Contains(calls, "output") || slices.Contains(calls, "kill") {
			t.Errorf("asked for %v", calls)
		}
		var shown []string
		for _, u := range v.updates {
			shown = append(shown, u.Content.Text())
			if !strings.Contains(string(u.Details), `"terminalId":"term-1"`) {
				t.Errorf("an update names no terminal: %s", u.Details)
			}
		}
		if diff := cmp.Diff([]string{"", "one\n", "one\ntwo\n"}, shown); diff != "" {
			t.Error(diff)
		}
	})
}

func TestHowACommandAtTheHostEnded(t *testing.T) {
	three := 3
	for name, c := range map[string]struct {
		exit host.Exit
		text string
	}{
		"success":   {host.Exit{Code: zero()}, "x\n"},
		"a failure": {host.Exit{Code: &three}, "x\n\nCommand exited with code 3"},
		"a signal":  {host.Exit{Signal: "SIGKILL"}, "x\n\nCommand exited with code 137"},
		"nothing":   {host.Exit{}, "x\n\nCommand failed: missing exit status"},
	} {
		t.Run(name, func(t *testing.T) {
			atHost(t, func(t *testing.T, v *visit) {
				v.terminals.Begin = func(_ context.Context, term *memory.Terminal) error {
					term.Print("x\n", false)
					term.End(c.exit)
					return nil
				}
				out, _ := v.run(t, `{"command":"x"}`)
				if failed := name != "success"; out.IsError != failed || out.Content.Text() != c.text {
					t.Errorf("%v %q", out.IsError, out.Content.Text())
				}
				if diff := cmp.Diff([]string{"wait", "output", "release"}, v.calls(t)); diff != "" {
					t.Error(diff)
				}
			})
		})
	}
}

func TestACommandAtTheHostThatTakesTooLongIsKilled(t *testing.T) {
	atHost(t, func(t *testing.T, v *visit) {
		v.terminals.Begin = func(_ context.Context, term *memory.Terminal) error {
			term.Print("begun\n", false)
			return nil
		}
		began := time.Now()
		out, _ := v.run(t, `{"command":"sleep 60","timeout":5}`)
		if took := time.Since(began); took != 5*time.Second || !out.IsError || out.Content.Text() != "[Command timed out after 5 seconds]\nbegun\n" {
			t.Errorf("after %v: %v %q", took, out.IsError, out.Content.Text())
		}
		if calls := v.calls(t); !slices.Equal(calls[len(calls)-3:], []string{"kill", "output", "release"}) {
			t.Errorf("asked for %v", calls)
		}
	})
}

func TestAnAbortKillsTheCommandAtTheHostAtOnce(t *testing.T) {
	atHost(t, func(t *testing.T, v *visit) {
		released := errors.New("not released")
		v.terminals.Begin = func(_ context.Context, term *memory.Terminal) error {
			term.Print("begun\n", false)
			term.Before = func(ctx context.Context, call string) error {
				if call == "release" {
					released = ctx.Err()
				}
				return nil
			}
			time.AfterFunc(10*time.Second, v.abort)
			return nil
		}
		began := time.Now()
		out, _ := v.run(t, `{"command":"sleep 60"}`)
		if took := time.Since(began); took != 10*time.Second || !out.IsError || out.Content.Text() != "[Command cancelled]\nbegun\n" {
			t.Errorf("after %v: %v %q", took, out.IsError, out.Content.Text())
		}
		if calls := v.calls(t); !slices.Equal(calls[len(calls)-3:], []string{"kill", "output", "release"}) || released != nil {
			t.Errorf("asked for %v; the release found %v", calls, released)
		}
	})
}

func TestATerminalThatComesAfterTheAbortIsGivenUp(t *testing.T) {
	atHost(t, func(t *testing.T, v *visit) {
		v.terminals.Begin = func(ctx context.Context, _ *memory.Terminal) error {
			v.abort()
			time.Sleep(time.Second)
			return ctx.Err()
		}
		out, _ := v.run(t, `{"command":"x"}`)
		if !out.IsError || !strings.HasPrefix(out.Content.Text(), "[Command cancelled]\n") {
			t.Errorf("%v %q", out.IsError, out.Content.Text())
		}
		if !slices.Contains(v.calls(t), "kill") {
			t.Errorf("asked for %v", v.calls(t))
		}
		out, _ = v.run(t, `{"command":"x"}`) // it has ended before it was to begin
		if !out.IsError || len(v.terminals.Created()) != 1 {
			t.Errorf("%q, %d terminals", out.Content.Text(), len(v.terminals.Created()))
		}
	})
}

func TestAHostThatAnswersNothingDoesNotHoldTheCall(t *testing.T) {
	for _, silent := range []string{"create", "output", "kill", "release"} {
		t.Run(silent, func(t *testing.T) {
			atHost(t, func(t *testing.T, v *visit) {
				hang := func(ctx context.Context, call string) error {
					if call != silent {
						return nil
					}
					<-ctx.Done()
					return context.Cause(ctx)
				}
				v.terminals.Begin = func(ctx context.Context, term *memory.Terminal) error {
					term.Before = hang
					return hang(ctx, "create")
				}
				time.AfterFunc(10*time.Second, v.abort)
				began := time.Now()
				out, _ := v.run(t, `{"command":"x"}`)
				if took := time.Since(began); took >= 13*time.Second || !out.IsError || !strings.HasPrefix(out.Content.Text(), "[Command cancelled]\n") {
					t.Errorf("after %v: %v %q", took, out.IsError, out.Content.Text())
				}
				if silent != "create" {
					v.calls(t)
				}
			})
		})
	}
}

func TestATerminalThatFailsIsReleased(t *testing.T) {
	for _, broken := range []string{"output", "wait"} {
		t.Run(broken, func(t *testing.T) {
			atHost(t, func(t *testing.T, v *visit) {
				v.terminals.Begin = func(_ context.Context, term *memory.Terminal) error {
					term.Before = func(_ context.Context, call string) error {
						if call == broken {
							return errors.New("no such terminal")
						}
						return nil
					}
					return nil
				}
				out, _ := v.run(t, `{"command":"x"}`)
				if !out.IsError || !strings.Contains(out.Content.Text(), "no such terminal") {
					t.Errorf("%v %q", out.IsError, out.Content.Text())
				}
				v.calls(t)
			})
		})
	}
}

func TestAnExitThatOnlyTheOutputTellsCounts(t *testing.T) {
	atHost(t, func(t *testing.T, v *visit) {
		v.terminals.Begin = func(_ context.Context, term *memory.Terminal) error {
			term.Print("x\n", false)
			term.End(host.Exit{Code: zero()})
			term.Before = func(ctx context.Context, call string) error {
				if call == "wait" {
					<-ctx.Done()
				}
				return nil
			}
			return nil
		}
		if out, _ := v.run(t, `{"command":"x"}`); out.IsError || out.Content.Text() != "x\n" {
			t.Errorf("%v %q", out.IsError, out.Content.Text())
		}
		v.calls(t)
	})
}

func TestWhatTheHostHasNotKeptIsSaid(t *testing.T) {
	atHost(t, func(t *testing.T, v *visit) {
		kept := strings.Repeat("a line of the output\n", 51200/21)
		v.terminals.Begin = func(_ context.Context, term *memory.Terminal) error {
			term.Print(kept, true)
			term.End(host.Exit{Code: zero()})
			return nil
		}
		out, details := v.run(t, `{"command":"x"}`)
		text := out.Content.Text()
		shown, notice, _ := strings.Cut(text, "\n\n")
		if !strings.HasSuffix(kept, shown+"\n") || !strings.HasPrefix(shown, "a line") || !strings.HasPrefix(notice, "[Output cut: these are its last ") || len(text) > tool.InlineLimit {
			t.Errorf("%d bytes, which end in %q", len(text), text[len(text)-120:])
		}
		v.spill = tool.Spill{Limit: 1 << 10}
		if out, _ := v.run(t, `{"command":"x"}`); len(out.Content.Text()) < 256 || len(out.Content.Text()) > 2<<10 || strings.Contains(out.Content.Text(), "left out") {
			t.Errorf("with little room: %q", out.Content.Text())
		}
		if details.Meta == nil || details.Meta.Truncation.Direction != "tail" || len(v.session.artifacts) != 0 {
			t.Errorf("details %+v, %d artifacts", details.Meta, len(v.session.artifacts))
		}
	})
}

func TestLongOutputOfAHostIsCutAndKept(t *testing.T) {
	atHost(t, func(t *testing.T, v *visit) {
		whole := strings.Repeat("a line of the output\n", 51200/21)
		v.terminals.Begin = func(_ context.Context, term *memory.Terminal) error {
			term.Print(whole, false)
			term.End(host.Exit{Code: zero()})
			return nil
		}
		out, details := v.run(t, `{"command":"x"}`)
		text := out.Content.Text()
		if !strings.HasSuffix(text, "read artifact://1 for it]") || len(text) > tool.InlineLimit || details.Meta.Truncation.ArtifactID != "1" {
			t.Errorf("%d bytes, which end in %q", len(text), text[len(text)-120:])
		}
		if len(v.session.artifacts) != 1 || string(v.session.artifacts[0]) != whole {
			t.Errorf("%d artifacts", len(v.session.artifacts))
		}
	})
}

func TestWhatTheHostIsNotAskedFor(t *testing.T) {
	atHost(t, func(t *testing.T, v *visit) {
		v.terminals.Begin = func(context.Context, *memory.Terminal) error { return errors.New("terminals are switched off") }
		for args, want := range map[string]string{
			`{"command":"x","cwd":"gone"}`:                      "Working directory does not exist: " + filepath.Join(v.dir, "gone"),
			`{"command":"x","env":{"a-b":""}}`:                  "Invalid bash env name: a-b",
			`{"command":"` + strings.Repeat("x", 70_000) + `"}`: "the command line has 70000 bytes, more than the 65536 that it may have here; put it into a file and run that",
			`{"command":"echo really \u0000 refused"}`:          "The host did not begin the command in a terminal: terminals are switched off",
		} {
			if out, _ := v.run(t, args); !out.IsError || out.Content.Text() != want {
				t.Errorf("%.40s: %v %q", args, out.IsError, out.Content.Text())
			}
		}
		if created := v.terminals.Created(); len(created) > 0 {
			t.Errorf("%d terminals", len(created))
		}
	})
}

func TestBackgroundAndPseudoTerminalStayHere(t *testing.T) {
	tr, board := newAsync(t, Options{Terminals: refusing(t)})
	if text, _, failed := tr.run(t, t.Context(), map[string]any{"command": "echo here", "async": true}); failed || !strings.HasPrefix(text, "Started as background job") {
		t.Errorf("async: %q", text)
	}
	if done := finished(t, board); done.Result.Text != "here\n" {
		t.Errorf("async: %+v", done)
	}
	tr = newTrial(t, true)
	tr.tool = bash{Options{Runner: tr.tool.(bash).opts.Runner, Terminal: true, Terminals: refusing(t), MaxTimeout: maxTimeout}}
	if text, _, failed := tr.run(t, t.Context(), map[string]any{"command": "test -t 1 && echo here"}); failed || text != "here\n" {
		t.Errorf("pty: %q", text)
	}
}

// refusing are terminals that nobody may ask for.
func refusing(t *testing.T) host.Terminals {
	return &memory.Terminals{Begin: func(context.Context, *memory.Terminal) error {
		t.Error("a terminal of the host was asked for")
		return errors.New("refused")
	}}
}
