package subagent

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"

	"veyyon.dev/veyyon/core/message"
	"veyyon.dev/veyyon/core/tool"
	"veyyon.dev/veyyon/core/tool/validate"
)

// yield is the tool by which an agent ends its work. One agent's own.
type yield struct {
	schema json.RawMessage // of the result; nil for any
	commit bool            // it is to write a message for the commit of its changes

	mu      sync.Mutex
	yielded *yielded
}

// yielded is how an agent ended its work: with a report, or telling why it could
// not.
type yielded struct {
	Data   json.RawMessage // what the schema asks for, nil for none
	Text   string
	Error  string
	Commit string // the message for the commit of its changes
}

func (*yield) name() string { return "yield" }

// Spec implements tool.Tool.
func (y *yield) Spec() tool.Spec {
	properties := map[string]any{
		"report": map[string]any{"type": "string", "description": "Your report in full: nothing else of what you said is passed on"},
		"error":  map[string]any{"type": "string", "description": "Why the task could not be done, instead of a result"},
	}
	if y.schema != nil {
		properties["data"] = y.schema
	}
	if y.commit {
		properties["commit"] = map[string]any{"type": "string", "description": "A message for the commit of your changes: a subject in the imperative, and why in the body"}
	}
	parameters, _ := message.Marshal(map[string]any{"type": "object", "properties": properties}) // the schema is JSON
	return tool.Spec{
		Name: y.name(), Label: "Yield", Description: y.description(), Parameters: parameters, Exclusive: true, Tier: tool.TierRead,
	}
}

func (y *yield) description() string {
	text := "Ends your work and hands its result to the agent that set the task. Call it once, as the last thing, with your report"
	if y.schema != nil {
		text += " as `data`"
	}
	return text + "; with `error` if the task could not be done."
}

// Run implements tool.Tool.
func (y *yield) Run(_ context.Context, call tool.Call) (tool.Output, error) {
	var args struct {
		Report string          `json:"report"`
		Error  string          `json:"error"`
		Data   json.RawMessage `json:"data"`
		Commit string          `json:"commit"`
	}
	if err := call.Arguments(&args); err != nil {
		return tool.Output{}, err
	}
	given := bytes.TrimSpace(args.Data)
	switch {
	case args.Error != "":
	case y.schema != nil && len(given) == 0:
		return tool.Output{}, errors.New("give the result as data, or an error")
	case y.schema != nil:
		if _, err := validate.Check(y.schema, "data", given); err != nil {
			return tool.Output{}, fmt.Errorf("the data does not have the form that is asked for: %w", err)
		}
	case args.Report == "":
		return tool.Output{}, errors.New("give a report, or an error")
	}
	y.mu.Lock()
	defer y.mu.Unlock()
	y.yielded = &yielded{Data: given, Text: args.Report, Error: args.Error, Commit: args.Commit}
	return tool.TextOutput("Done."), nil
}

// result is what the agent has ended with, nil before.
func (y *yield) result() *yielded {
	y.mu.Lock()
	defer y.mu.Unlock()
	return y.yielded
}

// message is what the commit of the agent's changes says.
func (y *yield) message(id string) string {
	if done := y.result(); y.commit && done != nil && strings.TrimSpace(done.Commit) != "" {
		return done.Commit
	}
	return "Work of the agent " + id
}

// over tells whether the agent has ended its work.
func (y *yield) over() bool { return y.result() != nil }
