// Package nesting tells how deep values lie within each other in YAML. The
// parser's time and memory grow with the square of that, and its stack with it:
// 100 KB of brackets took it minutes and gigabytes.
package nesting

import (
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/token"
)

// Line finds the line on which values come to lie more than limit deep, in
// brackets or in entries on one line; 0 when there is none. By indentation they
// cannot lie as deep in a file of a size that is read.
func Line(tokens token.Tokens, limit int) (line int) {
	brackets, entries := 0, 0
	for _, t := range tokens {
		if t.Position.Line != line {
			line, entries = t.Position.Line, 0
		}
		switch t.Type {
		case token.SequenceStartType, token.MappingStartType:
			brackets++
		case token.SequenceEndType, token.MappingEndType:
			brackets = max(brackets-1, 0)
		case token.SequenceEntryType, token.MappingKeyType:
			entries++
		}
		if max(brackets, entries) > limit {
			return line
		}
	}
	return 0
}

// In is Line of a text. A text that cannot be nested so deep is not taken apart.
func In(text []byte, limit int) (line int) {
	brackets, entries := 0, 0
	for _, c := range text {
		switch c {
		case '[', '{':
			brackets++
		case '-', '?':
			entries++
		case '\n':
			entries = 0
		}
		if max(brackets, entries) > limit {
			return Line(lexer.Tokenize(string(text)), limit)
		}
	}
	return 0
}
