package tool

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// shelf is a session that keeps artifacts.
type shelf struct{ saved []string }

func (s *shelf) Todos() []Phase   { return nil }
func (s *shelf) SetTodos([]Phase) {}
func (s *shelf) SaveArtifact(tool string, text []byte) (int, bool) {
	s.saved = append(s.saved, string(text))
	return len(s.saved), true
}

func TestShortTextsStay(t *testing.T) {
	text := strings.Repeat("x", InlineLimit)
	if got, cut := Shorten(text, "t", Call{}); got != text || cut != nil {
		t.Errorf("%d bytes, %v", len(got), cut)
	}
}

func TestLongTextsKeepBothEndsAndAnArtifact(t *testing.T) {
	var whole strings.Builder
	for i := range 20000 {
		whole.WriteString(strings.Repeat("é", i%40))
		whole.WriteString("\n")
	}
	text := "first\n" + whole.String() + "last"
	session := &shelf{}
	got, cut := Shorten(text, "bash", Call{Session: session})
	if !strings.HasPrefix(got, "first\n") || !strings.HasSuffix(got, "\nlast") || !strings.Contains(got, "read artifact://1 for it]") {
		t.Errorf("shortened to %q…", got[:100])
	}
	if len(session.saved) != 1 || session.saved[0] != text || cut.ArtifactID != "1" {
		t.Errorf("saved %d, cut %+v", len(session.saved), cut)
	}
	if cut.TotalLines != 20002 || cut.TotalLines != cut.OutputLines+cut.ElidedLines || cut.OutputLines > 2*sideMaxLines {
		t.Errorf("cut is %+v", cut)
	}
}

func TestShortenedTextsAreBoundedAndValid(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		piece := rapid.StringMatching(`[a-zé🙂\n]{1,80}`).Draw(t, "piece")
		text := strings.Repeat(piece, InlineLimit/len(piece)+rapid.IntRange(0, 500).Draw(t, "more"))
		got, cut := Shorten(text, "t", Call{Session: &shelf{}})
		few := Spill{Limit: rapid.IntRange(1<<10, 3*InlineLimit).Draw(t, "limit"), Head: rapid.IntRange(1, InlineLimit).Draw(t, "head"), Lines: 3}
		if small, cut := Shorten(text, "t", Call{Spill: few}); !utf8.ValidString(small) || len(small) > few.Limit+300 || cut != nil && (cut.OutputLines > 7 || cut.OutputBytes+cut.ElidedBytes != len(text)) {
			t.Fatalf("%+v leaves %d bytes, %+v", few, len(small), cut)
		}
		if !utf8.ValidString(got) || len(got) > InlineLimit {
			t.Fatalf("%d bytes, valid %v", len(got), utf8.ValidString(got))
		}
		if cut != nil && cut.OutputBytes+cut.ElidedBytes != len(text) {
			t.Fatalf("%+v does not add up to %d", cut, len(text))
		}
	})
}
