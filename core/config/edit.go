package config

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"golang.org/x/sys/unix"

	"veyyon.dev/veyyon/core/file"
)

// ErrUnknown means that there is no setting of that name.
var ErrUnknown = errors.New("unknown setting")

// Set writes one setting, given as text, into the profile's file. Comments and
// all other settings stay. The name may also be that of a record's member
// (modelRoles.default).
//
// Nothing is written when the text does not fit the setting (the error says what
// would), when the name is unknown (errors.Is ErrUnknown), or when the file
// cannot be read as it is. Safe for concurrent use, also between processes; it
// waits for its turn until ctx ends.
func Set(ctx context.Context, dirs Dirs, name, text string) error {
	key, member, err := find(name)
	if err != nil {
		return err
	}
	value, err := key.parse(member, text)
	if err != nil {
		return err
	}
	if problem := key.checkMembers(member, value); problem != "" {
		return fmt.Errorf("%s: %s", name, problem)
	}
	path := slices.Clone(key.path)
	if member != "" {
		path = append(path, member)
	}
	return change(ctx, dirs, func(old []byte) ([]byte, error) { return edited(old, path, value) })
}

// change replaces the profile's file by what edit makes of it.
func change(ctx context.Context, dirs Dirs, edit func(old []byte) ([]byte, error)) error {
	unlock, err := lock(ctx, dirs.Agent)
	if err != nil {
		return fmt.Errorf("changing the settings: %w", err)
	}
	defer unlock()
	name := dirs.ConfigFile()
	old, err := readFile(name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s is not changed: %w", name, bare(err))
	}
	ends := bytes.Count(old, []byte("\r\n"))
	crlf := ends > 0 && ends == bytes.Count(old, []byte("\n"))
	if crlf { // the printer knows only one kind of line end
		old = bytes.ReplaceAll(old, []byte("\r\n"), []byte("\n"))
	}
	changed, err := edit(old)
	if err != nil {
		return fmt.Errorf("%s is not changed: %w", name, err)
	}
	if crlf {
		changed = bytes.ReplaceAll(changed, []byte("\n"), []byte("\r\n"))
	}
	return save(name, changed)
}

// find returns the key of that name, or the record and the member that it means.
func find(name string) (key *spec, member string, err error) {
	if key := byName()[name]; key != nil {
		return key, "", nil
	}
	for _, key := range table {
		if member, ok := strings.CutPrefix(name, key.name+"."); ok && key.kind == KindRecord && member != "" {
			return key, member, nil
		}
	}
	if why := reasons()[name]; why != "" {
		return nil, "", fmt.Errorf("%s has %s", name, why)
	}
	return nil, "", fmt.Errorf("%w: %s", ErrUnknown, name)
}

// parse reads a value that a person typed. The texts are fixed (facts/platform
// 2.3).
func (s *spec) parse(member, text string) (any, error) {
	switch {
	case member != "":
		if strings.HasPrefix(text, "[") || strings.HasPrefix(text, "{") {
			var v any
			if json.Unmarshal([]byte(text), &v) == nil {
				return v, nil
			}
		}
		var plain any
		if err := json.Unmarshal([]byte(text), &plain); err == nil {
			switch _, isNumber := plain.(float64); {
			case isNumber && slices.Contains(s.member, KindInt):
				v, _ := s.checkMember(plain) // whoever asked looks again
				return cmp.Or(v, plain), nil
			case slices.Contains(s.member, KindBool) && (plain == true || plain == false):
				return plain, nil
			}
		}
		return text, nil
	case s.kind == KindBool:
		if b, ok := parseBool(text); ok {
			return b, nil
		}
		return nil, fixed("Invalid boolean value: %s. Use true/false, yes/no, on/off, or 1/0", text)
	case s.kind == KindInt || s.kind == KindNumber:
		n, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return nil, fixed("Invalid number: %s", text)
		}
		v, problem := s.check(n)
		if problem != "" {
			return nil, fixed("Invalid number: %s (%s)", text, problem)
		}
		return v, nil
	case s.kind == KindEnum:
		if slices.Contains(s.enum, text) {
			return text, nil
		}
		return nil, fixed("Invalid value: %s. Valid values: %s", text, strings.Join(s.enum, ", "))
	case s.kind == KindList:
		var v []any
		if json.Unmarshal([]byte(text), &v) != nil || v == nil {
			return nil, fixed("Invalid array JSON: %s", text)
		}
		return v, nil
	case s.kind == KindRecord:
		var v map[string]any
		if json.Unmarshal([]byte(text), &v) != nil || v == nil {
			return nil, fixed("Invalid record JSON: %s", text)
		}
		return v, nil
	default:
		return text, nil
	}
}

// edited returns the YAML text with the value at path. It is read again before
// it is handed out, so that a slip of the editing never reaches the file.
func edited(old []byte, path []string, value any) (changed []byte, err error) {
	defer func() {
		if r := recover(); r != nil { // the printer has the parser's habit, see parseYAML
			err = fmt.Errorf("editing the YAML failed: %v", r)
		}
	}()
	l, doc, err := parsed(old)
	if err != nil {
		return nil, err
	}
	want := map[string]any{}
	put(want, path, value)
	if l.node == nil { // nothing but comments
		text, err := yaml.Marshal(want)
		if err != nil {
			return nil, err
		}
		changed = append(endLine(old), text...)
	} else {
		if err := insert(l.node, path, value); err != nil {
			return nil, err
		}
		changed = endLine([]byte(doc.String()))
	}
	return changed, verify(changed, l.tree, path, value)
}

