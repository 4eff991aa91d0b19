package shell

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func cleaned(terminal bool, chunks ...string) string {
	c := cleaner{terminal: terminal}
	var out []byte
	for _, chunk := range chunks {
		out = c.append(out, []byte(chunk))
	}
	return string(c.flush(out))
}

func TestTextIsCleanHoweverItIsCut(t *testing.T) {
	for _, c := range []struct{ in, piped, terminal string }{
		{"plain\ttext\n", "plain\ttext\n", "plain\ttext\n"},
		{"a\x00b\x07c\x7fd\u0085e", "abcde", "abcde"},
		{"bad \xff, cut \xe2\x82, end \xf0\x9f", "bad \ufffd, cut \ufffd\ufffd, end \ufffd\ufffd", "bad \ufffd, cut \ufffd\ufffd, end \ufffd\ufffd"},
		{"grün € 🎉", "grün € 🎉", "grün € 🎉"},
		{"\x1b[31mred\x1b[0m \x1b[1;38;5;2mbold\x1b[m", "red bold", "red bold"},
		{"\x1b]0;title\x07a\x1b]8;;http://x\x1b\\b\x1b(Bc\x1b=d\x1bPq\x1b\\e", "abcde", "abcde"},
		{"a\r\nb\rc\r", "a\r\nb\rc\r", "a\nb\rc\r"},
		{"\x1b]no end\nnext", "\nnext", "\nnext"},
		{"\x1b[12é", "é", "é"},
		{"\x1b", "", ""},
		{"10%\r20%\r\n", "10%\r20%\r\n", "10%\r20%\n"},
	} {
		for terminal, want := range map[bool]string{false: c.piped, true: c.terminal} {
			if got := cleaned(terminal, c.in); got != want {
				t.Errorf("%q gives %q, want %q", c.in, got, want)
			}
			if got := cleaned(terminal, strings.Split(c.in, "")...); got != want {
				t.Errorf("%q, byte by byte, gives %q, want %q", c.in, got, want)
			}
		}
	}
}

func TestSequenceWithoutEndHidesLittle(t *testing.T) {
	got := cleaned(false, "\x1b]"+strings.Repeat("x", 3*maxSequence))
	if len(got) < 2*maxSequence-2 || len(got) > 2*maxSequence+2 {
		t.Errorf("%d bytes are shown", len(got))
	}
}

func FuzzCleaner(f *testing.F) {
	f.Add([]byte("a\x1b[31mé\r\n\xff\x00"), uint(3), true)
	f.Add([]byte("\x1b]0;x\x1b\\y\xe2\x82\xac"), uint(7), false)
	f.Fuzz(func(t *testing.T, in []byte, cut uint, terminal bool) {
		whole := cleaned(terminal, string(in))
		at := int(cut % uint(len(in)+1))
		if parts := cleaned(terminal, string(in[:at]), string(in[at:])); parts != whole {
			t.Errorf("cut at %d gives %q, whole %q", at, parts, whole)
		}
		if !utf8.ValidString(whole) {
			t.Errorf("%q is no UTF-8", whole)
		}
		for _, r := range whole {
			if r < 0x20 && r != '\n' && r != '\t' && r != '\r' || r >= 0x7f && r < 0xa0 {
				t.Errorf("%q has %U", whole, r)
			}
		}
	})
}

func captured(columns int, chunks ...string) (Result, string) {
	c := capture{columns: columns, first: headBytes, size: tailBytes}
	for _, chunk := range chunks {
		c.write([]byte(chunk))
	}
	c.finish()
	var r Result
	c.fill(&r)
	return r, c.latest()
}

func TestSmallOutputIsWhole(t *testing.T) {
	for _, n := range []int{1, headBytes, headBytes + 1, headBytes + tailBytes} {
		text := strings.Repeat("x", n-1) + "\n"
		got, _ := captured(0, text[:n/2], text[n/2:])
		want := Result{Output: text, TotalBytes: n, OutputBytes: n, TotalLines: 2, OutputLines: 2}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%d bytes: %s", n, diff)
		}
	}
}

func TestBigOutputKeepsBothEndsAtLines(t *testing.T) {
	line := "grün €: 0123456789\n"
	for _, size := range []int{1, 1000, 64 << 10} {
		text := "first\n" + strings.Repeat(line, 100_000) + "last\n"
		var chunks []string
		for i := 0; i < len(text); i += size {
			chunks = append(chunks, text[i:min(i+size, len(text))])
		}
		got, latest := captured(0, chunks...)
		head, rest, _ := strings.Cut(got.Output, "\n[… ")
		_, tail, _ := strings.Cut(rest, " bytes left out …]\n")
		if !strings.HasPrefix(head, "first\n"+line) || !strings.HasSuffix(head, strings.TrimSuffix(line, "\n")) || len(head) < headBytes-lineSlack {
			t.Errorf("the head has %d bytes and ends in %q", len(head), head[len(head)-20:])
		}
		if !strings.HasPrefix(tail, line) || !strings.HasSuffix(tail, line+"last\n") || len(tail) < tailBytes-lineSlack {
			t.Errorf("the tail has %d bytes", len(tail))
		}
		want := Result{Output: got.Output, Truncated: true, TotalBytes: len(text), TotalLines: 100_003, OutputBytes: len(head) + 1 + len(tail)}
		want.OutputLines = strings.Count(head, "\n") + 1 + strings.Count(tail, "\n") + 1
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
		if !strings.HasSuffix(text, latest) || len(latest) < tailBytes-3 || len(latest) > tailBytes {
			t.Errorf("latest has %d bytes", len(latest))
		}
	}
}

func TestBigOutputOfOneLineIsCutBetweenRunes(t *testing.T) {
	got, latest := captured(0, strings.Repeat("€", 100_000))
	if !got.Truncated || !utf8.ValidString(got.Output) || strings.ContainsRune(got.Output, utf8.RuneError) || !utf8.ValidString(latest) {
		t.Errorf("got %.40q…", got.Output)
	}
}

func TestLongLinesAreCutBetweenRunes(t *testing.T) {
	for _, chunks := range [][]string{{"ab€de\nabcd\n€€\nxx"}, {"ab", "€de\nab", "cd\n€", "€\nx", "x"}} {
		got, _ := captured(4, chunks...)
		if want := "ab… [5 bytes cut]\nabcd\n€… [3 bytes cut]\nxx"; got.Output != want || !got.Truncated {
			t.Errorf("got %q, want %q", got.Output, want)
		}
	}
	if got, _ := captured(2, "abcdef"); got.Output != "ab… [4 bytes cut]" || !got.Truncated {
		t.Errorf("without a last newline: %+v", got)
	}
}

func FuzzCapture(f *testing.F) {
	f.Add("ab€de\n", uint16(20000), uint8(4))
	f.Fuzz(func(t *testing.T, text string, times uint16, columns uint8) {
		all := strings.Repeat(text, int(times))
		if len(all) > 1<<20 {
			return
		}
		got, latest := captured(int(columns), all)
		if !utf8.ValidString(got.Output) || !utf8.ValidString(latest) {
			t.Errorf("no UTF-8")
		}
		if len(got.Output) > headBytes+tailBytes+100 {
			t.Errorf("%d bytes", len(got.Output))
		}
		if !got.Truncated && (got.TotalBytes != got.OutputBytes || got.TotalBytes != len(got.Output) || got.TotalLines != got.OutputLines) {
			t.Errorf("got %+v", got)
		}
	})
}
