package read

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
	"golang.org/x/sys/unix"

	"veyyon.dev/veyyon/core/document"
	"veyyon.dev/veyyon/core/host"
	"veyyon.dev/veyyon/core/message"
	"veyyon.dev/veyyon/core/tool"
)

// childKind makes this test binary the process that converts a document.
const childKind = "VEYYON_TEST_CONVERT"

func TestMain(m *testing.M) {
	kind := os.Getenv(childKind)
	if kind == "" {
		goleak.VerifyTestMain(m)
	}
	if err := document.Serve(document.Kind(kind), os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "Error: "+err.Error())
		os.Exit(1)
	}
	os.Exit(0)
}

// readLineNumbers was accepted and not followed.
func TestPlainTextHasNoLineNumbers(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "a", "one\r\ntwo\r\nthree\r\nfour\r\nfive\r\nsix\r\nseven\r\neight\r\n")
	plain := New(Options{Plain: true})
	if got, want := text(t, plain, dir, "a:1-1,8-8"), "one\ntwo\nthree\nfour\n…\nseven\neight"; got != want {
		t.Errorf("%q, not %q", got, want)
	}
	if told := plain.Spec().Description; strings.Contains(told, "12:text") || !strings.Contains(told, "Text comes without line numbers. A result") || !strings.Contains(told, "`a.go:40-80:raw` exactly as the file has it") {
		t.Errorf("models are told:\n%s", told)
	}
}

func TestModelsAreToldOfTheLimitThatHolds(t *testing.T) {
	for limit, want := range map[int]string{0: "at most 300 lines", 50: "at most 50 lines", 9999: "at most 3000 lines"} {
		if told := New(Options{Limit: limit}).Spec().Description; !strings.Contains(told, want) {
			t.Errorf("%d: models are told:\n%s", limit, told)
		}
	}
}

func TestReadShowsText(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "a", "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten\n")
	put(t, dir, "crlf", "\ufeffone\r\ntwo")
	put(t, dir, "empty", "")
	put(t, dir, "blank", "\n")
	put(t, dir, "latin", "caf\xe9\n")
	put(t, dir, "wide", "\xff\xfeh\x00i\x00\n\x00")
	put(t, dir, "name:3", "odd\n")
	for path, want := range map[string]string{
		"a:9":        "9:nine\n10:ten",
		"a:5-5":      "4:four\n5:five\n6:six\n7:seven\n8:eight",
		"a:2-2:raw":  "two",
		"a:1-1,9+1":  "1:one\n2:two\n3:three\n4:four\n…\n8:eight\n9:nine\n10:ten",
		"a:8-99":     "7:seven\n8:eight\n9:nine\n10:ten",
		"a:50":       "There is no such line: the text has 10 lines. Use :1 to read it from its beginning.",
		"crlf":       "1:one\n2:two",
		"crlf:raw":   "one\r\ntwo",
		"empty":      "(empty file)",
		"blank":      "1:",
		"latin":      "1:caf\ufffd\n\n[Bytes that are not UTF-8 are shown as U+FFFD, and NUL as U+2400.]",
		"wide":       "1:hi",
		"name:3":     "1:odd",
		"name:3:raw": "odd",
	} {
		if got := text(t, New(Options{}), dir, path); got != want {
			t.Errorf("%s:\n%s\nwant\n%s", path, got, want)
		}
	}
}

func TestReadTellsHowToGoOn(t *testing.T) {
	dir := t.TempDir()
	var all strings.Builder
	for i := range 1200 {
		fmt.Fprintf(&all, "line %d\n", i+1)
	}
	put(t, dir, "long", all.String())
	put(t, dir, "exact", strings.Join(strings.Split(all.String(), "\n")[:300], "\n")+"\n")
	put(t, dir, "wide", strings.Repeat(strings.Repeat("x", 999)+"\n", 100))
	for path, want := range map[string]string{
		"long":            "300:line 300\n\n[Showing lines 1-300 of 1200. Use :301 to continue.]",
		"long:301":        "600:line 600\n\n[Showing lines 301-600 of 1200. Use :601 to continue.]",
		"long:1001":       "1200:line 1200",
		"long:1-900":      "903:line 903",
		"long:raw":        "line 300\n\n[Showing lines 1-300 of 1200. Use :raw:301 to continue.]",
		"exact":           "300:line 300",
		"wide:1-70,80-90": "\n\n[Showing lines 1-51 of 100 (50.0KB limit). Use :52-73,79-93 to continue.]",
	} {
		if got := text(t, New(Options{}), dir, path); !strings.HasSuffix(got, want) {
			t.Errorf("%s ends %q", path, got[max(0, len(got)-200):])
		}
	}
	out := read(t, New(Options{}), dir, "long")
	var details Details
	must(t, json.Unmarshal(out.Details, &details))
	want := &tool.Meta{Truncation: &tool.Truncation{
		Direction: "head", TruncatedBy: "lines", TotalLines: 1200, TotalBytes: all.Len(), OutputLines: 300, OutputBytes: 3684, MaxBytes: maxBytes, NextOffset: 301,
	}}
	if diff := cmp.Diff(want, details.Meta); diff != "" {
		t.Error(diff)
	}
}

