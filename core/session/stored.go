package session

import (
	"errors"
	"log/slog"

	"veyyon.dev/veyyon/core/event"
	"veyyon.dev/veyyon/core/message"
	"veyyon.dev/veyyon/core/transcript"
)

// recall is what the conversation remembers of its entries, by their ids: the
// transcript asks when another program has taken their lines.
func (st *state) recall() map[string]message.Message {
	ids, said := st.entryIDs(), make(map[string]message.Message, len(st.messages))
	for _, m := range st.messages {
		id := ids[m]
		if _, ok := m.(*message.CompactionSummary); ok && id == "" {
			id = st.log().LastCompactionID()
		}
		if id != "" {
			said[id] = m
		}
	}
	return said
}

// wrote reports the first of a series of failed writes, and what other programs
// have done to the file. The transcript keeps what it could not write and tries
// again with the next entry.
func (st *state) wrote(err error) {
	var renewed *transcript.Renewed
	switch {
	case err == nil:
		st.warned = false
	case errors.As(err, &renewed):
		st.warned = false
		slog.Warn("the transcript was changed by another program", "file", renewed.Was, "now", renewed.Path, "lost", renewed.Lost)
		st.emit(event.Notice{Level: "warning", Message: renewed.Error(), Source: "transcript"})
	default:
		slog.Error("writing the transcript", "file", st.log().Path(), "err", err)
		if !st.warned {
			st.warned = true
			st.emit(event.Notice{Level: "error", Message: "The session could not be saved: " + err.Error(), Source: "transcript"})
		}
	}
}
