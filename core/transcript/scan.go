package transcript

import (
	"bufio"
	"bytes"
	"errors"
	"io"

	"veyyon.dev/veyyon/core/message"
)

// marshal returns v as one line of JSON with its newline.
func marshal(v any) ([]byte, error) {
	line, err := message.Marshal(v)
	return append(line, '\n'), err
}

// eachField calls visit with every key and value of the JSON object in line, as
// they stand there, the key without its quotes. It looks only for where values
// end, not whether they are right inside, so it is many times faster than
// decoding. It tells whether line is one object as far as it looked; visit may
// have been called before it found out.
func eachField(line []byte, visit func(key, value []byte)) bool {
	i := skipSpace(line, 0)
	if i == len(line) || line[i] != '{' {
		return false
	}
	i = skipSpace(line, i+1)
	if i < len(line) && line[i] == '}' {
		return skipSpace(line, i+1) == len(line)
	}
	for i < len(line) && line[i] == '"' {
		keyEnd := stringEnd(line, i)
		colon := skipSpace(line, keyEnd)
		if colon == len(line) || line[colon] != ':' {
			return false
		}
		start := skipSpace(line, colon+1)
		end := valueEnd(line, start)
		if end == start {
			return false
		}
		visit(line[i+1:keyEnd-1], line[start:end])
		i = skipSpace(line, end)
		if i == len(line) {
			return false
		}
		switch line[i] {
		case ',':
			i = skipSpace(line, i+1)
		case '}':
			return skipSpace(line, i+1) == len(line)
		default:
			return false
		}
	}
	return false
}

// eachItem is eachField for the items of a JSON array.
func eachItem(text []byte, visit func(item []byte)) bool {
	i := skipSpace(text, 0)
	if i == len(text) || text[i] != '[' {
		return false
	}
	i = skipSpace(text, i+1)
	if i < len(text) && text[i] == ']' {
		return skipSpace(text, i+1) == len(text)
	}
	for i < len(text) {
		end := valueEnd(text, i)
		if end == i {
			return false
		}
		visit(text[i:end])
		i = skipSpace(text, end)
		if i == len(text) {
			return false
		}
		switch text[i] {
		case ',':
			i = skipSpace(text, i+1)
		case ']':
			return skipSpace(text, i+1) == len(text)
		default:
			return false
		}
	}
	return false
}

func skipSpace(line []byte, i int) int {
	for i < len(line) && (line[i] == ' ' || line[i] == '\t' || line[i] == '\r' || line[i] == '\n') {
		i++
	}
	return i
}

// stringEnd returns the index after the string that begins at i, or the line's
// length when it has no end.
func stringEnd(line []byte, i int) int {
	for i++; i < len(line); i++ {
		quote := bytes.IndexByte(line[i:], '"')
		if quote < 0 {
			return len(line)
		}
		from := i
		i += quote
		slashes := i
		for slashes > from && line[slashes-1] == '\\' {
			slashes--
		}
		if (i-slashes)%2 == 0 {
			return i + 1
		}
	}
	return len(line)
}

// valueEnd returns the index after the value that begins at i; i itself when
// there is none, the line's length when it has no end.
func valueEnd(line []byte, i int) int {
	depth := 0
	for ; i < len(line); i++ {
		switch line[i] {
		case '"':
			i = stringEnd(line, i) - 1
		case '{', '[':
			depth++
			continue
		case '}', ']':
			depth--
			if depth < 0 {
				return i
			}
		case ',', ' ', '\t', '\r', '\n':
			if depth == 0 {
				return i
			}
			continue
		default:
			if depth == 0 {
				return scalarEnd(line, i)
			}
			continue
		}
		if depth == 0 {
			return i + 1
		}
	}
	return len(line)
}

func scalarEnd(line []byte, i int) int {
	for ; i < len(line); i++ {
		switch line[i] {
		case ',', ']', '}', ' ', '\t', '\r', '\n':
			return i
		}
	}
	return i
}

// maxLine bounds one line, in bytes. A longer one is skipped without being
// buffered, as if it could not be read.
const maxLine = 512 << 20

// lines reads a file line by line.
type lines struct {
	in    *bufio.Reader
	whole bool   // a last line without a newline is not one yet
	long  []byte // a line that is longer than the reader's buffer
}

// next returns the next line without its end, which is there until the one after
// it is asked for, and its length in the file. The line is nil when it is longer
// than maxLine; err is io.EOF after the last one.
func (l *lines) next() (line []byte, size int64, err error) {
	l.long = l.long[:0]
	for {
		part, err := l.in.ReadSlice('\n')
		size += int64(len(part))
		full := errors.Is(err, bufio.ErrBufferFull)
		if errors.Is(err, io.EOF) && size > 0 && !l.whole {
			err = nil
		}
		switch {
		case size > maxLine:
			l.long = nil
		case full || len(l.long) > 0:
			l.long = append(l.long, part...)
			part = l.long
		}
		switch {
		case full:
			continue
		case size > maxLine:
			return nil, size, err
		}
		return bytes.TrimRight(part, "\r\n"), size, err
	}
}
