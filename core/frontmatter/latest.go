package frontmatter

import "sync"

// maxFolders is how many folders a Latest remembers; with one more it forgets all
// others.
const maxFolders = 64

// Latest keeps what was last found for each working folder, so that the same
// pointer tells that nothing has changed. The zero value is ready. Safe for
// concurrent use.
type Latest[T any] struct {
	mu    sync.Mutex
	found map[string]*T
}

// Keep returns what was found for the folder before, if that equals what is found
// now, and else the latter, which is news.
func (l *Latest[T]) Keep(dir string, now *T, equal func(a, b *T) bool) (kept *T, news bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if before := l.found[dir]; before != nil && equal(before, now) {
		return before, false
	}
	if l.found == nil || len(l.found) >= maxFolders {
		l.found = map[string]*T{}
	}
	l.found[dir] = now
	return now, true
}
