package session

import "testing"

func TestCursorsComeBackTheSame(t *testing.T) {
	for _, id := range []string{"01a2", "a.b", ".", "a.1.asc.2"} {
		for _, c := range []cursor{{id, 3, true, 17}, {id, 0, false, 0}} {
			if back, ok := parseCursor(c.String()); !ok || back != c {
				t.Errorf("%v came back as %v, %v", c, back, ok)
			}
		}
	}
	for _, text := range []string{"", "...", "a.1.up.2", "a.1.asc.-1", "a.x.asc.1", "1.asc.2", "a.1.asc.x"} {
		if c, ok := parseCursor(text); ok {
			t.Errorf("%q is %v", text, c)
		}
	}
}
