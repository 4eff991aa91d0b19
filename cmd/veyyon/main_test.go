package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// beMain makes the test binary be veyyon itself, for tests that need the
// process in hand. The variable is not passed on.
const beMain = "VEYYON_TEST_BE_MAIN"

// noRaceSleep spares each process the second that the race detector waits at
// its exit.
const noRaceSleep = "atexit_sleep_ms=0"

func TestMain(m *testing.M) {
	if os.Getenv(beMain) != "" {
		_ = os.Unsetenv(beMain) // with a constant name this cannot fail
		os.Exit(run(os.Args[1:]))
	}
	testscript.Main(m, map[string]func(){"veyyon": func() { os.Exit(run(os.Args[1:])) }})
}

// TestScripts runs testdata/script with the real program. Each script has a
// home of its own, without keys, and starts in $WORK/project.
func TestScripts(t *testing.T) {
	tables := httptest.NewServer(http.HandlerFunc(modelTable))
	t.Cleanup(tables.Close)
	pages := httptest.NewServer(http.HandlerFunc(webPage))
	t.Cleanup(pages.Close)
	testscript.Run(t, testscript.Params{
		Dir: filepath.Join("testdata", "script"),
		Setup: func(env *testscript.Env) error {
			home, project := filepath.Join(env.WorkDir, "home"), filepath.Join(env.WorkDir, "project")
			env.Setenv("HOME", home)
			env.Setenv("AGENT", filepath.Join(home, ".veyyon", "profiles", "default", "agent"))
			env.Setenv("LOGS", filepath.Join(home, ".veyyon", "profiles", "default", "logs"))
			env.Setenv("TABLES", tables.URL)
			env.Setenv("PAGES", pages.URL)
			env.Setenv("GORACE", noRaceSleep)
			env.Cd = project
			for _, dir := range []string{home, project} {
				if err := os.MkdirAll(dir, 0o700); err != nil {
					return err
				}
			}
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"mode": mode, "nowhere": nowhere},
	})
}

// mode is a command of scripts: `mode 0600 file` checks permissions.
func mode(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: mode bits file")
	}
	info, err := os.Stat(only(ts, args[1]))
	ts.Check(err)
	if got := fmt.Sprintf("%04o", info.Mode().Perm()); got != args[0] {
		ts.Fatalf("%s has mode %s, not %s", args[1], got, args[0])
	}
}

// nowhere is a command of scripts: `nowhere text dir` fails when any file below
// dir has the text in it.
func nowhere(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: nowhere text dir")
	}
	ts.Check(filepath.WalkDir(ts.MkAbs(args[1]), func(name string, entry os.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		if text := ts.ReadFile(name); strings.Contains(text, args[0]) {
			ts.Fatalf("%s has %q in it", name, args[0])
		}
		return nil
	}))
}

// only is the one file that a pattern fits.
func only(ts *testscript.TestScript, pattern string) string {
	found, err := filepath.Glob(ts.MkAbs(pattern))
	ts.Check(err)
	if len(found) != 1 {
		ts.Fatalf("%s fits %d files", pattern, len(found))
	}
	return found[0]
}

// modelTable serves tables as models.dev does: /small has one model, /large has
// enough, and there are no others.
func modelTable(w http.ResponseWriter, r *http.Request) {
	const one = `%q: {"id": %[1]q, "name": "Model %d", "tool_call": true, "modalities": {"input": ["text"], "output": ["text"]}, "limit": {"context": 1000, "output": 100}}`
	count := map[string]int{"/small": 1, "/large": 3000}[r.URL.Path]
	if count == 0 {
		http.Error(w, "no such table", http.StatusNotFound)
		return
	}
	models := make([]string, count)
	for n := range models {
		models[n] = fmt.Sprintf(one, fmt.Sprintf("new-model-%d", n), n)
	}
	_, _ = io.WriteString(w, `{"openrouter": {"id": "openrouter", "name": "OpenRouter", "models": {`+strings.Join(models, ",")+`}}}`) // the client reports what is missing
}

// webPage serves one page of HTML.
func webPage(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/html")
	_, _ = fmt.Fprintf(w, "<title>For %s</title><table><tr><th>a<td>b</table><p><a href=next>Next</a>", r.UserAgent())
}