func TestReadStaysBounded(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "many", strings.Repeat("x\n", 5000))
	if got := text(t, New(Options{}), dir, "many:1-4999"); !strings.Contains(got, "[Showing lines 1-3000 of 5000. Use :3001-5002 to continue.]") {
		t.Errorf("many ends %q", got[len(got)-100:])
	}
	put(t, dir, "one", strings.Repeat("é", 1<<20)+"\nnext\n")
	got := text(t, New(Options{}), dir, "one")
	if len(got) > maxBytes+500 || strings.Contains(got, "\ufffd") || !strings.Contains(got, "[Line 1 has 2097153 bytes; only its beginning is shown.") || !strings.Contains(got, "Use :2 to continue.]") {
		t.Errorf("%d bytes, ending %q", len(got), got[len(got)-200:])
	}
	// A hole of 1 TB costs nothing when the lines asked for come before it.
	sparse := put(t, dir, "sparse", strings.Repeat("row\n", 4000))
	must(t, os.Truncate(sparse, 1<<40))
	if got := text(t, New(Options{}), dir, "sparse:10-11"); !strings.HasPrefix(got, "9:row\n10:row") {
		t.Errorf("sparse is %q", got[:50])
	}
	if got := text(t, New(Options{}), dir, "sparse:4001"); !strings.HasPrefix(got, "4001:\u2400") || !strings.Contains(got, "[Line 4001 has more than 8") {
		t.Errorf("sparse is %q", got[:50])
	}
}

func TestReadEndsWithItsContext(t *testing.T) {
	dir := t.TempDir()
	must(t, os.Truncate(put(t, dir, "huge", strings.Repeat("row\n", 4000)), 1<<40))
	cause := errors.New("aborted")
	ctx, stop := context.WithTimeoutCause(t.Context(), 50*time.Millisecond, cause)
	defer stop()
	if _, err := run(ctx, New(Options{}), dir, "huge:900000"); !errors.Is(err, cause) {
		t.Errorf("error is %v", err)
	}
}

func TestReadOpensNothingThatHangs(t *testing.T) {
	dir := t.TempDir()
	must(t, syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600))
	for path, want := range map[string]string{"pipe": "a named pipe", "/dev/zero": "a device", "/dev/tty": "a device"} {
		if _, err := run(t.Context(), New(Options{}), dir, path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", path, err)
		}
	}
}

func TestReadShowsImages(t *testing.T) {
	dir := t.TempDir()
	var raw bytes.Buffer
	must(t, png.Encode(&raw, image.NewNRGBA(image.Rect(0, 0, 30, 20))))
	put(t, dir, "picture.txt", raw.String())
	put(t, dir, "broken.png", raw.String()[:raw.Len()/2])
	put(t, dir, "fake.png", "just text\n")
	out := read(t, New(Options{}), dir, "picture.txt")
	want := message.Blocks{
		message.NewText("Read image file [image/png], 30×20 pixels"), message.NewImage(base64.StdEncoding.EncodeToString(raw.Bytes()), "image/png"),
	}
	if diff := cmp.Diff(want, out.Content); diff != "" {
		t.Error(diff)
	}
	if _, err := run(t.Context(), New(Options{}), dir, "broken.png"); err == nil || !strings.Contains(err.Error(), "cannot be decoded") {
		t.Errorf("error is %v", err)
	}
	if got := text(t, New(Options{}), dir, "fake.png"); got != "1:just text" {
		t.Errorf("text is %q", got)
	}
}

func TestReadNamesBinaryFiles(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "prog", "\x7fELF\x00\x01")
	out := read(t, New(Options{}), dir, "prog")
	var details Details
	must(t, json.Unmarshal(out.Details, &details))
	if got := out.Content.Text(); got != "Binary file (application/octet-stream, 6 bytes); its content is not shown." || details.ContentUnavailable == nil || out.IsError {
		t.Errorf("%q %+v", got, details)
	}
}

