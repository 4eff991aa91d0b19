package transcript

import (
	"slices"

	"veyyon.dev/veyyon/core/message"
)

// A Snapshot is a Log as it was at one moment. Any goroutine may use it while the
// Log goes on; taking one copies nothing.
//
// What entries say is read from the Log's file. Once the Log is closed that is an
// error which Is os.ErrClosed; that the file has been deleted does no harm.
type Snapshot struct {
	store   *store
	header  Header
	title   string
	source  TitleSource
	entries []*Entry
	leaf    *Entry
	labels  map[string]string // names of entries by their ids
}

// Snapshot returns the Log as it is now.
func (l *Log) Snapshot() Snapshot {
	return Snapshot{
		store: l.store, header: l.header, title: l.title, source: l.source,
		entries: slices.Clip(l.tree.entries), leaf: l.tree.leaf, labels: l.labels.share(),
	}
}

// Path is where the file is or will be; "" for a session in memory.
func (s Snapshot) Path() string { return s.store.path() }

// Header is the header as Log.Header returns it.
func (s Snapshot) Header() Header { return s.header }

// Title returns the title and who chose it; "" when there is none.
func (s Snapshot) Title() (string, TitleSource) { return s.title, s.source }

// Leaf returns the entry that the next one would follow; nil for none.
func (s Snapshot) Leaf() *Entry { return s.leaf }

// Entries returns all entries in file order. The caller must not change the
// slice.
func (s Snapshot) Entries() []*Entry { return s.entries }

// Since returns the entries after the one of that id, and whether there is one.
// After "" are all.
func (s Snapshot) Since(id string) ([]*Entry, bool) {
	if id == "" {
		return s.entries, true
	}
	for i, e := range slices.Backward(s.entries) { // hosts ask for the newest
		if e.ID == id {
			return s.entries[i+1:], true
		}
	}
	return nil, false
}

// ByID returns the entry of that id; nil if there is none.
func (s Snapshot) ByID(id string) *Entry {
	if i := slices.IndexFunc(s.entries, func(e *Entry) bool { return e.ID == id }); i >= 0 {
		return s.entries[i]
	}
	return nil
}

// Body returns what the entry says; an *Unknown when its line makes no sense.
func (s Snapshot) Body(e *Entry) (Body, error) { return s.store.body(e) }

// Bodies is Body for many entries, quicker than one by one: where entries lie
// close together the file is read in large pieces, and these are decoded on all
// processors. Images that are kept in files of their own stay references.
func (s Snapshot) Bodies(entries []*Entry) ([]Body, error) {
	return s.store.bodiesBy(entries, s.store.decodeBare)
}

// Messages returns the conversation as Log.Messages does.
func (s Snapshot) Messages() ([]message.Message, error) {
	context, err := s.Context()
	if err != nil {
		return nil, err
	}
	return s.messagesOf(context)
}

func pathTo(e *Entry) []*Entry {
	var path []*Entry
	for ; e != nil; e = e.Parent {
		path = append(path, e)
	}
	slices.Reverse(path)
	return path
}
