// Package frontmatter finds and reads the Markdown files that people write for
// the program: rules, agents, skills, commands. Such a file begins with a head
// of YAML between two lines of three dashes; the body follows.
package frontmatter

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"

	"veyyon.dev/veyyon/core/nesting"
)

const (
	// maxHead bounds a head, in bytes; a larger one is an error. The parser's
	// time can grow with the square of its input: up to 15 ms at this size.
	maxHead = 16 << 10
	// maxDepth bounds how deep values lie within each other in brackets, or in
	// entries on one line; a deeper head is an error. The parser's time grows
	// with the square of that too: 0.2 s for brackets that are never closed.
	maxDepth = 32
)

// Error is what is wrong with a file, and where.
type Error struct {
	File    string // empty when the text came from no file
	Line    int    // from 1; 0 when it is about the whole file
	Problem string
}

func (e *Error) Error() string {
	switch {
	case e.File == "" && e.Line == 0:
		return e.Problem
	case e.File == "":
		return fmt.Sprintf("line %d: %s", e.Line, e.Problem)
	case e.Line == 0:
		return e.File + ": " + e.Problem
	}
	return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Problem)
}

// Meta is the head of a file. The zero value is that of a file without one.
type Meta struct {
	values map[string]any
	lines  map[string]int
	file   string
	size   int // of the head, in bytes, also of one with a fault
}

// Split parts a file's text into its head and its body. A text that does not
// begin with a head is all body. Lines in errors count from the first of the
// text. Its errors are of type *Error.
func Split(text []byte) (Meta, string, error) {
	text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
	if !utf8.Valid(text) {
		return Meta{}, "", &Error{Problem: "is not valid UTF-8"}
	}
	rest, found := fence(text)
	if !found {
		return Meta{}, string(text), nil
	}
	head, body, closed := cut(rest)
	switch {
	case !closed:
		return Meta{}, "", &Error{Line: 1, Problem: "the head is not closed by a line of three dashes"}
	case len(head) > maxHead:
		return Meta{}, "", &Error{Line: 1, Problem: fmt.Sprintf("the head is larger than %d KiB", maxHead>>10)}
	}
	meta, ok := plain(string(head))
	var err error
	if !ok {
		meta, err = remembered(head)
	}
	meta.size = len(head)
	return meta, string(body), err
}

// fence takes a line of three dashes off the text.
func fence(text []byte) (rest []byte, found bool) {
	line, rest, _ := bytes.Cut(text, []byte("\n"))
	return rest, string(bytes.TrimRight(line, " \t\r")) == "---"
}

// cut looks for the line that closes the head.
func cut(text []byte) (head, body []byte, closed bool) {
	for at := 0; at < len(text); {
		if body, closed = fence(text[at:]); closed {
			return text[:at], body, true
		}
		next := bytes.IndexByte(text[at:], '\n')
		if next < 0 {
			break
		}
		at += next + 1
	}
	return nil, nil, false
}

// star is a value that begins with a star and has no quotes, as people write
// globs. To YAML that is an alias.
var star = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)^([ \t]*(?:- +)?(?:[\w-]+:[ \t]+)?)(\*[^\r\n]*?)([ \t]*\r?)$`)
})

func quoteStars(head []byte) []byte {
	return star().ReplaceAllFunc(head, func(line []byte) []byte {
		part := star().FindSubmatch(line)
		quoted := strings.ReplaceAll(string(part[2]), "'", "''")
		return fmt.Appendf(nil, "%s'%s'%s", part[1], quoted, part[3])
	})
}

// lineEnds leaves newlines alone to end lines, as lines are counted everywhere
// else; to YAML a carriage return ends one too.
var lineEnds = strings.NewReplacer("\r\n", "\n", "\r", " ")

func parse(head []byte) (meta Meta, fault *Error) {
	// The library is known to panic on some inputs (its issue 876), which must
	// not end the program.
	defer func() {
		if r := recover(); r != nil {
			meta, fault = Meta{}, &Error{Line: 1, Problem: fmt.Sprintf("the head cannot be parsed: %v", r)}
		}
	}()
	tokens := lexer.Tokenize(lineEnds.Replace(string(quoteStars(head))))
	if line := nesting.Line(tokens, maxDepth); line > 0 {
		return Meta{}, &Error{Line: line + 1, Problem: fmt.Sprintf("values lie more than %d deep within each other", maxDepth)}
	}
	tree, err := parser.Parse(tokens, 0)
	if err != nil {
		return Meta{}, located(err)
	}
	if len(tree.Docs) == 0 {
		return Meta{}, nil
	}
	var mapping *ast.MappingNode
	switch body := tree.Docs[0].Body.(type) {
	case nil, *ast.NullNode, *ast.CommentGroupNode:
		return Meta{}, nil
	case *ast.MappingNode:
		mapping = body
	default:
		return Meta{}, &Error{Line: 2, Problem: "the head is not a mapping of keys to values"}
	}
	if aliases := ast.Filter(ast.AliasType, mapping); len(aliases) > 0 { // a short file could stand for more than memory holds
		return Meta{}, &Error{Line: aliases[0].GetToken().Position.Line + 1, Problem: "aliases are not supported"}
	}
	meta = Meta{values: map[string]any{}, lines: map[string]int{}}
	if err := yaml.NodeToValue(mapping, &meta.values); err != nil {
		return Meta{}, located(err)
	}
	for _, entry := range mapping.Values {
		token := entry.Key.GetToken()
		meta.lines[token.Value] = token.Position.Line + 1
	}
	return meta, nil
}

// located turns an error of the parser into ours; it counts lines from behind
// the opening dashes.
func located(err error) *Error {
	var at yaml.Error
	if errors.As(err, &at) && at.GetToken() != nil {
		return &Error{Line: at.GetToken().Position.Line + 1, Problem: at.GetMessage()}
	}
	first, _, _ := strings.Cut(err.Error(), "\n")
	return &Error{Line: 1, Problem: first}
}
