package frontmatter

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestAHeadIsParsedOnceHoweverOftenItIsRead(t *testing.T) {
	for _, text := range []string{"---\na: once\n---\nbody", "---\na: [\nb: once\n---\n"} {
		first, _, firstErr := Split([]byte(text))
		held := len(memo.heads)
		again, _, err := Split([]byte(text))
		if diff := cmp.Diff(fmt.Sprint(first.values, first.lines, firstErr), fmt.Sprint(again.values, again.lines, err)); diff != "" || len(memo.heads) != held {
			t.Error(diff, held, len(memo.heads))
		}
		if err != nil { // the caller says which file it is about
			err.(*Error).File = "a"
			if _, _, err := Split([]byte(text)); err.(*Error).File != "" {
				t.Error(err)
			}
		}
	}
}

func TestWhatIsRememberedOfHeadsIsBounded(t *testing.T) {
	pad := strings.Repeat("# remark\n", 1500)
	for i := range 2 * maxMemo / len(pad) {
		if _, _, err := Split(fmt.Appendf(nil, "---\na: %d\n%s---\n", i, pad)); err != nil {
			t.Fatal(err)
		}
	}
	held := 0
	for head := range memo.heads {
		held += len(head)
	}
	if held > maxMemo || held != memo.size {
		t.Errorf("%d bytes are held, %d counted", held, memo.size)
	}
}
