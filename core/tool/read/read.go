// Package read is the tool that shows files, directories, images, documents, web
// pages and resources.
package read

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"veyyon.dev/veyyon/core/document"
	"veyyon.dev/veyyon/core/file"
	"veyyon.dev/veyyon/core/file/picture"
	"veyyon.dev/veyyon/core/host"
	"veyyon.dev/veyyon/core/message"
	"veyyon.dev/veyyon/core/tool"
	"veyyon.dev/veyyon/core/web"
)

// maxWide is how large a UTF-16 file may be to be shown as text, in bytes; a
// larger one is treated as binary.
const maxWide = 4 << 20

//go:embed read.md
var description string

// numbered is what the description says of line numbers.
const numbered = "Text comes with line numbers, as `12:text` for line 12; they are not part of the file."

const parameters = `{
  "type": "object",
  "properties": {
    "path": {"type": "string", "minLength": 1, "description": "The file, directory or URL to read, with an optional selector such as :10-20 or :raw at its end"}
  },
  "required": ["path"],
  "additionalProperties": false
}`

// Details is what hosts are told of a read.
type Details struct {
	Kind               string       `json:"kind"` // file, directory, image, document, binary, web or uri
	IsDirectory        bool         `json:"isDirectory,omitempty"`
	ResolvedPath       string       `json:"resolvedPath,omitempty"`
	URL                string       `json:"url,omitempty"`
	ContentType        string       `json:"contentType,omitempty"`
	Method             string       `json:"method,omitempty"` // how a page or document became text
	Notes              []string     `json:"notes,omitempty"`
	SuffixResolution   *Resolution  `json:"suffixResolution,omitempty"`
	ContentUnavailable *Unavailable `json:"contentUnavailable,omitempty"`
	Meta               *tool.Meta   `json:"meta,omitempty"`
}

// Resolution tells that another path was read than the one asked for.
type Resolution struct {
	From string `json:"from"`
	To   string `json:"to"`
}

// Unavailable tells why there is no content.
type Unavailable struct {
	Reason string `json:"reason"`
}

// Options are what the tool works with.
type Options struct {
	Texts tool.Texts
	URIs  host.URIs   // nil when the host has none
	Web   *web.Client // nil when no pages are read
	// Documents turns pages and other documents into text. Without it, files of
	// that kind are binary; a Web needs it.
	Documents *document.Converter
	// Local is the file of a local:// URL; nil when there are none.
	Local func(of tool.Session, url string) (string, error)
	// Server is the text of an mcp:// URL; nil when there are none.
	Server func(ctx context.Context, url string) (string, error)
	// Artifact is the file of the session's artifact n; nil when there are none.
	Artifact func(session tool.Session, n int) (path string, ok bool)
	// Skill is the file that a skill:// URL means for work in dir; nil when there
	// are none.
	Skill func(dir, url string) (path string, err error)
	// Limit is how many lines are shown when no end is asked for; 0 is 300, and
	// 3000 is the most.
	Limit int
	Tags  bool // names files with their versions, for edits by line numbers
	Plain bool // shows lines without their numbers
	// Images makes images fit for models.
	Images picture.Fitter
}

// New returns the tool.
func New(opts Options) tool.Tool {
	if opts.Limit <= 0 {
		opts.Limit = defaultLimit
	}
	opts.Limit = min(opts.Limit, maxLines)
	return &reader{opts: opts, decoding: make(chan struct{}, maxDecoding)}
}

type reader struct {
	opts     Options
	decoding chan struct{} // holds one token for each image being decoded
}

// maxDecoding is how many images are decoded at a time, as each may take 200 MB;
// further calls wait.
const maxDecoding = 1

func (r *reader) Spec() tool.Spec {
	text := strings.Replace(description, "at most 300 lines", fmt.Sprintf("at most %d lines", r.opts.Limit), 1)
	if r.opts.Plain {
		text = strings.NewReplacer(numbered, "Text comes without line numbers.", " without line numbers, exactly", " exactly").Replace(text)
	}
	return tool.Spec{
		Name: "read", Label: "Read", Description: text, Parameters: json.RawMessage(parameters), Tier: tool.TierRead,
	}
}

func (r *reader) Run(ctx context.Context, call tool.Call) (tool.Output, error) {
	var args struct {
		Path string `json:"path"`
	}
	if err := call.Arguments(&args); err != nil {
		return tool.Output{}, err
	}
	if url, ok := webPath(call.Dir, args.Path); ok {
		args.Path = url
	}
	if scheme, url, ok := file.URL(args.Path); ok {
		return r.readURL(ctx, call, scheme, url)
	}
	path, sel, err := split(args.Path, func(path string) bool {
		_, err := os.Lstat(file.Resolve(call.Dir, path))
		return err == nil
	})
	if err != nil {
		return tool.Output{}, err
	}
	full := file.Resolve(call.Dir, path)
	if path == "/" {
		full = call.Dir // models mean the project's root
	}
	_, err = os.Stat(full)
	switch {
	case err == nil:
		return r.readPath(ctx, r.source(call, full), sel, Details{})
	case !errors.Is(err, fs.ErrNotExist):
		return tool.Output{}, err
	}
	return r.readMissing(ctx, call, path, sel)
}

