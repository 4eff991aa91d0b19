package export_test

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"veyyon.dev/veyyon/core/export"
	"veyyon.dev/veyyon/core/message"
	"veyyon.dev/veyyon/core/transcript"
)

// browse loads a page in a browser without a window and returns its document
// and what the browser had to say. The test is skipped where there is none.
func browse(t *testing.T, page []byte) (document, said string) {
	t.Helper()
	program := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "chrome"} {
		if found, err := exec.LookPath(name); err == nil {
			program = found
			break
		}
	}
	if program == "" {
		t.Skip("no Chromium is installed: the page is only read by a parser")
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "page.html")
	if err := os.WriteFile(file, page, 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	browser := exec.CommandContext(ctx, program, "--headless=new", "--no-sandbox", "--disable-gpu", "--user-data-dir="+filepath.Join(dir, "profile"),
		"--enable-logging=stderr", "--dump-dom", "file://"+file)
	var out, err bytes.Buffer
	browser.Stdout, browser.Stderr = &out, &err
	if failed := browser.Run(); failed != nil {
		t.Skipf("the browser does not run here: %v\n%s", failed, err.String())
	}
	return out.String(), err.String()
}

func TestABrowserHasNothingToComplainOf(t *testing.T) {
	document, said := browse(t, pageOf(t, filepath.Join("testdata", "sample.jsonl")))
	if strings.Contains(said, "CONSOLE") {
		t.Error(said)
	}
	if !strings.Contains(document, "nobody is overtaken any more") {
		t.Error(document)
	}
}

func TestABrowserRunsNothingOfAHostileSession(t *testing.T) {
	log, err := transcript.New(transcript.Options{CWD: hostile[1]})
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range append(hostile, `<script>document.title="run"</script>`, `<img src=x onerror='document.title="run"'>`) {
		text = strings.ReplaceAll(text, "alert(1)", `document.title="run"`)
		content := message.Blocks{message.NewText(text), &message.Thinking{Thinking: text}, &message.ToolCall{Name: text, Arguments: []byte(`{}`)}, message.NewImage("AAAA", text)}
		if err := log.AppendMessage(&message.Assistant{Role: message.RoleAssistant, Content: content, Model: text}); err != nil {
			t.Fatal(err)
		}
	}
	var page bytes.Buffer
	if err := export.Page(t.Context(), &page, log.Snapshot()); err != nil {
		t.Fatal(err)
	}
	document, said := browse(t, page.Bytes())
	if strings.Contains(said, "CONSOLE") || !strings.Contains(document, "<title>Untitled session</title>") {
		t.Error(said)
	}
}
