package stages

import (
	"fmt"
	"os"
)

// A spill is the queue's overflow: blocks of lines in a file, first in, first
// out. The file is made when the first block comes (mode 0600), is unlinked at
// once so that no crash leaves it behind, and is given back whole when the last
// block has been taken. One goroutine only.
type spill struct {
	dir     string
	file    *os.File
	lengths Backlog[int] // of the blocks in the file
	begin   int64        // where the first of them starts
	end     int64        // where the next one goes
}

func (s *spill) empty() bool { return s.lengths.Len() == 0 }

// size is the number of bytes that wait.
func (s *spill) size() int64 { return s.end - s.begin }

// push appends a block. After an error the file is as it was.
func (s *spill) push(block []byte) error {
	if len(block) == 0 {
		return nil
	}
	if err := s.open(); err != nil {
		return err
	}
	if _, err := s.file.WriteAt(block, s.end); err != nil {
		return fmt.Errorf("writing the overflow of the outbox: %w", err)
	}
	s.lengths.Push(len(block), 0)
	s.end += int64(len(block))
	return nil
}

// pop takes the first block; there must be one.
func (s *spill) pop() ([]byte, error) {
	length, _ := s.lengths.Front()
	block := make([]byte, length)
	if _, err := s.file.ReadAt(block, s.begin); err != nil {
		return nil, fmt.Errorf("reading back the overflow of the outbox: %w", err)
	}
	s.lengths.Pop()
	s.begin += int64(length)
	if s.empty() {
		s.close()
	}
	return block, nil
}

func (s *spill) open() error {
	if s.file != nil {
		return nil
	}
	file, err := os.CreateTemp(s.dir, "veyyon-outbox-*")
	if err != nil {
		return fmt.Errorf("opening the overflow of the outbox: %w", err)
	}
	if err := os.Remove(file.Name()); err != nil {
		_ = file.Close() // nothing is in it
		return fmt.Errorf("unlinking the overflow of the outbox: %w", err)
	}
	s.file = file
	return nil
}

// close gives the file back with all that is in it.
func (s *spill) close() {
	if s.file == nil {
		return
	}
	_ = s.file.Close() // unlinked: there is nothing left to save
	*s = spill{dir: s.dir}
}