// readMissing reads the one file that the path may have meant.
func (r *reader) readMissing(ctx context.Context, call tool.Call, path string, sel selector) (tool.Output, error) {
	found, err := bySuffix(ctx, call.Dir, path)
	if err != nil {
		return tool.Output{}, err
	}
	if len(found) != 1 {
		return tool.ErrorOutput(notFound(path, found)), nil
	}
	from := source{path: filepath.Join(call.Dir, filepath.FromSlash(found[0])), texts: r.opts.Texts.For(call.Session)}
	out, err := r.readPath(ctx, from, sel, Details{SuffixResolution: &Resolution{path, found[0]}})
	if err == nil {
		note := fmt.Sprintf("[Path '%s' not found; resolved to '%s' via suffix match]\n", path, found[0])
		out.Content = append(message.Blocks{message.NewText(note)}, out.Content...)
	}
	return out, err
}

func (r *reader) readPath(ctx context.Context, from source, sel selector, details Details) (tool.Output, error) {
	out, err := r.readFile(ctx, from, sel, details)
	return from.at(out, sel), err
}

func (r *reader) readFile(ctx context.Context, from source, sel selector, details Details) (tool.Output, error) {
	path := from.path
	details.ResolvedPath = path
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		details.Kind, details.IsDirectory = "directory", true
		text, err := listing(ctx, path)
		if err != nil {
			return tool.Output{}, err
		}
		return tool.Detailed(tool.TextOutput(text), details)
	}
	f, info, err := file.Open(path)
	if err != nil {
		return tool.Output{}, err
	}
	defer func() { _ = f.Close() }() // read only
	in := bufio.NewReaderSize(f, file.HeadSize)
	head, err := in.Peek(file.HeadSize)
	if err != nil && !errors.Is(err, io.EOF) {
		return tool.Output{}, fmt.Errorf("reading %s: %w", path, err)
	}
	if picture.Sniff(head) != "" {
		return r.readImage(ctx, in, info.Size(), details)
	}
	if _, wide := file.UTF16(head[:min(2, len(head))]); wide && info.Size() <= maxWide {
		raw, err := io.ReadAll(in)
		if err != nil {
			return tool.Output{}, fmt.Errorf("reading %s: %w", path, err)
		}
		text, _ := file.UTF16(raw)
		return r.readText(ctx, bytes.NewReader(text), sel, "file", details)
	}
	if kind := r.documentKind(head, path, sel); kind != "" {
		return r.readDocument(ctx, in, kind, sel, details)
	}
	if mime := http.DetectContentType(head); file.Binary(head) || mime == "application/pdf" {
		details.Kind, details.ContentType, details.ContentUnavailable = "binary", mime, &Unavailable{"binary"}
		text := fmt.Sprintf("Binary file (%s, %d bytes); its content is not shown.", mime, info.Size())
		return tool.Detailed(tool.TextOutput(text), details)
	}
	return r.readPlain(ctx, from, in, info.Size(), sel, details)
}

func (r *reader) readText(ctx context.Context, text io.Reader, sel selector, kind string, details Details) (tool.Output, error) {
	p, err := newPage(ctx, text, sel, r.opts.Limit, r.opts.Plain || sel.Bare)
	if err != nil {
		return tool.Output{}, err
	}
	details.Kind, details.Meta = kind, p.meta()
	return tool.Detailed(tool.TextOutput(p.text()), details)
}

func (r *reader) readImage(ctx context.Context, in io.Reader, size int64, details Details) (tool.Output, error) {
	if size > picture.MaxBytes {
		return tool.ErrorOutput(fmt.Sprintf("Image file too large: %d bytes exceeds %d bytes limit.", size, picture.MaxBytes)), nil
	}
	select {
	case r.decoding <- struct{}{}:
		defer func() { <-r.decoding }()
	case <-ctx.Done():
		return tool.Output{}, context.Cause(ctx)
	}
	where := cmp.Or(details.ResolvedPath, details.URL)
	raw, err := io.ReadAll(io.LimitReader(in, picture.MaxBytes+1)) // it may have grown
	if err != nil {
		return tool.Output{}, fmt.Errorf("reading %s: %w", where, err)
	}
	p, err := r.opts.Images.Fit(raw)
	if err != nil {
		return tool.Output{}, fmt.Errorf("reading %s: %w", where, err)
	}
	details.Kind, details.ContentType = "image", p.MimeType
	out := tool.TextOutput(fmt.Sprintf("Read image file [%s], %d×%d pixels", p.MimeType, p.Width, p.Height))
	out.Content = append(out.Content, message.NewImage(base64.StdEncoding.EncodeToString(p.Data), p.MimeType))
	return tool.Detailed(out, details)
}
