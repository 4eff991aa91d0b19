package transcript

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestAShelfSeesEachChange(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "s.jsonl")
	var shelf Shelf
	title := func() string {
		t.Helper()
		list, err := shelf.Page([]string{dir}, "", 0)
		if err != nil || len(list.Sessions) != 1 {
			t.Fatal(list, err)
		}
		return list.Sessions[0].Title
	}
	put := func(title string, changed time.Time) {
		t.Helper()
		head := `{"type":"session","version":3,"id":"s","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/","title":"` + title + `"}` + "\n"
		if err := os.WriteFile(path, []byte(head), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, changed, changed); err != nil {
			t.Fatal(err)
		}
	}
	old, now := time.Now().Add(-time.Hour), time.Now()
	put("one", old)
	if got := title(); got != "one" {
		t.Errorf("the title is %q", got)
	}
	put("two", old) // neither time nor size tell, long after
	if got := title(); got != "one" {
		t.Errorf("the file was read again; the title is %q", got)
	}
	put("six", now)
	if got := title(); got != "six" {
		t.Errorf("a change of the time was missed; the title is %q", got)
	}
	put("ten", now) // within a tick of the clock
	if got := title(); got != "ten" {
		t.Errorf("a change in the same moment was missed; the title is %q", got)
	}
	put("eleven", old)
	if got := title(); got != "eleven" {
		t.Errorf("a change of the size was missed; the title is %q", got)
	}
}
