package frontmatter

import (
	"io/fs"
	"os"
	"sync"
)

// maxShelved is how many files a Shelf remembers; with one more it forgets all
// others.
const maxShelved = 4096

// A Shelf keeps what was made of files, and makes it anew only of those that
// have changed. The zero value is ready. Safe for concurrent use.
type Shelf[T any] struct {
	mu    sync.Mutex
	books map[string]*book[T]
}

type book[T any] struct {
	info fs.FileInfo
	made T
	err  error
}

// Take returns what build makes, or has made, of the file the path leads to; an
// error of build is kept like a result. A path that leads to nothing has the
// error of os.Stat.
func (s *Shelf[T]) Take(path string, build func(path string) (T, error)) (T, error) {
	info, err := os.Stat(path)
	if err != nil {
		var none T
		return none, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if known := s.books[path]; known != nil && known.holds(info) {
		return known.made, known.err
	}
	if s.books == nil || len(s.books) >= maxShelved {
		s.books = map[string]*book[T]{}
	}
	b := &book[T]{info: info}
	b.made, b.err = build(path)
	s.books[path] = b
	return b.made, b.err
}

// holds tells whether the file is still what was read.
func (b *book[T]) holds(now fs.FileInfo) bool {
	return os.SameFile(now, b.info) && now.ModTime().Equal(b.info.ModTime()) && now.Size() == b.info.Size() && now.Mode() == b.info.Mode()
}
