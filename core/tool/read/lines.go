package read

import (
	"bufio"
	"context"
	"errors"
	"io"
)

// textLine is a line with its end; kept is its beginning when it is longer than
// what was asked for.
type textLine struct {
	kept []byte
	size int64 // bytes, of the whole line as far as it was read
}

// lineReader reads lines of any length in bounded memory.
type lineReader struct {
	r    *bufio.Reader
	read int64 // bytes so far
}

// errFar means that a line goes on for more than may be read of it.
var errFar = errors.New("the line is too long")

// next reads a line and keeps at most keep bytes of it. It returns io.EOF after
// the last line, and the cause of ctx, also in the middle of a line. When a line
// does not end within most bytes it is returned as far as it was read, with
// errFar.
func (l *lineReader) next(ctx context.Context, keep int, most int64) (line textLine, err error) {
	for {
		if ctx.Err() != nil {
			return textLine{}, context.Cause(ctx)
		}
		part, err := l.r.ReadSlice('\n')
		line.size += int64(len(part))
		l.read += int64(len(part))
		if room := keep - len(line.kept); room > 0 {
			line.kept = append(line.kept, part[:min(room, len(part))]...)
		}
		switch {
		case err == nil, errors.Is(err, io.EOF) && line.size > 0:
			return line, nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return textLine{}, err
		case line.size > most:
			return line, errFar
		}
	}
}
