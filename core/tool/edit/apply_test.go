package edit

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestApplyReplacesText(t *testing.T) {
	tests := []struct {
		name, before, after string
		edits               []Edit
	}{
		{"one exact text", "a\nred\nb\n", "a\nblue\nb\n", []Edit{{Old: "red", New: "blue"}}},
		{"edits build on each other", "one\n", "three\n", []Edit{{Old: "one", New: "two"}, {Old: "two", New: "three"}}},
		{"all occurrences", "x x x", "y y y", []Edit{{Old: "x", New: "y", All: true}}},
		{"nothing there deletes", "a\nb\nc\n", "a\nc\n", []Edit{{Old: "b\n", New: ""}}},
		{"no final newline stays so", "a\nb", "a\nc", []Edit{{Old: "b", New: "c"}}},
		{"CRLF file, LF old text", "a\r\nb\r\nc\r\n", "a\r\nx\r\ny\r\nc\r\n", []Edit{{Old: "b\n", New: "x\ny\n"}}},
		{"CRLF file, one line becomes two", "a\r\nb\r\n", "a\r\nb1\r\nb2\r\n", []Edit{{Old: "b", New: "b1\nb2"}}},
		{"CRLF file, old text starts with a line end", "a\r\nfoo\r\n", "a\r\nbar\r\nbaz\r\n", []Edit{{Old: "\nfoo", New: "\nbar\nbaz"}}},
		{"LF file, CRLF old text", "a\nb\nc\n", "a\nx\nc\n", []Edit{{Old: "a\r\nb\r\n", New: "a\r\nx\r\n"}}},
		{"mixed line ends outside stay", "a\r\nb\nc\r\nd\n", "a\r\nb\nX\r\nd\n", []Edit{{Old: "c", New: "X"}}},
		{"mixed line ends inside match", "a\r\nb\nc\n", "x\r\nc\n", []Edit{{Old: "a\nb\n", New: "x\n"}}},
		{"byte-order mark stays", "\ufefffirst\nsecond\n", "\ufeffFIRST\nsecond\n", []Edit{{Old: "first\n", New: "FIRST\n"}}},
		{"Latin-1 bytes stay", "caf\xe9\nred\n\xff\xfe\n", "caf\xe9\nblue\n\xff\xfe\n", []Edit{{Old: "red", New: "blue"}}},
		{"quotes and dashes", "say “hello” – now\n", "say bye\n", []Edit{{Old: `say "hello" - now`, New: "say bye"}}},
		{"no-break space", "a\u00a0b\n", "c\n", []Edit{{Old: "a b", New: "c"}}},
		{"trailing blanks", "if x {  \n\ty()\t\n}\n", "if z {\n}\n", []Edit{{Old: "if x {\n\ty()\n}", New: "if z {\n}"}}},
		{
			"tabs for spaces", "f() {\n\tif a {\n\t\tb()\n\t}\n}\n", "f() {\n\tif a {\n\t\tc()\n\t}\n}\n",
			[]Edit{{Old: "    if a {\n        b()\n    }\n", New: "    if a {\n        c()\n    }\n"}},
		},
		{"another depth", "{\n    a()\n    b()\n}\n", "{\n    a()\n    c()\n    b()\n}\n", []Edit{{Old: "a()\nb()\n", New: "a()\nc()\nb()\n"}}},
		{
			"a small misspelling", "the quick brown fox jumps over the lazy dog\nend\n", "gone\nend\n",
			[]Edit{{Old: "the quick brown fox jumped over the lazy dog\n", New: "gone\n"}},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, _, err := Apply(context.Background(), []byte(tt.before), tt.edits, Likeness{Misspelt: 5})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.after, string(got)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestApplyRefusesWhatIsNotClear(t *testing.T) {
	tests := []struct {
		name, before string
		edits        []Edit
		want         string
	}{
		{"twice there", "a\nx\nb\nx\n", []Edit{{Old: "x", New: "y"}}, "edit 1: old_text occurs 2 times, at lines 2, 4; "},
		{"overlapping", "aaa", []Edit{{Old: "aa", New: "b", All: true}}, "edit 1: the occurrences of old_text at line 1 overlap"},
		{"the second is missing", "a b", []Edit{{Old: "a", New: "c"}, {Old: "zzz", New: "y"}}, "edit 2: old_text was not found, nor anything like it"},
		{"near lines are shown", "func one() {}\nfunc two() {}\n", []Edit{{Old: "func two(x int) {}", New: ""}}, "line 2: \"func two() {}\""},
		{"the differing line is shown", "a\nb\nc\n", []Edit{{Old: "a\nb\nd\n", New: ""}}, "its first 2 lines matched at line 1, but then line 3 of the file is \"c\" and old_text has \"d\""},
		{"the file is too short", "a\nb", []Edit{{Old: "b\nc", New: ""}}, "but then the file ends there"},
		{"nothing changes", "a\n", []Edit{{Old: "a", New: "a"}}, "edit 1: it changes nothing"},
		{"together nothing changes", "a\n", []Edit{{Old: "a", New: "b"}, {Old: "b", New: "a"}}, "the edits change nothing"},
		{"empty old text", "a\n", []Edit{{Old: "", New: "b"}}, "edit 1: old_text is empty"},
		{"other than ASCII into Latin-1", "caf\xe9 red\n", []Edit{{Old: "red", New: "é"}}, "the file is not UTF-8"},
		{"a replacement character into nothing", "caf\xe9\n", []Edit{{Old: "caf\ufffd", New: "tea"}}, "old_text holds U+FFFD"},
		{
			"a line somebody else changed", strings.Repeat("the same line\n", 30) + "port = 8080\n",
			[]Edit{{Old: strings.Repeat("the same line\n", 30) + "host = none\n", New: ""}},
			"but then line 31 of the file is \"port = 8080\"",
		},
		{"two alike", "value of x\n  value of x\n", []Edit{{Old: "\tvalue of x\n", New: ""}}, "old_text occurs 2 times, at lines 1, 2"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			before := []byte(tt.before)
			_, _, err := Apply(context.Background(), before, tt.edits, Likeness{Misspelt: 5})
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error is %v, want one with %q", err, tt.want)
			}
			if string(before) != tt.before {
				t.Error("the content was changed")
			}
		})
	}
}

func TestDistanceIsLevenshteinUpToItsLimit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.StringOfN(rapid.SampledFrom([]rune("abc")), 0, 12, -1)
		a, b, limit := word.Draw(t, "a"), word.Draw(t, "b"), rapid.IntRange(1, 12).Draw(t, "limit")
		want := slowDistance(a, b)
		got, ok := distance(a, b, limit)
		if ok != (want <= limit) || ok && got != want {
			t.Fatalf("distance(%q, %q, %d) = %d, %v, want %d", a, b, limit, got, ok, want)
		}
	})
}

