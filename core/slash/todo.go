package slash

import (
	"context"
	"fmt"
	"strings"

	"veyyon.dev/veyyon/core/event"
	"veyyon.dev/veyyon/core/fault"
	"veyyon.dev/veyyon/core/tool"
	"veyyon.dev/veyyon/core/tool/todo"
)

var todoVerbs = []event.Subcommand{
	{Name: "append", Description: "Add a task", Usage: "[<phase>:] <task>"},
	{Name: "start", Description: "Begin a task", Usage: "<task>"},
	{Name: "done", Description: "Mark a task, a phase or all as completed", Usage: "[<task>|<phase>]"},
	{Name: "drop", Description: "Give up a task, a phase or all", Usage: "[<task>|<phase>]"},
	{Name: "rm", Description: "Remove a task, a phase or all", Usage: "[<task>|<phase>]"},
}

// firstPhase is where tasks go when there is no phase.
const firstPhase = "Tasks"

func todoList(ctx context.Context, t Target, args string) (Effect, error) {
	verb, rest := word(args)
	if verb == "" {
		state, err := t.State(ctx)
		if err != nil {
			return Effect{}, err
		}
		return say(todoText(state.TodoPhases))
	}
	done := ""
	err := t.EditTodos(ctx, func(phases []tool.Phase) (next []tool.Phase, err error) {
		next, done, err = changed(phases, verb, rest)
		return next, err
	})
	if err != nil {
		return say(err.Error())
	}
	return say(done)
}

func todoText(phases []tool.Phase) string {
	var lines []string
	for _, phase := range phases {
		lines = append(lines, phase.Name)
		for _, task := range phase.Tasks {
			lines = append(lines, fmt.Sprintf("  [%s] %s", task.Status, task.Content))
		}
	}
	if lines == nil {
		return "Todo list is empty."
	}
	return strings.Join(lines, "\n")
}

// changed is the list after a change, and what to say of that.
func changed(phases []tool.Phase, verb, rest string) (next []tool.Phase, done string, err error) {
	op := todo.Op{Name: verb}
	switch verb {
	case "append":
		op.Phase, op.Items = place(phases, rest)
		if op.Items == nil {
			return nil, "", usageOf(verb)
		}
		done = fmt.Sprintf("Appended to %s: %s", op.Phase, op.Items[0])
	case "start":
		if rest == "" {
			return nil, "", usageOf(verb)
		}
		if op.Task, err = match(phases, rest); err != nil {
			return nil, "", err
		}
		done = "Started: " + op.Task
	case "done", "drop", "rm":
		if done, err = among(phases, rest, &op); err != nil {
			return nil, "", err
		}
	default:
		return nil, "", usageOf("append|start|done|drop|rm")
	}
	next, err = todo.Apply(phases, op)
	return next, done, err
}

func usageOf(verb string) error { return fault.Newf(fault.Invalid, "Usage: /todo %s <task>", verb) }

// place finds where a task goes: behind the name of a phase and a colon, or else
// at the end.
func place(phases []tool.Phase, rest string) (phase string, items []string) {
	if rest == "" {
		return "", nil
	}
	if name, task, ok := strings.Cut(rest, ":"); ok && strings.TrimSpace(task) != "" {
		for _, p := range phases {
			if strings.EqualFold(p.Name, strings.TrimSpace(name)) {
				return p.Name, []string{strings.TrimSpace(task)}
			}
		}
	}
	if len(phases) == 0 {
		return firstPhase, []string{rest}
	}
	return phases[len(phases)-1].Name, []string{rest}
}

var (
	doneAll = map[string]string{"done": "Marked all tasks completed.", "drop": "Dropped all tasks.", "rm": "Cleared all todos."}
	doneOne = map[string]string{"done": "Completed: ", "drop": "Dropped: ", "rm": "Removed: "}
)

// among says in op which tasks are meant: one, those of a phase, or all.
func among(phases []tool.Phase, rest string, op *todo.Op) (done string, err error) {
	if rest == "" || rest == "all" {
		return doneAll[op.Name], nil
	}
	for _, p := range phases {
		if strings.EqualFold(p.Name, rest) {
			op.Phase = p.Name
			return doneOne[op.Name] + p.Name, nil
		}
	}
	op.Task, err = match(phases, rest)
	return doneOne[op.Name] + op.Task, err
}

// match finds the one task that is called so, or whose text holds that.
func match(phases []tool.Phase, text string) (string, error) {
	var found []string
	for _, p := range phases {
		for _, task := range p.Tasks {
			if task.Content == text {
				return text, nil
			}
			if strings.Contains(strings.ToLower(task.Content), strings.ToLower(text)) {
				found = append(found, task.Content)
			}
		}
	}
	switch len(found) {
	case 0:
		return "", fault.Newf(fault.Invalid, "No task matched %q. Use /todo to list current tasks.", text)
	case 1:
		return found[0], nil
	}
	return "", fault.Newf(fault.Invalid, "%d tasks match %q. Write more of the one you mean.", len(found), text)
}
