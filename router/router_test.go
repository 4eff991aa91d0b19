package router

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"veyyon.dev/veyyon/core/fault"
	"veyyon.dev/veyyon/core/host"
	"veyyon.dev/veyyon/frames"
	"veyyon.dev/veyyon/stages"
)

func TestMain(m *testing.M) {
	slog.SetDefault(slog.New(slog.NewTextHandler(io.Discard, nil))) // panics are logged on purpose
	goleak.VerifyTestMain(m)
}

// A rig is a running router whose host reads only when told to.
type rig struct {
	t       *testing.T
	inbound chan frames.Inbound
	outbox  chan frames.Outbound
	ended   chan error
	stop    context.CancelCauseFunc
	ledger  *Ledger
}

// run starts a router; table gets the ledger for rows that ask.
func run(t *testing.T, table func(*Ledger) Table, opts Options) *rig {
	ctx, stop := context.WithCancelCause(t.Context())
	r := &rig{
		t: t, inbound: make(chan frames.Inbound), outbox: make(chan frames.Outbound),
		ended: make(chan error, 1), stop: stop,
	}
	out := stages.NewOutbox(r.outbox)
	r.ledger = NewLedger(ctx, out, HexIDs())
	go func() { r.ended <- Run(ctx, r.inbound, out, table(r.ledger), r.ledger, opts) }()
	return r
}

func (r *rig) command(id int, name string) {
	r.inbound <- frames.Command{ID: frames.ID(fmt.Sprint(id)), Name: name, Body: id, Len: 10}
}

// answer receives the next frame, and returns an answer as "id name: error code".
func (r *rig) answer() string {
	r.t.Helper()
	response, ok := (<-r.outbox).(frames.Response)
	if !ok {
		r.t.Fatal("no response")
	}
	return shown(response)
}

func shown(r frames.Response) string {
	text := fmt.Sprintf("%s %s", r.ID, r.Command)
	if r.Fault != nil {
		text += fmt.Sprintf(": %s (%s)", r.Fault.Text, r.Fault.Code)
	}
	return text
}

// end closes the input and returns all that is still answered.
func (r *rig) end() []string {
	r.t.Helper()
	close(r.inbound)
	var rest []string
	for {
		select {
		case out := <-r.outbox:
			rest = append(rest, shown(out.(frames.Response)))
		case err := <-r.ended:
			if err != nil {
				r.t.Errorf("Run: %v", err)
			}
			return rest
		}
	}
}

func (r *rig) want(want ...string) {
	r.t.Helper()
	for _, w := range want {
		if got := r.answer(); got != w {
			r.t.Errorf("answered %q instead of %q", got, w)
		}
	}
}

func same(t *testing.T, got, want any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// ok is a row that answers at once.
func ok(name string) Route {
	return InOrder(name, func(context.Context, int) (Answer, error) { return Answer{}, nil })
}

// table is for rows that do not ask.
func table(rows ...Route) func(*Ledger) Table {
	return func(*Ledger) Table { return rows }
}

func TestCommandsAreAnsweredInHostOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := run(t, table(ok("state")), Options{})
		bad := frames.Malformed{Answer: frames.Response{Command: "parse", Fault: &frames.Fault{Text: "bad", Code: "parse"}}}
		var want []string
		for id := range 500 {
			r.command(id, "state")
			r.inbound <- bad
			want = append(want, fmt.Sprintf("%d state", id), " parse: bad (parse)")
		}
		same(t, r.end(), want)
	})
}

func TestReplyOvertakesQueuedCommands(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := run(t, func(l *Ledger) Table {
			// As bad as it can be: the Starter itself waits for the host.
			return Table{ok("state"), InOrder("ask", func(ctx context.Context, _ int) (Answer, error) {
				_, err := l.Ask(ctx, question, nil)
				return Answer{}, err
			})}
		}, Options{})
		r.command(0, "ask")
		asked := (<-r.outbox).(frames.Ask)
		for id := range 10_000 {
			r.command(id+1, "state")
		}
		r.inbound <- frames.Reply{Kind: question.Reply, ID: asked.ID}
		r.want("0 ask", "1 state")
		if rest := r.end(); len(rest) != 9_999 {
			t.Errorf("%d answers left", len(rest))
		}
	})
}

