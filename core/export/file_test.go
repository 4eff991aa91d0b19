package export_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"veyyon.dev/veyyon/core/export"
	"veyyon.dev/veyyon/core/message"
	"veyyon.dev/veyyon/core/transcript"
)

// spoken is a session of one message in a file.
func spoken(t *testing.T) *transcript.Log {
	t.Helper()
	log, err := transcript.New(transcript.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = log.Close() }) // again, for some
	if err := log.AppendMessage(message.NewUser("kilimanjaro", nil)); err != nil {
		t.Fatal(err)
	}
	return log
}

// names lists a folder.
func names(t *testing.T, folder string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	return names
}

func TestAPageReplacesAnOlderOneAndIsItsOwnersAlone(t *testing.T) {
	log, path := spoken(t), filepath.Join(t.TempDir(), "page.html")
	if err := os.WriteFile(path, []byte("older"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := export.File(t.Context(), path, log.Path(), log.Snapshot()); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	info, _ := os.Stat(path)
	if err != nil || !strings.Contains(string(text), "kilimanjaro") || info.Mode().Perm() != 0o600 {
		t.Error(err, info.Mode())
	}
	if diff := cmp.Diff([]string{"page.html"}, names(t, filepath.Dir(path))); diff != "" {
		t.Error(diff)
	}
	for _, name := range []string{"page", "empty"} { // neither needs the name of a page
		path := filepath.Join(t.TempDir(), name)
		if name == "page" {
			if err := export.File(t.Context(), path, log.Path(), log.Snapshot()); err != nil {
				t.Fatal(err)
			}
		} else if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := export.File(t.Context(), path, log.Path(), log.Snapshot()); err != nil {
			t.Error(err)
		}
	}
}

func TestAPageIsRefusedWhereItWouldDoHarm(t *testing.T) {
	log, folder := spoken(t), t.TempDir()
	at := func(name string) string { return filepath.Join(folder, name) }
	if err := os.WriteFile(at("victim"), []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, link := range [][2]string{{"victim", "planted"}, {"nowhere", "dangling"}, {log.Path(), "session"}} {
		if err := os.Symlink(link[0], at(link[1])); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Link(log.Path(), at("same")); err != nil {
		t.Skip("the file system has no hard links")
	}
	before := names(t, folder)
	for path, want := range map[string]string{
		at("planted"): "it is a symbolic link", at("dangling"): "it is a symbolic link", at("session"): "it is a symbolic link",
		at("same"): "it is the session itself", log.Path(): "it is the session itself", folder: "not a regular file",
		at("victim"): "there is a file that is no page", at("missing/page.html"): "no such file or directory", at("a\x00b"): "invalid argument", at("victim/page.html"): "not a directory",
	} {
		err := export.File(t.Context(), path, log.Path(), log.Snapshot())
		if diff := cmp.Diff("writing "+path+": "+want, errorText(err)); diff != "" {
			t.Error(diff)
		}
	}
	if diff := cmp.Diff(before, names(t, folder)); diff != "" {
		t.Error(diff)
	}
	if text, err := os.ReadFile(at("victim")); err != nil || string(text) != "precious" {
		t.Error(string(text), err)
	}
}

func TestAPageThatFailsLeavesNothing(t *testing.T) {
	log, folder := spoken(t), t.TempDir()
	snapshot := log.Snapshot()
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	if err := export.File(t.Context(), filepath.Join(folder, "page.html"), "", snapshot); !errors.Is(err, os.ErrClosed) {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := export.File(ctx, filepath.Join(folder, "page.html"), "", snapshot); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if left := names(t, folder); left != nil {
		t.Error(left)
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
