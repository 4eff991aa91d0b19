package config

import (
	"maps"
	"slices"
	"strings"
)

// An Item describes a setting to a person.
type Item struct {
	Key     string
	Kind    Kind // "" for a setting that has no meaning here; Doc says why
	Value   any
	Default any
	Enum    []string // the values of an enum
	Origin  string   // the file it is set in, "" when the default is in force
	Doc     string
}

// Items returns all known settings in their order, and then those that have no
// meaning here.
func (s *Settings) Items() []Item {
	var items []Item
	for _, key := range table {
		items = append(items, s.item(key))
	}
	for _, name := range slices.Sorted(maps.Keys(reasons())) {
		items = append(items, s.absent(name))
	}
	return items
}

// Item returns the known setting of that name.
func (s *Settings) Item(name string) (Item, bool) {
	key := byName()[name]
	if key == nil {
		return s.absent(name), reasons()[name] != ""
	}
	return s.item(key), true
}

func (s *Settings) absent(name string) Item {
	value, _ := lookup(s.tree, strings.Split(name, "."))
	return Item{Key: name, Value: value, Doc: reasons()[name]}
}

// Get returns the value of any setting: a known one, a member of a record, or
// one that only the files know.
func (s *Settings) Get(name string) (any, bool) {
	key, member, err := find(name)
	if err != nil {
		return lookup(s.tree, strings.Split(name, "."))
	}
	value := s.item(key).Value
	if member == "" {
		return value, true
	}
	record, _ := value.(map[string]any)
	v, ok := record[member]
	return v, ok
}

func (s *Settings) item(key *spec) Item {
	item := Item{Key: key.name, Kind: key.kind, Value: key.preset, Default: key.preset, Enum: key.enum, Origin: s.origin[key.name], Doc: key.doc}
	if len(key.enum) > 1 {
		item.Doc += " (" + strings.Join(key.enum, ", ") + ")"
	}
	if v, ok := s.values[key.name]; ok {
		item.Value = v
	}
	return item
}
