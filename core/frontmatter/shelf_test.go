package frontmatter

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestAShelfMakesAnewOnlyWhatHasChanged(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.md")
	write(t, path, "one")
	long := time.Now().Add(-time.Hour)
	old := func() {
		if err := os.Chtimes(path, long, long); err != nil {
			t.Fatal(err)
		}
	}
	old()
	var shelf Shelf[string]
	made := 0
	take := func(want string, wantMade int) {
		t.Helper()
		got, err := shelf.Take(path, func(path string) (string, error) {
			made++
			text, err := os.ReadFile(path)
			return string(text), err
		})
		if got != want || err != nil || made != wantMade {
			t.Errorf("%q %v, made %d times", got, err, made)
		}
	}
	take("one", 1)
	take("one", 1)
	write(t, path, "three")
	take("three", 2)
	take("three", 3) // another change may bear the same time
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if _, err := shelf.Take(path, nil); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	write(t, path, "three")
	old()
	take("three", 4) // another file of the same name
}
