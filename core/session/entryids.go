package session

import (
	"errors"

	"veyyon.dev/veyyon/core/message"
	"veyyon.dev/veyyon/core/transcript"
)

// entryIDs are the entries that the messages of the context come from, by which a
// compaction names what it keeps. Those of what was loaded are sorted in when the
// first compaction asks: until then only the end of the context has changed.
func (st *state) entryIDs() map[message.Message]string {
	if st.entries == nil {
		st.entries = map[message.Message]string{}
	}
	for i, e := range st.loaded[:min(len(st.loaded), len(st.messages))] {
		st.entries[st.messages[i]] = e.ID
	}
	st.loaded = nil
	return st.entries
}

// loadedFrom are the entries of the messages that have just been loaded. They
// need not be read again, unless some of them cannot be.
func (st *state) loadedFrom() []*transcript.Entry {
	entries := st.log().Speaking()
	if len(entries) == len(st.messages) {
		return entries
	}
	entries = nil
	for _, spoken := range st.log().Spoken() {
		entries = append(entries, spoken.Entry)
	}
	return entries
}

// noteEntry remembers that the message has just been stored; err is what storing
// it gave.
func (st *state) noteEntry(m message.Message, err error) {
	if errors.Is(err, transcript.ErrInvalid) {
		return // it has no entry
	}
	if st.entries == nil {
		st.entries = map[message.Message]string{}
	}
	st.entries[m] = st.log().Leaf().ID
}

// keepEntryIDs forgets those that are not in the context any more.
func (st *state) keepEntryIDs() {
	before := st.entryIDs()
	st.entries = make(map[message.Message]string, len(st.messages))
	for _, m := range st.messages {
		if id := before[m]; id != "" {
			st.entries[m] = id
		}
	}
}
