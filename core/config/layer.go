package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"golang.org/x/sys/unix"

	"veyyon.dev/veyyon/core/nesting"
	"veyyon.dev/veyyon/core/secret"
)

// maxFile bounds a settings file, in bytes; a larger one cannot be read. The
// parser's time grows with the square of its input: some seconds at this size.
const maxFile = 128 << 10

// maxDepth bounds how deep values lie within each other in brackets, or in
// entries on one line. A file that goes deeper is refused.
const maxDepth = 100

// layer is one settings file.
type layer struct {
	file string
	mine bool // it is the person's, not of a project
	tree map[string]any
	node *ast.MappingNode // nil for JSON and for files without settings
}

// errNotMapping means that a file is YAML, but not a mapping.
var errNotMapping = errors.New("not a mapping of settings")

// errSyntax marks what no parser understands; its text tells line and column.
type errSyntax struct{ error }

// readLayer reads a file. A blank one is an empty layer. Errors are those of
// reading it, an errSyntax, or errNotMapping.
func readLayer(file string) (*layer, error) {
	data, err := readFile(file)
	if err != nil {
		return nil, err
	}
	l := &layer{file: file, tree: map[string]any{}}
	if len(bytes.TrimSpace(data)) == 0 {
		return l, nil
	}
	if filepath.Ext(file) == ".json" {
		return l, l.readJSON(data)
	}
	doc, err := parseYAML(data)
	if err != nil {
		return nil, err
	}
	return l, l.take(doc)
}

// readFile returns the bytes of a settings file, without a byte-order mark. One
// that is no regular file is refused: a pipe would make us wait for ever.
func readFile(file string) ([]byte, error) {
	f, err := os.OpenFile(file, os.O_RDONLY|unix.O_NONBLOCK, 0) // non-blocking, as opening a pipe waits too
	if err != nil {
		return nil, err
	}
	data, err := readRegular(f)
	if closed := f.Close(); err == nil {
		err = closed
	}
	return bytes.TrimPrefix(data, []byte("\ufeff")), err
}

func readRegular(f *os.File) ([]byte, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if mode := info.Mode(); !mode.IsRegular() && !mode.IsDir() { // reading a folder fails by itself
		return nil, errors.New("not a regular file")
	}
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err == nil && len(data) > maxFile {
		err = fmt.Errorf("the file is larger than %d bytes", maxFile)
	}
	return data, err
}

func (l *layer) readJSON(data []byte) error {
	var v any
	err := json.Unmarshal(data, &v)
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		line := bytes.Count(data[:syntax.Offset], []byte{'\n'}) + 1
		return errSyntax{fmt.Errorf("line %d: %w", line, err)}
	}
	if err != nil {
		return errSyntax{err}
	}
	tree, ok := v.(map[string]any)
	if !ok {
		return errNotMapping
	}
	l.tree = tree
	return nil
}

// parseYAML returns the syntax tree with its comments. The library is known to
// panic on some inputs (its issue 876), which must not end the program.
func parseYAML(data []byte) (doc *ast.File, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = errSyntax{fmt.Errorf("the parser gave up: %s", secret.Quoteless(fmt.Sprint(r)))}
		}
	}()
	if line := nesting.In(data, maxDepth); line > 0 {
		return nil, errSyntax{fmt.Errorf("line %d: values lie more than %d deep within each other", line, maxDepth)}
	}
	doc, err = parser.ParseBytes(data, parser.ParseComments, parser.AllowDuplicateMapKey())
	if err != nil {
		return nil, errSyntax{yamlError(err)}
	}
	return doc, checkAliases(doc)
}

// maxAliases bounds the aliases of a file. A file that has more, or an alias
// within what an anchor names, is refused: it could stand for more than memory
// holds, and a project's file is not the person's own.
const maxAliases = 64

func checkAliases(doc *ast.File) error {
	all := 0
	for _, d := range doc.Docs {
		if d.Body == nil {
			continue
		}
		all += len(ast.Filter(ast.AliasType, d.Body))
		for _, anchor := range ast.Filter(ast.AnchorType, d.Body) {
			if len(ast.Filter(ast.AliasType, anchor)) > 0 {
				return errSyntax{fmt.Errorf("line %d: an alias within an anchor is not supported", anchor.GetToken().Position.Line)}
			}
		}
	}
	if all > maxAliases {
		return errSyntax{fmt.Errorf("more than %d aliases are not supported", maxAliases)}
	}
	return nil
}

// yamlError is the error on one line, with its place in words.
func yamlError(err error) error {
	var at yaml.Error
	if errors.As(err, &at) && at.GetToken() != nil {
		return fmt.Errorf("line %d: %s", at.GetToken().Position.Line, secret.Quoteless(at.GetMessage()))
	}
	return errors.New(secret.Quoteless(err.Error()))
}

// take reads the settings of the first document.
func (l *layer) take(doc *ast.File) (err error) {
	defer func() {
		if r := recover(); r != nil { // see parseYAML
			err = errSyntax{fmt.Errorf("the parser gave up: %s", secret.Quoteless(fmt.Sprint(r)))}
		}
	}()
	if len(doc.Docs) == 0 {
		return nil
	}
	first := doc.Docs[0].Body
	if _, directive := first.(*ast.DirectiveNode); directive && len(doc.Docs) > 1 {
		first = doc.Docs[1].Body
	}
	switch body := first.(type) {
	case nil, *ast.CommentGroupNode, *ast.NullNode:
		return nil
	case *ast.MappingNode:
		l.node = body
	default:
		return errNotMapping
	}
	tree := map[string]any{}
	if err := yaml.NodeToValue(l.node, &tree, yaml.AllowDuplicateMapKey()); err != nil {
		return errSyntax{yamlError(err)}
	}
	l.tree = tree
	return nil
}

// line returns where the value at path begins, or as much of the way to it as
// there is; 0 when that is not known.
func (l *layer) line(path []string) int {
	node, line := ast.Node(l.node), 0
	for _, name := range path {
		m, ok := node.(*ast.MappingNode)
		if !ok || m == nil {
			return line
		}
		entry := entryOf(m, name)
		if entry == nil {
			return line
		}
		node, line = entry.Value, entry.Key.GetToken().Position.Line
	}
	return line
}

// twice tells of names that stand more than once in a mapping.
func (l *layer) twice() (warnings []Warning) {
	if l.node == nil {
		return nil
	}
	for _, node := range ast.Filter(ast.MappingType, l.node) {
		first := map[string]int{}
		for _, entry := range node.(*ast.MappingNode).Values { // Filter chose it
			key := entry.Key.GetToken()
			if line, again := first[key.Value]; again && key.Value != "<<" {
				warnings = append(warnings, Warning{File: l.file, Line: key.Position.Line, Key: key.Value, Text: fmt.Sprintf("it stands in line %d too, and only the last counts", line)})
			}
			first[key.Value] = key.Position.Line
		}
	}
	return warnings[:min(len(warnings), maxIdle)]
}

// entryOf returns the entry of that name; the last one counts.
func entryOf(m *ast.MappingNode, name string) *ast.MappingValueNode {
	for i := len(m.Values) - 1; i >= 0; i-- {
		key := m.Values[i].Key.GetToken().Value
		if key == name {
			return m.Values[i]
		}
	}
	return nil
}
