package router

import (
	"context"
	"testing"
	"testing/synctest"

	"veyyon.dev/veyyon/frames"
)

// held waits for the end of its context and answers with an error, or with how it
// ended where it has an answer of its own.
func held(name string, own bool) Route {
	return InPool(name, Model, func(context.Context, int) (Finish, error) {
		return func(ctx context.Context) (Answer, error) {
			<-ctx.Done()
			if own {
				return Answer{}, nil
			}
			return Answer{}, context.Cause(ctx)
		}, nil
	})
}

func TestACommandCanBeTakenBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := run(t, table(held("wait", false), held("prompt", true), ok("state")), Options{})
		withdraw := func(id string) { r.inbound <- frames.Cancel{ID: frames.ID(id), Len: 10} }
		r.command(1, "wait")
		r.command(2, "wait")
		withdraw("3") // nobody's
		withdraw("1")
		r.want("1 wait: Request cancelled (cancelled)")
		withdraw("1") // over
		r.command(4, "prompt")
		withdraw("4") // right behind it
		r.want("4 prompt")
		r.command(1, "wait") // the id is free again
		withdraw("1")
		r.want("1 wait: Request cancelled (cancelled)")
		withdraw("2")
		r.want("2 wait: Request cancelled (cancelled)")
		r.command(5, "state")
		same(t, r.end(), []string{"5 state"})
	})
}