func endLine(text []byte) []byte {
	if text = bytes.TrimRight(text, "\n"); len(text) == 0 {
		return nil
	}
	return append(text, '\n')
}

// insert puts the value into the syntax tree.
func insert(m *ast.MappingNode, path []string, value any) error {
	entry := entryOf(m, path[0])
	if entry == nil {
		whole := map[string]any{}
		put(whole, path, value)
		node, err := yaml.ValueToNode(whole)
		if err != nil {
			return err
		}
		if len(m.Values) == 0 {
			m.SetIsFlowStyle(false) // {} has room for one line only
		}
		m.Merge(node.(*ast.MappingNode)) // a map makes a mapping
		return nil
	}
	if len(path) > 1 {
		switch below := entry.Value.(type) {
		case *ast.MappingNode:
			return insert(below, path[1:], value)
		case *ast.NullNode:
		case *ast.BoolNode: // todo.reminders as a mere switch
			if path[0] != "reminders" {
				return fmt.Errorf("%s is not a mapping", path[0])
			}
			inner := map[string]any{"enabled": below.Value}
			put(inner, path[1:], value)
			return setValue(entry, inner)
		default:
			return fmt.Errorf("%s is not a plain mapping", path[0])
		}
		inner := map[string]any{}
		put(inner, path[1:], value)
		return setValue(entry, inner)
	}
	return setValue(entry, value)
}

func setValue(entry *ast.MappingValueNode, value any) error {
	node, err := yaml.ValueToNode(value)
	if err != nil {
		return err
	}
	if old, ok := entry.Value.(*ast.SequenceNode); ok && entry.FootComment == nil {
		entry.FootComment = old.FootComment // what stands below the list
	}
	comment := entry.Value.GetComment()
	if m, ok := node.(*ast.MappingNode); ok {
		m.AddColumn(entry.Key.GetToken().Position.Column + 1)
		m.SetIsFlowStyle(len(m.Values) == 0)
	} else if s, ok := node.(*ast.SequenceNode); ok {
		s.IsFlowStyle = true
	}
	if comment != nil {
		if err := node.SetComment(comment); err != nil {
			return err
		}
	}
	entry.Value = node
	return nil
}

// parsed is a text as settings and as a syntax tree.
func parsed(text []byte) (*layer, *ast.File, error) {
	doc, err := parseYAML(text)
	if err != nil {
		return nil, nil, err
	}
	l := &layer{tree: map[string]any{}}
	return l, doc, l.take(doc)
}

// verify reads the new text and compares it with what it must say.
func verify(changed []byte, was map[string]any, path []string, value any) error {
	now, _, err := parsed(changed)
	if err != nil {
		return fmt.Errorf("the change would break it: %w", err)
	}
	roomForReminders(was)
	roomForReminders(now.tree)
	if value == absence {
		cut(was, path)
	} else {
		put(was, path, value)
	}
	if !equal(was, now.tree) {
		return errors.New("its form does not allow the change without touching other settings")
	}
	return nil
}

// equal compares decoded values; numbers by what they are worth.
func equal(a, b any) bool {
	x, isX := toFloat(a)
	y, isY := toFloat(b)
	if isX || isY {
		return isX && isY && x == y
	}
	switch a := a.(type) {
	case map[string]any:
		b, ok := b.(map[string]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for name, v := range a {
			if other, ok := b[name]; !ok || !equal(v, other) {
				return false
			}
		}
		return true
	case []any:
		b, ok := b.([]any)
		return ok && slices.EqualFunc(a, b, equal)
	}
	return reflect.DeepEqual(a, b)
}

// save replaces the file in one step. A symlink stays one: its target changes.
func save(path string, data []byte) error {
	target, err := file.Target(path)
	if err != nil {
		return fmt.Errorf("writing the settings: %w", err)
	}
	if _, missing := os.Lstat(target); errors.Is(missing, fs.ErrNotExist) {
		err = file.Put(target, data, 0o600)
	} else {
		err = file.Write(target, data)
	}
	if err != nil {
		return fmt.Errorf("writing the settings: %w", err)
	}
	return nil
}

// lockPause is the wait between two tries for the lock.
const lockPause = 20 * time.Millisecond

// lock takes the kernel's lock on the folder, which no crash leaves behind, and
// returns what gives it back.
func lock(ctx context.Context, dir string) (unlock func(), err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	f, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	for {
		err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if err == nil {
			return func() { _ = f.Close() }, nil // nothing was written through it
		}
		if !errors.Is(err, unix.EWOULDBLOCK) {
			return nil, errors.Join(err, f.Close())
		}
		select {
		case <-ctx.Done():
			return nil, errors.Join(context.Cause(ctx), f.Close())
		case <-time.After(lockPause):
		}
	}
}
