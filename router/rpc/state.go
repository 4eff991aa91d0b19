package rpc

import (
	"context"

	"veyyon.dev/veyyon/core/tool"
	wire "veyyon.dev/veyyon/frames/rpc"
	"veyyon.dev/veyyon/router"
)

func (c *commands) setTodos(ctx context.Context, given []wire.TodoPhase) (router.Answer, error) {
	phases := make([]tool.Phase, len(given))
	for i, phase := range given {
		phases[i] = tool.Phase{Name: phase.Name, Tasks: make([]tool.Task, len(phase.Tasks))}
		for j, task := range phase.Tasks {
			phases[i].Tasks[j] = tool.Task(task)
		}
	}
	kept, err := c.agent.SetTodos(ctx, phases)
	return keyed("todoPhases", kept), err
}
