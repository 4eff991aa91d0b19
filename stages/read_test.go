package stages

import (
	"bytes"
	"context"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"veyyon.dev/veyyon/frames"
)

// linesOf reads all of in; a skipped line shows as "<skipped>".
func linesOf(in io.Reader, limit int) (all []string) {
	lines := linesLane.Make()
	go func() {
		defer close(lines)
		read(context.Background(), in, lines, limit)
	}()
	for batch := range lines {
		for _, line := range batch {
			if line == nil {
				all = append(all, "<skipped>")
			} else {
				all = append(all, string(line))
			}
		}
	}
	return all
}

func TestReadCutsOnlyAtNewlines(t *testing.T) {
	for _, c := range []struct {
		name, in string
		want     []string
	}{
		{"nothing", "", nil},
		{"one line", "a\n", []string{"a"}},
		{"no final newline", "a\nb", []string{"a", "b"}},
		{"empty lines", "\n\na\n", []string{"", "", "a"}},
		{"carriage returns are the codec's", "a\r\n\rb\n", []string{"a\r", "\rb"}},
		{"a byte-order mark is the codec's", "\ufeffa\n", []string{"\ufeffa"}},
		{"other line separators", "a\u2028b\u0085c\n", []string{"a\u2028b\u0085c"}},
		{"as long as allowed", "12345678\nb\n", []string{"12345678", "b"}},
		{"too long", "123456789\nb\n", []string{"<skipped>", "b"}},
		{"too long and last", "b\n1234567890", []string{"b", "<skipped>"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, linesOf(strings.NewReader(c.in), 8)); diff != "" {
				t.Errorf("whole (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(c.want, linesOf(iotest.OneByteReader(strings.NewReader(c.in)), 8)); diff != "" {
				t.Errorf("byte by byte (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(c.want, linesOf(iotest.DataErrReader(strings.NewReader(c.in)), 8)); diff != "" {
				t.Errorf("EOF with the last bytes (-want +got):\n%s", diff)
			}
		})
	}
}

func TestReadTakesALineOf63MiB(t *testing.T) {
	long := strings.Repeat("x", 63<<20)
	got := linesOf(strings.NewReader(long+"\nnext\n"), DefaultMaxLine)
	if len(got) != 2 || got[0] != long || got[1] != "next" {
		t.Fatalf("got %d lines", len(got))
	}
}

func TestAReadErrorEndsLikeEOF(t *testing.T) {
	in := io.MultiReader(strings.NewReader("a\nb"), iotest.ErrReader(io.ErrClosedPipe))
	if diff := cmp.Diff([]string{"a", "b"}, linesOf(in, 8)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestAnOverlongLineIsNotBuffered(t *testing.T) {
	s := splitter{max: 100}
	block := bytes.Repeat([]byte("x"), readBlock)
	for range 1000 {
		s.split(block)
	}
	if cap(s.partial) > 0 {
		t.Errorf("%d bytes are kept", cap(s.partial))
	}
}

func TestEachLineIsItsOwn(t *testing.T) {
	s := splitter{max: 100}
	batch := s.split([]byte("one\ntwo\n"))
	_ = append(batch[0], "!!!!"...)
	batch[0][0] = 'X'
	if got := string(batch[1]); got != "two" {
		t.Errorf("writing to the first line changed the second to %q", got)
	}
	if got := cap(batch[0]); got > 64 {
		t.Errorf("a line of 3 bytes keeps %d alive", got)
	}
}

func FuzzSplitter(f *testing.F) {
	f.Add([]byte("a\nbb\n\nccc"), 2, 3)
	f.Add([]byte("\n"), 1, 1)
	f.Add([]byte("a\r\n\xef\xbb\xbfb\xff\n"), 100, 1)
	f.Fuzz(func(t *testing.T, input []byte, limit, step int) {
		limit, step = 1+abs(limit)%64, 1+abs(step)%64
		var got []frames.Line
		s := splitter{max: limit}
		for rest := input; len(rest) > 0; {
			n := min(step, len(rest))
			got = append(got, s.split(rest[:n])...)
			rest = rest[n:]
		}
		if s.begun {
			got = append(got, s.take())
		}

		var want []frames.Line
		parts := bytes.Split(input, []byte("\n"))
		if len(parts[len(parts)-1]) == 0 {
			parts = parts[:len(parts)-1] // what follows the last newline
		}
		for _, part := range parts {
			if len(part) > limit {
				want = append(want, nil)
			} else {
				want = append(want, append(frames.Line{}, part...))
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

func abs(n int) int {
	if n < 0 {
		return -(n + 1)
	}
	return n
}

func BenchmarkReadShortLines(b *testing.B) {
	block := bytes.Repeat([]byte(strings.Repeat("x", 60)+"\n"), readBlock/61)
	b.SetBytes(int64(len(block)))
	b.ReportAllocs()
	s := splitter{max: DefaultMaxLine}
	for b.Loop() {
		s.split(block)
	}
}
