package session

import (
	"errors"

	"veyyon.dev/veyyon/core/message"
	"veyyon.dev/veyyon/core/transcript"
)

// entryIDs are the entries that the messages of the context come from, by which a
// compaction names what it keeps. Those that were loaded are found when the first
// compaction asks: until then only the end of the context has changed.
func (st *state) entryIDs() map[message.Message]string {
	if st.entries == nil {
		st.entries = map[message.Message]string{}
	}
	if st.loaded > 0 {
		for i, spoken := range st.log().Spoken() {
			if i < min(st.loaded, len(st.messages)) && spoken.Message.Speaker() == st.messages[i].Speaker() {
				st.entries[st.messages[i]] = spoken.Entry.ID
			}
		}
		st.loaded = 0
	}
	return st.entries
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
