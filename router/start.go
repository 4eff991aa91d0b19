package router

import (
	"context"
	"errors"
	"fmt"

	"veyyon.dev/veyyon/frames"
	"veyyon.dev/veyyon/stages"
)

// A starter begins one command after the other, in host order. It never waits
// for a pool, so that a command which ends others gets through.
type starter struct {
	send     func(frames.Outbound) error
	routes   map[string]Route
	queues   map[Pool]chan work
	life     context.Context // of what the pools do
	inflight *inflight
}

func newStarter(life context.Context, send func(frames.Outbound) error, t Table, queues map[Pool]chan work) *starter {
	s := &starter{send: send, routes: make(map[string]Route, len(t)), queues: queues, life: life, inflight: newInflight()}
	for _, route := range t {
		s.routes[route.Name] = route
	}
	return s
}

// run ends when starts is closed. The error is the cause of a hard stop.
func (s *starter) run(ctx context.Context, starts <-chan []frames.Inbound) error {
	for {
		batch, ok, err := stages.Recv(ctx, starts)
		if err != nil || !ok {
			return err
		}
		for _, in := range batch {
			switch in := in.(type) {
			case frames.Malformed:
				err = s.send(in.Answer)
			case frames.Command:
				err = s.start(ctx, in)
			case frames.Cancel:
				s.inflight.withdraw(in.ID)
			}
			if err != nil {
				return err
			}
		}
	}
}

// start begins a command, and answers it unless a pool will.
func (s *starter) start(ctx context.Context, c frames.Command) error {
	if c.Err != nil {
		return s.send(frames.Response{ID: c.ID, Command: c.Name, Fault: refuseArguments(c.Err)})
	}
	j := &job{command: c, send: s.send}
	route, ok := s.routes[c.Name]
	if !ok {
		return j.answer(Answer{}, fmt.Errorf("no route for %s", c.Name))
	}
	queue := s.queues[route.Pool]
	if route.Pool != Ordered && len(queue) == cap(queue) {
		return j.answer(Answer{}, errWaiting)
	}
	var answer Answer
	var finish Finish
	err := fenced(c.Name, func() (err error) {
		answer, finish, err = route.start(ctx, j)
		return err
	})
	if err != nil || finish == nil {
		return j.answer(answer, err)
	}
	life, done := s.inflight.add(s.life, c.ID)
	queue <- work{j, finish, life, done} // never waits: there was room, and nobody else sends
	return nil
}

// finish is what a pool does with its work. The second half of a command ends
// with its life; its answer is sent even then.
func finish(_ context.Context, w work) {
	defer w.done()
	var answer Answer
	err := fenced(w.job.command.Name, func() (err error) {
		answer, err = w.finish(w.life)
		return err
	})
	if err != nil && errors.Is(context.Cause(w.life), errWithdrawn) {
		err = errWithdrawn
	}
	_ = w.job.answer(answer, err) // fails only when nobody reads any more
}

// answer sends the one answer of a command and runs what waits for that. It
// fails only with a hard stop.
func (j *job) answer(a Answer, err error) error {
	if err != nil {
		return j.send(j.failure(err))
	}
	if err := j.send(frames.Response{ID: j.command.ID, Command: j.command.Name, Data: a.Data}); err != nil {
		return err
	}
	j.accept()
	if a.Then != nil {
		// A panic in what follows the answer has been logged, and is no second answer.
		_ = fenced(j.command.Name, func() error { a.Then(); return nil })
	}
	return nil
}
