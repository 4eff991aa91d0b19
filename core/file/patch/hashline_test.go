package patch

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestLinesAreChangedByTheirNumbers(t *testing.T) {
	for _, c := range []struct{ before, ops, after string }{
		{"a\nb\nc\n", "SWAP 2:\n+x\n+\ty", "a\nx\n\ty\nc\n"},
		{"a\nb\nc\n", "SWAP 1.=2:\n+x", "x\nc\n"},
		{"a\nb\nc\n", "DEL 1..2", "c\n"},
		{"a\nb\nc\n", "DEL 1-3", ""},
		{"a\nb\nc\n", "INS.PRE 1:\n+x\nINS.POST 3:\n+y", "x\na\nb\nc\ny\n"},
		{"a\nb\nc\n", "INS.TAIL:\n+y\nINS.HEAD:\n+x\n", "x\na\nb\nc\ny\n"},
		{"a\nb\nc\n", "DEL 3\n\nINS.POST 2:\n+y\nSWAP 1:\n+x", "x\nb\ny\n"},
		{"a\nb\nc\n", "INS.POST 1:\n+x\nINS.PRE 2:\n+y\nSWAP 2:\n+z", "a\nx\ny\nz\nc\n"},
		{"a\r\nb", "SWAP 1:\n+x\nINS.TAIL:\n+y", "x\r\nb\r\ny"},
		{"\ufeffa\n", "INS.HEAD:\n+x", "\ufeffx\na\n"},
		{"", "INS.HEAD:\n+x", "x\n"},
		{"a\n", "SWAP 1:\n++x", "+x\n"},
	} {
		changes, err := ParseLines("[f#0A1b]\n" + c.ops)
		if err != nil || len(changes) != 1 || changes[0].Tag != "0A1B" {
			t.Errorf("%q: %v, %v", c.ops, changes, err)
			continue
		}
		if after, err := Splice([]byte(c.before), changes[0].Spans); err != nil || string(after) != c.after {
			t.Errorf("%q of %q: %q, %v", c.ops, c.before, after, err)
		}
	}
}

func TestLinesThatCannotBeChangedAreRefused(t *testing.T) {
	for text, want := range map[string]string{
		"":                                    "there is no section; each begins with [path#TAG]",
		"[f#0000]":                            "f: there is no change",
		"[f]\nDEL 1":                          "line 1: Missing hashline snapshot tag for f; read the file, and copy the line that its text begins with",
		"DEL 1":                               `line 1: there is no [path#TAG] above "DEL 1"`,
		"[f#0000]\n+x":                        `line 2: there is no SWAP or INS above "+x"`,
		"[f#0000]\nDEL 1\n+x":                 `line 3: there is no SWAP or INS above "+x"`,
		"[f#0000]\nDEL 0":                     "line 2: DEL 0: lines count from 1, and a range goes down",
		"[f#0000]\nDEL 2.=1":                  "line 2: DEL 2.=1: lines count from 1, and a range goes down",
		"[f#0000]\nINS.PRE 1.=2:\n+x":         "line 2: INS.PRE 1.=2:: SWAP and DEL take one line or a range, INS.PRE and INS.POST a line, INS.HEAD and INS.TAIL none",
		"[f#0000]\nINS.HEAD 1:\n+x":           "line 2: INS.HEAD 1:: SWAP and DEL",
		"[f#0000]\nDEL":                       "line 2: DEL: SWAP and DEL",
		"[f#0000]\nSWAP.BLK 1:\n+x":           "line 2: expected [path#TAG], SWAP a.=b:",
		"[f#0000]\nDEL 4":                     "Line 4 does not exist (file has 3 lines)",
		"[f#0000]\nINS.POST 4:\n+x":           "Line 4 does not exist (file has 3 lines)",
		"[f#0000]\nINS.PRE 5:\n+x":            "Line 4 does not exist (file has 3 lines)",
		"[f#0000]\nDEL 999999999":             "Line 999999999 does not exist",
		"[f#0000]\nDEL 1.=2\nSWAP 2:\n+x":     "two changes overlap at line 2",
		"[f#0000]\nSWAP 1:\n+a":               "the change leaves the file as it is",
		"[f#0000]\nDEL 1\n[f#0001]\nDEL 2":    "line 3: f has two tags",
		"[f#0000]\nDEL 99999999999999999999:": "line 2: expected",
	} {
		changes, err := ParseLines(text)
		if err == nil {
			_, err = Splice([]byte("a\nb\nc\n"), changes[0].Spans)
		}
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestSectionsOfAFileAreOneChange(t *testing.T) {
	text := "[a b.go#0A1B]\r\nDEL 1\r\n[c#FFFF]\r\nDEL 2\r\n[a b.go#0A1B]\r\nDEL 3"
	changes, err := ParseLines(text)
	want := []Change{
		{Op: Update, Path: "a b.go", Tag: "0A1B", Spans: []Span{{From: 1, To: 1}, {From: 3, To: 3}}},
		{Op: Update, Path: "c", Tag: "FFFF", Spans: []Span{{From: 2, To: 2}}},
	}
	if diff := cmp.Diff(want, changes); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if diff := cmp.Diff([]string{"a b.go", "c", "a b.go"}, Paths(text)); diff != "" {
		t.Error(diff)
	}
}

func FuzzLines(f *testing.F) {
	f.Add("[a#0000]\nSWAP 1.=2:\n+x\nINS.TAIL:\n+y\nDEL 3", "a\nb\nc")
	f.Fuzz(func(t *testing.T, text, before string) {
		changes, err := ParseLines(text)
		if err != nil {
			return
		}
		named := map[string]bool{}
		for _, path := range Paths(text) {
			named[path] = true
		}
		for _, c := range changes {
			if !named[c.Path] {
				t.Errorf("%q is not among %v", c.Path, named)
			}
			_, _ = Splice([]byte(before), c.Spans) // must not panic
		}
	})
}
