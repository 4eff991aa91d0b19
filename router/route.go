package router

import (
	"context"
	"sync"

	"veyyon.dev/veyyon/frames"
)

// Pool names where a command waits, if it waits: for a shell, a model, a person
// or the disk. An Ordered command does not wait.
type Pool string

// The pools. Their sizes are in lanes.go.
const (
	Ordered Pool = "ordered"
	Shell   Pool = "shell"
	Model   Pool = "model"
	Human   Pool = "human"
	Disk    Pool = "disk"
)

// A Table is all commands of a protocol, in the order of its document. Names
// are distinct.
type Table []Route

// A Route says what happens to one command. InOrder, InPool, EitherWay and
// Accepting make them.
type Route struct {
	Name string
	Pool Pool // where its Finish runs; an Ordered row has none
	// start runs on the Starter, in host order. It returns an Answer, or a
	// Finish that will have one, or an error.
	start func(ctx context.Context, job *job) (Answer, Finish, error)
}

// A Finish is the half of a command that may wait. Its context ends with a hard
// stop, when the grace after the end of input is over, and when the host takes
// the command back.
type Finish func(ctx context.Context) (Answer, error)

// An Answer is what a command gives. Data is encoded as the protocol does; nil
// means no data. Then runs once the answer is in the outbox, and not at all if
// it could not be sent; nil for most.
type Answer struct {
	Data any
	Then func()
}

// InOrder makes the row of a command that is done in its turn. A is the type the
// codec decodes its arguments to.
func InOrder[A any](name string, run func(context.Context, A) (Answer, error)) Route {
	return Route{Name: name, Pool: Ordered, start: func(ctx context.Context, job *job) (Answer, Finish, error) {
		answer, err := run(ctx, job.command.Body.(A))
		return answer, nil, err
	}}
}

// InPool makes the row of a command that is admitted in its turn and finished in
// a pool. Without a Finish and an error, it is done and has no data.
func InPool[A any](name string, pool Pool, start func(context.Context, A) (Finish, error)) Route {
	return Route{Name: name, Pool: pool, start: func(ctx context.Context, job *job) (Answer, Finish, error) {
		finish, err := start(ctx, job.command.Body.(A))
		return Answer{}, finish, err
	}}
}

// EitherWay makes the row of a command that is done in its turn, or, when start
// returns a Finish, admitted then and finished in a pool: what is usually quick
// keeps its place among the answers, and what is not holds nobody up.
func EitherWay[A any](name string, pool Pool, start func(context.Context, A) (Answer, Finish, error)) Route {
	return Route{Name: name, Pool: pool, start: func(ctx context.Context, job *job) (Answer, Finish, error) {
		return start(ctx, job.command.Body.(A))
	}}
}

// Later is what a command may do after its answer. Fail adds one error answer
// with the same id. It may be called at any time and from any goroutine; the
// error follows the answer, and only the first counts.
type Later struct {
	ID   frames.ID // of the command, nil when it had none
	Fail func(error)
}

// Accepting makes the row of a command that is answered when it is accepted, and
// may fail afterwards.
func Accepting[A any](name string, run func(ctx context.Context, args A, later Later) (Answer, error)) Route {
	return Route{Name: name, Pool: Ordered, start: func(ctx context.Context, job *job) (Answer, Finish, error) {
		answer, err := run(ctx, job.command.Body.(A), Later{job.command.ID, job.fail})
		return answer, nil, err
	}}
}

// A job is a command on its way.
type job struct {
	command frames.Command
	send    func(frames.Outbound) error

	mu       sync.Mutex // guards what follows; fail may come from anywhere
	accepted bool       // the answer is in the outbox, and was no failure
	failed   bool       // fail has been called
	late     error      // what fail said before the answer was sent
}

// fail adds an error answer behind the first answer.
func (j *job) fail(err error) {
	j.mu.Lock()
	first, now := !j.failed, j.accepted
	j.failed = true
	if first && !now {
		j.late = err
	}
	j.mu.Unlock()
	if first && now {
		_ = j.send(j.failure(err)) // fails only when nobody reads any more
	}
}

// accept tells that the answer has been sent, and sends what fail has kept back.
func (j *job) accept() {
	j.mu.Lock()
	j.accepted = true
	late := j.late
	j.mu.Unlock()
	if late != nil {
		_ = j.send(j.failure(late)) // as above
	}
}

func (j *job) failure(err error) frames.Response {
	return frames.Response{ID: j.command.ID, Command: j.command.Name, Fault: refuse(err)}
}
