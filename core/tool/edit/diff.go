package edit

import (
	"bytes"

	"github.com/aymanbagabas/go-udiff"

	"veyyon.dev/veyyon/core/file"
)

// maxDiff bounds the diff of one call, in bytes; what is beyond is left out, and
// its last line says so.
const maxDiff = 256 << 10

// diff is for people: bytes that are not text are replaced in it.
func diff(name string, before, after []byte) string {
	was, _ := file.Printable(before)
	is, _ := file.Printable(after)
	text, err := udiff.ToUnified(name, name, was, udiff.Lines(was, is), udiff.DefaultContextLines)
	if err != nil {
		return "" // the edits come from the same two texts, so they fit
	}
	if short := file.Cut(text, maxDiff); short != text {
		return short + "\n[the diff goes on]\n"
	}
	return text
}

// firstChange is the number of the first line that differs.
func firstChange(before, after []byte) int {
	same := 0
	for same < min(len(before), len(after)) && before[same] == after[same] {
		same++
	}
	return lineAt(before, same)
}

// lineAt is the number of the line that holds a byte, from 1.
func lineAt(raw []byte, offset int) int { return 1 + bytes.Count(raw[:offset], []byte("\n")) }
