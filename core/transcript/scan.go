package transcript

import (
	"bufio"
	"bytes"
	"encoding/json"
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
	for i < len(line) && !bytes.ContainsRune([]byte(",]} \t\r\n"), rune(line[i])) {
		i++
	}
	return i
}

// unquote returns the text of a JSON string, and whether value is one.
func unquote(value []byte) (string, bool) {
	if len(value) < 2 || value[0] != '"' {
		return "", false
	}
	plain := value[1 : len(value)-1]
	for _, c := range plain {
		if c == '\\' || c < ' ' || c >= 0x80 {
			text := ""
			err := json.Unmarshal(value, &text)
			return text, err == nil
		}
	}
	return string(plain), true
}

// maxLine bounds one line, in bytes. A longer one is skipped without being
// buffered, as if it could not be read.
const maxLine = 512 << 20

// readLine returns the next line without its end, which belongs to the caller,
// and its length in the file. The line is nil when it is longer than maxLine;
// err is io.EOF after the last one.
func readLine(in *bufio.Reader) (line []byte, size int64, err error) {
	for {
		part, err := in.ReadSlice('\n')
		size += int64(len(part))
		if size <= maxLine {
			line = append(line, part...)
		} else {
			line = nil
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case errors.Is(err, io.EOF) && size > 0:
			err = nil
		}
		return bytes.TrimRight(line, "\r\n"), size, err
	}
}
