package file

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"veyyon.dev/veyyon/core/host"
	"veyyon.dev/veyyon/core/host/memory"
)

func TestTheHostHasTheLatestText(t *testing.T) {
	var editor memory.Files
	editor.Put("/p/a", "")
	editor.Put("/p/big", strings.Repeat("x", MaxText+1))
	editor.Put("/p/own", "not this one")
	texts := Texts{Host: editor.Host(), Own: func(path string) bool { return path == "/p/own" }}
	for _, c := range []struct{ path, disk, want, asked string }{
		{"/p/a", "saved", "", "read /p/a"},
		{"/p/closed", "saved", "saved", "read /p/closed"}, // an error
		{"/p/big", "saved", "saved", "read /p/big"},
		{"/p/own", "saved", "saved", ""},
		{"/p/a", "\xff", "\xff", ""},
		{"/p/a", "a\x00", "a\x00", ""},
		{"/p/a", strings.Repeat("x", MaxText+1), strings.Repeat("x", MaxText+1), ""},
	} {
		got, err := texts.Latest(t.Context(), c.path, []byte(c.disk))
		if asked := strings.Join(editor.Calls(), ", "); err != nil || string(got) != c.want || asked != c.asked {
			t.Errorf("%s: %.20q, %v; asked for %q", c.path, got, err, asked)
		}
	}
	if got, err := (Texts{}).Latest(t.Context(), "/p/a", []byte("saved")); err != nil || string(got) != "saved" {
		t.Errorf("without a host: %q, %v", got, err)
	}
}

func TestAnAbortedReadIsNotOneOfTheDisk(t *testing.T) {
	cause := errors.New("aborted")
	ctx, end := context.WithCancelCause(t.Context())
	texts := Texts{Host: host.Files{Read: func(ctx context.Context, _ string) (string, error) {
		end(cause)
		return "", context.Cause(ctx)
	}}}
	if _, err := texts.Latest(ctx, "/p/a", nil); !errors.Is(err, cause) {
		t.Errorf("the error is %v", err)
	}
}

func TestTheHostWritesInPlaceOfTheDisk(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "deep", "a")
	var editor memory.Files
	own := filepath.Join(dir, "own")
	texts := Texts{Host: editor.Host(), Own: func(path string) bool { return path == own }}
	if err := texts.Write(t.Context(), path, path, []byte("one")); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]string{path: "one"}, editor.Texts()); diff != "" {
		t.Error(diff)
	}
	refused := errors.New("the buffer is read-only")
	editor.Fail(refused)
	if err := texts.Write(t.Context(), path, path, []byte("two")); !errors.Is(err, refused) || !strings.Contains(err.Error(), path) {
		t.Errorf("the error is %v", err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("the disk was written: %v, %v", left, err)
	}
	editor.Calls()
	for path, text := range map[string]string{own: "mine", path: "\xff"} {
		if err := texts.Write(t.Context(), path, path, []byte(text)); err != nil {
			t.Error(err)
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != text {
			t.Errorf("%s is %q, %v", path, got, err)
		}
	}
	if calls := editor.Calls(); len(calls) > 0 {
		t.Errorf("the host was asked for %v", calls)
	}
}

func TestTheHostIsNotAskedToWriteWhatCannotBe(t *testing.T) {
	dir := t.TempDir()
	var editor memory.Files
	texts := Texts{Host: editor.Host()}
	readOnly := filepath.Join(dir, "a")
	if err := os.WriteFile(readOnly, nil, 0o444); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]error{readOnly: ErrReadOnly, dir: ErrIrregular} {
		if err := texts.Write(t.Context(), path, path, nil); !errors.Is(err, want) {
			t.Errorf("%s: %v", path, err)
		}
	}
	cause := errors.New("aborted")
	ctx, end := context.WithCancelCause(t.Context())
	end(cause)
	if err := texts.Write(ctx, filepath.Join(dir, "b"), filepath.Join(dir, "b"), nil); !errors.Is(err, cause) {
		t.Errorf("after an abort: %v", err)
	}
	if calls := editor.Calls(); len(calls) > 0 {
		t.Errorf("the host was asked for %v", calls)
	}
}

func TestAWriteThatWasSentIsAwaitedThroughAnAbort(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a")
	for slow, want := range map[time.Duration]bool{time.Second: true, time.Hour: false} {
		synctest.Test(t, func(t *testing.T) {
			ctx, end := context.WithCancel(t.Context())
			texts := Texts{Host: host.Files{Write: func(ctx context.Context, _, _ string) error {
				end()
				select {
				case <-time.After(slow):
					return nil
				case <-ctx.Done():
					return context.Cause(ctx)
				}
			}}}
			began := time.Now()
			err := texts.Write(ctx, path, path, nil)
			if took := time.Since(began); (err == nil) != want || took > writeGrace {
				t.Errorf("after %v: %v", took, err)
			}
		})
	}
}

func TestUnderFollowsLinks(t *testing.T) {
	dir := t.TempDir()
	inside, link := filepath.Join(dir, "inside"), filepath.Join(dir, "link")
	if err := errors.Join(os.Mkdir(inside, 0o700), os.Symlink(inside, link)); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]bool{
		filepath.Join(inside, "new", "a"): true, filepath.Join(link, "a"): true, inside: true,
		filepath.Join(dir, "a"): false, filepath.Join(inside, "..", "a"): false, inside + "2": false,
	} {
		for _, folder := range []string{inside, link} {
			if got := Under(path, folder); got != want {
				t.Errorf("%s under %s: %v", path, folder, got)
			}
		}
	}
}
