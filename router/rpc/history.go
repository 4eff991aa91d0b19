package rpc

import (
	"context"

	"veyyon.dev/veyyon/core/message"
	"veyyon.dev/veyyon/core/session"
	"veyyon.dev/veyyon/frames"
	wire "veyyon.dev/veyyon/frames/rpc"
	"veyyon.dev/veyyon/router"
)

// inlineBytes is how large an answer may be, in bytes, that is encoded on its
// way out. A larger one is encoded in a pool, so that no other frame waits for
// that, and may come behind answers to later commands.
const inlineBytes = 1 << 20

// messages lists the finished messages of this moment.
func (c *commands) messages(ctx context.Context, _ struct{}) (router.Answer, router.Finish, error) {
	all, err := c.agent.Messages(ctx)
	if err != nil {
		return router.Answer{}, nil, err
	}
	answer := keyed("messages", all)
	if weight(all) <= inlineBytes {
		return answer, nil, nil
	}
	return router.Answer{}, func(context.Context) (router.Answer, error) {
		text, err := frames.Marshal(answer.Data)
		return router.Answer{Data: encoded(text)}, err
	}, nil
}

// weight is about how many bytes the messages take as JSON; it stops counting
// beyond inlineBytes.
func weight(messages []message.Message) (size int) {
	const each = 300 // for the keys and the usage
	for _, m := range messages {
		if size += each + message.Bytes(m); size > inlineBytes {
			break
		}
	}
	return size
}

// encoded is data that is JSON already.
type encoded []byte

// AppendJSON implements frames.Appender.
func (e encoded) AppendJSON(dst []byte) ([]byte, error) { return append(dst, e...), nil }

// messagesPage looks at the messages in its turn, and is encoded beside the
// lane: a page may be a megabyte.
func (c *commands) messagesPage(ctx context.Context, p wire.MessagesPage) (router.Finish, error) {
	encode, err := c.agent.MessagesPage(ctx, session.PageRequest(p))
	if err != nil {
		return nil, err
	}
	return func(context.Context) (router.Answer, error) {
		page, err := encode()
		return router.Answer{Data: page}, err
	}, nil
}
