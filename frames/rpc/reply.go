package rpc

import "veyyon.dev/veyyon/frames"

// replies reads the frames that answer our own asks; ok is false for one that
// does not have the shape, which then counts as an unknown command (facts/rpc
// 2.4), and its ask stays open.
var replies = map[string]func(Object) (body any, ok bool){
	UIResponseName:     decodeUIResponse,
	HostToolResultName: decodeHostToolResult,
	HostToolUpdateName: decodeHostToolUpdate,
	HostURIResultName:  decodeHostURIResult,
}

func decodeReply(name string, o Object) (frames.Reply, bool) {
	decode, ok := replies[name]
	if !ok {
		return frames.Reply{}, false
	}
	id, err := o.String("id")
	if err != nil {
		return frames.Reply{}, false
	}
	body, ok := decode(o)
	return frames.Reply{Kind: name, ID: id, Body: body}, ok
}
