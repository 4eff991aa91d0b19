package acp

import (
	"context"

	wire "veyyon.dev/veyyon/frames/acp"
	"veyyon.dev/veyyon/router"
)

// A row is a route together with what the codec has to know of it.
type row struct {
	route  router.Route
	method wire.Method
}

// ordered makes the row of a method that is done in its turn.
func ordered[A any](name string, decode func(wire.Object) (any, error), run func(context.Context, A) (router.Answer, error)) row {
	return row{router.InOrder(name, run), wire.Method{Decode: decode}}
}

// pooled makes the row of a method that is finished in a pool.
func pooled[A any](name string, pool router.Pool, decode func(wire.Object) (any, error), start func(context.Context, A) (router.Finish, error)) row {
	return row{router.InPool(name, pool, start), wire.Method{Decode: decode}}
}

// later makes the row of a method all of which a pool does.
func later[A any](name string, pool router.Pool, decode func(wire.Object) (any, error), run func(context.Context, A) (router.Answer, error)) row {
	return pooled(name, pool, decode, func(_ context.Context, args A) (router.Finish, error) {
		return func(ctx context.Context) (router.Answer, error) { return run(ctx, args) }, nil
	})
}

// told makes the row of a notification.
func told[A any](name string, decode func(wire.Object) (any, error), run func(context.Context, A) (router.Answer, error)) row {
	return row{router.InOrder(name, run), wire.Method{Decode: decode, Notification: true}}
}

// NewCodec returns the codec that knows the methods of the table.
func NewCodec() *wire.Codec {
	methods := make(map[string]wire.Method)
	for _, row := range new(Server).rows() {
		methods[row.route.Name] = row.method
	}
	return wire.NewCodec(methods)
}

// Table returns the routes of the protocol.
func (s *Server) Table() router.Table {
	var table router.Table
	for _, row := range s.rows() {
		table = append(table, row.route)
	}
	return table
}

// rows lists the methods in the order of facts/acp 3.0.
func (s *Server) rows() []row {
	return []row{
		ordered("initialize", wire.DecodeInitialize, s.initialize),
		ordered("authenticate", wire.Text("methodId"), s.authenticate),
		later("session/new", router.Disk, wire.DecodeNew, s.newSession),
		later("session/load", router.Disk, wire.DecodeStored, s.load),
		later("session/resume", router.Disk, wire.DecodeStored, s.resume),
		later("session/fork", router.Disk, wire.DecodeStored, s.fork),
		later("session/list", router.Disk, wire.DecodeList, s.list),
		pooled("session/close", router.Model, wire.Text("sessionId"), s.close),
		later("session/set_mode", router.Disk, wire.DecodeSetMode, s.setMode),
		later("session/set_config_option", router.Disk, wire.DecodeSetOption, s.setOption),
		pooled("session/prompt", router.Model, wire.DecodePrompt, s.prompt),
		told("session/cancel", wire.Text("sessionId"), s.cancel),

		later("_veyyon/sessions/listAll", router.Disk, wire.DecodeLimit(1000, 5000, false), s.listAll),
		later("_veyyon/projects/list", router.Disk, wire.Nothing, s.projects),
		later("_veyyon/chats/byCwd", router.Disk, wire.DecodeLimit(100, 500, true), s.chats),
		ordered("_veyyon/usage", wire.Nothing, s.usage),
		later("_veyyon/extensions", router.Disk, wire.Nothing, s.extensions),
		ordered("_veyyon/extensions/toggle", wire.DecodeToggle, s.toggle),
		ordered("speech.models.list", wire.Nothing, s.speech),
	}
}
