package rpc

import (
	"bytes"
	"context"
	"slices"

	"veyyon.dev/veyyon/core/session"
	"veyyon.dev/veyyon/core/tool"
	"veyyon.dev/veyyon/frames"
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

func (c *commands) state(ctx context.Context, _ struct{}) (router.Answer, error) {
	state, err := c.agent.State(ctx)
	if err != nil {
		return router.Answer{}, err
	}
	answer := stateAnswer{State: state}
	if answer.constant, err = c.constant.of(state.SystemPrompt, state.DumpTools); err != nil {
		return router.Answer{}, err
	}
	return router.Answer{Data: answer}, nil
}

// stateAnswer is a session's state with the parts that hardly ever change, and
// are most of it, as text.
type stateAnswer struct {
	session.State
	constant []byte
}

// AppendJSON implements frames.Appender.
func (a stateAnswer) AppendJSON(dst []byte) ([]byte, error) {
	a.SystemPrompt, a.DumpTools = nil, nil
	dst, err := frames.Append(dst, a.State)
	if err != nil {
		return dst, err
	}
	return append(append(dst[:len(dst)-1], a.constant...), '}'), nil
}

// constantState keeps the text of the system prompt and the tools for as long
// as they stay what they are.
type constantState struct {
	prompt []string
	tools  []session.DumpTool
	text   []byte // ,"systemPrompt":…,"dumpTools":…
}

func (k *constantState) of(prompt []string, tools []session.DumpTool) ([]byte, error) {
	if k.text != nil && slices.Equal(k.prompt, prompt) && slices.EqualFunc(k.tools, tools, sameTool) {
		return k.text, nil
	}
	text, err := frames.Marshal(struct {
		SystemPrompt []string           `json:"systemPrompt"`
		DumpTools    []session.DumpTool `json:"dumpTools"`
	}{prompt, tools})
	if err != nil {
		return nil, err
	}
	*k = constantState{prompt: prompt, tools: tools, text: append([]byte{','}, text[1:len(text)-1]...)}
	return k.text, nil
}

func sameTool(a, b session.DumpTool) bool {
	return a.Name == b.Name && a.Description == b.Description && bytes.Equal(a.Parameters, b.Parameters)
}
