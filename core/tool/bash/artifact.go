package bash

import (
	"fmt"

	"veyyon.dev/veyyon/core/tool"
)

// maxArtifact is how much of a command's output is kept for later, in bytes; the
// rest is only counted.
const maxArtifact = 4 << 20

// An artifact takes a command's output, which is saved if the result leaves out
// some of it.
type artifact struct{ text []byte }

func (a *artifact) Write(text []byte) (int, error) {
	room := maxArtifact - len(a.text)
	a.text = append(a.text, text[:min(room, len(text))]...)
	return len(text), nil
}

// save stores the text where the session can, and says what the result leaves
// out and where to find it.
func (a *artifact) save(cut *tool.Truncation, call tool.Call) string {
	notice := fmt.Sprintf("[Output cut: %d bytes in %d lines in all", cut.TotalBytes, cut.TotalLines)
	if call.Session != nil {
		if n, ok := call.Session.SaveArtifact("bash", a.text); ok {
			cut.ArtifactID = fmt.Sprint(n)
			part := "it"
			if len(a.text) < cut.TotalBytes {
				part = fmt.Sprintf("the first %d bytes", len(a.text))
			}
			notice += fmt.Sprintf("; read artifact://%d for %s", n, part)
		}
	}
	return notice + "]"
}
