// Package edit is the tool that replaces parts of a file.
package edit

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"veyyon.dev/veyyon/core/file"
	"veyyon.dev/veyyon/core/tool"
)

// maxFile is how large a file may be, in bytes; a larger one is refused.
const maxFile = 32 << 20

//go:embed edit.md
var description string

const parameters = `{
  "type": "object",
  "properties": {
    "path": {"type": "string", "minLength": 1, "description": "The file to change, relative to the working directory or absolute"},
    "edits": {
      "type": "array",
      "minItems": 1,
      "description": "The replacements, made in this order",
      "items": {
        "type": "object",
        "properties": {
          "old_text": {"type": "string", "description": "The text to replace, as it stands in the file"},
          "new_text": {"type": "string", "description": "The text to put there; empty deletes"},
          "all": {"type": "boolean", "description": "Replace every occurrence instead of requiring exactly one"}
        },
        "required": ["old_text", "new_text"],
        "additionalProperties": false
      }
    }
  },
  "required": ["path", "edits"],
  "additionalProperties": false
}`

// Details is what hosts are told of an edit.
type Details struct {
	Diff             string `json:"diff"`             // unified, of the text as shown to people
	FirstChangedLine int    `json:"firstChangedLine"` // counts from 1
	Path             string `json:"path,omitempty"`   // absolute, links followed
	Op               string `json:"op"`               // create, update or delete
	// Move is where the file is now; PerFile is there when a patch was about more
	// than one.
	Move    string    `json:"move,omitempty"`
	PerFile []Details `json:"perFileResults,omitempty"`
}

// Options are what the tool works with.
type Options struct {
	Locks         *file.Locks // shared by all tools that change files
	Texts         tool.Texts
	Like          Likeness
	KeepGenerated bool // refuses to change files that programs make
}

// New returns the tool in the dialect of texts and what takes their place.
func New(opts Options) tool.Tool { return &editor{opts} }

type editor struct{ Options }

func (e *editor) Spec() tool.Spec {
	return tool.Spec{
		Name: "edit", Label: "Edit", Description: description, Parameters: json.RawMessage(parameters),
		Exclusive: true, Tier: tool.TierWrite,
	}
}

func (e *editor) Run(ctx context.Context, call tool.Call) (tool.Output, error) {
	var args struct {
		Path  string `json:"path"`
		Edits []Edit `json:"edits"`
	}
	if err := call.Arguments(&args); err != nil {
		return tool.Output{}, err
	}
	if _, _, ok := file.URL(args.Path); ok {
		return tool.Output{}, fmt.Errorf("edit works on files only; replace all of %s with write", args.Path)
	}
	path, texts := file.Resolve(call.Dir, args.Path), e.Texts.For(call.Session)
	target, err := file.Target(path)
	if err != nil {
		return tool.Output{}, err
	}
	unlock, err := e.Locks.Lock(ctx, target)
	if err != nil {
		return tool.Output{}, err
	}
	defer unlock()
	before, err := load(ctx, texts, path, target)
	if errors.Is(err, fs.ErrNotExist) {
		return tool.ErrorOutput("File not found: " + args.Path), nil
	}
	if err != nil {
		return tool.Output{}, err
	}
	if e.KeepGenerated && file.Generated(before) {
		return tool.Output{}, fmt.Errorf("%s was not changed: %w", file.Display(call.Dir, target), file.ErrGenerated)
	}
	after, notes, err := Apply(ctx, before, args.Edits, e.Like)
	if err != nil {
		return tool.Output{}, fmt.Errorf("%s was not changed: %w", file.Display(call.Dir, target), err)
	}
	if err := texts.Write(ctx, path, target, after); err != nil {
		return tool.Output{}, err
	}
	out, err := report(call.Dir, target, before, after, len(args.Edits), notes)
	tool.Changed(&out, path, before, after, firstChange(before, after))
	return out, err
}

// load is the text that path has now, and whose Target is target.
func load(ctx context.Context, texts file.Texts, path, target string) ([]byte, error) {
	f, info, err := file.Open(target)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // read only
	if info.Size() > maxFile {
		return nil, fmt.Errorf("%s has %d bytes, more than the %d that edit takes", target, info.Size(), maxFile)
	}
	raw, err := io.ReadAll(f)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", target, err)
	}
	if _, wide := file.UTF16(raw); wide {
		return nil, fmt.Errorf("%s is UTF-16; edit only changes UTF-8 and ASCII text", target)
	}
	return texts.Latest(ctx, path, raw)
}

func report(dir, target string, before, after []byte, edits int, notes []string) (tool.Output, error) {
	shown := file.Display(dir, target)
	details := Details{Diff: diff(shown, before, after), FirstChangedLine: firstChange(before, after), Path: target, Op: "update"}
	text := fmt.Sprintf("Edited %s: %s, first changed line %d.", shown, tool.Count(edits, "edit"), details.FirstChangedLine)
	return tool.Detailed(tool.TextOutput(strings.Join(append([]string{text}, notes...), "\n")), details)
}
