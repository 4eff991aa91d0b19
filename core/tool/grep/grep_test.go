package grep

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"veyyon.dev/veyyon/core/tool"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestGrepShowsMatchesWithTheirLines(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "src/a.go", "one\ntwo\nred plover\nfour\nred five\nsix\nseven\neight\nnine\nten\nred\n")
	put(t, dir, "b.txt", "nothing\n")
	put(t, dir, ".hidden", "Red\r\n")
	want := "# src/a.go\n 2:two\n*3:red plover\n 4:four\n*5:red five\n 6:six\n 7:seven\n 8:eight\n…\n 10:ten\n*11:red"
	out := grep(t, dir, `{"pattern":"red"}`)
	if diff := cmp.Diff(want, out.Content.Text()); diff != "" {
		t.Error(diff)
	}
	var details Details
	must(t, json.Unmarshal(out.Details, &details))
	expected := Details{ScopePath: ".", MatchCount: 3, FileCount: 1, Files: []string{"src/a.go"}, FileMatches: []FileMatch{{"src/a.go", 3}}}
	if diff := cmp.Diff(expected, details); diff != "" {
		t.Error(diff)
	}
	if got := text(t, dir, `{"pattern":"^red$","case":false,"paths":[".hidden","nowhere"]}`); got != "# .hidden\n*1:Red\n\n[Path not found: nowhere]" {
		t.Errorf("text is %q", got)
	}
	if out := grep(t, dir, `{"pattern":"zebra"}`); out.Content.Text() != "No matches found" || !out.Useless {
		t.Errorf("%q, useless %v", out.Content.Text(), out.Useless)
	}
}

func TestGrepMatchesAcrossLinesWhenAsked(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "a", "x\r\nfoo {\r\n  bar\r\n}\r\nfoo {\r\n  baz\r\n}\r\n")
	if got := text(t, dir, `{"pattern":"foo \\{\\n  bar"}`); got != "# a\n 1:x\n*2:foo {\n*3:  bar\n 4:}\n 5:foo {\n 6:  baz" {
		t.Errorf("text is %q", got)
	}
	if got := text(t, dir, `{"pattern":"foo.*bar"}`); got != "No matches found" {
		t.Errorf("text is %q", got)
	}
}

func TestPatternsAreOnlyPatterns(t *testing.T) {
	dir := t.TempDir()
	marker := filepath.Join(dir, "marker")
	put(t, dir, "a", "use --pre=touch here\n-e\n")
	if got := text(t, dir, `{"pattern":"--pre=touch","path":"a"}`); got != "# a\n*1:use --pre=touch here\n 2:-e" {
		t.Errorf("text is %q", got)
	}
	text(t, dir, fmt.Sprintf(`{"pattern":"--pre=touch %s"}`, marker))
	if got := text(t, dir, `{"pattern":"-e"}`); !strings.Contains(got, "*2:-e") {
		t.Errorf("text is %q", got)
	}
	if _, err := os.Lstat(marker); err == nil {
		t.Error("a program was run")
	}
}

func TestGrepLeavesOutWhatIsNotForIt(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, ".gitignore", "*.log\n/vendor/\n")
	put(t, dir, "a.log", "needle\n")
	put(t, dir, "vendor/x", "needle\n")
	put(t, dir, ".git/y", "needle\n")
	put(t, dir, "binary", "needle\x00\n")
	put(t, dir, "big", strings.Repeat("needle\n", maxFile/7+1))
	must(t, syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600))
	must(t, os.Symlink("/dev/zero", filepath.Join(dir, "zero")))
	put(t, dir, "sub/a.txt", "needle\n")
	if got := text(t, dir, `{"pattern":"needle"}`); got != "# sub/a.txt\n*1:needle" {
		t.Errorf("text is %q", got)
	}
	if got := text(t, dir, `{"pattern":"needle","gitignore":false}`); !strings.Contains(got, "# a.log\n") || !strings.Contains(got, "# vendor/x\n") || strings.Contains(got, ".git/y") {
		t.Errorf("text is %q", got)
	}
	if got := text(t, dir, `{"pattern":"needle","path":"vendor;*.txt;pipe"}`); got != "# vendor/x\n*1:needle\n\n# sub/a.txt\n*1:needle" {
		t.Errorf("text is %q", got)
	}
}

func TestGrepGivesPages(t *testing.T) {
	dir := t.TempDir()
	for i := range 45 {
		put(t, dir, fmt.Sprintf("f%02d", i), strings.Repeat("needle\n", 30))
	}
	out := grep(t, dir, `{"pattern":"needle"}`)
	var details Details
	must(t, json.Unmarshal(out.Details, &details))
	if got := out.Content.Text(); !strings.HasSuffix(got, "[More files match. Use skip=20 for the next page]") || details.FileCount != 20 || details.MatchCount != 400 ||
		!details.FileLimitReached || !details.PerFileLimitReached || !details.Truncated {
		t.Errorf("%+v, ending %q", details, got[len(got)-100:])
	}
	if got := text(t, dir, `{"pattern":"needle","skip":40}`); !strings.HasPrefix(got, "# f40\n") || strings.Contains(got, "skip=") || strings.Count(got, "# f") != 5 {
		t.Errorf("the last page begins %q", got[:20])
	}
	put(t, dir, "f00", strings.Repeat("needle\n", 300))
	if got := text(t, dir, `{"pattern":"needle","path":"f00"}`); strings.Count(got, "*") != maxSingleFile {
		t.Errorf("%d matches of a single file", strings.Count(got, "*"))
	}
}

