package session

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"veyyon.dev/veyyon/core/event"
	"veyyon.dev/veyyon/core/transcript"
)

func TestASessionOutlivesWhatIsDoneToItsFile(t *testing.T) {
	conversation := []string{"summary The summary", "user second abc a", "answer yes", "user third", "answer yes"}
	for name, harm := range map[string]func(path string) error{
		"deleted":  os.Remove,
		"emptied":  func(path string) error { return os.Truncate(path, 0) },
		"replaced": func(path string) error { return os.WriteFile(path, []byte("theirs\n"), 0o600) },
	} {
		t.Run(name, func(t *testing.T) {
			inTime(t, func(ctx context.Context, t *testing.T) {
				log := newLog(t, transcript.Options{Dir: t.TempDir(), CWD: t.TempDir()})
				before := log.Path()
				k := talks(ctx, t, log, answers("yes"), answers("The summary"), nil)
				for _, text := range []string{long("first", 3000), long("second", 2500)} {
					say(t, k.Session, text)
					k.settle(t)
				}
				if _, err := k.compactNow(t); err != nil {
					t.Fatal(err)
				}
				if err := harm(before); err != nil {
					t.Fatal(err)
				}
				say(t, k.Session, "third")
				k.settle(t)
				k.mu.Lock()
				var told []string
				for _, e := range k.events {
					if notice, ok := e.(event.Notice); ok {
						told = append(told, notice.Message)
					}
				}
				k.mu.Unlock()
				if len(told) != 1 || !strings.Contains(told[0], before) || !strings.Contains(told[0], k.Path()) {
					t.Errorf("told %q", told)
				}
				if moved := k.Path() != before; moved != (name == "replaced") {
					t.Errorf("it goes on in %s", k.Path())
				}
				k.Stop(ctx, ErrClosed, true)
				<-k.Done()
				again, err := transcript.Open(k.Path(), transcript.Options{})
				if err != nil {
					t.Fatal(err)
				}
				var said []string
				for _, m := range again.Messages() {
					said = append(said, short(m))
				}
				if diff := cmp.Diff(conversation, said); diff != "" {
					t.Error(diff)
				}
			})
		})
	}
}
