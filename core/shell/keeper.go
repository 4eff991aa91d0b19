package shell

import (
	"os"
	"os/signal"
	"syscall"
	"time"
)

// How many spares are kept: as many as commands ran at once in a window of time,
// or came one after another, in these bounds; none when none came for a window
// or two. A spare costs about 3.5 MB, of which most is shared.
const (
	minSpares = 2
	maxInARow = 8  // of those kept since many came one after another
	maxSpares = 64 // what the RPC server runs at once
	window    = 1500 * time.Millisecond
)

// When spares are started. Starting one takes a processor for a millisecond or
// two, more than a command like true needs that has one, so the stock is filled
// while nothing runs, or from lull after the last command came; a batch at each
// tick, which takes one processor. A command that finds none has to wait for a
// shell anyway, and one that runs alone leaves a processor: then a batch is
// started beside it, if few are left.
const (
	tick  = 10 * time.Millisecond
	lull  = 100 * time.Millisecond
	batch = 8
)

// A keeper has the spares and knows what runs. All its fields are of the one
// goroutine that runs keep.
type keeper struct {
	spawner *spawner
	ops     <-chan func(*keeper)
	limit   int // of spares

	template order       // what spares are started by: that of the last command
	spares   []*process  // oldest first
	starting bool        // one spare is ordered
	due      int         // so many more are to be started now
	rested   time.Time   // from then on more may be
	ticks    *time.Timer // looks for that; it is set at most once a tick, since to set a timer may wake the poller
	ticking  bool        // it is set

	busy    int              // commands between take and done
	load    int              // the most of them at once in this window, or how many came
	came    int              // all that came in this window
	before  int              // load of the window before
	windows <-chan time.Time // the end of the window; nil while there is no load

	left    map[int]bool    // sessions of commands that ended normally, with members
	ended   bool            // some command did, so that there may be orphans
	deaths  chan os.Signal  // of children; asked for while there are orphans
	closing bool            // no more commands
	idle    chan<- struct{} // closed when closing and nothing runs
}

// keep runs until quit is closed.
func (k *keeper) keep(quit <-chan struct{}) {
	defer signal.Stop(k.deaths)
	defer k.ticks.Stop()
	for {
		var spares chan<- order // nil, so never ready, while none is to be started
		if k.due > 0 && !k.starting && len(k.spares) < k.wanted() {
			spares = k.spawner.spares
		}
		select {
		case op := <-k.ops:
			op(k)
		case spares <- k.template:
			k.starting = true
			k.due--
		case <-k.ticks.C:
			k.ticking = false
			k.rest()
		case s := <-k.spawner.stock:
			k.starting = false
			k.stock(s)
		case <-k.deaths:
			k.reap()
		case <-k.windows:
			k.review()
		case <-quit:
			k.drop(0)
			return
		}
	}
}

// wanted is the number of spares a full stock has now.
func (k *keeper) wanted() int {
	load := max(k.load, k.before)
	if load == 0 || k.closing || !k.template.usual {
		return 0
	}
	return min(max(load, minSpares), k.limit)
}

// rest does what can wait until nothing is asked for: it reaps orphans and starts
// a batch, if some are missing.
func (k *keeper) rest() {
	if time.Now().Before(k.rested) {
		k.look()
		return
	}
	if k.ended {
		k.ended = false
		k.reap()
	}
	if len(k.spares) < k.wanted() {
		k.due = batch
		k.look()
	}
}

// look makes sure that there is a tick.
func (k *keeper) look() {
	if !k.ticking {
		k.ticking = true
		k.ticks.Reset(tick)
	}
}

// take hands out a spare for the order, or nil. ok is false when closing.
func (k *keeper) take(o order) (p *process, ok bool) {
	if k.closing {
		return nil, false
	}
	k.busy++
	k.came++
	k.load = max(k.load, k.busy, min(k.came, maxInARow))
	if k.windows == nil {
		k.windows = time.After(window)
	}
	if !o.usual {
		return nil, true
	}
	if !o.samePlace(k.template) {
		k.drop(0)
	}
	k.template = o
	k.template.spare, k.template.line = true, ""
	k.rested = time.Now().Add(lull)
	k.look()
	for len(k.spares) > 0 {
		p, k.spares = k.spares[0], k.spares[1:]
		select {
		case <-p.exited: // somebody killed it
			p.discard()
		default:
			if k.busy == 1 && len(k.spares) <= k.wanted()/4 {
				k.due = batch
			}
			return p, true
		}
	}
	k.due = batch
	return nil, true
}

// done is called once for each take that was ok, when the command is over.
// session is its shell's, or 0.
func (k *keeper) done(session int) {
	k.busy--
	if k.busy == 0 {
		k.rested = time.Now()
	}
	k.ended = true
	k.look()
	if session != 0 && survives(session) {
		k.left[session] = true
	}
	k.leave()
}

// reap reaps orphans, and hears of the death of children while there are some.
func (k *keeper) reap() {
	for session := range k.left {
		if !survives(session) {
			delete(k.left, session)
		}
	}
	if reapAdopted() == 0 {
		signal.Stop(k.deaths)
		return
	}
	signal.Notify(k.deaths, syscall.SIGCHLD)
	reapAdopted() // one may have died before the signal was asked for
}

// close lets no more commands in; idle is closed once none runs.
func (k *keeper) close(idle chan<- struct{}) {
	k.closing, k.idle = true, idle
	k.drop(0)
	k.leave()
}

func (k *keeper) leave() {
	if k.closing && k.busy == 0 {
		close(k.idle)
	}
}

// stock takes in a new spare, if it is still of use.
func (k *keeper) stock(s started) {
	if s.err != nil {
		k.load, k.before = 0, 0 // the next command meets the error itself
		return
	}
	if !s.process.order.samePlace(k.template) {
		s.process.discard()
		return
	}
	k.spares = append(k.spares, s.process)
	if k.drop(k.wanted()); len(k.spares) == k.wanted() {
		k.due = 0
	}
}

// review begins a new window.
func (k *keeper) review() {
	if k.came == 0 {
		k.before, k.load, k.windows = 0, 0, nil
	} else {
		k.before, k.load, k.came = k.load, k.busy, 0
		k.windows = time.After(window)
	}
	k.drop(k.wanted())
}

// drop keeps the n oldest spares.
func (k *keeper) drop(n int) {
	for len(k.spares) > n {
		last := len(k.spares) - 1
		k.spares[last].discard()
		k.spares = k.spares[:last]
	}
}

// sessions lists those of commands that ended and left something behind.
func (k *keeper) sessions() []int {
	var list []int
	for session := range k.left {
		list = append(list, session)
	}
	return list
}
