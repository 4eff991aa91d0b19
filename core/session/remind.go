package session

import (
	"fmt"
	"slices"
	"strings"

	"veyyon.dev/veyyon/core/event"
	"veyyon.dev/veyyon/core/message"
	"veyyon.dev/veyyon/core/tool"
)

// Todo says how the model is held to its todo list (settings todo.*).
type Todo struct {
	Reminders int  // most reminders of unfinished tasks in one prompt; 0 gives none
	AutoClear bool // a list of closed tasks goes when the next prompt begins
}

// After nudgeAfter calls that may change something, without a look at the todo
// list, the model is asked to bring it up to date; at most maxNudges times a
// prompt (facts/agent 6.2).
const (
	nudgeAfter = 12
	maxNudges  = 2
)

const (
	todoFailedText = "The last todo call failed and changed nothing. Correct its arguments and call it again; " +
		"the tasks are addressed by their exact content."
	nudgeText = "The todo list has unfinished tasks and has not been touched for a while. " +
		"Mark what is done and what is in progress now, then go on."
)

// remind tells the model, which has stopped, of the tasks it has left open, and
// whether it is to go on for them. It is told again only when it has worked
// since, and not while it waits for the person or for a job.
func (st *state) remind() bool {
	c, most := &st.conduct, st.s.opts.Todo.Reminders
	open := unfinished(st.todos)
	_, offered := st.s.opts.Tools().Lookup("todo")
	if !offered || st.planning || len(open) == 0 || c.reminded >= most || c.reminded > 0 && !c.worked || st.limit() != "" || st.asks() || st.jobsWillWake() {
		return false
	}
	c.reminded++
	c.worked = false
	st.emit(event.TodoReminder{Todos: open, Attempt: c.reminded, MaxAttempts: most})
	st.instruct(reminderText(open))
	return true
}

func reminderText(open []event.Todo) string {
	var b strings.Builder
	b.WriteString("You stopped, but the todo list still has unfinished tasks:\n")
	for _, task := range open {
		fmt.Fprintf(&b, "- %s (%s)\n", task.Content, task.Status)
	}
	b.WriteString("Go on with them. If a task is done or no longer wanted, say so with the todo tool; " +
		"if you need the person for it, ask.")
	return b.String()
}

// asks tells whether the last answer ends with a question to the person.
func (st *state) asks() bool {
	last, ok := st.messages[len(st.messages)-1].(*message.Assistant)
	if !ok {
		return false
	}
	text := strings.TrimRight(last.Content.Text(), " \t\r\n*_`\"')»”")
	return strings.HasSuffix(text, "?") || strings.HasSuffix(text, "？")
}

// nudge reminds a model at work of its list.
func (st *state) nudge() {
	c := &st.conduct
	if st.s.opts.Todo.Reminders > 0 && c.changes >= nudgeAfter && c.nudged < maxNudges && len(unfinished(st.todos)) > 0 {
		c.nudged++
		c.changes = 0
		st.whisper("mid-run-todo-nudge", nudgeText)
	}
}

// clearTodos takes away a list of which nothing is left to do, since what comes
// now is something new.
func (st *state) clearTodos() {
	if st.s.opts.Todo.AutoClear && hasTasks(st.todos) && len(unfinished(st.todos)) == 0 {
		st.todos = []tool.Phase{}
		st.keepTodos() // or it would be back after a resume
		st.emit(event.TodoAutoClear{})
	}
}

func hasTasks(phases []tool.Phase) bool {
	return slices.ContainsFunc(phases, func(p tool.Phase) bool { return len(p.Tasks) > 0 })
}

func unfinished(phases []tool.Phase) []event.Todo {
	open := []event.Todo{}
	for _, phase := range phases {
		for _, task := range phase.Tasks {
			if task.Status == "pending" || task.Status == "in_progress" {
				open = append(open, event.Todo(task))
			}
		}
	}
	return open
}
