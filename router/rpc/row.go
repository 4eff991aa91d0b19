package rpc

import (
	"context"

	"veyyon.dev/veyyon/core/fault"
	wire "veyyon.dev/veyyon/frames/rpc"
	"veyyon.dev/veyyon/router"
)

// A row is a route together with the decoder of its arguments.
type row struct {
	route  router.Route
	decode wire.BodyDecoder
}

func untyped[A any](decode func(wire.Object) (A, error)) wire.BodyDecoder {
	return func(o wire.Object) (any, error) { return decode(o) }
}

// ordered makes the row of a command that is done in its turn.
func ordered[A any](name string, decode func(wire.Object) (A, error), run func(context.Context, A) (router.Answer, error)) row {
	return row{router.InOrder(name, run), untyped(decode)}
}

// pooled makes the row of a command that is finished in a pool.
func pooled[A any](name string, pool router.Pool, decode func(wire.Object) (A, error), start func(context.Context, A) (router.Finish, error)) row {
	return row{router.InPool(name, pool, start), untyped(decode)}
}

// either makes the row of a command that a pool finishes when it is large.
func either[A any](name string, pool router.Pool, decode func(wire.Object) (A, error), start func(context.Context, A) (router.Answer, router.Finish, error)) row {
	return row{router.EitherWay(name, pool, start), untyped(decode)}
}

// accepting makes the row of a command that may fail after its answer.
func accepting[A any](name string, decode func(wire.Object) (A, error), run func(context.Context, A, router.Later) (router.Answer, error)) row {
	return row{router.Accepting(name, run), untyped(decode)}
}

// done makes a handler of a method that only changes something.
func done[A any](change func(context.Context, A) error) func(context.Context, A) (router.Answer, error) {
	return func(ctx context.Context, args A) (router.Answer, error) {
		return router.Answer{}, change(ctx, args)
	}
}

// act is done for a method without arguments.
func act(change func(context.Context) error) func(context.Context, struct{}) (router.Answer, error) {
	return func(ctx context.Context, _ struct{}) (router.Answer, error) {
		return router.Answer{}, change(ctx)
	}
}

// get makes a handler of a method whose result is the data.
func get[D any](method func(context.Context) (D, error)) func(context.Context, struct{}) (router.Answer, error) {
	return func(ctx context.Context, _ struct{}) (router.Answer, error) {
		data, err := method(ctx)
		return router.Answer{Data: data}, err
	}
}

// list makes a handler of a method whose result is a list in the data.
func list[D any](key string, method func(context.Context) ([]D, error)) func(context.Context, struct{}) (router.Answer, error) {
	return func(ctx context.Context, _ struct{}) (router.Answer, error) {
		items, err := method(ctx)
		return keyed(key, items), err
	}
}

// keyed is an answer with one list, never null.
func keyed[D any](key string, items []D) router.Answer {
	if items == nil {
		items = []D{}
	}
	return router.Answer{Data: map[string][]D{key: items}}
}

func notImplemented(name string) error {
	return fault.New(fault.NotImplemented, name+" is not implemented yet")
}
