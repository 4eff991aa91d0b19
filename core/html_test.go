package core

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"veyyon.dev/veyyon/core/fault"
)

// exportTo writes the session in front to a page in dir and returns its text.
func exportTo(t *testing.T, write func(context.Context) (string, error)) string {
	t.Helper()
	path, err := write(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestAnExportIsOfTheMomentItWasAskedFor(t *testing.T) {
	a := newAgent(t, t.TempDir())
	ask(t, a, "kilimanjaro")
	path := filepath.Join(t.TempDir(), "page.html")
	write, err := a.ExportHTML(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	ask(t, a, "zanzibar")
	if _, err := a.NewSession(t.Context(), "", false); err != nil { // the old one's file is closed
		t.Fatal(err)
	}
	if text := exportTo(t, write); !strings.Contains(text, "kilimanjaro") || strings.Contains(text, "zanzibar") {
		t.Error(text)
	}
}

func TestAnExportWithoutANameIsNamedAfterTheSession(t *testing.T) {
	t.Chdir(t.TempDir())
	a := newAgent(t, t.TempDir())
	state, err := a.State(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	write, err := a.ExportHTML(t.Context(), "") // before the session has a file
	if err != nil {
		t.Fatal(err)
	}
	path, err := write(t.Context())
	want := "veyyon-session-" + strings.TrimSuffix(filepath.Base(state.SessionFile), ".jsonl") + ".html"
	if err != nil || path != want {
		t.Errorf("%q, %v", path, err)
	}
	if _, err := os.Stat(want); err != nil {
		t.Error(err)
	}
}

func TestAnExportThatCannotBeWrittenSaysWhy(t *testing.T) {
	a := newAgent(t, t.TempDir())
	write, err := a.ExportHTML(t.Context(), filepath.Join(t.TempDir(), "missing", "page.html"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := write(t.Context()); fault.CodeOf(err) != fault.IO || !strings.HasSuffix(err.Error(), "page.html: no such file or directory") {
		t.Error(err)
	}
	memory := newAgent(t, "")
	if _, err := memory.ExportHTML(t.Context(), ""); fault.CodeOf(err) != fault.Invalid || err.Error() != "Cannot export in-memory session to HTML" {
		t.Error(err)
	}
}
