// Package tool defines what a tool is. Each tool is a package below this one;
// a session holds a Set of them.
package tool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"veyyon.dev/veyyon/core/event"
	"veyyon.dev/veyyon/core/message"
)

// Output is what a tool gives back: content blocks, details for hosts, and
// whether it failed. Content is never empty after Run returned.
type Output = event.ToolOutput

// ErrStopRun, found by errors.Is in the error of Run, ends the whole run: the
// person wants to do something else.
var ErrStopRun = errors.New("the run is to end")

// A Tool does one kind of work for the model. Its methods are safe for
// concurrent use; calls of one session may overlap unless Spec says Exclusive.
type Tool interface {
	Spec() Spec
	// Run does the work. It ends soon after ctx does, with whatever error.
	// A returned error becomes an error result with that text; a failure that
	// carries content or details is an Output with IsError instead.
	Run(ctx context.Context, call Call) (Output, error)
}

// Spec describes a tool to the model and the host.
type Spec struct {
	Name        string
	Label       string // for people; the name when empty
	Description string
	Parameters  json.RawMessage // a JSON Schema of type object
	Exclusive   bool            // runs alone among the calls of one answer
	Hidden      bool            // registered but not offered
	// Interruptible says that a call may wait for long and that a queued message
	// is to end its wait, and with it the batch.
	Interruptible bool
	Tier          Tier
}

// Tier says how much harm a tool can do.
type Tier string

// The tiers, from harmless to anything.
const (
	TierRead  Tier = "read"
	TierWrite Tier = "write"
	TierExec  Tier = "exec"
)

// Call is one use of a tool.
type Call struct {
	ID      string
	Args    json.RawMessage // an object that fits Spec().Parameters
	Dir     string          // the session's working directory, absolute
	Update  func(Output)    // reports progress; each replaces the one before; never nil; not after Run returned
	Session Session
	Spill   Spill // when its text is too long
}

// Arguments reads the arguments into args, a pointer. Those that the schema lets
// through always fit, unless it did not compile.
func (c Call) Arguments(args any) error {
	if err := json.Unmarshal(c.Args, args); err != nil {
		return fmt.Errorf("reading the arguments: %w", err)
	}
	return nil
}

// Session is what a tool may ask of the session it works for. Its methods are
// safe for concurrent use and answer at once.
type Session interface {
	// Todos is the session's todo list.
	Todos() []Phase
	// SetTodos replaces it.
	SetTodos([]Phase)
	// SaveArtifact stores text too long for a result and returns its number
	// n, readable as artifact://n; ok is false for a session without a file.
	SaveArtifact(tool string, text []byte) (n int, ok bool)
}

// Phase is a named group of tasks of the todo list. Tasks is never nil.
//
// Protocol: "set_todos payload".
type Phase struct {
	Name  string `json:"name"`
	Tasks []Task `json:"tasks"`
}

// Task is one thing to do, addressed by its content.
type Task struct {
	Content string `json:"content"`
	Status  string `json:"status"` // pending, in_progress, completed or abandoned
}

// Count is how texts for people count: "1 line", "2 lines".
func Count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// TextOutput is an output of one text block.
func TextOutput(text string) Output {
	return Output{Content: message.Blocks{message.NewText(text)}}
}

// ErrorOutput is a failed output of one text block.
func ErrorOutput(text string) Output {
	out := TextOutput(text)
	out.IsError = true
	return out
}
