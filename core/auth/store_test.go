package auth

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func newStore(t *testing.T) (*Store, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "agent", "auth.json")
	return NewStore(path), path
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestKeysAreStoredListedAndRemoved(t *testing.T) {
	s, _ := newStore(t)
	if key, err := s.Get("openai"); key != "" || err != nil {
		t.Fatal("a missing file has no keys", key, err)
	}
	must(t, s.Set("openai", "sk-1"))
	must(t, s.Set("anthropic", "sk-2"))
	must(t, s.Set("openai", "sk-3"))
	if key, _ := s.Get("openai"); key != "sk-3" {
		t.Error("Get gave", key)
	}
	names, err := s.List()
	must(t, err)
	if diff := cmp.Diff([]string{"anthropic", "openai"}, names); diff != "" {
		t.Error(diff)
	}
	must(t, s.Remove("openai"))
	must(t, s.Remove("never"))
	if names, _ := s.List(); len(names) != 1 {
		t.Error("after Remove:", names)
	}
	if s.Set("openai", "") == nil || s.Set("", "x") == nil {
		t.Error("an empty provider or key was stored")
	}
}

func TestStoredFilesAreOnlyForTheirOwner(t *testing.T) {
	s, path := newStore(t)
	must(t, s.Set("openai", "sk-1"))
	must(t, os.Chmod(path, 0o644))
	must(t, s.Set("openai", "sk-2"))
	for file, want := range map[string]fs.FileMode{path: 0o600, path + ".lock": 0o600, filepath.Dir(path): 0o700} {
		info, err := os.Stat(file)
		must(t, err)
		if info.Mode().Perm() != want {
			t.Errorf("%s has mode %o", file, info.Mode().Perm())
		}
	}
}

// TestKeysAreNeverWrittenElsewhere since a process that is killed leaves what it
// has written so far.
func TestKeysAreNeverWrittenElsewhere(t *testing.T) {
	s, path := newStore(t)
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	long := time.Now().Add(-time.Hour)
	must(t, os.Chtimes(temp, long, long))
	must(t, s.Set("openai", "sk-1"))
	must(t, s.Set("openai", "sk-2"))
	info, err := os.Stat(temp)
	must(t, err)
	if time.Since(info.ModTime()) < time.Minute {
		t.Error("something was in the folder of temporary files")
	}
	entries, err := os.ReadDir(filepath.Dir(path))
	must(t, err)
	if len(entries) != 2 { // and the lock
		t.Errorf("the folder holds %v", entries)
	}
}

func TestAStoreThatCannotBeReadIsNotOverwritten(t *testing.T) {
	for _, text := range []string{`{"credentials": {"openai": {"type":"api_key","key":"sk-canary"`, `{"credentials":"sk-canary"}`, `sk-canary`} {
		s, path := newStore(t)
		must(t, os.MkdirAll(filepath.Dir(path), 0o700))
		must(t, os.WriteFile(path, []byte(text), 0o600))
		for _, err := range []error{s.Set("a", "b"), s.Remove("a")} {
			if err == nil || !strings.Contains(err.Error(), path) {
				t.Errorf("%s: %v", text, err)
			} else if strings.Contains(err.Error(), "canary") {
				t.Error("the error shows what the file holds:", err)
			}
		}
		if kept, _ := os.ReadFile(path); string(kept) != text {
			t.Errorf("the file is now %q", kept)
		}
	}
}

func TestUnknownCredentialsSurviveAWrite(t *testing.T) {
	s, path := newStore(t)
	must(t, os.MkdirAll(filepath.Dir(path), 0o700))
	must(t, os.WriteFile(path, []byte(`{"credentials":{"x":{"type":"oauth","refresh":"r"}}}`), 0o600))
	must(t, s.Set("a", "b"))
	kept, _ := os.ReadFile(path)
	if !strings.Contains(string(kept), `"refresh": "r"`) {
		t.Errorf("lost: %s", kept)
	}
	if names, _ := s.List(); len(names) != 1 {
		t.Error("listed as API key:", names)
	}
}

func TestSymlinksAreRefused(t *testing.T) {
	s, path := newStore(t)
	target := filepath.Join(t.TempDir(), "elsewhere.json")
	must(t, os.WriteFile(target, []byte(`{"credentials":{"a":{"type":"api_key","key":"k"}}}`), 0o600))
	must(t, os.MkdirAll(filepath.Dir(path), 0o700))
	must(t, os.Symlink(target, path))
	if _, err := s.Get("a"); !errors.Is(err, ErrSymlink) {
		t.Error("Get:", err)
	}
	if err := s.Set("b", "k"); !errors.Is(err, ErrSymlink) {
		t.Error("Set:", err)
	}
}

// Writers in two processes and many goroutines lose no key: each reads again
// under the lock.
func TestConcurrentWritersLoseNothing(t *testing.T) {
	s, path := newStore(t)
	child := exec.Command(os.Args[0], "-test.run", "^TestWriterChild$")
	// A binary with the race detector would sleep for a second at its end.
	child.Env = append(os.Environ(), "VEYYON_TEST_STORE="+path, "GORACE=atexit_sleep_ms=0")
	must(t, child.Start())
	var writers sync.WaitGroup
	for i := range 8 {
		writers.Go(func() {
			if err := NewStore(path).Set(fmt.Sprintf("own-%d", i), "k"); err != nil {
				t.Error(err)
			}
		})
	}
	writers.Wait()
	must(t, child.Wait())
	if names, err := s.List(); err != nil || len(names) != 16 {
		t.Error(len(names), names, err)
	}
}

// TestWriterChild is the second process of the test above.
func TestWriterChild(t *testing.T) {
	path := os.Getenv("VEYYON_TEST_STORE")
	if path == "" {
		t.Skip("only as a child")
	}
	for i := range 8 {
		must(t, NewStore(path).Set(fmt.Sprintf("child-%d", i), "k"))
	}
}
