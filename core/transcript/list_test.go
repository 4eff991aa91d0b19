package transcript

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// write makes a session file whose age is in minutes.
func writeSession(t *testing.T, dir, id, rest string, age int) string {
	t.Helper()
	do(t, os.MkdirAll(dir, 0o700))
	path := filepath.Join(dir, fileName(id, time.Unix(0, 0)))
	head := fmt.Sprintf(`{"type":"session","version":3,"id":%q,"timestamp":"2026-02-16T10:20:30.000Z","cwd":"/x"}`+"\n", id)
	do(t, os.WriteFile(path, []byte(head+rest), 0o600))
	at := time.Now().Add(-time.Duration(age) * time.Minute)
	do(t, os.Chtimes(path, at, at))
	return path
}

func replied(reason string) string {
	return fmt.Sprintf(`{"type":"message","id":"r","parentId":"a","message":{"role":"assistant","content":[],"stopReason":%q}}`+"\n", reason)
}

func TestListShowsTheNewestFirstAndPassesOverOtherFiles(t *testing.T) {
	root := t.TempDir()
	dir, other := filepath.Join(root, "-a"), filepath.Join(root, "-b")
	long := strings.Repeat("x", 300<<10)
	writeSession(t, dir, "aaa1", said("a", "null", "first")+replied("stop"), 30)
	writeSession(t, dir, "bbb2", said("a", "null", long)+replied("toolUse")+`{"type":"message","id":"torn`, 20)
	writeSession(t, dir, "ccc3", said("a", "null", "third")+replied("aborted")+`{"type":"custom","customType":"x","id":"d"}`+"\n", 10)
	writeSession(t, other, "aaa9", "", 1)
	do(t, os.WriteFile(filepath.Join(dir, "bad.jsonl"), []byte("not a session"), 0o600))
	do(t, os.WriteFile(filepath.Join(dir, "notes.txt"), []byte(header), 0o600))
	do(t, os.Symlink("/etc/passwd", filepath.Join(dir, "link.jsonl")))

	list, err := listed(dir)
	do(t, err)
	var got []string
	for _, s := range list {
		got = append(got, fmt.Sprint(s.ID, " ", len(s.FirstMessage), " ", s.Status))
	}
	same(t, []string{"ccc3 5 aborted", "bbb2 200 interrupted", "aaa1 5 complete"}, got)

	folders, err := Folders(root)
	do(t, err)
	all, err := Page(folders, "", 0)
	do(t, err)
	same(t, []any{4, "aaa9", StatusUnknown, 1, ""}, []any{len(all.Sessions), all.Sessions[0].ID, all.Sessions[0].Status, all.Skipped, all.Next})

	for prefix, want := range map[string]string{"AAA": "aaa1", "aaa9": "aaa9", "1970-01-01T00-00-00-000Z_bbb": "bbb2", "zzz": "", "": ""} {
		s, ok, err := Find(root, dir, prefix)
		do(t, err)
		same(t, []any{want, want != ""}, []any{s.ID, ok})
	}
	none, err := listed(filepath.Join(root, "missing"))
	do(t, err)
	same(t, 0, len(none))
}

func TestListShowsTheTitleOfTheSlot(t *testing.T) {
	l := newLog(t)
	do(t, l.AppendMessage(user("hi")))
	do(t, l.SetTitle("my title", TitleUser))
	list, err := listed(filepath.Dir(l.Path()))
	do(t, err)
	same(t, []string{"my title", l.ID(), "hi", "/x"}, []string{list[0].Title, list[0].ID, list[0].FirstMessage, list[0].CWD})
	same(t, StatusPending, list[0].Status)
}

func TestListNamesSessionsWithoutATitle(t *testing.T) {
	dir := t.TempDir()
	summary := func(short string) string {
		return fmt.Sprintf(`{"type":"compaction","id":%q,"parentId":null,"summary":"long","shortSummary":%q}`+"\n", short, short)
	}
	quoting := said("q", "null", `the line \"type\":\"compaction\"`) + `{"type":"custom","id":"n","data":{"type":"compaction","shortSummary":"no"}}` + "\n"
	for _, c := range []struct{ rest, title, first string }{
		{"", "", "(no messages)"},
		{said("a", "null", "hi") + replied("stop"), "", "hi"},
		{said("a", "null", "hi") + summary("one") + summary("two") + replied("stop"), "two", "hi"},
		{said("a", "null", "hi") + summary("far") + quoting + strings.Repeat(replied("stop"), 100), "far", "hi"},
		{said("a", "null", strings.Repeat("x", 70<<10)) + summary("behind") + strings.Repeat(replied("stop"), 400), "", strings.Repeat("x", 200)},
	} {
		path := writeSession(t, dir, "x", c.rest, 1)
		list, err := listed(dir)
		do(t, err)
		same(t, []string{c.title, c.first}, []string{list[0].Title, list[0].FirstMessage})
		do(t, os.Remove(path))
	}
}

func TestListReadsOnlyTheEndsOfFiles(t *testing.T) {
	dir := t.TempDir()
	path := writeSession(t, dir, "big", said("a", "null", "first"), 1)
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	do(t, err)
	do(t, f.Truncate(64<<30)) // a hole; reading it all would take minutes
	do(t, f.Close())
	list, err := listed(dir)
	do(t, err)
	same(t, "first", list[0].FirstMessage)
}

func TestFoldersAreNamedAfterTheWorkingFolder(t *testing.T) {
	home, err := filepath.EvalSymlinks(t.TempDir())
	do(t, err)
	temp := filepath.Join(home, "..", "tmp-root")
	do(t, os.MkdirAll(temp, 0o700))
	temp, err = filepath.EvalSymlinks(temp)
	do(t, err)
	t.Setenv("HOME", home)
	t.Setenv("TMPDIR", temp)
	do(t, os.MkdirAll(filepath.Join(home, "src", "pi"), 0o700))
	do(t, os.Symlink(filepath.Join(home, "src"), filepath.Join(temp, "link")))
	for cwd, want := range map[string]string{
		home: "-", filepath.Join(home, "src/pi"): "-src-pi", filepath.Join(temp, "link/pi"): "-src-pi",
		temp: "-tmp", filepath.Join(temp, "x"): "-tmp-x", "/opt/x": "--opt-x--", "/": "----",
	} {
		same(t, "/root/"+want, Dir("/root", cwd))
	}
	deep := Dir("/r", "/opt/"+strings.Repeat("ü/", 300))
	if n := len(filepath.Base(deep)); n > maxDirName || deep == Dir("/r", "/opt/"+strings.Repeat("ü/", 301)) {
		t.Fatalf("%d bytes: %s", n, deep)
	}
}

// listed are all sessions of a folder.
func listed(folder string) ([]Summary, error) {
	files, err := candidates(folder)
	slices.SortFunc(files, order)
	var found []Summary
	skipped := 0
	for _, s := range sessions(files, nil, &skipped) {
		found = append(found, s)
	}
	return found, err
}
