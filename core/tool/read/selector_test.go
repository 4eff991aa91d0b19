package read

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func never(string) bool { return false }

func TestSplitTakesSelectorsOffPaths(t *testing.T) {
	tests := map[string]struct {
		Base string
		Sel  selector
	}{
		"a.go":             {"a.go", selector{}},
		"a.go:5":           {"a.go", selector{Ranges: []lineRange{{5, 0}}}},
		"a.go:5-":          {"a.go", selector{Ranges: []lineRange{{5, 0}}}},
		"a.go:5-9":         {"a.go", selector{Ranges: []lineRange{{5, 9}}}},
		"a.go:L5-L9":       {"a.go", selector{Ranges: []lineRange{{5, 9}}}},
		"a.go:5..9":        {"a.go", selector{Ranges: []lineRange{{5, 9}}}},
		"a.go:5+3":         {"a.go", selector{Ranges: []lineRange{{5, 7}}}},
		"a.go:1-2,8":       {"a.go", selector{Ranges: []lineRange{{1, 2}, {8, 0}}}},
		"a.go:raw":         {"a.go", selector{Raw: true}},
		"a.go:raw:5-9":     {"a.go", selector{Ranges: []lineRange{{5, 9}}, Raw: true}},
		"a.go:5-9:raw":     {"a.go", selector{Ranges: []lineRange{{5, 9}}, Raw: true}},
		"a:b":              {"a:b", selector{}},
		"a:1:2":            {"a:1", selector{Ranges: []lineRange{{2, 0}}}},
		"a:5..":            {"a:5..", selector{}},
		"a:5,x":            {"a:5,x", selector{}},
		"a:1234567890":     {"a:1234567890", selector{}},
		":5":               {":5", selector{}},
		"db://users/1:raw": {"db://users/1", selector{Raw: true}},
	}
	for path, want := range tests {
		base, sel, err := split(path, never)
		if err != nil {
			t.Errorf("%s: %v", path, err)
		}
		if diff := cmp.Diff(want.Sel, sel); diff != "" || base != want.Base {
			t.Errorf("%s: %s %s", path, base, diff)
		}
	}
	for path, want := range map[string]string{
		"a:0": "Line selector 0 is invalid; lines are 1-indexed. Use :1.", "a:0-3": errZero.Error(), "a:1-2,0": errZero.Error(),
		"a:9-5": "line selector 9-5 is invalid; it ends before it begins", "a:5+0": "line selector 5+0 is invalid; it asks for no lines",
	} {
		if _, _, err := split(path, never); err == nil || err.Error() != want {
			t.Errorf("%s: %v", path, err)
		}
	}
}

func TestRangesAreJoinedInOrder(t *testing.T) {
	got := merged([]lineRange{{20, 25}, {1, 3}, {4, 6}, {24, 30}, {40, 0}, {50, 60}})
	if diff := cmp.Diff([]lineRange{{1, 6}, {20, 30}, {40, 0}}, got); diff != "" {
		t.Error(diff)
	}
}

func FuzzSplit(f *testing.F) {
	for _, path := range []string{"a.go:1-2,3+4:raw", ":raw:raw:1", "a:0", "x:L1..L2", "a:999999999+999999999"} {
		f.Add(path)
	}
	f.Fuzz(func(t *testing.T, path string) {
		base, sel, err := split(path, never)
		if err != nil {
			return
		}
		if !strings.HasPrefix(path, base) {
			t.Fatalf("%q does not begin %q", base, path)
		}
		for _, r := range merged(widened(sel.Ranges)) {
			if r.From < 1 || r.To != 0 && r.To < r.From {
				t.Fatalf("%q has range %v", path, r)
			}
		}
	})
}
