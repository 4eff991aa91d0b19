package tool

import (
	"cmp"
	"fmt"
	"strings"
	"unicode/utf8"
)

// The usual bounds of a text that goes to the model (facts/agent 8.2). What
// exceeds InlineLimit is cut in the middle; the whole is kept as an artifact.
const (
	InlineLimit  = 50 << 10 // bytes
	sideLimit    = 20 << 10 // bytes kept at each end
	sideMaxLines = 500      // lines kept at each end
)

// Spill says when a text is too long for a result, and what then stays of it
// (settings tools.artifact*). 0 is the usual bound.
type Spill struct {
	Limit, Head, Tail int // bytes
	Lines             int // of each end
}

// Bounds are the bounds that hold: both ends have room within the limit.
func (s Spill) Bounds() Spill {
	b := Spill{cmp.Or(s.Limit, InlineLimit), cmp.Or(s.Head, sideLimit), cmp.Or(s.Tail, sideLimit), cmp.Or(s.Lines, sideMaxLines)}
	if b.Head+b.Tail > b.Limit {
		b.Head, b.Tail = min(b.Head, b.Limit/2), min(b.Tail, b.Limit/2)
	}
	return b
}

// Meta is the part of a tool's details that says what its text leaves out.
type Meta struct {
	Truncation *Truncation `json:"truncation,omitempty"`
}

// Truncation describes a cut. Lines count from 1, sizes are in bytes.
type Truncation struct {
	Direction   string `json:"direction"`   // head, tail or middle: what was kept, or what was left out
	TruncatedBy string `json:"truncatedBy"` // lines, bytes or middle
	TotalLines  int    `json:"totalLines"`
	TotalBytes  int    `json:"totalBytes"`
	OutputLines int    `json:"outputLines"`
	OutputBytes int    `json:"outputBytes"`
	MaxBytes    int    `json:"maxBytes,omitempty"`
	ElidedLines int    `json:"elidedLines,omitempty"`
	ElidedBytes int    `json:"elidedBytes,omitempty"`
	NextOffset  int    `json:"nextOffset,omitempty"`
	ArtifactID  string `json:"artifactId,omitempty"`
}

// Shorten cuts a text that is longer than the call's limit: its beginning and its
// end stay, with a notice between them, and the whole is saved as an artifact of
// the tool where the session can. Cuts fall between lines where there is a line
// end near, and between characters always. The truncation is nil when nothing
// was cut.
func Shorten(text string, toolName string, call Call) (string, *Truncation) {
	bounds := call.Spill.Bounds()
	if len(text) <= bounds.Limit {
		return text, nil
	}
	head, tail := text[:bounds.headEnd(text)], text[bounds.tailStart(text):]
	cut := &Truncation{
		Direction: "middle", TruncatedBy: "middle", MaxBytes: bounds.Limit,
		TotalLines: countLines(text), TotalBytes: len(text),
		OutputLines: countLines(head) + countLines(tail), OutputBytes: len(head) + len(tail),
		ElidedBytes: len(text) - len(head) - len(tail),
	}
	cut.ElidedLines = max(0, cut.TotalLines-cut.OutputLines)
	notice := fmt.Sprintf("[%d bytes (%d lines) left out here; the whole output has %d bytes in %d lines",
		cut.ElidedBytes, cut.ElidedLines, cut.TotalBytes, cut.TotalLines)
	if call.Session != nil {
		if n, ok := call.Session.SaveArtifact(toolName, []byte(text)); ok {
			cut.ArtifactID = fmt.Sprint(n)
			notice += fmt.Sprintf("; read artifact://%d for it", n)
		}
	}
	return strings.TrimSuffix(head, "\n") + "\n\n" + notice + "]\n\n" + tail, cut
}

// headEnd is where the kept beginning ends.
func (s Spill) headEnd(text string) int {
	end, lines := 0, 0
	for lines < s.Lines {
		next := strings.IndexByte(text[end:], '\n')
		if next < 0 || end+next+1 > s.Head {
			break
		}
		end += next + 1
		lines++
	}
	if end > s.Head/2 || lines == s.Lines {
		return end
	}
	end = s.Head // a long line: better cut it than lose most of the room
	for !utf8.RuneStart(text[end]) {
		end--
	}
	return end
}

// tailStart is where the kept end begins.
func (s Spill) tailStart(text string) int {
	start, lines := len(text), 0
	for lines < s.Lines {
		before := strings.LastIndexByte(text[:max(0, start-1)], '\n') + 1
		if len(text)-before > s.Tail {
			break
		}
		start = before
		lines++
	}
	if len(text)-start > s.Tail/2 || lines == s.Lines {
		return start
	}
	start = len(text) - s.Tail
	for !utf8.RuneStart(text[start]) {
		start++
	}
	return start
}

// countLines counts a last line without an end, too.
func countLines(text string) int {
	n := strings.Count(text, "\n")
	if text != "" && !strings.HasSuffix(text, "\n") {
		n++
	}
	return n
}