func TestAbortOvertakesFullPool(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		killed := make(chan struct{})
		begun := 0
		r := run(t, table(
			InPool("bash", Shell, func(context.Context, int) (Finish, error) {
				begun++
				return func(context.Context) (Answer, error) { <-killed; return Answer{}, nil }, nil
			}),
			InOrder("abort_bash", func(context.Context, int) (Answer, error) { close(killed); return Answer{}, nil }),
		), Options{})
		const full = 64 + 1 + maxWaiting // running, in the pool's hand, and waiting
		for id := range full {
			r.command(id, "bash")
			synctest.Wait()
		}
		r.command(-1, "bash")
		r.command(-2, "abort_bash")
		r.want("-1 bash: too many commands are waiting for the same thing (busy)", "-2 abort_bash")
		if rest := r.end(); len(rest) != full || begun != full {
			t.Errorf("%d begun and %d answered of %d", begun, len(rest), full)
		}
	})
}

func TestPooledCommandsOvertakeEachOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var admitted []int
		r := run(t, table(ok("state"), InPool("bash", Shell, func(_ context.Context, id int) (Finish, error) {
			admitted = append(admitted, id)
			return func(context.Context) (Answer, error) {
				time.Sleep(time.Duration(10-id) * time.Second / 10)
				return Answer{}, nil
			}, nil
		})), Options{})
		for id := range 3 {
			r.command(id, "bash")
		}
		r.command(3, "state")
		r.want("3 state", "2 bash", "1 bash", "0 bash")
		same(t, admitted, []int{0, 1, 2})
		r.end()
	})
}

func TestAnswerPrecedesWhatThenReleases(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out stages.Outbox
		event := func() { _ = out.Send(t.Context(), frames.Response{Command: "event"}) }
		r := run(t, table(
			InOrder("prompt", func(context.Context, int) (Answer, error) { return Answer{Then: event}, nil }),
			InPool("compact", Model, func(context.Context, int) (Finish, error) {
				return func(context.Context) (Answer, error) { return Answer{Then: event}, nil }, nil
			}),
			InOrder("fails", func(context.Context, int) (Answer, error) { return Answer{Then: event}, errors.New("no") }),
		), Options{})
		out = stages.NewOutbox(r.outbox)
		for id := range 200 {
			r.command(id, "prompt")
			r.want(fmt.Sprintf("%d prompt", id), " event")
		}
		r.command(200, "compact")
		r.want("200 compact", " event")
		r.command(201, "fails")
		same(t, r.end(), []string{"201 fails: no (internal)"})
	})
}

func TestBusyRefusalKeepsItsPlace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := run(t, table(ok("state")), Options{})
		size := []int{10, maxBacklog + 1, 10, maxBacklog - 20, 11, 10} // the first blocks the Starter: nobody reads
		for id, n := range size {
			r.inbound <- frames.Command{ID: frames.ID(fmt.Sprint(id)), Name: "state", Body: id, Len: n}
			synctest.Wait()
		}
		busy := ": too many commands are waiting; this one was not read (busy)"
		same(t, r.end(), []string{"0 state", "1 state", "2 state" + busy, "3 state" + busy, "4 state" + busy, "5 state" + busy})
	})
	synctest.Test(t, func(t *testing.T) {
		r := run(t, table(ok("state")), Options{})
		for id, n := range []int{10, 10, maxBacklog - 20, 11, 10} {
			r.inbound <- frames.Command{ID: frames.ID(fmt.Sprint(id)), Name: "state", Body: id, Len: n}
			synctest.Wait()
		}
		same(t, r.end(), []string{"0 state", "1 state", "2 state", "3 state: too many commands are waiting; this one was not read (busy)", "4 state"})
	})
}

func TestPanicBecomesAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := run(t, table(
			InOrder("start", func(context.Context, int) (Answer, error) { panic("one") }),
			InPool("finish", Disk, func(context.Context, int) (Finish, error) {
				return func(context.Context) (Answer, error) { panic(errors.New("two")) }, nil
			}),
			InOrder("then", func(context.Context, int) (Answer, error) { return Answer{Then: func() { panic("three") }}, nil }),
			InOrder("types", func(context.Context, string) (Answer, error) { return Answer{}, nil }),
			ok("state"),
		), Options{})
		r.command(1, "start")
		r.want("1 start: internal error: one (internal)")
		r.command(2, "finish")
		r.want("2 finish: internal error: two (internal)")
		r.command(3, "then")
		r.want("3 then")
		r.command(4, "types")
		r.want("4 types: internal error: interface conversion: interface {} is int, not string (internal)")
		r.command(5, "nowhere")
		r.want("5 nowhere: no route for nowhere (internal)")
		r.command(6, "state")
		same(t, r.end(), []string{"6 state"})
	})
}

var errCoded = fault.New(fault.NotFound, "gone")

func TestErrorsBecomeFaults(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := run(t, table(
			InOrder("coded", func(context.Context, int) (Answer, error) { return Answer{}, fmt.Errorf("reading: %w", errCoded) }),
			InOrder("silent", func(context.Context, int) (Answer, error) { return Answer{}, errors.New("") }),
			InPool("early", Shell, func(context.Context, int) (Finish, error) { return nil, errCoded }),
			InPool("done", Shell, func(context.Context, int) (Finish, error) { return nil, nil }),
			ok("state"),
		), Options{})
		for id, name := range []string{"coded", "silent", "early", "done"} {
			r.command(id, name)
		}
		r.inbound <- frames.Command{ID: frames.ID("4"), Name: "state", Err: errors.New("mode must be a string")}
		same(t, r.end(), []string{
			"0 coded: reading: gone (not_found)", "1 silent: internal (internal)", "2 early: gone (not_found)", "3 done",
			"4 state: mode must be a string (invalid_argument)",
		})
	})
}

func TestALateFailureFollowsItsAnswerOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var fails []func(error)
		r := run(t, table(
			Accepting("early", func(_ context.Context, _ int, later Later) (Answer, error) {
				later.Fail(errors.New("early"))
				return Answer{Then: func() { later.Fail(errors.New("second")) }}, nil
			}),
			Accepting("late", func(_ context.Context, _ int, later Later) (Answer, error) {
				fails = append(fails, later.Fail)
				return Answer{}, nil
			}),
			Accepting("refused", func(_ context.Context, _ int, later Later) (Answer, error) {
				later.Fail(errors.New("late"))
				return Answer{}, errors.New("refused")
			}),
		), Options{})
		r.command(1, "early")
		r.want("1 early", "1 early: early (internal)")
		r.command(2, "refused")
		r.want("2 refused: refused (internal)")
		r.command(3, "late")
		r.want("3 late")
		go fails[0](errors.New("late"))
		r.want("3 late: late (internal)")
		fails[0](errors.New("later"))
		same(t, r.end(), []string(nil))
	})
}

func TestEveryCommandIsAnsweredOnceAfterEOF(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := run(t, func(l *Ledger) Table {
			return Table{
				ok("state"),
				InPool("bash", Shell, func(_ context.Context, id int) (Finish, error) {
					return func(context.Context) (Answer, error) {
						time.Sleep(time.Duration(id%7) * time.Millisecond)
						return Answer{}, nil
					}, nil
				}),
				InPool("login", Human, func(context.Context, int) (Finish, error) {
					return func(ctx context.Context) (Answer, error) {
						_, err := l.Ask(ctx, question, nil)
						if !errors.Is(err, host.ErrGone) {
							t.Errorf("asking after the end of input: %v", err)
						}
						return Answer{}, err
					}, nil
				}),
			}
		}, Options{})
		const n = 300
		names := []string{"state", "bash", "login"}
		r.command(-1, "login")
		if _, ok := (<-r.outbox).(frames.Ask); !ok {
			t.Error("login did not ask")
		}
		for id := range n {
			if id%3 != 2 {
				r.command(id, names[id%3])
			}
		}
		close(r.inbound)
		seen := map[string]int{}
		for {
			select {
			case out := <-r.outbox:
				seen[string(out.(frames.Response).ID)]++
				continue
			case err := <-r.ended:
				same(t, err, error(nil))
			}
			break
		}
		want := map[string]int{"-1": 1}
		for id := range n {
			if id%3 != 2 {
				want[fmt.Sprint(id)] = 1
			}
		}
		same(t, seen, want)
	})
}

