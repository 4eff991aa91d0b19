package patch

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const song = "one\ntwo\n\tthree\nfour\ntwo\nfive\n"

func TestHunksChangeTheirPlace(t *testing.T) {
	for _, c := range []struct{ name, before, diff, after, notes string }{
		{"in the middle", song, "@@\n four\n-two\n+deux\n five", "one\ntwo\n\tthree\nfour\ndeux\nfive\n", ""},
		{"without a head", song, " one\n-two\n", "one\n\tthree\nfour\ntwo\nfive\n", ""},
		{"below a line", song, "@@ four\n-two\n+deux", "one\ntwo\n\tthree\nfour\ndeux\nfive\n", ""},
		{"below two", song, "@@ two\n@@ two\n+extra", "one\ntwo\n\tthree\nfour\ntwo\nextra\nfive\n", ""},
		{"one after the other", song, "@@\n-one\n+un\n@@\n-four\n+quatre", "un\ntwo\n\tthree\nquatre\ntwo\nfive\n", ""},
		{"at the end", song, "@@\n+six", song + "six\n", ""},
		{"to the end", "a\nb\na\n", "@@\n-a\n+c\n*** End of File", "a\nb\nc\n", ""},
		{"as a unified diff", song, "--- a/x\n+++ b/x\n@@ -3,2 +3,2 @@ two\n \tthree\n-four\n+quatre\n\\ No newline at end of file\n", "one\ntwo\n\tthree\nquatre\ntwo\nfive\n", ""},
		{"blanks overlooked", "a  \nb\n", "@@\n a\n-b\n+c", "a  \nc\n", "Hunk 1 matched with blanks at the ends of lines overlooked at line 1."},
		{"indentation overlooked", song, "@@\n   three\n-four\n+4", "one\ntwo\n\tthree\n4\ntwo\nfive\n", "Hunk 1 matched with indentation overlooked at line 3."},
		{"other line ends", "a\r\nb\r\nc\r\n", "@@\n a\n-b\n+x\n+y", "a\r\nx\r\ny\r\nc\r\n", ""},
		{"no newline at the end", "a\nb", "@@\n a\n-b\n+c", "a\nc", ""},
		{"and one more line", "a\nb", "@@\n b\n+c", "a\nb\nc", ""},
		{"a mark", "\ufeffa\n", "@@\n-a\n+b", "\ufeffb\n", ""},
		{"bytes that are no text", "\xff\na\n", "@@\n-a\n+b", "\xff\nb\n", ""},
		{"an empty file", "", "@@\n+a\n+b", "a\nb\n", ""},
		{"an empty line that stays", "a\n\nb\n", "@@\n a\n\n-b\n+c", "a\n\nc\n", ""},
		{"empty lines between", song, "\n@@\n-one\n+un\n\n@@\n-five\n+cinq\n\n", "un\ntwo\n\tthree\nfour\ntwo\ncinq\n", ""},
	} {
		hunks, err := ParseHunks(c.diff)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		after, notes, err := Apply([]byte(c.before), hunks, false)
		if err != nil || string(after) != c.after || strings.Join(notes, "\n") != c.notes {
			t.Errorf("%s: %q, %q, %v", c.name, after, notes, err)
		}
	}
}

func TestHunksThatDoNotFitAreRefused(t *testing.T) {
	for diff, want := range map[string]string{
		"@@\n-nine\n+9":                      `hunk 1: its lines were not found after line 0; they begin with "nine". Read the file again`,
		"@@\n-two\n+2":                       "hunk 1: its lines stand at line 2 and at line 5; add lines around them, or @@ with a line above",
		"@@ nine\n-two\n+2":                  `hunk 1: there is no line "nine" after line 0`,
		"@@\n-five\n+5\n@@\n-one\n+1":        `hunk 2: its lines were not found after line 6; they begin with "one". Read the file again`,
		"@@\n-one\n+one":                     "the patch changes nothing: it leaves the file as it is",
		"@@\n one\n":                         "hunk 1 has no line with + or -",
		"@@\none\n":                          `a line must begin with a blank, + or -, or with @@, but there is "one"`,
		"@@\n one\n two\n-two\n+x\n four\n-": `hunk 1: its lines were not found after line 0; they begin with "one". Read the file again`,
	} {
		hunks, err := ParseHunks(diff)
		if err == nil {
			_, _, err = Apply([]byte(song), hunks, false)
		}
		if err == nil || err.Error() != want {
			t.Errorf("%q: %v", diff, err)
		}
	}
	hunks, err := ParseHunks("@@\n-three\n+3")
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := Apply([]byte(song), hunks, true); err == nil {
		t.Error("indentation was overlooked")
	}
}

const whole = `*** Begin Patch
*** Update File: a.go
*** Move to: b.go
@@ func x
-a
+b
*** Add File: new
+one
+
*** Delete File: old

*** End Patch
`

func TestPatchesNameTheirFiles(t *testing.T) {
	for _, text := range []string{whole, strings.ReplaceAll(whole, "\n", "\r\n")} {
		changes, err := Parse(text)
		want := []Change{
			{Op: Update, Path: "a.go", Move: "b.go", Hunks: []Hunk{{Under: []string{"func x"}, Lines: []Line{{'-', "a"}, {'+', "b"}}}}},
			{Op: Create, Path: "new", Text: "one\n\n"},
			{Op: Delete, Path: "old"},
		}
		if diff := cmp.Diff(want, changes); diff != "" || err != nil {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
		if diff := cmp.Diff([]string{"a.go", "b.go", "new", "old"}, Paths(text)); diff != "" {
			t.Error(diff)
		}
	}
	for text, want := range map[string]string{
		"":                                  `the first line must be "*** Begin Patch" and the last "*** End Patch"`,
		"*** Begin Patch\n*** End Patch":    "expected",
		"*** Begin Patch\nx\n*** End Patch": "expected",
		"*** Begin Patch\n*** Add File: a\nb\n*** End Patch":               "a: each line of a new file must begin with +",
		"*** Begin Patch\n*** Delete File: a\n+b\n*** End Patch":           "a: nothing may follow",
		"*** Begin Patch\n*** Update File: a\n*** End Patch":               "a: there is no change",
		"*** Begin Patch\n*** Update File:  \n@@\n-a\n*** End Patch":       "names no file",
		"*** Begin Patch\n*** Update File: a\n@@\n a\n*** End Patch":       "a: hunk 1 has no line",
		"*** Begin Patch\n*** Update File: a\n@@\n-a\n*** End Patch\nmore": "the first line must be",
	} {
		if _, err := Parse(text); err == nil || !strings.Contains(err.Error(), want) && want != "expected" {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// What a patch does to files is never more than Paths tells: who asks a person
// about it goes by that.
func FuzzPatch(f *testing.F) {
	f.Add(whole, song)
	f.Add("*** Begin Patch\n*** Update File: a\n@@ one\n two\n-\tthree\n+x\n*** End of File\n*** End Patch", song)
	f.Fuzz(func(t *testing.T, text, before string) {
		changes, err := Parse(text)
		if err != nil {
			return
		}
		named := map[string]bool{"": true}
		for _, path := range Paths(text) {
			named[path] = true
		}
		for _, c := range changes {
			if !named[c.Path] || !named[c.Move] {
				t.Errorf("%+v is not among %v", c, named)
			}
			after, _, err := Apply([]byte(before), c.Hunks, false)
			if err == nil && bytes.Equal(after, []byte(before)) {
				t.Errorf("%+v changes nothing", c)
			}
		}
	})
}
