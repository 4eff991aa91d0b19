package edit

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"

	"veyyon.dev/veyyon/core/file/patch"
	"veyyon.dev/veyyon/core/tool"
)

// The dialects of the tool, by the words of the setting edit.mode.
const (
	ModePatch      = "patch"
	ModeApplyPatch = "apply_patch"
	ModeHashline   = "hashline"
)

//go:embed patch.md
var patchDescription string

//go:embed apply_patch.md
var applyPatchDescription string

//go:embed hashline.md
var hashlineDescription string

const patchParameters = `{
  "type": "object",
  "properties": {
    "path": {"type": "string", "minLength": 1, "description": "The file to change, relative to the working directory or absolute"},
    "edits": {
      "type": "array",
      "minItems": 1,
      "description": "The changes, made in this order",
      "items": {
        "type": "object",
        "properties": {
          "op": {"type": "string", "enum": ["create", "update", "delete"], "description": "update unless it is said"},
          "rename": {"type": "string", "description": "Where the file goes"},
          "diff": {"type": "string", "description": "The hunks"}
        },
        "additionalProperties": false
      }
    }
  },
  "required": ["path", "edits"],
  "additionalProperties": false
}`

const applyPatchParameters = `{
  "type": "object",
  "properties": {
    "input": {"type": "string", "minLength": 1, "description": "The changes"}
  },
  "required": ["input"],
  "additionalProperties": false
}`

// NewPatch returns the tool in one of the dialects that go by patches. Of how
// like they are it only asks whether lines may differ at all.
func NewPatch(opts Options, mode string) tool.Tool { return &patcher{opts, mode} }

type patcher struct {
	Options
	mode string
}

func (p *patcher) Spec() tool.Spec {
	s := tool.Spec{
		Name: "edit", Label: "Edit", Description: patchDescription, Parameters: json.RawMessage(patchParameters),
		Exclusive: true, Tier: tool.TierWrite,
	}
	switch p.mode {
	case ModeApplyPatch:
		s.Description, s.Parameters = applyPatchDescription, json.RawMessage(applyPatchParameters)
	case ModeHashline:
		s.Description, s.Parameters = hashlineDescription, json.RawMessage(applyPatchParameters)
	}
	return s
}

func (p *patcher) Run(ctx context.Context, call tool.Call) (tool.Output, error) {
	changes, err := p.read(call)
	if err != nil {
		return tool.Output{}, fmt.Errorf("the patch cannot be read: %w", err)
	}
	s := staging{Options: p.Options, tagged: p.mode == ModeHashline, dir: call.Dir, texts: p.Texts.For(call.Session)}
	defer s.unlock()
	if err := s.open(ctx, changes); err != nil {
		return tool.Output{}, fmt.Errorf("nothing was changed: %w", err)
	}
	for _, c := range changes {
		if err := s.stage(c); err != nil {
			return tool.Output{}, fmt.Errorf("nothing was changed: %s: %w", c.Path, err)
		}
	}
	return s.carryOut(ctx)
}

func (p *patcher) read(call tool.Call) ([]patch.Change, error) {
	var args struct {
		Input string
		Path  string
		Edits []struct {
			Op     patch.Op
			Rename string
			Diff   string
		}
	}
	if err := call.Arguments(&args); err != nil {
		return nil, err
	}
	switch p.mode {
	case ModeApplyPatch:
		return patch.Parse(args.Input)
	case ModeHashline:
		return patch.ParseLines(args.Input)
	}
	var changes []patch.Change
	path := args.Path
	for i, e := range args.Edits {
		c := patch.Change{Op: e.Op, Path: path, Move: e.Rename}
		var err error
		switch e.Op {
		case patch.Create:
			c.Text, err = patch.ParseNew(e.Diff)
		case patch.Delete:
		default:
			c.Op = patch.Update
			c.Hunks, err = patch.ParseHunks(e.Diff)
			if err == nil && len(c.Hunks) == 0 && c.Move == "" {
				err = errors.New("there is no change")
			}
		}
		if err != nil {
			return nil, fmt.Errorf("edit %d: %w", i+1, err)
		}
		if changes = append(changes, c); c.Move != "" {
			path = c.Move
		}
	}
	return changes, nil
}
