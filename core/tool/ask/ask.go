// Package ask is the tool that puts questions to the person behind the host. It
// is registered only when the host can show dialogs.
package ask

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"veyyon.dev/veyyon/core/host"
	"veyyon.dev/veyyon/core/tool"
)

//go:embed ask.md
var description string

const parameters = `{
  "type": "object",
  "properties": {
    "questions": {
      "type": "array",
      "minItems": 1,
      "items": {
        "type": "object",
        "properties": {
          "id": {"type": "string", "description": "A short name for the answer"},
          "question": {"type": "string"},
          "header": {"type": "string"},
          "options": {
            "type": "array",
            "items": {
              "type": "object",
              "properties": {
                "label": {"type": "string"},
                "description": {"type": "string"},
                "preview": {"type": "string"}
              },
              "required": ["label"],
              "additionalProperties": false
            }
          },
          "multi": {"type": "boolean", "description": "Several options may be chosen"},
          "recommended": {"type": "integer", "description": "Position of the recommended option, from 0"}
        },
        "required": ["id", "question", "options"],
        "additionalProperties": false
      }
    }
  },
  "required": ["questions"],
  "additionalProperties": false
}`

// fixedText is an error whose words are agreed on (facts/platform 11.1) and that
// ends the run.
type fixedText string

func (t fixedText) Error() string { return string(t) }

// Is makes it tool.ErrStopRun.
func (t fixedText) Is(target error) bool { return target == tool.ErrStopRun }

// The errors that can be told apart.
const (
	ErrCancelled      = fixedText("Ask tool was cancelled by the user")
	ErrInputCancelled = fixedText("Ask input was cancelled")
)

// Question is one thing to ask.
type Question struct {
	ID       string `json:"id"`
	Question string `json:"question"`
	Options  []struct {
		Label string `json:"label"`
	} `json:"options"`
	Multi       bool `json:"multi"`
	Recommended *int `json:"recommended"`
}

// Answer is what the person said, as hosts are told.
type Answer struct {
	ID              string   `json:"id,omitempty"`
	Question        string   `json:"question"`
	Options         []string `json:"options"` // never nil
	Multi           bool     `json:"multi"`
	SelectedOptions []string `json:"selectedOptions"` // never nil
	CustomInput     *string  `json:"customInput,omitempty"`
	TimedOut        bool     `json:"timedOut,omitempty"`
}

// New returns the tool. A question that is not answered within the timeout is
// answered with its recommended or first option; 0 waits for ever.
func New(ui host.UI, timeout time.Duration) tool.Tool { return &asker{ui, timeout} }

type asker struct {
	ui      host.UI
	timeout time.Duration
}

func (a *asker) Spec() tool.Spec {
	return tool.Spec{
		Name: "ask", Label: "Ask", Description: description, Parameters: json.RawMessage(parameters),
		Exclusive: true, Tier: tool.TierRead,
	}
}

func (a *asker) Run(ctx context.Context, call tool.Call) (tool.Output, error) {
	var args struct {
		Questions []Question `json:"questions"`
	}
	if err := call.Arguments(&args); err != nil {
		return tool.Output{}, err
	}
	if a.ui == nil {
		return tool.ErrorOutput("Ask tool requires interactive mode"), nil
	}
	if len(args.Questions) == 0 {
		return tool.ErrorOutput("Error: questions must not be empty"), nil
	}
	for _, q := range args.Questions {
		if fault := q.fault(); fault != "" {
			return tool.ErrorOutput(fault), nil
		}
	}
	answers := make([]Answer, len(args.Questions))
	for i, q := range args.Questions {
		title := q.Question
		if len(args.Questions) > 1 {
			title += fmt.Sprintf(" (%d/%d)", i+1, len(args.Questions))
		}
		answer, err := a.put(ctx, q, title)
		if err != nil {
			return tool.Output{}, err
		}
		answers[i] = answer
	}
	return output(answers)
}

// fault says what is wrong with a question, if anything.
func (q Question) fault() string {
	seen := map[string]bool{}
	for _, option := range q.Options {
		switch label := option.Label; {
		case strings.TrimSpace(label) == "":
			return fmt.Sprintf("Error: question %q has an option without a label", q.ID)
		case label == labelOther || label == "Chat about this" || label == "Next →" || label == labelDone:
			return fmt.Sprintf("Error: option label %q is reserved", label)
		case seen[label]:
			return fmt.Sprintf("Error: question %q has the option %q twice", q.ID, label)
		default:
			seen[label] = true
		}
	}
	return ""
}

func output(answers []Answer) (tool.Output, error) {
	var details any
	var text string
	if len(answers) == 1 {
		only := answers[0]
		only.ID = "" // it needs no name
		details, text = only, only.sentence()
	} else {
		lines := []string{"User answers:"}
		for _, answer := range answers {
			lines = append(lines, answer.ID+": "+answer.short())
		}
		details, text = map[string][]Answer{"results": answers}, strings.Join(lines, "\n")
	}
	return tool.Detailed(tool.TextOutput(text), details)
}

func (a Answer) sentence() string {
	if a.CustomInput == nil {
		return "User selected: " + a.short()
	}
	text := "User provided custom input: " + *a.CustomInput
	if len(a.SelectedOptions) > 0 {
		text = "User selected: " + strings.Join(a.SelectedOptions, ", ") + "\n" + text
	}
	return text
}

func (a Answer) short() string {
	parts := a.SelectedOptions
	if a.CustomInput != nil {
		parts = append(parts[:len(parts):len(parts)], fmt.Sprintf("%q", *a.CustomInput))
	}
	text := strings.Join(parts, ", ")
	if a.TimedOut {
		text += " (auto-selected after timeout)"
	}
	return text
}