func TestReadListsDirectories(t *testing.T) {
	dir := t.TempDir()
	now := time.Now()
	for i := range 15 {
		path := put(t, dir, fmt.Sprintf("sub/f%02d", i), strings.Repeat("x", 100*i))
		must(t, os.Chtimes(path, now, now.Add(-time.Duration(i+1)*time.Hour)))
	}
	put(t, dir, "sub/deep/er/x", "")
	must(t, os.Symlink("sub", filepath.Join(dir, "link")))
	must(t, os.Mkdir(filepath.Join(dir, "none"), 0o755))
	for _, name := range []string{"link", "none", "sub", "sub/deep"} {
		must(t, touch(filepath.Join(dir, name), now.Add(-time.Minute)))
	}
	got := text(t, New(Options{}), dir, "/")
	want := "link -> sub\nnone/\nsub/\n  deep/\n  f00  0B  1h ago\n  f01  100B  2h ago\n"
	if !strings.HasPrefix(got, want) || !strings.HasSuffix(got, "\n  f10  1000B  11h ago\n  … 4 more") || strings.Contains(got, "er/") {
		t.Errorf("listing is\n%s", got)
	}
	if got := text(t, New(Options{}), dir, "none"); got != "(empty directory)" {
		t.Errorf("empty directory is %q", got)
	}
}

func TestReadFindsTheFileThatWasMeant(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "src/app/main.go", "package main\n")
	put(t, dir, "src/one/same.go", "")
	put(t, dir, "src/two/same.go", "")
	out := read(t, New(Options{}), dir, "app/main.go:1")
	if got := out.Content.Text(); got != "[Path 'app/main.go' not found; resolved to 'src/app/main.go' via suffix match]\n1:package main" {
		t.Errorf("text is %q", got)
	}
	var details Details
	must(t, json.Unmarshal(out.Details, &details))
	if diff := cmp.Diff(&Resolution{"app/main.go", "src/app/main.go"}, details.SuffixResolution); diff != "" {
		t.Error(diff)
	}
	for path, want := range map[string]string{
		"same.go": "File not found: same.go. Several paths end like this: src/one/same.go, src/two/same.go", "nothing": "File not found: nothing",
	} {
		if out := read(t, New(Options{}), dir, path); !out.IsError || out.Content.Text() != want {
			t.Errorf("%s: %q", path, out.Content.Text())
		}
	}
}

// desk is a host with one scheme.
type desk struct{ host.URIs }

func (desk) Scheme(name string) (host.Scheme, bool) { return host.Scheme{Name: name}, name == "db" }
func (desk) Read(_ context.Context, url string) (host.Resource, error) {
	return host.Resource{Content: url + "\nname=Alice\n", ContentType: "text/plain", Notes: []string{"fresh"}, Immutable: strings.Contains(url, "fixed")}, nil
}

func TestReadOfURLs(t *testing.T) {
	dir := t.TempDir()
	artifact := put(t, dir, "artifact.log", "kept\n")
	opts := Options{
		URIs: desk{}, Artifact: func(_ tool.Session, n int) (string, bool) { return artifact, n == 3 },
		Skill: func(dir, url string) (string, error) {
			if url != "skill://greet/a" {
				return "", errors.New("no such skill")
			}
			return filepath.Join(dir, "artifact.log"), nil
		},
	}
	for path, want := range map[string]string{
		"DB://users/42":    "1:db://users/42\n2:name=Alice",
		"db://users/42:2":  "2:name=Alice",
		"db://fixed/1:2-2": "name=Alice",
		"artifact://3:raw": "kept",
		"skill://greet/a":  "[skill://greet/a is " + artifact + "]\n1:kept",
	} {
		if got := text(t, New(opts), dir, path); got != want {
			t.Errorf("%s is %q", path, got)
		}
	}
	for path, want := range map[string]string{
		"https://example.com": "reading the web is switched off by the setting fetch.enabled", "other://x": "nothing is registered that reads other:// URLs",
		"skill://none": "no such skill", "artifact://4": "this session has no artifact 4", "artifact://x": "artifact://x does not name an artifact; its form is artifact://<number>",
	} {
		if _, err := run(t.Context(), New(opts), dir, path); err == nil || err.Error() != want {
			t.Errorf("%s: %v", path, err)
		}
	}
}

func run(ctx context.Context, tl tool.Tool, dir, path string) (tool.Output, error) {
	args, err := json.Marshal(map[string]string{"path": path})
	if err != nil {
		return tool.Output{}, err
	}
	return tl.Run(ctx, tool.Call{Args: args, Dir: dir})
}

func read(t *testing.T, tl tool.Tool, dir, path string) tool.Output {
	t.Helper()
	out, err := run(t.Context(), tl, dir, path)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return out
}

func text(t *testing.T, tl tool.Tool, dir, path string) string {
	t.Helper()
	return read(t, tl, dir, path).Content.Text()
}

func put(t *testing.T, dir, name, content string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	must(t, os.MkdirAll(filepath.Dir(path), 0o755))
	must(t, os.WriteFile(path, []byte(content), 0o644))
	return path
}

// touch sets the time of an entry, of a link its own.
func touch(path string, when time.Time) error {
	stamp, err := unix.TimeToTimespec(when)
	if err != nil {
		return err
	}
	return unix.UtimesNanoAt(unix.AT_FDCWD, path, []unix.Timespec{stamp, stamp}, unix.AT_SYMLINK_NOFOLLOW)
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
