package scripted

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"veyyon.dev/veyyon/core/file"
	"veyyon.dev/veyyon/core/message"
	"veyyon.dev/veyyon/core/model"
	"veyyon.dev/veyyon/core/tool"
	"veyyon.dev/veyyon/core/tool/edit"
	"veyyon.dev/veyyon/core/tool/glob"
	"veyyon.dev/veyyon/core/tool/grep"
	"veyyon.dev/veyyon/core/tool/read"
	"veyyon.dev/veyyon/core/tool/write"
)

var toolNames = []string{"glob", "read", "write", "edit", "grep", "bash", "host_clock"}

func TestEachRuleBecomesTheCallOfItsTool(t *testing.T) {
	for asked, want := range map[string]string{
		"list files":                     `glob {"path":"."}`,
		"List the files in core/model":   `glob {"path":"core/model"}`,
		"read a b.txt":                   `read {"path":"a b.txt"}`,
		"write a.txt: hello: you":        `write {"content":"hello: you\n","path":"a.txt"}`,
		"edit a.txt: old -> new":         `edit {"edits":[{"new_text":"new","old_text":"old"}],"path":"a.txt"}`,
		"grep fo+ in src":                `grep {"path":"src","pattern":"fo+"}`,
		"grep fo+":                       `grep {"pattern":"fo+"}`,
		"run echo 1":                     `bash {"command":"echo 1"}`,
		"RUN: make test":                 `bash {"command":"make test"}`,
		`call host_clock {"zone":"CET"}`: `host_clock {"zone":"CET"}`,
		"call host_clock":                `host_clock {}`,
		"please do:\n run a \nrun b":     `bash {"command":"a"}; bash {"command":"b"}`,
	} {
		m, _, err := ask(t.Context(), New(nil), Demo, says(asked), toolNames...)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, call := range m.Content.ToolCalls() {
			got = append(got, call.Name+" "+string(call.Arguments))
		}
		if strings.Join(got, "; ") != want || m.StopReason != message.StopToolUse {
			t.Errorf("%q: %q, %s", asked, got, m.StopReason)
		}
	}
}

func TestAnythingElseIsEchoedInSeveralDeltas(t *testing.T) {
	m, deltas, err := ask(t.Context(), New(nil), Demo, says("good morning"), toolNames...)
	if err != nil || !strings.HasPrefix(m.Content.Join("\n"), `You said: "good morning".`) || len(deltas) < 5 || strings.Join(deltas, "") != m.Content.Join("\n") {
		t.Error(m.Content, deltas, err)
	}
	if m.StopReason != message.StopStop || m.Usage.Input == 0 || m.Usage.Output == 0 {
		t.Errorf("%s %+v", m.StopReason, m.Usage)
	}
}

func TestThinkingIsAThinkingBlock(t *testing.T) {
	m, _, _ := ask(t.Context(), New(nil), Demo, says("think of ducks\nthink of geese\nread pond"), "read")
	if block, ok := m.Content[0].(*message.Thinking); !ok || block.Thinking != "of ducks\nof geese" || len(m.Content.ToolCalls()) != 1 {
		t.Error(m.Content)
	}
}

func TestAToolThatIsNotOfferedIsNotCalled(t *testing.T) {
	m, _, _ := ask(t.Context(), New(nil), Demo, says("run ls"), "read")
	if len(m.Content.ToolCalls()) > 0 || !strings.Contains(m.Content.Join("\n"), "bash") {
		t.Error(m.Content)
	}
}

func TestADemoAnswerHearsAnAbort(t *testing.T) {
	cause := errors.New("aborted by the test")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(cause)
	if _, _, err := ask(ctx, New(nil), Demo, says("hello")); !errors.Is(err, cause) {
		t.Error(err)
	}
}

// converse lets the demo model work with real tools in a fresh directory, until
// it calls no more, and gives all that was said.
func converse(t *testing.T, asked string) []message.Message {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "duck.txt"), []byte("quack\nquack\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	locks := &file.Locks{}
	tools := tool.NewSet(glob.New(), read.New(read.Options{}), write.New(write.Options{Locks: locks}), edit.New(edit.Options{Locks: locks, Like: edit.Likeness{}}), grep.New(1, 3))
	messages := says(asked)
	for range 3 {
		m, _, err := ask(t.Context(), New(nil), Demo, messages, "glob", "read", "write", "edit", "grep")
		if err != nil {
			t.Fatal(err)
		}
		m.Timestamp = 0
		messages = append(messages, m)
		calls := m.Content.ToolCalls()
		if len(calls) == 0 {
			return messages
		}
		for _, call := range calls {
			worker, ok := tools.Lookup(call.Name)
			if !ok {
				t.Fatal("no tool", call.Name)
			}
			out, err := worker.Run(t.Context(), tool.Call{Args: call.Arguments, Dir: dir, Update: func(tool.Output) {}})
			if err != nil {
				out = tool.ErrorOutput(err.Error())
			}
			messages = append(messages, &message.ToolResult{Role: message.RoleToolResult, ToolName: call.Name, Content: out.Content, IsError: out.IsError})
		}
	}
	t.Fatal("the demo model does not come to an end")
	return nil
}

func TestTheDemoModelWithRealToolsIsDeterministic(t *testing.T) {
	asked := "write pond/new.txt: one two\nedit pond/new.txt: two -> three\nread pond/new.txt\ngrep quack\nlist files in pond\nread none.txt"
	first := converse(t, asked)
	if diff := cmp.Diff(first, converse(t, asked)); diff != "" {
		t.Error(diff)
	}
	if len(first) != 9 { // the question, the calls, six results, the summary
		t.Fatalf("%d messages", len(first))
	}
	summary := first[8].(*message.Assistant).Content.Join("\n")
	for _, want := range []string{"The tool write gave", "The tool edit gave", "one three", "quack", "new.txt", "The tool read failed with"} {
		if !strings.Contains(summary, want) {
			t.Errorf("the summary lacks %q:\n%s", want, summary)
		}
	}
}

func TestForASummaryTheDemoModelFollowsNoInstruction(t *testing.T) {
	draft := model.NewDraft(&model.Model{}, model.DraftOptions{})
	err := New(nil).Stream(t.Context(), &model.Request{Model: &model.Model{ID: Demo}, NoTools: true, Messages: says("read a.txt")}, draft)
	if m := draft.Finish(); err != nil || m.Content.Text() != "A conversation of 10 bytes came before this. The demo model remembers no more of it." {
		t.Error(m.Content, err)
	}
}
