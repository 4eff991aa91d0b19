package router

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"sync"
	"testing"
	"testing/synctest"

	"veyyon.dev/veyyon/core/host"
	"veyyon.dev/veyyon/frames"
	"veyyon.dev/veyyon/stages"
)

var question = Question{
	Name: "call", Reply: "result", Update: "update",
	Cancel: func(id, target string) frames.Outbound { return frames.Note{Name: "cancel", Body: target} },
}

// asked is a question on its way: what it was asked as, and how it ends.
type asked struct {
	id      string
	updates []any
	end     chan error
	answer  any
}

func newLedger(t *testing.T) (*Ledger, chan frames.Outbound) {
	outbox := make(chan frames.Outbound, 64)
	return NewLedger(t.Context(), stages.NewOutbox(outbox), HexIDs()), outbox
}

// put asks, and returns when the question is out.
func put(ctx context.Context, l *Ledger, outbox chan frames.Outbound) *asked {
	a := &asked{end: make(chan error, 1)}
	go func() {
		reply, err := l.Ask(ctx, question, func(r frames.Reply) { a.updates = append(a.updates, r.Body) })
		a.answer = reply.Body
		a.end <- err
	}()
	a.id = (<-outbox).(frames.Ask).ID
	return a
}

func update(id string, body any, size int) frames.Reply {
	return frames.Reply{Kind: "update", ID: id, Body: body, Len: size}
}

func result(id string, body any) frames.Reply {
	return frames.Reply{Kind: "result", ID: id, Body: body}
}

func TestUpdatesComeInOrderBeforeTheAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, outbox := newLedger(t)
		a := put(t.Context(), l, outbox)
		var want []any
		for n := range 1000 {
			l.Settle(update(a.id, n, 10))
			want = append(want, n)
		}
		l.Settle(result(a.id, "done"))
		l.Settle(update(a.id, "late", 10))
		l.Settle(result(a.id, "twice"))
		same(t, <-a.end, error(nil))
		same(t, a.answer, any("done"))
		same(t, a.updates, want)
	})
}

func TestRepliesOfOtherQuestionsAreIgnored(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, outbox := newLedger(t)
		one, two := put(t.Context(), l, outbox), put(t.Context(), l, outbox)
		l.Settle(result("nobody", 0))
		l.Settle(frames.Reply{Kind: "uri_result", ID: one.id})
		synctest.Wait()
		l.Settle(result(two.id, 2))
		l.Settle(result(one.id, 1))
		same(t, []error{<-one.end, <-two.end}, []error{nil, nil})
		same(t, []any{one.answer, two.answer}, []any{1, 2})
	})
}

func TestACancelledAskSendsOneCancelFrame(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, outbox := newLedger(t)
		cause := errors.New("interrupted")
		ctx, cancel := context.WithCancelCause(t.Context())
		a := put(ctx, l, outbox)
		cancel(cause)
		same(t, errors.Is(<-a.end, cause), true)
		same(t, (<-outbox).(frames.Note).Body, any(a.id))
		l.Settle(result(a.id, "late"))
		if _, err := l.Ask(ctx, question, nil); !errors.Is(err, cause) {
			t.Errorf("asking when it is over already: %v", err)
		}
		same(t, len(outbox), 0)
	})
}

func TestAnAnswerInTimeWinsOverTheCancel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for range 50 { // both are ready: either may be chosen
			l, outbox := newLedger(t)
			ctx, cancel := context.WithCancel(t.Context())
			busy, end := make(chan struct{}), make(chan error)
			go func() {
				reply, err := l.Ask(ctx, question, func(frames.Reply) { <-busy })
				same(t, reply.Body, any("done"))
				end <- err
			}()
			id := (<-outbox).(frames.Ask).ID
			l.Settle(update(id, nil, 1))
			synctest.Wait()
			l.Settle(result(id, "done"))
			cancel()
			close(busy)
			same(t, <-end, error(nil))
			same(t, len(outbox), 0)
			same(t, len(l.asks), 0)
		}
	})
}

func TestCloseFailsAllQuestionsWithoutFrames(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, outbox := newLedger(t)
		ctx, cancel := context.WithCancel(t.Context())
		a, b := put(ctx, l, outbox), put(ctx, l, outbox)
		l.Settle(update(a.id, "last words", 10))
		l.Close()
		l.Close()
		cancel()
		for _, err := range []error{<-a.end, <-b.end} {
			if !errors.Is(err, host.ErrGone) {
				t.Errorf("Ask: %v", err)
			}
		}
		if _, err := l.Ask(t.Context(), question, nil); !errors.Is(err, host.ErrGone) {
			t.Errorf("asking afterwards: %v", err)
		}
		same(t, len(outbox), 0)
	})
}

func TestWaitingUpdatesAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, outbox := newLedger(t)
		hold, entered := make(chan struct{}), make(chan struct{}, 10)
		var got []any
		end := make(chan error)
		go func() {
			_, err := l.Ask(t.Context(), question, func(r frames.Reply) { entered <- struct{}{}; <-hold; got = append(got, r.Body) })
			end <- err
		}()
		id := (<-outbox).(frames.Ask).ID
		l.Settle(update(id, 0, maxUpdates*2)) // alone it may be larger
		<-entered
		for n := 1; n <= 5; n++ {
			l.Settle(update(id, n, maxUpdates/2))
		}
		l.Settle(result(id, nil))
		close(hold)
		same(t, <-end, error(nil))
		same(t, got, []any{0, 5}) // 1 and 2 made room for 3, and 3 and 4 for 5
	})
}

func TestManyAsksAtOnce(t *testing.T) {
	l, outbox := newLedger(t)
	var asks sync.WaitGroup
	for n := range 200 {
		asks.Go(func() {
			q := question
			q.Body = n
			reply, err := l.Ask(t.Context(), q, func(frames.Reply) {})
			if err != nil || reply.Body != n {
				t.Errorf("question %d: %v, %v", n, reply.Body, err)
			}
		})
	}
	shape, seen := regexp.MustCompile(`^[0-9a-f]{16}$`), map[string]bool{}
	for range 200 {
		ask := (<-outbox).(frames.Ask)
		if !shape.MatchString(ask.ID) || seen[ask.ID] {
			t.Errorf("id %q", ask.ID)
		}
		seen[ask.ID] = true
		l.Settle(update(ask.ID, fmt.Sprint(ask.Body), 1))
		l.Settle(result(ask.ID, ask.Body))
	}
	asks.Wait()
}
