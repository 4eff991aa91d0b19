package wire

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
)

func readAll(r io.Reader) (events []string, err error) {
	reader := newEventReader(r)
	for {
		data, err := reader.next()
		if err != nil {
			return events, err
		}
		events = append(events, string(data))
	}
}

func TestEventsAreReadFromAnyFraming(t *testing.T) {
	long := strings.Repeat("x", 3*readBuffer)
	for name, c := range map[string]struct {
		stream string
		want   []string
	}{
		"plain":                   {"data: a\n\ndata: b\n\n", []string{"a", "b"}},
		"CRLF":                    {"event: e\r\ndata: a\r\n\r\ndata: b\r\n\r\n", []string{"a", "b"}},
		"no space":                {"data:a\n\n", []string{"a"}},
		"only one space is taken": {"data:  a\n\n", []string{" a"}},
		"comments, names, ids":    {": ping\n\nevent: x\nid: 7\nretry: 5\n: more\ndata: a\n\n", []string{"a"}},
		"many lines of data":      {"data: a\ndata:\ndata: b\n\n", []string{"a\n\nb"}},
		"no blank line at end":    {"data: a\n\ndata: b\n", []string{"a", "b"}},
		"no newline at end":       {"data: a\n\ndata: b", []string{"a", "b"}},
		"nothing":                 {"", nil},
		"only comments":           {": ping\n\n: ping\n\n", nil},
		"a name without data":     {"event: ping\n\ndata: a\n\n", []string{"a"}},
		"byte order mark":         {"\ufeffdata: a\n\n", []string{"a"}},
		"longer than the buffer":  {"data: " + long + "\n\ndata: b\n\n", []string{long, "b"}},
		"other fields":            {"database: a\nData: b\n\n", nil},
	} {
		t.Run(name, func(t *testing.T) {
			for how, reader := range map[string]io.Reader{
				"at once":        strings.NewReader(c.stream),
				"byte by byte":   iotest.OneByteReader(strings.NewReader(c.stream)),
				"data with EOF":  iotest.DataErrReader(strings.NewReader(c.stream)),
				"in half blocks": iotest.HalfReader(strings.NewReader(c.stream)),
			} {
				got, err := readAll(reader)
				if !errors.Is(err, io.EOF) {
					t.Errorf("%s: error %v", how, err)
				}
				if diff := cmp.Diff(c.want, got); diff != "" {
					t.Errorf("%s (-want +got):\n%s", how, diff)
				}
			}
		})
	}
}

func TestABrokenStreamLosesTheUnfinishedEvent(t *testing.T) {
	broken := errors.New("broken")
	got, err := readAll(io.MultiReader(strings.NewReader("data: a\n\ndata: b\n"), iotest.ErrReader(broken)))
	if !errors.Is(err, broken) {
		t.Errorf("error %v", err)
	}
	if diff := cmp.Diff([]string{"a"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestAnEndlessEventIsRefused(t *testing.T) {
	endless := func(chunk string) io.Reader { return &repeat{chunk: []byte(chunk)} }
	for name, r := range map[string]io.Reader{
		"one line":   io.MultiReader(strings.NewReader("data: "), endless("x")),
		"many lines": endless("data: " + strings.Repeat("x", 100) + "\n"),
	} {
		reader := newEventReader(r)
		if reader.limit != 64<<20 {
			t.Errorf("the limit is %d, not what the error says", reader.limit)
		}
		reader.limit = 1 << 20 // the same, sooner
		if _, err := reader.next(); !errors.Is(err, errEventTooLong) {
			t.Errorf("%s: error %v", name, err)
		}
	}
}

// repeat gives the same bytes for ever.
type repeat struct {
	chunk []byte
	at    int
}

func (r *repeat) Read(p []byte) (int, error) {
	n := copy(p, r.chunk[r.at:])
	r.at = (r.at + n) % len(r.chunk)
	return n, nil
}

func FuzzEvents(f *testing.F) {
	f.Add([]byte("data: a\n\ndata: b\r\n\r\n: ping\n\ndata"))
	f.Add([]byte("event: x\ndata:\ndata: \n\n"))
	f.Fuzz(func(t *testing.T, stream []byte) {
		whole, err := readAll(bytes.NewReader(stream))
		if !errors.Is(err, io.EOF) {
			t.Fatalf("error %v", err)
		}
		pieces, _ := readAll(iotest.OneByteReader(bytes.NewReader(stream)))
		if diff := cmp.Diff(whole, pieces); diff != "" {
			t.Fatalf("read in pieces (-whole +pieces):\n%s", diff)
		}
	})
}
