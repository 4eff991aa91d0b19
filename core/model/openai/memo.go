package openai

import (
	"bytes"
	"strings"

	"veyyon.dev/veyyon/core/message"
	"veyyon.dev/veyyon/core/model"
	"veyyon.dev/veyyon/core/model/replay"
	"veyyon.dev/veyyon/core/model/wire"
)

// chatKey is what decides, beside a message, how it is encoded.
type chatKey struct {
	api, provider, model string
	compat               compat
	noThinking, noImages bool
}

// converse sets the messages of the request. Those that the memo knows are not
// encoded again; marks for a cache move with each turn, so that nothing can be
// known then.
func (r *chatRequest) converse(req *model.Request, c compat, rules replay.Rules) {
	if system := replay.System(req); len(system) > 0 {
		instruct := "system"
		if c.DeveloperRole {
			instruct = "developer"
		}
		r.Messages = append(r.Messages, &chatMessage{Role: instruct, Content: strings.Join(system, "\n\n")})
	}
	rest := *req
	if req.Memo != nil && !c.CacheControl {
		key := chatKey{string(req.Model.API), req.Model.Provider, req.Model.ID, c, rules.NoThinking, rules.NoImages}
		known, n, err := req.Memo.Encode(key, req.Messages, func(dst []byte, fresh []message.Message) ([]byte, error) {
			part := *req
			part.Messages = fresh
			for _, m := range chatMessages(&part, c, rules) {
				raw, err := wire.Marshal(m)
				if err != nil {
					return nil, err
				}
				dst = append(append(dst, raw...), ',')
			}
			return dst, nil
		})
		if err == nil && len(known) > 0 { // an error comes again from the whole
			r.known, rest.Messages = known, req.Messages[n:]
			r.Messages = append(r.Messages, &chatMessage{Role: knownRole})
		}
	}
	r.Messages = append(r.Messages, chatMessages(&rest, c, rules)...)
	if c.CacheControl {
		markForCache(r.Messages)
	}
}

// knownRole is the role of the message in whose place the known values stand.
// knownMark is that message as JSON: quotes within texts are escaped, so it is
// nowhere before.
const (
	knownRole = "known"
	knownMark = `{"role":"known","content":null}`
)

// JSON encodes the request, in parts.
func (r *chatRequest) JSON() ([][]byte, error) {
	raw, err := wire.Marshal(r)
	if err != nil || len(r.known) == 0 {
		return [][]byte{raw}, err
	}
	before, after, _ := bytes.Cut(raw, []byte(knownMark))
	return [][]byte{before, r.known[:len(r.known)-1], after}, nil // without the last comma
}
