package session

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"veyyon.dev/veyyon/core/message"
	"veyyon.dev/veyyon/core/tool"
	"veyyon.dev/veyyon/core/transcript"
)

func TestTheTodoListOfAnotherProgramsCompactionIsFound(t *testing.T) {
	inTime(t, func(ctx context.Context, t *testing.T) {
		k := filled(ctx, t, answers("ok"), answers("S"), nil)
		if err := k.do(t.Context(), func(st *state) {
			st.store(&message.ToolResult{
				Role: message.RoleToolResult, ToolCallID: "t", ToolName: "todo",
				Details: []byte(`{"phases":[{"name":"P","tasks":[{"content":"c","status":"pending"}]}]}`),
			})
			st.store(message.NewUser("later", nil))
			if err := st.log().Append(foreignCompaction(st)); err != nil {
				t.Error(err)
			}
			st.todos = nil
			st.loadTodos()
			if len(st.todos) != 1 || !strings.Contains(fmt.Sprint(st.todos), "pending") {
				t.Errorf("todos: %+v", st.todos)
			}
		}); err != nil {
			t.Fatal(err)
		}
	})
}

func foreignCompaction(st *state) *transcript.Compaction {
	return &transcript.Compaction{Summary: "theirs", FirstKeptEntryID: st.log().Leaf().ID}
}

func TestTheNewestTodoListIsLoaded(t *testing.T) {
	result := func(content string) *message.ToolResult {
		return &message.ToolResult{
			Role: message.RoleToolResult, ToolCallID: content, ToolName: "todo",
			Details: []byte(`{"phases":[{"name":"P","tasks":[{"content":"` + content + `","status":"pending"}]}]}`),
		}
	}
	for name, c := range map[string]struct {
		write func(st *state)
		want  string
	}{
		"a call's": {func(st *state) { st.store(result("called")) }, "called"},
		"that which a compaction kept, though an older call is in the context": {func(st *state) {
			st.store(result("old"))
			kept := st.log().Leaf().ID
			st.todos = []tool.Phase{{Name: "P", Tasks: []tool.Task{{Content: "set", Status: "pending"}}}}
			st.wrote(st.log().Append(&transcript.Compaction{Summary: "S", FirstKeptEntryID: kept, PreserveData: preserved(st.todos)}))
		}, "set"},
		"that of a call behind a compaction": {func(st *state) {
			st.wrote(st.log().Append(&transcript.Compaction{Summary: "S", FirstKeptEntryID: st.log().Leaf().ID, PreserveData: preserved(nil)}))
			st.store(result("new"))
		}, "new"},
		"none, when it was cleared": {func(st *state) {
			st.store(result("old"))
			st.todos = []tool.Phase{}
			st.keepTodos()
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			inTime(t, func(ctx context.Context, t *testing.T) {
				dir := t.TempDir()
				k := talks(ctx, t, newLog(t, transcript.Options{Dir: dir, CWD: dir}), answers("ok"), answers("S"), nil)
				say(t, k.Session, "go")
				k.settle(t)
				if err := k.do(t.Context(), c.write); err != nil {
					t.Fatal(err)
				}
				path := k.state(t).SessionFile
				k.Stop(t.Context(), errPulled, false)
				<-k.Done()
				log, err := transcript.Open(path, transcript.Options{CWD: dir})
				if err != nil {
					t.Fatal(err)
				}
				again := talks(ctx, t, log, answers("ok"), answers("S"), nil)
				got := ""
				for _, task := range unfinished(again.state(t).TodoPhases) {
					got += task.Content
				}
				if got != c.want {
					t.Errorf("the list holds %q, want %q", got, c.want)
				}
			})
		})
	}
}