func slowDistance(a, b string) int {
	switch {
	case a == "":
		return len(b)
	case b == "":
		return len(a)
	}
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			change := 1
			if a[i-1] == b[j-1] {
				change = 0
			}
			rows[i][j] = min(rows[i-1][j]+1, rows[i][j-1]+1, rows[i-1][j-1]+change)
		}
	}
	return rows[len(a)][len(b)]
}

// FuzzApply: whatever the bytes, nothing panics, what an exact edit does not
// touch survives, and UTF-8 stays UTF-8.
func FuzzApply(f *testing.F) {
	f.Add([]byte("a\r\nb\r\n"), "b", "c\nd", false)
	f.Add([]byte("\xef\xbb\xbfx\ny"), "x\n", "", true)
	f.Add([]byte("caf\xe9 \x00 “q”  \n\tz\n"), "\"q\"\n    z\n", "\tw\n", false)
	f.Add([]byte("aaaa"), "aa", "b", true)
	f.Fuzz(func(t *testing.T, raw []byte, old, replacement string, all bool) {
		before := bytes.Clone(raw)
		old, replacement = strings.ToValidUTF8(old, "?"), strings.ToValidUTF8(replacement, "?") // as JSON decodes them
		got, _, err := Apply(context.Background(), raw, []Edit{{Old: old, New: replacement, All: all}}, Likeness{Misspelt: 5})
		if !bytes.Equal(before, raw) {
			t.Fatal("the input was changed")
		}
		if err != nil {
			if missing(raw, old) == nil {
				t.Fatal("no explanation")
			}
			return
		}
		if utf8.Valid(raw) && !utf8.Valid(got) {
			t.Fatalf("%q became %q", raw, got)
		}
		if at := bytes.Index(raw, []byte(old)); at >= 0 && bytes.Count(raw, []byte(old)) == 1 && !strings.Contains(old, "\n") {
			if !bytes.HasPrefix(got, raw[:at]) || !bytes.HasSuffix(got, raw[at+len(old):]) {
				t.Fatalf("the rest of %q was lost in %q", raw, got)
			}
		}
	})
}

func TestHowFarAnOldTextMayDiffer(t *testing.T) {
	const before = "the quick brown fox jumps over the lazy dog\nsay “x”\n"
	misspelt, typographic := Edit{Old: "the quick brown fox jumped over the lazy dog\n"}, Edit{Old: `say "x"`}
	for _, c := range []struct {
		like  Likeness
		edit  Edit
		found bool
	}{
		{Likeness{Misspelt: 5}, misspelt, true},
		{Likeness{Misspelt: 1}, misspelt, false},
		{Likeness{Misspelt: 1}, typographic, true},
		{Likeness{Exact: true, Misspelt: 5}, misspelt, false},
		{Likeness{Exact: true}, typographic, false},
		{Likeness{Exact: true}, Edit{Old: "say “x”"}, true},
	} {
		_, _, err := Apply(t.Context(), []byte(before), []Edit{c.edit}, c.like)
		if (err == nil) != c.found {
			t.Errorf("%+v with %+v: %v", c.edit, c.like, err)
		}
	}
}
