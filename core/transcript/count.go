package transcript

import (
	"bufio"
	"bytes"
	"io"
	"os"
)

// messageLine is how the lines of messages begin.
var messageLine = []byte(`{"type":"message"`)

// CountMessages counts the messages in a session file: one pass over its bytes.
func CountMessages(path string) (n int, err error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer func() { _ = f.Close() }() // nothing was written
	lines := bufio.NewReaderSize(f, 64<<10)
	for begins := true; ; {
		part, err := lines.ReadSlice('\n')
		if begins && bytes.HasPrefix(part, messageLine) {
			n++
		}
		begins = err == nil // a longer line goes on
		if err == io.EOF {
			return n, nil
		}
		if err != nil && err != bufio.ErrBufferFull {
			return n, err
		}
	}
}
