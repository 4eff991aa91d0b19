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
	maxInARow = 8 // of those kept since many came one after another
	maxSpares = 16
	window    = 1500 * time.Millisecond
)

// A keeper has the spares and knows what runs. All its fields are of the one
// goroutine that runs keep.
type keeper struct {
	spawner *spawner
	ops     <-chan func(*keeper)
	limit   int // of spares

	template order      // what spares are started by: that of the last command
	spares   []*process // oldest first
	starting bool       // one spare is ordered
	filling  bool       // the stock is being filled up, see fill

	busy    int              // commands between take and done
	load    int              // the most of them at once in this window, or how many came
	came    int              // all that came in this window
	before  int              // load of the window before
	windows <-chan time.Time // the end of the window; nil while there is no load

	left    map[int]bool    // sessions of commands that ended normally, with members
	deaths  chan os.Signal  // of children; asked for while there are orphans
	closing bool            // no more commands
	idle    chan<- struct{} // closed when closing and nothing runs
}

// keep runs until quit is closed.
func (k *keeper) keep(quit <-chan struct{}) {
	defer signal.Stop(k.deaths)
	for {
		var spares chan<- order // nil, so never ready, while none is needed
		if k.fill() {
			spares = k.spawner.spares
		}
		select {
		case op := <-k.ops:
			op(k)
		case spares <- k.template:
			k.starting = true
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

// fill tells whether to start a spare. Starting one takes the processor from the
// commands, so that the stock is not topped up after each: it is filled when it
// is nearly empty, and at the end of a window.
func (k *keeper) fill() bool {
	switch wanted := k.wanted(); {
	case len(k.spares) >= wanted:
		k.filling = false
	case len(k.spares) <= wanted/4:
		k.filling = true
	}
	return k.filling && !k.starting
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
	for len(k.spares) > 0 {
		p, k.spares = k.spares[0], k.spares[1:]
		select {
		case <-p.exited: // somebody killed it
			p.discard()
		default:
			return p, true
		}
	}
	return nil, true
}

// done is called once for each take that was ok, when the command is over.
// session is its shell's, or 0.
func (k *keeper) done(session int) {
	k.busy--
	if session != 0 && survives(session) {
		k.left[session] = true
	}
	k.reap()
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
	k.drop(k.wanted())
}

// review begins a new window.
func (k *keeper) review() {
	if k.came == 0 {
		k.before, k.load, k.windows = 0, 0, nil
	} else {
		k.before, k.load, k.came = k.load, k.busy, 0
		k.windows = time.After(window)
	}
	k.filling = true
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
