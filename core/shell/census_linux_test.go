package shell

import "testing"

func TestStatOfAProcessWithAnOddName(t *testing.T) {
	got, ok := parseStat(7, "7 (a) b (c) S 3 5 6 0 -1 4194560 0")
	if want := (processStat{pid: 7, parent: 3, session: 6, state: 'S'}); !ok || got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func FuzzParseStat(f *testing.F) {
	f.Add("7 (sh) S 3 5 6 0")
	f.Add("7 (sh) S")
	f.Fuzz(func(t *testing.T, line string) {
		if _, ok := parseStat(1, line); ok && line == "" {
			t.Error("nothing was accepted")
		}
	})
}
