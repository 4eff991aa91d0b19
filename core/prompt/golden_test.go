package prompt

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

var update = flag.Bool("update", false, "write the prompts of testdata anew")

// TestPromptsOfTestdata lays the files of each archive out, where home is the
// person's and work is a repository, and holds the prompt of a session in
// work/sub, or in work without it, against the blocks at the end. Lines of the
// comment that begin with "tools:", "link:" (TO FROM) and "flags:" set things up.
func TestPromptsOfTestdata(t *testing.T) {
	archives, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(archives) == 0 {
		t.Fatal("no archives", err)
	}
	for _, name := range archives {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) { golden(t, name) })
	}
}

func golden(t *testing.T, name string) {
	archive, err := txtar.ParseFile(name)
	if err != nil {
		t.Fatal(err)
	}
	root := t.TempDir()
	var want []string
	var kept []txtar.File
	for _, f := range archive.Files {
		if f.Name == "block" || f.Name == "faults" {
			want = append(want, f.Name+"\n"+string(f.Data))
			continue
		}
		kept = append(kept, f)
		write(t, filepath.Join(root, f.Name), string(f.Data))
	}
	var from Sources
	from.Folders = foldersIn(filepath.Join(root, "home"))
	var faults []string
	from.Warn = func(err error) { faults = append(faults, err.Error()) }
	offered := []string{"read", "write", "edit", "bash", "grep", "glob", "todo", "job", "task"}
	for line := range strings.Lines(string(archive.Comment)) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), ":")
		words := strings.Fields(value)
		switch key {
		case "tools":
			offered = words
		case "link":
			if err := os.Symlink(strings.ReplaceAll(words[0], "$ROOT", root), filepath.Join(root, words[1])); err != nil {
				t.Fatal(err)
			}
		case "custom":
			from.Custom = strings.TrimSpace(value)
		case "append":
			from.Append = strings.TrimSpace(value)
		}
	}
	dir := filepath.Join(root, "work", "sub")
	if _, err := os.Stat(dir); err != nil {
		dir = filepath.Dir(dir)
	}
	library := NewLibrary(from)
	var got []string
	for _, block := range library.Session(dir, offered)() {
		got = append(got, "block\n"+block+"\n")
	}
	if len(faults) > 0 {
		got = append(got, "faults\n"+strings.Join(faults, "\n")+"\n")
	}
	place := Here(dir, now())
	for i := range got {
		got[i] = strings.NewReplacer(root, "$ROOT", place.System, "$SYSTEM", place.Date, "$DATE").Replace(got[i])
	}
	if *update {
		archive.Files = kept
		for _, block := range got {
			name, text, _ := strings.Cut(block, "\n")
			archive.Files = append(archive.Files, txtar.File{Name: name, Data: []byte(text)})
		}
		if err := os.WriteFile(name, txtar.Format(archive), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
