package frontmatter

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"
)

func TestAHeadIsPartedFromItsBody(t *testing.T) {
	for text, want := range map[string]struct {
		values map[string]any
		body   string
	}{
		"just text\n":                     {nil, "just text\n"},
		"":                                {nil, ""},
		"---\n---\nbody":                  {nil, "body"},
		"---\n# only a remark\n---\n":     {nil, ""},
		"---\na: b\n---\nbody\n---\nmore": {map[string]any{"a": "b"}, "body\n---\nmore"},
		"\xef\xbb\xbf--- \r\na: true\r\n---\t\r\nbody\r\n": {map[string]any{"a": true}, "body\r\n"},
		"---\na: b\n---": {map[string]any{"a": "b"}, ""},
		"---\nglobs: *.go\nlist:\n  - **/*.ts\n  - b\n---": {map[string]any{"globs": "*.go", "list": []any{"**/*.ts", "b"}}, ""},
		"---\na: *it's, *.b  \n---":                        {map[string]any{"a": "*it's, *.b"}, ""},
	} {
		meta, body, err := Split([]byte(text))
		if err != nil {
			t.Errorf("%q: %v", text, err)
		}
		if diff := cmp.Diff(want.values, meta.values); diff != "" || body != want.body {
			t.Errorf("%q: body %q %s", text, body, diff)
		}
	}
}

func TestAFaultSaysItsLine(t *testing.T) {
	for text, want := range map[string]string{
		"---\na: b\n":                   "line 1: the head is not closed by a line of three dashes",
		"---\na: b\nc: [\n---\n":        "line 3: sequence end token ']' not found",
		"---\na: 1\na: 2\n---\n":        `line 3: mapping key "a" already defined at [1:1]`,
		"---\n- a\n---\n":               "line 2: the head is not a mapping of keys to values",
		"---\na: &x 1\nb: [*x]\n---\n":  "line 3: aliases are not supported",
		"---\r\na: b\r\n0\r#\r\r0\n---": "line 3: non-map value is specified",
		"---\na: \xff\n---\n":           "is not valid UTF-8",
		"---\na: [\n" + strings.Repeat("[", maxDepth) + "\n---\n":        "line 3: values lie more than 32 deep within each other",
		"---\na: " + strings.Repeat("{b: ", maxDepth+1) + "\n---\n":      "line 2: values lie more than 32 deep within each other",
		"---\na: b\nc:\n" + strings.Repeat("- ", maxDepth+1) + "\n---\n": "line 4: values lie more than 32 deep within each other",
		"---\n" + strings.Repeat("# remark\n", maxHead/9+1) + "---\n":    "line 1: the head is larger than 16 KiB",
	} {
		if _, _, err := Split([]byte(text)); err == nil || err.Error() != want {
			t.Errorf("%.40q: %v, want %s", text, err, want)
		}
	}
}

