package transcript

import (
	"sync"
	"time"
)

const (
	// maxShelf bounds the files of which a Shelf knows, about a KiB each; at
	// that it forgets all, and reads again.
	maxShelf = 2000
	// restless is how long ago a file must have changed for its summary to be
	// kept: clocks of file systems tick in milliseconds, and a title is changed
	// without another size.
	restless = time.Second
)

// A Shelf lists sessions as Page does, but reads only files that have changed
// since it last did. The zero Shelf is ready; a nil one reads all. Safe for
// concurrent use.
type Shelf struct {
	mu    sync.Mutex
	known map[string]Summary // by path
}

// Page is Page.
func (s *Shelf) Page(folders []string, cursor string, limit int) (Listing, error) {
	return page(folders, cursor, limit, s)
}

// summary is what is known of the file, or what summarize finds.
func (s *Shelf) summary(c candidate, buf *[]byte) (Summary, error) {
	if s == nil {
		return summarize(c, buf)
	}
	s.mu.Lock()
	known, ok := s.known[c.path]
	s.mu.Unlock()
	if ok && known.Size == c.size && known.Modified.Equal(c.modified) {
		return known, nil
	}
	found, err := summarize(c, buf)
	if err == nil && time.Since(c.modified) > restless {
		s.keep(found)
	}
	return found, err
}

func (s *Shelf) keep(found Summary) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.known == nil || len(s.known) >= maxShelf {
		s.known = map[string]Summary{}
	}
	s.known[found.Path] = found
}
