package transcript

import (
	"time"

	"veyyon.dev/veyyon/core/message"
)

// A Node is an entry as a picture of the tree needs it.
type Node struct {
	ID       string
	ParentID string // "" for a root
	Type     string
	Time     time.Time // zero when unknown
	Role     message.Role
	Preview  string // how the text of a message or a summary begins, "" for none
	Label    string
}

// previewLength bounds Node.Preview, in characters; the rest is left out.
const previewLength = 120

// Nodes returns the tree as a flat list in file order, parents before their
// children: chains of entries are long, and nested JSON as deep as that is refused
// by most readers. It reads the whole file once.
func (s Snapshot) Nodes() ([]Node, error) {
	nodes := make([]Node, len(s.entries))
	for i, e := range s.entries {
		nodes[i] = Node{ID: e.ID, Type: e.Type, Time: e.Time, Role: e.Role, Label: s.labels[e.ID]}
		if e.Parent != nil {
			nodes[i].ParentID = e.Parent.ID
		}
	}
	var speaking []*Entry
	var places []int
	for i, e := range s.entries {
		if speaks(e) {
			speaking, places = append(speaking, e), append(places, i)
		}
	}
	return nodes, s.store.eachLine(speaking, func(i int, line []byte) {
		nodes[places[i]].Preview = preview(line, previewLength)
	})
}

// preview returns the first characters of what a line says to the conversation,
// limit counting them. The line may be cut off anywhere.
func preview(line []byte, limit int) string {
	kind, text := "", ""
	eachField(line, func(key, value []byte) {
		switch string(key) {
		case "type":
			kind, _ = unquote(value)
		case "message":
			text = messagePreview(value, limit)
		case "content":
			text = contentPreview(value, limit)
		case "summary":
			text = textPrefix(value, limit)
		}
	})
	if !speaks(&Entry{Type: kind}) {
		return ""
	}
	return text
}

func messagePreview(raw []byte, limit int) (text string) {
	eachField(raw, func(key, value []byte) {
		switch string(key) {
		case "content":
			text = contentPreview(value, limit)
		case "summary", "command":
			text = textPrefix(value, limit)
		}
	})
	return text
}

// contentPreview joins the text blocks.
func contentPreview(raw []byte, limit int) string {
	if len(raw) > 0 && raw[0] == '"' {
		return textPrefix(raw, limit)
	}
	joined, length := "", 0
	eachItem(raw, func(item []byte) {
		if length >= limit {
			return
		}
		eachField(item, func(key, value []byte) {
			if string(key) == "text" {
				text := textPrefix(value, limit-length)
				joined, length = joined+text, length+len([]rune(text))
			}
		})
	})
	return joined
}
