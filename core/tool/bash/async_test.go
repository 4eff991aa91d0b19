package bash

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"veyyon.dev/veyyon/core/job"
	"veyyon.dev/veyyon/core/shell"
	"veyyon.dev/veyyon/core/tool"
)

// newAsync is a trial whose commands may go on in the background of a board with
// room for one job.
func newAsync(t *testing.T, opts Options) (*trial, *job.Board) {
	t.Helper()
	board := job.NewBoard(1)
	runner := shell.New(shell.Options{Env: os.Environ()})
	opts.Runner, opts.Async = runner, true
	opts.Board = func(tool.Session) (*job.Board, bool) { return board, true }
	t.Cleanup(func() {
		if err := errors.Join(board.Close(context.Background()), runner.Close(context.Background())); err != nil {
			t.Error(err)
		}
	})
	return &trial{tool: New(opts), dir: t.TempDir(), session: &store{}}, board
}

// gate is a FIFO that a command waits at; opening it lets the command go on.
func gate(t *testing.T, dir string) (open func()) {
	t.Helper()
	path := filepath.Join(dir, "gate")
	if err := unix.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	return func() {
		t.Helper()
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err == nil {
			err = f.Close()
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// finished is the one job, once it has ended.
func finished(t *testing.T, b *job.Board) job.Job {
	t.Helper()
	<-b.Finished()
	jobs := b.ClaimFree()
	if len(jobs) != 1 {
		t.Fatalf("%d jobs have ended", len(jobs))
	}
	return jobs[0]
}

func TestACommandGoesOnInTheBackgroundWhenAsked(t *testing.T) {
	tr, board := newAsync(t, Options{})
	open := gate(t, tr.dir)
	text, details, failed := tr.run(t, t.Context(), map[string]any{"command": "cat gate; echo through", "async": true})
	want := Details{TimeoutSeconds: 3600, Async: &Async{State: "running", JobID: "bash-1", Type: job.Bash, Reason: "manual"}}
	if diff := cmp.Diff(want, details); diff != "" || failed || !strings.HasPrefix(text, "Started as background job bash-1.\n") {
		t.Errorf("%q, failed %v, %s", text, failed, diff)
	}
	if _, err := tr.tool.Run(t.Context(), tool.Call{Args: json.RawMessage(`{"command":"true","async":true}`), Dir: tr.dir}); err == nil {
		t.Error("a second job was begun")
	}
	open()
	if got := finished(t, board); got.Result.Text != "through\n" || got.Label != "cat gate; echo through" {
		t.Errorf("%+v", got)
	}
}

func TestALongCommandIsMovedAndToldOnce(t *testing.T) {
	at := time.Duration(0)
	tr, board := newAsync(t, Options{Threshold: &at})
	open := gate(t, tr.dir)
	text, details, _ := tr.run(t, t.Context(), map[string]any{"command": "cat gate; echo through; exit 3"})
	want := Details{TimeoutSeconds: 300, Async: &Async{State: "running", JobID: "bash-1", Type: job.Bash, Reason: "threshold"}}
	if diff := cmp.Diff(want, details); diff != "" {
		t.Errorf("%q %s", text, diff)
	}
	open()
	if got := finished(t, board); got.Result.Text != "through\n\nCommand exited with code 3" || got.Status != job.Failed {
		t.Errorf("%+v", got)
	}
	// There is room again, but a command that is quick enough stays.
	at = time.Hour
	if text, details, _ := tr.run(t, t.Context(), map[string]any{"command": "echo quick"}); text != "quick\n" || details.Async != nil || len(board.List()) != 1 {
		t.Errorf("%q, %+v, %d jobs", text, details, len(board.List()))
	}
}

func TestASilentCommandIsMovedWithItsOutput(t *testing.T) {
	after := 300 * time.Millisecond
	tr, board := newAsync(t, Options{Stall: &after})
	text, details, _ := tr.run(t, t.Context(), map[string]any{"command": "echo password?; sleep 60"})
	if details.Async == nil || details.Async.Reason != "stall" || !strings.Contains(text, "printed nothing for 300ms") || !strings.Contains(text, "Its latest output:\npassword?") {
		t.Errorf("%q, %+v", text, details)
	}
	if got := board.Cancel("bash-1"); got != job.WasCancelled {
		t.Errorf("cancelling: %v", got)
	}
	<-board.Finished()
}

func TestAMovedCommandWithoutRoomStaysWithItsCall(t *testing.T) {
	at := time.Duration(0)
	tr, _ := newAsync(t, Options{Threshold: &at})
	tr.run(t, t.Context(), map[string]any{"command": "sleep 60", "async": true})
	if text, details, _ := tr.run(t, t.Context(), map[string]any{"command": "sleep 0.1; echo here"}); text != "here\n" || details.Async != nil {
		t.Errorf("%q, %+v", text, details)
	}
}

func TestAsyncIsRefusedWhereThereIsNone(t *testing.T) {
	tr := newTrial(t, false)
	_, err := tr.tool.Run(t.Context(), tool.Call{Args: json.RawMessage(`{"command":"true","async":true}`), Dir: tr.dir})
	if err == nil || !strings.HasPrefix(err.Error(), "Async bash execution is disabled") {
		t.Error(err)
	}
	if strings.Contains(string(tr.tool.Spec().Parameters), "async") {
		t.Error("the argument is offered all the same")
	}
	bare := New(Options{Async: true, Board: func(tool.Session) (*job.Board, bool) { return nil, false }})
	if _, err := bare.Run(t.Context(), tool.Call{Args: json.RawMessage(`{"command":"true","async":true}`), Dir: tr.dir}); err == nil ||
		!strings.HasPrefix(err.Error(), "Async job manager unavailable for this session") {
		t.Error(err)
	}
	if !json.Valid(bare.Spec().Parameters) || !strings.Contains(string(bare.Spec().Parameters), `"async"`) {
		t.Errorf("the parameters are %s", bare.Spec().Parameters)
	}
}
