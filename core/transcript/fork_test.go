package transcript

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestAForkHoldsAllOfASession(t *testing.T) {
	l := newLog(t)
	do(t, l.AppendMessage(user("one")))
	first := l.Leaf()
	do(t, l.AppendMessage(user("left")))
	do(t, l.SetTitle("name", TitleUser))
	do(t, l.SetLabel(first.ID, "start"))
	do(t, l.Flush())
	// Another program went back to the first message and on from there.
	path := filepath.Join(t.TempDir(), "forked.jsonl")
	text := string(read(t, l.Path())) + `{"type":"message","id":"other","parentId":"` + first.ID + `","timestamp":"2026-01-01T00:00:00.000Z","message":{"role":"user","content":[{"type":"text","text":"instead"}],"timestamp":1}}` + "\n"
	do(t, os.WriteFile(path, []byte(text), 0o600))

	for _, dir := range []string{filepath.Dir(l.Path()), ""} {
		from, err := Read(path, Options{Blobs: string(l.blobs)})
		do(t, err)
		fork, err := from.Fork(Options{Dir: dir, CWD: "/y", Blobs: string(l.blobs), Parent: from.Header().ID})
		do(t, err)
		do(t, from.Close())
		do(t, fork.AppendMessage(user("more")))
		if dir != "" {
			fork = reload(t, fork)
		}
		same(t, []string{"user: one", "user: instead", "user: more"}, texts(fork.Messages()))
		title, source := fork.Title()
		same(t, []any{"name", TitleUser, l.ID(), "/y", map[string]string{first.ID: "start"}}, []any{title, source, fork.Header().ParentSession, fork.Header().CWD, fork.labels.names})
		var shape []string
		for _, e := range fork.Entries() {
			if e.Parent != nil && e.Parent.ID == first.ID {
				shape = append(shape, e.Type)
			}
		}
		same(t, []string{"message", "message"}, shape)
		if fork.ID() == l.ID() {
			t.Error("two sessions have one id")
		}
	}
	if got := string(read(t, path)); got != text {
		t.Errorf("what was forked is now\n%s", strings.TrimPrefix(got, text))
	}
}
