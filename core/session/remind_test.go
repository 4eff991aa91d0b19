package session

import (
	"fmt"
	"testing"
	"testing/synctest"

	"veyyon.dev/veyyon/core/tool"
)

func TestAModelThatStopsWithOpenTasksIsRemindedWhileItWorks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := setStage(t, nil, calls("todo", twoTasks), answers("done"), calls("todo", `{"op":"done","task":"first"}`), answers("one left"), answers("enough"))
		g.want(g.ask("go"),
			"agent_start", "turn_start", "user go", "assistant toolUse todo", "result todo error=false", "turn_end",
			"turn_start", "assistant stop done", "turn_end",
			"todo_reminder 1/3 [{first in_progress} {second pending}]",
			"agent_start", "turn_start", "assistant toolUse todo", "result todo error=false", "turn_end",
			"turn_start", "assistant stop one left", "turn_end",
			"todo_reminder 2/3 [{second in_progress}]",
			"agent_start", "turn_start", "assistant stop enough", "turn_end", "agent_end 1",
		)
		g.want(g.asked(2), "user go", "assistant toolUse todo", "result todo error=false", "assistant stop done", "developer You stopped, but the")
	})
}

func TestNobodyIsRemindedInVain(t *testing.T) {
	phases := []tool.Phase{{Name: "A", Tasks: []tool.Task{{Content: "B", Status: "pending"}}}}
	plain := []string{"agent_start", "turn_start", "user go", "assistant stop yes", "turn_end", "agent_end 2"}
	for name, c := range map[string]struct {
		change func(*Options)
		answer string
		want   []string
	}{
		"switched off":  {func(o *Options) { o.Todo.Reminders = 0 }, "yes", plain},
		"no todo tool":  {func(o *Options) { o.Tools = func() tool.Set { return tool.NewSet(echo{}) } }, "yes", plain},
		"a question":    {nil, "**Shall I?** ", []string{"agent_start", "turn_start", "user go", "assistant stop **Shall I?**", "turn_end", "agent_end 2"}},
		"the last turn": {func(o *Options) { o.Budget.Turns = 1 }, "yes", plain},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g := setStage(t, c.change, answers(c.answer))
				if err := g.SetTodos(t.Context(), phases); err != nil {
					t.Fatal(err)
				}
				g.want(g.ask("go"), c.want...)
			})
		})
	}
}

func TestAClosedListGoesWhenTheNextPromptBegins(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := setStage(t, nil, answers("ok"))
		if err := g.SetTodos(t.Context(), []tool.Phase{{Name: "A", Tasks: []tool.Task{{Content: "B", Status: "completed"}, {Content: "C", Status: "abandoned"}}}}); err != nil {
			t.Fatal(err)
		}
		g.want(g.ask("go"), "agent_start", "todo_auto_clear", "turn_start", "user go", "assistant stop ok", "turn_end", "agent_end 2")
		if state, err := g.State(t.Context()); err != nil || len(state.TodoPhases) > 0 || state.TodoPhases == nil {
			t.Error(state.TodoPhases, err)
		}
	})
}

func TestAModelAtWorkIsNudgedAndToldOfItsFailedTodoCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		turns := []speaks{calls("todo", twoTasks), calls("todo", `{"op":"done","task":"third"}`)}
		for i := range nudgeAfter {
			turns = append(turns, calls("echo", fmt.Sprintf(`{"n":%d}`, i)))
		}
		g := setStage(t, func(o *Options) { o.Todo.Reminders = 1 }, append(turns, answers("what now?"))...)
		g.ask("go")
		last := g.asked(nudgeAfter + 2)
		g.want(last[3:6], "assistant toolUse todo", "result todo error=true", "developer The last todo call")
		g.want(last[len(last)-3:], "assistant toolUse echo", "result echo error=false", "developer The todo list has")
		before := g.asked(nudgeAfter + 1)
		g.want(before[len(before)-2:], "assistant toolUse echo", "result echo error=false")
	})
}

func TestAnAbortBehindAReminderEndsTheRunOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := setStage(t, nil, calls("todo", twoTasks), answers("done"), hanging, answers("ok?"))
		say(t, g.Session, "go")
		synctest.Wait()
		wait, err := g.Abort(t.Context())
		if err != nil || wait(t.Context()) != nil {
			t.Fatal(err)
		}
		heard := g.take()
		g.want(heard[9:],
			"todo_reminder 1/3 [{first in_progress} {second pending}]", "agent_start", "turn_start",
			"assistant aborted wait Interrupted by user", "turn_end", "agent_end 1")
		g.want(g.ask("more"), "agent_start", "turn_start", "user more", "assistant stop ok?", "turn_end", "agent_end 2")
	})
}