func TestGrepStaysBounded(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "a", strings.Repeat("needle"+strings.Repeat("é", 2000)+"\n", 200))
	out := grep(t, dir, `{"pattern":"needle","path":"a"}`)
	if got := out.Content.Text(); len(got) > tool.InlineLimit+2000 || !strings.Contains(got, "é…\n") || strings.Contains(got, "\ufffd") {
		t.Errorf("%d bytes", len(got))
	}
	put(t, dir, "minified", strings.Repeat("x", 3<<20)+"needle")
	if got := text(t, dir, `{"pattern":"x+needle$","path":"minified"}`); len(got) > 600 || !strings.HasPrefix(got, "# minified\n*1:xxx") {
		t.Errorf("%d bytes: %.40q", len(got), got)
	}
}

func TestGrepRefusesWhatItCannotSearch(t *testing.T) {
	dir := t.TempDir()
	for args, want := range map[string]string{
		`{"pattern":""}`:                    "Pattern must not be empty",
		`{"pattern":"("}`:                   "Invalid regex: error parsing regexp: missing closing ): `(`",
		`{"pattern":"x","path":"no;where"}`: "Path not found: no, where",
	} {
		if out := grep(t, dir, args); !out.IsError || out.Content.Text() != want {
			t.Errorf("%s: %q", args, out.Content.Text())
		}
	}
}

func TestAVanishedWorkingDirectoryIsNotFound(t *testing.T) {
	out := grep(t, filepath.Join(t.TempDir(), "gone"), `{"pattern":"x"}`)
	if text := out.Content.Text(); !out.IsError || text != "Path not found: ." {
		t.Errorf("%v %q", out.IsError, text)
	}
}

func TestAByteOrderMarkIsNoPartOfTheFirstLine(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "a", "\xEF\xBB\xBFone\ntwo\n")
	if got, want := text(t, dir, `{"pattern":"^one"}`), "# a\n*1:one\n 2:two"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// forest makes a tree that takes seconds to search.
func forest(t *testing.T) string {
	dir := t.TempDir()
	first := put(t, dir, "d00/f000", strings.Repeat(strings.Repeat("a", 100)+"\n", 30000))
	for i := range 10 {
		for j := range 60 {
			path := filepath.Join(dir, fmt.Sprintf("d%02d", i), fmt.Sprintf("f%03d", j))
			must(t, os.MkdirAll(filepath.Dir(path), 0o755))
			if path != first {
				must(t, os.Link(first, path))
			}
		}
	}
	return dir
}

func TestAbortEndsGrepAtOnce(t *testing.T) {
	dir := forest(t)
	for _, pattern := range []string{"(a|aa)+b", "(a|aa)+b\\n"} {
		ctx, stop := context.WithCancelCause(t.Context())
		cause := errors.New("aborted")
		var aborted time.Time
		timer := time.AfterFunc(150*time.Millisecond, func() {
			aborted = time.Now()
			stop(cause)
		})
		args, err := json.Marshal(map[string]string{"pattern": pattern})
		must(t, err)
		_, err = New(1, 3).Run(ctx, tool.Call{Args: args, Dir: dir})
		if timer.Stop() {
			t.Fatalf("%s: the search ended by itself", pattern)
		}
		if took := time.Since(aborted); took > time.Second*slowdown || !errors.Is(err, cause) {
			t.Errorf("%s: ended %v after the abort, %v", pattern, took, err)
		}
	}
}

func TestTimeoutGivesWhatWasFound(t *testing.T) {
	dir := forest(t)
	put(t, dir, "a-first", "ab\n")
	out, err := grepper{timeout: 100 * time.Millisecond}.Run(t.Context(), tool.Call{Args: json.RawMessage(`{"pattern":"(a|aa)+b"}`), Dir: dir})
	must(t, err)
	if got := out.Content.Text(); !strings.HasPrefix(got, "# a-first\n*1:ab\n\n[Grep timed out after 30s; ") || out.IsError {
		t.Errorf("text is %q", got)
	}
}

func grep(t *testing.T, dir, args string) tool.Output {
	t.Helper()
	out, err := New(1, 3).Run(t.Context(), tool.Call{Args: json.RawMessage(args), Dir: dir})
	if err != nil {
		t.Fatalf("%s: %v", args, err)
	}
	return out
}

func text(t *testing.T, dir, args string) string {
	t.Helper()
	return grep(t, dir, args).Content.Text()
}

func put(t *testing.T, dir, name, content string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	must(t, os.MkdirAll(filepath.Dir(path), 0o755))
	must(t, os.WriteFile(path, []byte(content), 0o644))
	return path
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestLinesAroundAHitAreCounted(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "f", "1\n2\n3\nhit\n5\n6\n7\n")
	for _, c := range []struct {
		before, after int
		want          string
	}{{0, 0, "# f\n*4:hit"}, {2, 1, "# f\n 2:2\n 3:3\n*4:hit\n 5:5"}} {
		out, err := New(c.before, c.after).Run(t.Context(), tool.Call{Args: json.RawMessage(`{"pattern":"hit"}`), Dir: dir})
		must(t, err)
		if got := out.Content.Text(); got != c.want {
			t.Errorf("%d before, %d after: %q", c.before, c.after, got)
		}
	}
}

func TestModelsAreToldWhichLinesAreShown(t *testing.T) {
	for _, c := range []struct {
		before, after int
		want          string
	}{{1, 3, around}, {0, 9, "up to 0 before and 9 after, as"}} {
		if told := New(c.before, c.after).Spec().Description; !strings.Contains(told, c.want) {
			t.Errorf("models are told:\n%s", told)
		}
	}
}
