package model

import (
	"reflect"
	"slices"
	"sync"

	"veyyon.dev/veyyon/core/message"
)

// A Memo keeps the beginning of a conversation as a provider's dialect last
// encoded it, so that a long one is not encoded anew for each of its turns. The
// zero Memo knows nothing yet. Safe for concurrent use.
type Memo struct {
	mu       sync.Mutex
	key      any
	messages []message.Message // what is encoded, none of them with an image
	encoded  []byte            // their JSON values, each followed by a comma
}

// Encode returns the JSON values of the first n messages, each followed by a
// comma, and n: all messages before the first with an image, since which images
// are sent hangs on those that come later. The dialect's encode appends the
// values of messages that are new here; what it makes of each must hang on
// nothing but that message and the key, which is comparable and says all else
// that decides, such as the model. The caller must not change what is returned.
// An error is encode's.
func (m *Memo) Encode(key any, messages []message.Message, encode func(dst []byte, fresh []message.Message) ([]byte, error)) (values []byte, n int, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.key != key || !begins(messages, m.messages) {
		m.key, m.messages, m.encoded = key, nil, nil
	}
	known := len(m.messages)
	n = known
	for n < len(messages) && !showsImage(messages[n]) {
		n++
	}
	if n > known {
		encoded, err := encode(m.encoded, messages[known:n])
		if err != nil {
			m.key, m.messages, m.encoded = nil, nil, nil
			return nil, 0, err
		}
		m.messages = append(m.messages, messages[known:n]...)
		m.encoded = encoded
	}
	return slices.Clip(m.encoded), n, nil
}

// begins tells whether the messages begin with these. Some are made anew for
// each request, out of what models do not know, so that they differ only by
// their pointers.
func begins(messages, with []message.Message) bool {
	if len(messages) < len(with) {
		return false
	}
	for i, m := range with {
		if messages[i] != m && !reflect.DeepEqual(messages[i], m) {
			return false
		}
	}
	return true
}

func showsImage(m message.Message) bool {
	var content message.Blocks
	switch m := m.(type) {
	case *message.User:
		content = m.Content
	case *message.Developer:
		content = m.Content
	case *message.ToolResult:
		content = m.Content
	}
	return slices.ContainsFunc(content, func(block message.Block) bool {
		_, is := block.(*message.Image)
		return is
	})
}