func TestValuesAreReadByTheirKinds(t *testing.T) {
	meta, _, err := Split([]byte("---\ntext: a\nnumber: 7\nyes: true\nlist: [a, b]\nmixed: [a, 1]\nnone:\n---\n"))
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]any{}
	keep := func(name string, v any, err error) {
		if err != nil {
			v = err.Error()
		}
		got[name] = v
	}
	for _, key := range append(meta.Keys(), "missing") {
		text, err := meta.Text(key)
		keep("text of "+key, text, err)
		texts, err := meta.Texts(key)
		keep("texts of "+key, texts, err)
		yes, err := meta.Bool(key)
		keep("bool of "+key, yes, err)
	}
	want := map[string]any{
		"text of text": "a", "texts of text": []string{"a"}, "bool of text": "line 2: text: expected true or false, got a",
		"text of number": "7", "texts of number": []string{"7"}, "bool of number": "line 3: number: expected true or false, got 7",
		"text of yes": "true", "texts of yes": []string{"true"}, "bool of yes": true,
		"text of list": "line 5: list: expected text", "texts of list": []string{"a", "b"}, "bool of list": "line 5: list: expected true or false, got [a b]",
		"text of mixed": "line 6: mixed: expected text", "texts of mixed": "line 6: mixed: expected texts, entry 2 is none",
		"bool of mixed": "line 6: mixed: expected true or false, got [a 1]",
		"text of none":  "", "texts of none": []string(nil), "bool of none": false,
		"text of missing": "", "texts of missing": []string(nil), "bool of missing": false,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestAFileIsReadAndNamedInItsFaults(t *testing.T) {
	dir := t.TempDir()
	bad, fifo, big := filepath.Join(dir, "bad.md"), filepath.Join(dir, "fifo.md"), filepath.Join(dir, "big.md")
	write(t, bad, "---\na: 1\nb: [\n---\n")
	write(t, big, strings.Repeat("x", maxFile+1))
	if err := unix.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		bad:  bad + ":3: sequence end token ']' not found",
		fifo: fifo + ": is not a regular file",
		big:  big + ": is larger than 1024 KiB",
	} {
		if _, _, err := Read(path); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
	if _, _, err := Read(filepath.Join(dir, "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	good := filepath.Join(dir, "good.md")
	write(t, good, "---\na: 1\n---\nbody")
	meta, body, err := Read(good)
	if err != nil || body != "body" || meta.Errorf("a", "odd").Error() != good+":2: a: odd" {
		t.Error(body, err)
	}
	files, err := Files(dir, ".md")
	if diff := cmp.Diff([]string{bad, big, fifo, good}, files); diff != "" || err != nil {
		t.Error(diff, err)
	}
	if files, err := Files(filepath.Join(dir, "none"), ".md"); files != nil || err != nil {
		t.Error(files, err)
	}
}

func TestProjectFoldersEndAtTheRepository(t *testing.T) {
	root := t.TempDir()
	deep := filepath.Join(root, "a", "b")
	if err := os.MkdirAll(deep, 0o755); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{deep + "/.veyyon/rules"}, ProjectDirs(deep, "rules")); diff != "" {
		t.Error("without a repository:", diff)
	}
	write(t, filepath.Join(root, ".git"), "gitdir: elsewhere") // as in a worktree
	want := []string{deep + "/.veyyon/rules", root + "/a/.veyyon/rules", root + "/.veyyon/rules"}
	if diff := cmp.Diff(want, ProjectDirs(deep, "rules")); diff != "" {
		t.Error(diff)
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// FuzzPlain looks for heads that YAML understands in another way.
func FuzzPlain(f *testing.F) {
	for _, seed := range []string{"a: b\n", "name: x-1\ndescription: All there is, really; a: b\n", "a: true\nb: null\n", "a:  b # c\r\n", "a: b:\n", "a: b\nb: x'y\"z\n", "a: nan\n"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, head string) {
		quick, ok := plain(head)
		if !ok {
			return
		}
		whole, err := parse([]byte(head))
		if diff := cmp.Diff(whole.values, quick.values); err != nil || diff != "" {
			t.Errorf("%q: %v %s", head, err, diff)
		}
		if diff := cmp.Diff(whole.lines, quick.lines); diff != "" {
			t.Errorf("%q: %s", head, diff)
		}
	})
}

// FuzzSplit looks for texts that end the program or lose a part of the body.
func FuzzSplit(f *testing.F) {
	for _, seed := range []string{"", "---\na: b\n---\nbody", "---\na: *b\n- *\n---\n", "---\n? a\n: {b: [c]}\n---", "---\n{\n---\n", "---\n\t\n---"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		meta, body, err := Split([]byte(text))
		if err != nil {
			var at *Error
			if !errors.As(err, &at) || at.Line < 0 || at.Line > strings.Count(text, "\n")+2 {
				t.Errorf("%q: %v", text, err)
			}
			return
		}
		if !strings.HasSuffix(text, body) {
			t.Errorf("%q: the body is %q", text, body)
		}
		for _, key := range meta.Keys() {
			_, _ = meta.Texts(key) // must not panic
			_, _ = meta.Bool(key)
		}
	})
}
