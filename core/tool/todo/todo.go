// Package todo is the tool that keeps the session's todo list.
package todo

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"

	"veyyon.dev/veyyon/core/tool"
)

//go:embed todo.md
var description string

const parameters = `{
  "type": "object",
  "properties": {
    "op": {"type": "string", "enum": ["init", "start", "done", "rm", "drop", "append", "view"]},
    "list": {
      "type": "array",
      "description": "init: the phases",
      "items": {
        "type": "object",
        "properties": {
          "phase": {"type": "string"},
          "items": {"type": "array", "items": {"type": "string"}}
        },
        "required": ["phase", "items"],
        "additionalProperties": false
      }
    },
    "task": {"type": "string", "description": "start, done, drop, rm: the content of the task"},
    "phase": {"type": "string", "description": "done, drop, rm, append, init with items: the name of the phase"},
    "items": {"type": "array", "items": {"type": "string"}, "description": "append, init: contents of tasks"}
  },
  "required": ["op"],
  "additionalProperties": false
}`

// Details is what hosts are told, also of a failed call: the list as it is now.
type Details struct {
	Op      string       `json:"op"`
	Phases  []tool.Phase `json:"phases"`  // never nil
	Storage string       `json:"storage"` // session, or memory when the session has no file
}

// How hard models are pushed to keep a list (todo.eager).
var eagerness = map[string]string{
	"preferred": "\nBegin work of several steps with a list.\n",
	"always":    "\nBegin all work with a list, and keep it up to date.\n",
}

// Options say how the list is kept.
type Options struct {
	InMemory bool   // sessions have no files
	Eager    string // preferred, always, or anything else for neither
}

// New returns the tool.
func New(opts Options) tool.Tool {
	l := list{storage: "session", description: description + eagerness[opts.Eager]}
	if opts.InMemory {
		l.storage = "memory"
	}
	return l
}

type list struct{ storage, description string }

func (l list) Spec() tool.Spec {
	return tool.Spec{
		Name: "todo", Label: "Todo", Description: l.description, Parameters: json.RawMessage(parameters),
		Exclusive: true, Tier: tool.TierRead,
	}
}

func (l list) Run(_ context.Context, call tool.Call) (tool.Output, error) {
	var op Op
	if err := call.Arguments(&op); err != nil {
		return tool.Output{}, err
	}
	before := call.Session.Todos()
	after, err := Apply(before, op)
	if err != nil {
		return l.output(tool.ErrorOutput("Errors: "+err.Error()), op, before)
	}
	if op.Name != "view" {
		call.Session.SetTodos(after)
	}
	return l.output(tool.TextOutput(render(after, op)), op, after)
}

func (l list) output(out tool.Output, op Op, phases []tool.Phase) (tool.Output, error) {
	if phases == nil {
		phases = []tool.Phase{}
	}
	return tool.Detailed(out, Details{Op: op.Name, Phases: phases, Storage: l.storage})
}

func render(phases []tool.Phase, op Op) string {
	if len(phases) == 0 {
		if op.Name == "view" {
			return "Todo list is empty."
		}
		return "Todo list cleared."
	}
	var out strings.Builder
	done, all := 0, 0
	for _, phase := range phases {
		fmt.Fprintf(&out, "\n%s", phase.Name)
		for _, task := range phase.Tasks {
			fmt.Fprintf(&out, "\n  %s %s", marks[task.Status], task.Content)
			all++
			if task.Status == completed {
				done++
			}
		}
	}
	return fmt.Sprintf("Todo list, %d of %d done:", done, all) + out.String()
}

var marks = map[string]string{pending: "[ ]", inProgress: "[>]", completed: "[x]", abandoned: "[-]"}
