package session

import (
	"strings"

	"github.com/google/uuid"

	"veyyon.dev/veyyon/core/message"
)

// callIDs are the tool call ids of a session. Providers send empty and repeated
// ones; a session never has two calls of one id.
type callIDs map[string]struct{}

// unique returns the provider's id if it is new, or one of our own.
func (ids callIDs) unique(providerID string) string {
	id := strings.ToValidUTF8(providerID, "_")
	if _, taken := ids[id]; taken || id == "" {
		id = "call_" + strings.ReplaceAll(uuid.NewString(), "-", "")
	}
	ids[id] = struct{}{}
	return id
}

// note remembers the ids of a message.
func (ids callIDs) note(m message.Message) {
	if a, ok := m.(*message.Assistant); ok {
		for _, call := range a.Content.ToolCalls() {
			ids[call.ID] = struct{}{}
		}
	}
}
