package registry

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"veyyon.dev/veyyon/core/auth"
)

func TestAMissingKeyIsSaidInTheProtocolsWords(t *testing.T) {
	r := world{}.open(t)
	m, _, err := r.Match("anthropic/claude-opus-5-5", "")
	if err != nil {
		t.Fatal(err)
	}
	_, err = r.Key(t.Context(), m)
	if !errors.Is(err, ErrNoKey) || !strings.HasPrefix(err.Error(), "No API key found for anthropic. Set ANTHROPIC_API_KEY") || r.HasKey(m) {
		t.Error(err)
	}
}

func TestAnUnreadableStoreIsToldWithTheMissingKey(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "auth.json"), "{sk-canary")
	r := New(Options{Keys: auth.NewSource(nil, auth.NewStore(filepath.Join(dir, "auth.json")), auth.Env{})})
	m, _, _ := r.Match("xai/grok-4.7", "")
	_, err := r.Key(t.Context(), m)
	if len(r.Warnings()) != 1 || !errors.Is(err, ErrNoKey) || !strings.Contains(err.Error(), "auth.json") || strings.Contains(err.Error(), "canary") {
		t.Error(r.Warnings(), err)
	}
}

func TestACommandPrintsTheKeyOnce(t *testing.T) {
	dir := t.TempDir()
	text := func(command string) string {
		return "providers:\n  p: {baseUrl: 'http://x', api: openai-completions, apiKey: '!" + command + "', models: [{id: m}]}\n"
	}
	counter := filepath.Join(dir, "runs")
	r := world{yml: text("echo run >> " + counter + "; echo \"  sk-printed \"")}.open(t)
	m, ok := r.Find("p", "m")
	if !ok || !r.HasKey(m) {
		t.Fatal("a configured command counts as a key")
	}
	for range 2 {
		if key, err := r.Key(t.Context(), m); key != "sk-printed" || err != nil {
			t.Error(key, err)
		}
	}
	if runs, _ := os.ReadFile(counter); string(runs) != "run\n" {
		t.Errorf("runs: %q", runs)
	}
	for command, want := range map[string]string{
		"echo sk-canary; exit 3":    "exit status 3",
		"true":                      "printed nothing",
		"head -c 70000 /dev/zero":   "more than 64 KiB",
		"exec /does/not/exist/here": "exit status 127",
	} {
		r := world{yml: text(command)}.open(t)
		m, _ := r.Find("p", "m")
		_, err := r.Key(t.Context(), m)
		if !errors.Is(err, ErrNoKey) || !strings.HasPrefix(err.Error(), "No API key found for p.") || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "canary") {
			t.Errorf("%s: %v", command, err)
		}
	}
}

func TestAnAbortEndsTheCommandWithItsChildren(t *testing.T) {
	fifo := filepath.Join(t.TempDir(), "fifo") // ends when the last process that holds it does
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	r := world{yml: "providers:\n  p: {baseUrl: 'http://x', api: openai-completions, apiKey: '!exec 3>" + fifo + "; sleep 60 & echo >&3; wait', models: [{id: m}]}\n"}.open(t)
	m, _ := r.Find("p", "m")
	cause := errors.New("aborted by the test")
	ctx, cancel := context.WithCancelCause(t.Context())
	ended := make(chan error, 1)
	go func() {
		ended <- func() error {
			defer cancel(cause)
			held, err := os.Open(fifo)
			if err != nil {
				return err
			}
			defer held.Close()
			if _, err := io.ReadFull(held, make([]byte, 1)); err != nil { // the grandchild runs
				return err
			}
			cancel(cause)
			if err := held.SetReadDeadline(time.Now().Add(5 * time.Second)); err != nil {
				return err
			}
			_, err = io.Copy(io.Discard, held)
			return err
		}()
	}()
	if _, err := r.Key(ctx, m); !errors.Is(err, cause) {
		t.Fatal(err)
	}
	if err := <-ended; err != nil {
		t.Error("the grandchild lives:", err)
	}
}
