package main

import (
	"os"
	"runtime"
	"sync"
)

// processors keeps the program on one processor while no turn runs. A command
// passes seven goroutines, each of which has a few microseconds of work: on
// several processors they wake each other across them, which takes longer than
// the work (get_state on an idle machine: 80 µs instead of 16). A turn gets all.
type processors struct {
	mu   sync.Mutex
	busy int // sessions with a run
	all  int
}

// newProcessors respects a GOMAXPROCS of the user: then nothing is changed.
func newProcessors() *processors {
	p := &processors{all: runtime.GOMAXPROCS(0)}
	if os.Getenv("GOMAXPROCS") != "" {
		p.all = 1
	}
	p.set()
	return p
}

// tell notes that a session has become busy or idle. Safe for concurrent use.
func (p *processors) tell(busy bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if busy {
		p.busy++
	} else {
		p.busy--
	}
	if p.busy == 0 || busy && p.busy == 1 {
		p.set()
	}
}

func (p *processors) set() {
	if p.all == 1 {
		return
	}
	if p.busy > 0 {
		runtime.GOMAXPROCS(p.all)
	} else {
		runtime.GOMAXPROCS(1)
	}
}