func TestTheGraceEndsWhatGoesOnAfterEOF(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := run(t, table(InPool("compact", Model, func(context.Context, int) (Finish, error) {
			return func(ctx context.Context) (Answer, error) { <-ctx.Done(); return Answer{}, context.Cause(ctx) }, nil
		})), Options{})
		for id := range 70 { // more than run at once
			r.command(id, "compact")
		}
		begin := time.Now()
		rest := r.end()
		same(t, time.Since(begin), drainGrace)
		same(t, len(rest), 70)
		same(t, rest[0][len(rest[0])-len("compact: the input has ended (internal)"):], "compact: the input has ended (internal)")
	})
}

func TestOnEOFComesAfterTheStartsAndEndsWithThePools(t *testing.T) {
	for _, takes := range []time.Duration{0, time.Second, 3 * time.Second, time.Minute} {
		synctest.Test(t, func(t *testing.T) {
			kill, begun, calls := make(chan struct{}), 0, 0
			r := run(t, table(InPool("bash", Shell, func(context.Context, int) (Finish, error) {
				begun++
				return func(context.Context) (Answer, error) {
					select {
					case <-time.After(takes):
					case <-kill:
					}
					return Answer{}, nil
				}, nil
			})), Options{OnEOF: func(ctx context.Context) {
				calls++
				same(t, begun, 5)
				select { // as serve does it
				case <-ctx.Done():
				case <-time.After(2 * time.Second):
					close(kill)
				}
			}})
			for id := range 5 {
				r.command(id, "bash")
			}
			begin := time.Now()
			same(t, len(r.end()), 5)
			same(t, calls, 1)
			same(t, time.Since(begin), min(takes, 2*time.Second))
		})
	}
}

func TestAHardStopEndsEverything(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := run(t, func(l *Ledger) Table {
			return Table{ok("state"), InPool("login", Human, func(context.Context, int) (Finish, error) {
				return func(ctx context.Context) (Answer, error) { _, err := l.Ask(ctx, question, nil); return Answer{}, err }, nil
			})}
		}, Options{OnEOF: func(context.Context) { t.Error("the input has not ended") }})
		r.command(1, "login")
		<-r.outbox
		r.command(2, "state") // nobody reads its answer
		cause := errors.New("the end")
		r.stop(cause)
		if err := <-r.ended; !errors.Is(err, cause) {
			t.Errorf("Run: %v", err)
		}
		if _, err := r.ledger.Ask(t.Context(), question, nil); !errors.Is(err, host.ErrGone) {
			t.Errorf("Ask: %v", err)
		}
	})
}

func TestTopologyShowsWhatRuns(t *testing.T) {
	finish := func(context.Context, int) (Finish, error) { return nil, nil }
	got := Topology(Table{ok("a"), InPool("bash", Shell, finish), ok("b"), InPool("compact", Model, finish)})
	queue := func(name string) stages.Channel {
		return stages.Channel{Name: name, Element: "router.work", Capacity: 1024}
	}
	same(t, got, []Lane{
		{Ordered, 1, stages.Channel{Name: "starts", Element: "[]frames.Inbound"}, []string{"a", "b"}},
		{Shell, 64, queue("shell"), []string{"bash"}},
		{Model, 512, queue("model"), []string{"compact"}},
		{Human, 8, queue("human"), nil},
		{Disk, 4, queue("disk"), nil},
	})
}
