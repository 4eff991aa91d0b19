// Package datafile reads the files people write for the program, in YAML or in
// JSON, and says where in them a fault is: file, line and key.
package datafile

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"

	"veyyon.dev/veyyon/core/nesting"
	"veyyon.dev/veyyon/core/secret"
)

// MaxBytes bounds a file; a larger one is refused.
const MaxBytes = 16 << 20

// maxDepth bounds how deep values lie within each other in brackets, or in
// entries on one line; a file that goes deeper is refused.
const maxDepth = 100

// File is the text of a file and its name for messages.
type File struct {
	name string
	text []byte
}

// Fault is what is wrong with a file, and where.
type Fault struct {
	File    string
	Line    int    // from 1; 0 when it is about the whole file
	Key     string // the keys that lead there, such as providers.fake.baseUrl; may be empty
	Problem string
}

func (f *Fault) Error() string {
	place := f.File
	if f.Line > 0 {
		place = fmt.Sprintf("%s:%d", place, f.Line)
	}
	if f.Key != "" {
		place += ": " + f.Key
	}
	return place + ": " + f.Problem
}

// Read reads a regular file. errors.Is fs.ErrNotExist tells a missing one.
func Read(path string) (*File, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() { // a FIFO would make us wait for ever
		return nil, &Fault{File: path, Problem: "is not a regular file"}
	}
	if info.Size() > MaxBytes {
		return nil, &Fault{File: path, Problem: fmt.Sprintf("is larger than %d MiB", MaxBytes>>20)}
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return New(path, text), nil
}

// New is a file whose text is already in memory.
func New(name string, text []byte) *File {
	text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
	if start := bytes.TrimLeft(text, " \t\r\n"); len(start) > 0 && (start[0] == '{' || start[0] == '[') {
		// JSON is YAML but for tabs between tokens; inside its strings a bare
		// tab is not allowed anyway.
		text = bytes.ReplaceAll(text, []byte("\t"), []byte(" "))
	}
	return &File{name: name, text: text}
}

// Decode fills v, a pointer whose fields carry json tags. An empty file leaves
// it as it is. Its errors are of type *Fault.
func (f *File) Decode(v any) error { return f.decode(v) }

// CheckKeys reports, as a *Fault, the first key of the file that the type of v
// does not have. The value v points to is overwritten.
func (f *File) CheckKeys(v any) error { return f.decode(v, yaml.Strict()) }

func (f *File) decode(v any, opts ...yaml.DecodeOption) (err error) {
	if !utf8.Valid(f.text) {
		return &Fault{File: f.name, Problem: "is not valid UTF-8"}
	}
	if line := nesting.In(f.text, maxDepth); line > 0 {
		return &Fault{File: f.name, Line: line, Problem: fmt.Sprintf("values lie more than %d deep within each other", maxDepth)}
	}
	// The parser has panicked on odd input before; a bad file must not end the
	// program.
	defer func() {
		if r := recover(); r != nil {
			err = &Fault{File: f.name, Problem: fmt.Sprintf("cannot be parsed: %v", r)}
		}
	}()
	if err := yaml.UnmarshalWithOptions(f.text, v, opts...); err != nil {
		return f.locate(err)
	}
	return nil
}

// Faultf is a fault at the place that keys lead to; a key is a string or an
// index. When the place is not in the file, the nearest one above it is named.
func (f *File) Faultf(keys []any, format string, args ...any) *Fault {
	fault := &Fault{File: f.name, Key: join(keys), Problem: fmt.Sprintf(format, args...)}
	tree, err := parser.ParseBytes(f.text, 0)
	if err != nil {
		return fault
	}
	for n := len(keys); n > 0; n-- {
		if node, err := yamlPath(keys[:n]).FilterFile(tree); err == nil && node != nil {
			fault.Line = line(tree, node)
			break
		}
	}
	return fault
}

// locate turns an error of the YAML package into a Fault.
func (f *File) locate(err error) *Fault {
	fault := &Fault{File: f.name, Problem: secret.Quoteless(err.Error())}
	var at yaml.Error
	if !errors.As(err, &at) {
		return fault
	}
	fault.Problem = secret.Quoteless(at.GetMessage())
	token := at.GetToken()
	if token == nil || token.Position == nil {
		return fault
	}
	fault.Line = token.Position.Line
	if kind := new(yaml.TypeError); errors.As(err, &kind) {
		fault.Problem = fmt.Sprintf("is a %s, not a %s", kindName(kind.SrcType.String()), kindName(kind.DstType.String()))
	}
	if tree, err := parser.ParseBytes(f.text, 0); err == nil {
		find := &finder{line: token.Position.Line, column: token.Position.Column}
		for _, doc := range tree.Docs {
			ast.Walk(find, doc)
		}
		fault.Key = discreetKey(strings.TrimPrefix(find.path, "$."))
	}
	return fault
}

// finder looks for the path of the node at a position.
type finder struct {
	line, column int
	path         string
}

func (f *finder) Visit(node ast.Node) ast.Visitor {
	if token := node.GetToken(); token != nil && token.Position != nil &&
		token.Position.Line == f.line && token.Position.Column == f.column && node.GetPath() != "$" {
		f.path = node.GetPath()
	}
	return f
}

// line is where the key of the node stands, or the node itself in a list.
func line(tree *ast.File, node ast.Node) int {
	for _, doc := range tree.Docs {
		if parent, ok := ast.Parent(doc, node).(*ast.MappingValueNode); ok {
			return parent.Key.GetToken().Position.Line
		}
	}
	return node.GetToken().Position.Line
}

func yamlPath(keys []any) *yaml.Path {
	path := (&yaml.PathBuilder{}).Root()
	for _, key := range keys {
		switch key := key.(type) {
		case string:
			path = path.Child(key)
		case int:
			path = path.Index(uint(key))
		}
	}
	return path.Build()
}

func join(keys []any) string {
	text := ""
	for _, key := range keys {
		switch key := key.(type) {
		case string:
			text += "." + key
		case int:
			text += fmt.Sprintf("[%d]", key)
		}
	}
	return strings.TrimPrefix(text, ".")
}

// kindName says a Go type in words people use of such files.
func kindName(goType string) string {
	switch {
	case goType == "string":
		return "text"
	case goType == "bool":
		return "true or false"
	case strings.HasPrefix(goType, "[]"):
		return "list"
	case strings.HasPrefix(goType, "map["):
		return "mapping"
	case strings.Contains(goType, "int"), strings.Contains(goType, "float"):
		return "number"
	}
	return "mapping"
}

// discreetKey is a path of keys, "" when one of them is no name but a text that
// has got there by mistake.
func discreetKey(path string) string {
	if strings.ContainsAny(path, " @\"") || strings.Contains(path, "://") {
		return ""
	}
	return path
}
