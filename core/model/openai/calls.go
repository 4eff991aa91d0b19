package openai

import (
	"encoding/json"

	"veyyon.dev/veyyon/core/model"
	"veyyon.dev/veyyon/core/model/wire"
)

type callDelta struct {
	Index    int    `json:"index"`
	ID       string `json:"id"`
	Function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	} `json:"function"`
}

// calls puts tool calls into a draft one after another, though some providers
// interleave their deltas: the first call that is not complete streams, later
// ones wait for it.
type calls struct {
	draft  *model.Draft
	list   []*call
	at     int // list[at] streams, those before are closed
	sealed map[string]string
}

type call struct {
	index     int
	id, name  string
	arguments []byte
	streamed  int // bytes of arguments the draft has
	open      bool
}

// add takes one delta.
func (c *calls) add(d *callDelta) {
	call := c.find(d)
	if call.id == "" {
		call.id = d.ID
	}
	if call.name == "" {
		call.name = d.Function.Name
	}
	call.arguments = append(call.arguments, d.Function.Arguments...)
	c.advance()
}

// find returns the call a delta belongs to. The index decides, but some
// providers give the same one to all calls: then a new id, or a name when the
// call before is complete, begins another.
func (c *calls) find(d *callDelta) *call {
	for i := len(c.list) - 1; i >= 0; i-- {
		known := c.list[i]
		if known.index != d.Index {
			continue
		}
		otherID := d.ID != "" && known.id != "" && d.ID != known.id
		again := d.Function.Name != "" && d.Function.Arguments != "" && known.complete()
		if otherID || again {
			break
		}
		return known
	}
	c.list = append(c.list, &call{index: d.Index})
	return c.list[len(c.list)-1]
}

// advance streams what can be streamed.
func (c *calls) advance() {
	for c.at < len(c.list) {
		c.feed(c.list[c.at])
		if c.at == len(c.list)-1 || !c.list[c.at].open || !c.list[c.at].complete() {
			return
		}
		c.next()
	}
}

func (c *calls) feed(call *call) {
	if !call.open {
		if call.name == "" {
			return // it comes with the next delta
		}
		c.start(call)
	}
	c.draft.CallArguments(string(call.arguments[call.streamed:]))
	call.streamed = len(call.arguments)
}

func (c *calls) start(call *call) {
	call.open = true
	c.draft.CallStart(call.id, call.name)
	c.draft.CallSignature(c.sealed[call.id])
}

func (c *calls) next() {
	c.draft.CloseBlock()
	c.at++
}

// settled closes the last call if it is complete, and tells whether none is
// open now.
func (c *calls) settled() bool {
	if c.at == len(c.list)-1 && c.list[c.at].open && c.list[c.at].complete() {
		c.next()
	}
	return c.at == len(c.list)
}

// flush puts all that is left into the draft. The last call stays open: the
// draft closes it, or drops it when the answer failed.
func (c *calls) flush() {
	for c.at < len(c.list) {
		if call := c.list[c.at]; !call.open {
			c.start(call)
		}
		c.feed(c.list[c.at])
		if c.at == len(c.list)-1 {
			return
		}
		c.next()
	}
}

// sign keeps a sealed detail for the call of its id.
func (c *calls) sign(d *detailTag) {
	if d.Type != "reasoning.encrypted" || d.ID == "" {
		return
	}
	raw, err := wire.Marshal(d)
	if err != nil {
		return // unreachable: only strings and a number
	}
	if c.sealed == nil {
		c.sealed = map[string]string{}
	}
	c.sealed[d.ID] = string(raw)
	if c.at < len(c.list) && c.list[c.at].open && c.list[c.at].id == d.ID {
		c.draft.CallSignature(c.sealed[d.ID])
	}
}

// complete tells whether the arguments are one whole JSON object, after which
// nothing of them can follow.
func (c *call) complete() bool {
	n := len(c.arguments)
	return n > 1 && c.arguments[n-1] == '}' && json.Valid(c.arguments)
}
