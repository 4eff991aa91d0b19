package bash

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"veyyon.dev/veyyon/core/shell"
	"veyyon.dev/veyyon/core/tool"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// store is a session that keeps artifacts in memory.
type store struct {
	tool.Session
	artifacts [][]byte
}

func (s *store) SaveArtifact(name string, text []byte) (int, bool) {
	s.artifacts = append(s.artifacts, text)
	return len(s.artifacts), true
}

type trial struct {
	tool    tool.Tool
	dir     string
	session tool.Session
	updates []string
}

func newTrial(t *testing.T, terminal bool) *trial {
	t.Helper()
	runner := shell.New(shell.Options{Env: os.Environ()})
	t.Cleanup(func() {
		if err := runner.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return &trial{tool: New(Options{Runner: runner, Terminal: terminal, Columns: 768}), dir: t.TempDir(), session: &store{}}
}

// run runs the tool and returns the text, the details without the time, and
// whether it is an error.
func (tr *trial) run(t *testing.T, ctx context.Context, args map[string]any) (text string, details Details, failed bool) {
	t.Helper()
	raw, err := json.Marshal(args)
	if err != nil {
		t.Fatal(err)
	}
	out, err := tr.tool.Run(ctx, tool.Call{
		ID: "1", Args: raw, Dir: tr.dir, Session: tr.session,
		Update: func(o tool.Output) { tr.updates = append(tr.updates, o.Content.Text()) },
	})
	if err != nil {
		t.Fatal(err)
	}
	if out.Details != nil {
		if err := json.Unmarshal(out.Details, &details); err != nil {
			t.Fatal(err)
		}
	}
	details.WallTimeMs = 0
	return out.Content.Text(), details, out.IsError
}

func TestResultTellsOutputAndHowItEnded(t *testing.T) {
	three := 3
	for _, terminal := range []bool{false, true} {
		tr := newTrial(t, terminal)
		if err := os.Mkdir(filepath.Join(tr.dir, "sub"), 0o755); err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct {
			args    map[string]any
			text    string
			details Details
			failed  bool
		}{
			{map[string]any{"command": "echo hello"}, "hello\n", Details{TimeoutSeconds: 300}, false},
			{map[string]any{"command": "true"}, "(no output)", Details{TimeoutSeconds: 300}, false},
			{map[string]any{"command": "echo oops >&2; exit 3"}, "oops\n\nCommand exited with code 3", Details{TimeoutSeconds: 300, ExitCode: &three}, true},
			{map[string]any{"command": "exit 3", "timeout": 9}, "(no output)\n\nCommand exited with code 3", Details{TimeoutSeconds: 9, ExitCode: &three}, true},
			{map[string]any{"command": "basename $PWD; echo $A", "cwd": "sub", "env": map[string]string{"A": "b"}}, "sub\nb\n", Details{TimeoutSeconds: 300}, false},
			{
				map[string]any{"command": "echo x", "timeout": 5000},
				"x\n\nTimeout clamped to 3600s (requested 5000s; allowed range 1-3600s).",
				Details{TimeoutSeconds: 3600, RequestedTimeoutSeconds: 5000},
				false,
			},
			{map[string]any{"command": "echo a; sleep 60", "timeout": 1}, "[Command timed out after 1 seconds]\na\n", Details{TimeoutSeconds: 1}, true},
			{map[string]any{"command": "true", "cwd": "gone"}, "Working directory does not exist: " + tr.dir + "/gone", Details{}, true},
			{map[string]any{"command": "true", "env": map[string]string{"a-b": ""}}, "Invalid bash env name: a-b", Details{}, true},
		} {
			text, details, failed := tr.run(t, t.Context(), c.args)
			if text != c.text || failed != c.failed {
				t.Errorf("%v: text %q, error %v; want %q, %v", c.args, text, failed, c.text, c.failed)
			}
			if diff := cmp.Diff(c.details, details); diff != "" {
				t.Errorf("%v: details %s", c.args, diff)
			}
		}
	}
}

func TestAbortGivesWhatWasPrinted(t *testing.T) {
	tr := newTrial(t, false)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	call := tool.Call{Args: json.RawMessage(`{"command":"echo begun; sleep 60 | cat"}`), Dir: tr.dir, Session: tr.session, Update: func(tool.Output) { cancel() }}
	out, err := tr.tool.Run(ctx, call)
	if err != nil || !out.IsError || out.Content.Text() != "[Command cancelled]\nbegun\n" {
		t.Errorf("got %+v, %v", out, err)
	}
}

func TestUpdatesShowTheOutputSoFar(t *testing.T) {
	tr := newTrial(t, false)
	text, _, _ := tr.run(t, t.Context(), map[string]any{"command": "for i in 1 2 3 4; do echo $i; sleep 0.1; done"})
	if len(tr.updates) < 2 {
		t.Fatalf("%d updates", len(tr.updates))
	}
	for _, update := range tr.updates {
		if !strings.HasPrefix(text, update) {
			t.Errorf("update %q", update)
		}
	}
}

func TestLongOutputIsCutAndKept(t *testing.T) {
	tr := newTrial(t, false)
	text, details, failed := tr.run(t, t.Context(), map[string]any{"command": "seq 200000"})
	saved := tr.session.(*store).artifacts[0]
	if len(saved) != 1288895 || !strings.HasSuffix(string(saved), "\n200000\n") {
		t.Errorf("%d bytes are saved", len(saved))
	}
	if failed || len(text) > tool.InlineLimit || !strings.HasPrefix(text, "1\n2\n") ||
		!strings.HasSuffix(text, "\n200000\n\n[Output cut: 1288895 bytes in 200001 lines in all; read artifact://1 for it]") {
		t.Errorf("%d bytes that end in %q", len(text), text[len(text)-120:])
	}
	if cut := details.Meta.Truncation; cut.ArtifactID != "1" || cut.TotalBytes != 1288895 || cut.OutputBytes+cut.ElidedBytes != cut.TotalBytes {
		t.Errorf("details %+v", cut)
	}
	text, _, _ = tr.run(t, t.Context(), map[string]any{"command": "yes | head -c 9000000"})
	if want := fmt.Sprintf("read artifact://2 for the first %d bytes]", maxArtifact); !strings.HasSuffix(text, want) {
		t.Errorf("ends in %q", text[len(text)-120:])
	}
}

func TestLongLinesAreCut(t *testing.T) {
	tr := newTrial(t, false)
	text, details, _ := tr.run(t, t.Context(), map[string]any{"command": "printf 'é%.0s' {1..1000}; echo; echo short"})
	if want := strings.Repeat("é", 384) + "… [1232 bytes cut]\nshort\n"; !strings.HasPrefix(text, want) || details.Meta == nil {
		t.Errorf("got %q", text[700:])
	}
}

func TestMissingExitStatusIsSaid(t *testing.T) {
	out, err := output(shell.Result{Output: "x\n"}, Details{}, nil)
	if err != nil || !out.IsError || out.Content.Text() != "x\n\nCommand failed: missing exit status" {
		t.Errorf("got %+v, %v", out, err)
	}
}

func TestSpecIsAnObjectSchema(t *testing.T) {
	spec := newTrial(t, false).tool.Spec()
	var schema map[string]any
	if err := json.Unmarshal(spec.Parameters, &schema); err != nil || schema["type"] != "object" || spec.Description == "" || spec.Tier != tool.TierExec {
		t.Errorf("spec %+v, %v", spec, err)
	}
}

func TestTheLongestTimeoutIsTheSettings(t *testing.T) {
	spec := New(Options{MaxTimeout: 60, Async: true}).Spec()
	if told := spec.Description + string(spec.Parameters); strings.Contains(told, "3600") || strings.Contains(told, "hour") || strings.Count(told, "(default 60, 1 to 60)") != 2 {
		t.Errorf("models are told:\n%s", told)
	}
	b := New(Options{MaxTimeout: 60}).(bash)
	for args, want := range map[string]float64{`{"command":"x"}`: 60, `{"command":"x","timeout":5}`: 5, `{"command":"x","timeout":90}`: 60, `{"command":"x","async":true}`: 60} {
		c, err := b.read(tool.Call{Args: json.RawMessage(args)})
		if err != nil || c.details.TimeoutSeconds != want {
			t.Errorf("%s: %v, %v", args, c.details.TimeoutSeconds, err)
		}
	}
}
