package rpc

import (
	"fmt"
	"slices"
)

// TodoPhase is a phase of set_todos.
type TodoPhase struct {
	Name  string
	Tasks []TodoTask
}

// TodoTask is a task of a TodoPhase.
type TodoTask struct{ Content, Status string }

var todoStatuses = []string{"pending", "in_progress", "completed", "abandoned"}

// DecodeTodos reads the phases of set_todos. What the protocol does not name is
// dropped; a task without a status is pending.
//
// Protocol: "set_todos payload"; facts/rpc 5.9.
func DecodeTodos(o Object) ([]TodoPhase, error) {
	items, err := o.Objects("phases")
	if err != nil {
		return nil, err
	}
	phases := make([]TodoPhase, len(items))
	for i, item := range items {
		if phases[i], err = decodePhase(item); err != nil {
			return nil, err
		}
	}
	return phases, nil
}

func decodePhase(o Object) (phase TodoPhase, err error) {
	if phase.Name, err = o.String("name"); err != nil {
		return phase, fmt.Errorf("phase %w", err)
	}
	if _, err := o.Array("tasks"); err != nil {
		return phase, wrong("phase \"%s\" must have a tasks array", clip(phase.Name))
	}
	items, err := o.Objects("tasks")
	if err != nil {
		return phase, err
	}
	phase.Tasks = make([]TodoTask, len(items))
	for i, item := range items {
		if phase.Tasks[i], err = decodeTask(item); err != nil {
			return phase, err
		}
	}
	return phase, nil
}

func decodeTask(o Object) (task TodoTask, err error) {
	if task.Content, err = o.String("content"); err != nil {
		return task, fmt.Errorf("todo %w", err)
	}
	task.Status = "pending"
	if o.Set("status") {
		task.Status = o.Shown("status")
	}
	if !slices.Contains(todoStatuses, task.Status) {
		return task, wrong("Invalid todo status: %s", clip(task.Status))
	}
	return task, nil
}
