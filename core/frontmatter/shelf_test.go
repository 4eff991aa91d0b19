package frontmatter

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

func TestAShelfMakesAnewOnlyWhatHasChanged(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.md")
	write(t, path, "one")
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
	take("three", 2)
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if _, err := shelf.Take(path, nil); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	write(t, path, "three")
	take("three", 3) // another file of the same name
}
