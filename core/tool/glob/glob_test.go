package glob

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"veyyon.dev/veyyon/core/tool"
)

func TestGlobFindsTheLatestFirst(t *testing.T) {
	dir := t.TempDir()
	for i, name := range []string{"a.go", "src/b.go", "src/deep/c.go", ".x/d.go", "out/e.go", "README"} {
		plant(t, dir, name, time.Duration(i)*time.Hour)
	}
	must(t, os.WriteFile(filepath.Join(dir, ".gitignore"), []byte("out/\n"), 0o600))
	for args, want := range map[string]string{
		`{"path":"*.go"}`:                        "a.go\nsrc/b.go\nsrc/deep/c.go\n.x/d.go",
		`{"path":"**/*.go","hidden":false}`:      "a.go\nsrc/b.go\nsrc/deep/c.go",
		`{"path":"src/*.go"}`:                    "src/b.go",
		`{"path":"src/**/{b,c}.go;README;*.go"}`: "a.go\nsrc/b.go\nsrc/deep/c.go\n.x/d.go\nREADME",
		`{"path":"*.go","gitignore":false}`:      "a.go\nsrc/b.go\nsrc/deep/c.go\n.x/d.go\nout/e.go",
		`{"paths":["src/deep","nowhere"]}`:       "src/deep/c.go\n\n[Path not found: nowhere]",
		`{"path":"*.rs"}`:                        "No files found matching pattern",
		`{"path":"*.go","limit":1}`:              "a.go\n\n[Showing the latest 1 of 4. Use a narrower pattern for the others.]",
	} {
		got := glob(t, dir, args)
		if diff := cmp.Diff(strings.Split(want, "\n"), strings.Split(got.Content.Text(), "\n")); diff != "" {
			t.Errorf("%s: %s", args, diff)
		}
	}
	out := glob(t, dir, `{"path":"src"}`)
	var details Details
	must(t, json.Unmarshal(out.Details, &details))
	if diff := cmp.Diff(Details{ScopePath: "src", FileCount: 3, Files: details.Files}, details); diff != "" || !strings.Contains(out.Content.Text(), "src/deep/") {
		t.Errorf("%s %q", diff, out.Content.Text())
	}
}

func TestGlobRefusesWhatItCannotSearch(t *testing.T) {
	for args, want := range map[string]string{
		`{"path":"/"}`: "Searching from root directory '/' is not allowed", `{"path":"/**/x"}`: "Searching from root directory '/' is not allowed",
		`{"limit":0}`: "Limit must be a positive number", `{"path":"no"}`: "Path not found: no",
	} {
		if out := glob(t, t.TempDir(), args); !out.IsError || out.Content.Text() != want {
			t.Errorf("%s: %q", args, out.Content.Text())
		}
	}
}

func TestGlobShowsTwoHundredAtMost(t *testing.T) {
	dir := t.TempDir()
	for i := range 250 {
		plant(t, dir, fmt.Sprint(i), 0)
	}
	out := glob(t, dir, `{"limit":1000}`)
	var details Details
	must(t, json.Unmarshal(out.Details, &details))
	if details.FileCount != 200 || !details.Truncated || details.ResultLimitReached != 200 {
		t.Errorf("%d files, %+v", len(details.Files), details)
	}
}

func TestGlobEndsWithItsContext(t *testing.T) {
	cause := errors.New("aborted")
	ctx, stop := context.WithCancelCause(t.Context())
	stop(cause)
	dir := t.TempDir()
	plant(t, dir, "a", 0)
	if _, err := New().Run(ctx, tool.Call{Args: json.RawMessage(`{}`), Dir: dir}); !errors.Is(err, cause) {
		t.Errorf("error is %v", err)
	}
}

func glob(t *testing.T, dir, args string) tool.Output {
	t.Helper()
	out, err := New().Run(t.Context(), tool.Call{Args: json.RawMessage(args), Dir: dir})
	if err != nil {
		t.Fatalf("%s: %v", args, err)
	}
	return out
}

func plant(t *testing.T, dir, name string, old time.Duration) {
	t.Helper()
	path := filepath.Join(dir, name)
	must(t, os.MkdirAll(filepath.Dir(path), 0o755))
	must(t, os.WriteFile(path, nil, 0o600))
	when := time.Now().Add(-old)
	must(t, os.Chtimes(path, when, when))
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
