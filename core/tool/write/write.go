// Package write is the tool that creates and replaces whole files.
package write

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"veyyon.dev/veyyon/core/file"
	"veyyon.dev/veyyon/core/file/patch"
	"veyyon.dev/veyyon/core/host"
	"veyyon.dev/veyyon/core/tool"
)

//go:embed write.md
var description string

const parameters = `{
  "type": "object",
  "properties": {
    "path": {"type": "string", "minLength": 1, "description": "The file to write, relative to the working directory or absolute"},
    "content": {"type": "string", "description": "The whole new content"}
  },
  "required": ["path", "content"],
  "additionalProperties": false
}`

// Details is what hosts are told of a write.
type Details struct {
	ResolvedPath   string `json:"resolvedPath"` // absolute, links followed; the URL of a host's resource
	Op             string `json:"op"`           // create or update
	MadeExecutable bool   `json:"madeExecutable,omitempty"`
}

// Options are what the tool works with.
type Options struct {
	Locks *file.Locks // shared by all tools that change files
	URIs  host.URIs   // nil when the host has none
	// Local is the file of a local:// URL; nil when there are none.
	Local func(of tool.Session, url string) (string, error)
	Texts tool.Texts
	// KeepGenerated refuses to replace files that programs make.
	KeepGenerated bool
	Tags          bool // tells the new version of a file, for edits by line numbers
}

// New returns the tool.
func New(opts Options) tool.Tool { return &writer{opts} }

type writer struct{ opts Options }

func (w *writer) Spec() tool.Spec {
	return tool.Spec{
		Name: "write", Label: "Write", Description: description, Parameters: json.RawMessage(parameters),
		Exclusive: true, Tier: tool.TierWrite,
	}
}

func (w *writer) Run(ctx context.Context, call tool.Call) (tool.Output, error) {
	var args struct {
		Path    string  `json:"path"`
		Content *string `json:"content"`
	}
	if err := call.Arguments(&args); err != nil {
		return tool.Output{}, err
	}
	if args.Content == nil {
		return tool.Output{}, fmt.Errorf("writing %s: content is missing", args.Path)
	}
	if scheme, url, ok := file.URL(args.Path); ok {
		if scheme == "local" && w.opts.Local != nil {
			return w.writeLocal(call, url, *args.Content)
		}
		return w.writeURL(ctx, scheme, url, *args.Content)
	}
	return w.writeFile(ctx, call, args.Path, *args.Content)
}

func (w *writer) writeURL(ctx context.Context, scheme, url, content string) (tool.Output, error) {
	if w.opts.URIs == nil || !w.writable(scheme) {
		return tool.ErrorOutput(scheme + ":// URLs are read-only; there is no write path for this scheme."), nil
	}
	if err := w.opts.URIs.Write(ctx, url, content); err != nil {
		return tool.Output{}, err
	}
	text := fmt.Sprintf("Successfully wrote %d bytes to %s", len(content), url)
	return tool.Detailed(tool.TextOutput(text), Details{ResolvedPath: url, Op: "update"})
}

// writeLocal writes a file of the session's own, which is no business of the host.
func (w *writer) writeLocal(call tool.Call, url, content string) (tool.Output, error) {
	path, err := w.opts.Local(call.Session, url)
	if err != nil {
		return tool.Output{}, err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return tool.Output{}, err
	}
	if err := file.Put(path, []byte(content), 0o600); err != nil {
		return tool.Output{}, err
	}
	text := fmt.Sprintf("Successfully wrote %d bytes to %s", len(content), url)
	return tool.Detailed(tool.TextOutput(text), Details{ResolvedPath: url, Op: "update"})
}

func (w *writer) writable(name string) bool {
	scheme, ok := w.opts.URIs.Scheme(name)
	return ok && scheme.Writable
}

func (w *writer) writeFile(ctx context.Context, call tool.Call, path, content string) (tool.Output, error) {
	dir := call.Dir
	path = file.Resolve(dir, path)
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) && file.Display(dir, path) != path {
		return tool.ErrorOutput("Working directory does not exist: " + dir), nil // nobody asked to make it again
	}
	target, err := file.Target(path)
	if err != nil {
		return tool.Output{}, err
	}
	unlock, err := w.opts.Locks.Lock(ctx, target)
	if err != nil {
		return tool.Output{}, err
	}
	defer unlock()
	if w.opts.KeepGenerated {
		if err := file.CheckGenerated(target); err != nil {
			return tool.Output{}, fmt.Errorf("%s was not changed: %w", file.Display(dir, target), err)
		}
	}
	details := Details{ResolvedPath: target, Op: "update"}
	if _, err := os.Lstat(target); err != nil {
		details.Op = "create"
	}
	before := present(target)
	if err := w.opts.Texts.For(call.Session).Write(ctx, path, target, []byte(content)); err != nil {
		return tool.Output{}, err
	}
	text := fmt.Sprintf("Successfully wrote %d bytes to %s", len(content), file.Display(dir, target))
	if w.opts.Tags {
		text = patch.Header(file.Display(dir, target), patch.Tag([]byte(content))) + "\n" + text
	}
	if strings.HasPrefix(content, "#!") && makeExecutable(target) {
		details.MadeExecutable = true
		text += " and made it executable"
	}
	out, err := tool.Detailed(tool.TextOutput(text), details)
	tool.Changed(&out, path, before, []byte(content), 0)
	return out, err
}

// present is what is in a file, as far as a diff needs it; nil when there is none
// that can be read.
func present(target string) []byte {
	f, _, err := file.Open(target)
	if err != nil {
		return nil
	}
	defer func() { _ = f.Close() }() // read only
	head, err := io.ReadAll(io.LimitReader(f, tool.MaxDiffed+1))
	if err != nil {
		return nil
	}
	return head
}

// makeExecutable lets whoever may read the script run it; true when that changed
// something.
func makeExecutable(target string) bool {
	info, err := os.Stat(target)
	if err != nil {
		return false
	}
	mode := info.Mode().Perm()
	wanted := mode | mode&0o444>>2
	return wanted != mode && os.Chmod(target, info.Mode()|wanted) == nil
}
