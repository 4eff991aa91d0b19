package config

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"
)

// ErrNotSet means that the profile's file does not have the setting.
var ErrNotSet = errors.New("not set in the profile's file")

// absence is the value of a setting that is taken out.
var absence any = new(byte)

// Unset takes one setting, or a member of a record, out of the profile's file; as
// Set it changes nothing else. The name may be any that the file has, with a
// meaning or without. The error is ErrNotSet when there is nothing to take out.
func Unset(ctx context.Context, dirs Dirs, name string) error {
	path := strings.Split(name, ".")
	if key, member, err := find(name); err == nil {
		if path = slices.Clone(key.path); member != "" {
			path = append(path, member)
		}
	}
	err := change(ctx, dirs, func(old []byte) ([]byte, error) { return without(old, path) })
	if errors.Is(err, ErrNotSet) {
		return fmt.Errorf("%s is %w", name, ErrNotSet)
	}
	return err
}

// without is the YAML text without what is at path.
func without(old []byte, path []string) (changed []byte, err error) {
	l, _, err := parsed(old)
	if err != nil {
		return nil, err
	}
	if v, _ := lookup(l.tree, path[:len(path)-1]); slices.Equal(path, TodoReminders.path) && v != nil {
		if _, isMapping := v.(map[string]any); !isMapping {
			path = path[:2] // todo.reminders as a mere switch
		}
	}
	if _, ok := lookup(l.tree, path); !ok || l.node == nil {
		return nil, ErrNotSet
	}
	was := l.tree
	for text := old; ; text = changed { // a name may stand there twice
		if changed, err = cutOut(text, path); err != nil {
			return nil, err
		}
		if l, _, err = parsed(changed); err != nil {
			return nil, fmt.Errorf("the change would break it: %w", err)
		}
		if _, again := lookup(l.tree, path); !again {
			return changed, verify(changed, was, path, absence)
		}
	}
}

// cutOut takes the last entry of that path out of the text, with the mappings
// that it leaves empty. Whole lines go where the entry has them to itself, so
// that nothing around it changes.
func cutOut(text []byte, path []string) (changed []byte, err error) {
	defer func() {
		if r := recover(); r != nil { // see edited
			err = fmt.Errorf("editing the YAML failed: %v", r)
		}
	}()
	l, doc, err := parsed(text)
	if err != nil {
		return nil, err
	}
	m := l.node
	within, gone := m, (*ast.MappingValueNode)(nil)
	for i, name := range path {
		entry := entryOf(m, name)
		if entry == nil {
			return nil, errors.New("its form does not allow the change")
		}
		if gone == nil || len(m.Values) > 1 {
			within, gone = m, entry
		}
		if below, ok := entry.Value.(*ast.MappingNode); ok {
			m = below
		} else if i < len(path)-1 {
			return nil, fmt.Errorf("%s is not a plain mapping", name)
		}
	}
	if !within.IsFlowStyle {
		at := gone.Key.GetToken().Position
		return withoutLines(text, at.Line-1, at.Column-1), nil
	}
	within.Values = slices.DeleteFunc(within.Values, func(entry *ast.MappingValueNode) bool { return entry == gone })
	return endLine([]byte(doc.String())), nil
}

// withoutLines leaves out the line of an entry that begins in this column, and
// those that belong to it: they are indented more, or are the items of its list.
func withoutLines(text []byte, line, column int) []byte {
	lines := bytes.SplitAfter(text, []byte("\n"))
	end, blank := line+1, 0
	for end+blank < len(lines) {
		next := lines[end+blank]
		bare := bytes.TrimLeft(next, " ")
		switch indent := len(next) - len(bare); {
		case len(bytes.TrimSpace(bare)) == 0:
			blank++
		case indent > column, indent == column && bytes.HasPrefix(bare, []byte("- ")):
			end, blank = end+blank+1, 0
		default:
			return slices.Concat(bytes.Join(lines[:line], nil), bytes.Join(lines[end:], nil))
		}
	}
	return bytes.Join(lines[:line], nil)
}

// cut takes the value at path away, and the mappings that it leaves empty.
func cut(tree map[string]any, path []string) {
	if below, ok := tree[path[0]].(map[string]any); ok && len(path) > 1 {
		if cut(below, path[1:]); len(below) > 0 {
			return
		}
	}
	delete(tree, path[0])
}
