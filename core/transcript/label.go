package transcript

import (
	"errors"
	"maps"
)

// ErrNoEntry means that a session has no entry of an id.
var ErrNoEntry = errors.New("the session has no entry of this id")

// labels are the names of entries by their ids. The map is replaced, not
// changed, once a Snapshot may share it.
type labels struct {
	names  map[string]string
	shared bool
}

// note takes over what the body says if it is a label: the last one wins.
func (l *labels) note(body Body) {
	b, ok := body.(*Label)
	if !ok || l.names[b.TargetID] == b.Label {
		return
	}
	if l.shared || l.names == nil {
		l.names, l.shared = maps.Clone(l.names), false
		if l.names == nil {
			l.names = map[string]string{}
		}
	}
	if b.Label == "" {
		delete(l.names, b.TargetID)
	} else {
		l.names[b.TargetID] = b.Label
	}
}

// share returns the names, which then stay as they are.
func (l *labels) share() map[string]string {
	l.shared = true
	return l.names
}

// SetLabel names an entry; an empty label takes the name away. It appends an
// entry, which becomes the leaf. ErrNoEntry means that there is no such entry.
func (l *Log) SetLabel(targetID, label string) error {
	if l.ByID(targetID) == nil {
		return ErrNoEntry
	}
	return l.Append(&Label{TargetID: targetID, Label: label})
}
