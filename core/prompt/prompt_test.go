package prompt

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestTheSameInputGivesTheSamePrompt(t *testing.T) {
	o := Options{Dir: "/work", Now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Append: "Be brief."}
	blocks := Build(o)
	o.Now = o.Now.Add(time.Hour)
	if diff := cmp.Diff(blocks, Build(o)); diff != "" {
		t.Errorf("an hour later on the same day:\n%s", diff)
	}
	if len(blocks) != 3 || !strings.Contains(blocks[1], "/work\n") || !strings.Contains(blocks[1], "2026-01-02") || blocks[2] != "Be brief." {
		t.Errorf("%q", blocks)
	}
}

func TestACustomPromptReplacesOnlyTheCore(t *testing.T) {
	plain, custom := Build(Options{Dir: "/"}), Build(Options{Dir: "/", Custom: "You are a parrot."})
	if diff := cmp.Diff(plain[1:], custom[1:]); diff != "" || custom[0] != "You are a parrot." {
		t.Errorf("%q\n%s", custom[0], diff)
	}
}
