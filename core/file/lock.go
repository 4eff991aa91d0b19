package file

import (
	"context"
	"sync"
)

// Locks serialises the writers of one file, by its Target. The zero value is
// ready; every tool that changes files shares one. Safe for concurrent use.
type Locks struct {
	mu   sync.Mutex
	held map[string]*lock
}

// lock is one file's turn. It lives in the map while anybody holds or awaits it.
type lock struct {
	turn  chan struct{} // capacity 1: full while the file is held
	users int           // under Locks.mu
}

// Lock waits for its turn at target and returns what gives it back, to be called
// once. Waiters are served in the order they came. It returns the cause of ctx
// if that ends first; then nothing is held.
func (l *Locks) Lock(ctx context.Context, target string) (unlock func(), err error) {
	entry := l.join(target)
	if ctx.Err() == nil {
		select {
		case entry.turn <- struct{}{}:
			return func() {
				<-entry.turn
				l.leave(target, entry)
			}, nil
		case <-ctx.Done():
		}
	}
	l.leave(target, entry)
	return nil, context.Cause(ctx)
}

func (l *Locks) join(target string) *lock {
	l.mu.Lock()
	defer l.mu.Unlock()
	entry := l.held[target]
	if entry == nil {
		if l.held == nil {
			l.held = map[string]*lock{}
		}
		entry = &lock{turn: make(chan struct{}, 1)}
		l.held[target] = entry
	}
	entry.users++
	return entry
}

func (l *Locks) leave(target string, entry *lock) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if entry.users--; entry.users == 0 {
		delete(l.held, target)
	}
}
