package export_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"

	"veyyon.dev/veyyon/core/export"
	"veyyon.dev/veyyon/core/transcript"
)

var update = flag.Bool("update", false, "write the golden page anew")

// pageOf exports the session in a file.
func pageOf(t *testing.T, path string) []byte {
	t.Helper()
	log, err := transcript.Open(path, transcript.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var page bytes.Buffer
	if err := export.Page(t.Context(), &page, log.Snapshot()); err != nil {
		t.Fatal(err)
	}
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	return page.Bytes()
}

func TestASampleSessionGivesTheGoldenPage(t *testing.T) {
	page := pageOf(t, filepath.Join("testdata", "sample.jsonl"))
	golden := filepath.Join("testdata", "sample.html")
	if *update {
		if err := os.WriteFile(golden, page, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(page)); diff != "" {
		t.Errorf("the page has changed; look at it in a browser and run with -update:\n%s", diff)
	}
}

func TestThePolicyAllowsThePagesOwnStyleAlone(t *testing.T) {
	root, err := html.Parse(bytes.NewReader(pageOf(t, filepath.Join("testdata", "sample.jsonl"))))
	if err != nil {
		t.Fatal(err)
	}
	policy, style := "", ""
	for node := range root.Descendants() {
		if node.Type != html.ElementNode {
			continue
		}
		switch {
		case node.Data == "style" && style == "":
			style = node.FirstChild.Data
		case node.Data == "style":
			t.Error("there is a second style")
		case node.Data == "meta" && node.Attr[0].Key == "http-equiv":
			policy = node.Attr[1].Val
			if style != "" {
				t.Error("the policy comes too late for the style")
			}
		}
	}
	sum := sha256.Sum256([]byte(style))
	want := "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'; img-src data:; base-uri 'none'; form-action 'none'"
	if diff := cmp.Diff(want, policy); diff != "" {
		t.Error(diff)
	}
}

func TestASessionWithoutMessagesIsAPageThatSaysSo(t *testing.T) {
	log, err := transcript.New(transcript.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var page strings.Builder
	if err := export.Page(t.Context(), &page, log.Snapshot()); err != nil || !strings.Contains(page.String(), "Nothing has been said") {
		t.Error(err, page.String())
	}
}

// Whatever kind of entry a word stands in, it is hidden, and nothing else changes.
func TestADiscreetPageHasNoSecretInIt(t *testing.T) {
	path := filepath.Join("testdata", "sample.jsonl")
	whole := string(pageOf(t, path))
	log, err := transcript.Open(path, transcript.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = log.Close() }() // it has not changed
	discreetly := func(hide func(string) string) string {
		var page strings.Builder
		if err := export.Page(t.Context(), &page, export.Discreet(log.Snapshot(), hide)); err != nil {
			t.Fatal(err)
		}
		return page.String()
	}
	if diff := cmp.Diff(whole, discreetly(func(text string) string { return text })); diff != "" {
		t.Error(diff)
	}
	_, body, _ := strings.Cut(whole, "<body>")
	words := 0
	for word := range strings.FieldsFuncSeq(body, func(r rune) bool { return !unicode.IsLetter(r) }) {
		if len(word) < 6 || strings.Count(body, word) != 1 { // those that occur once are none of the page's own
			continue
		}
		page := discreetly(strings.NewReplacer(word, "HIDDEN").Replace)
		if _, page, _ = strings.Cut(page, "<body>"); !strings.Contains(page, "HIDDEN") {
			continue // not of the session
		}
		if words++; strings.Contains(page, word) {
			t.Errorf("%q is shown", word)
		}
	}
	if words < 20 {
		t.Errorf("%d words", words)
	}
}

func TestAPageThatIsNotWantedAnyMoreEnds(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	gone := errors.New("the host has gone")
	cancel(gone)
	log, err := transcript.Open(filepath.Join("testdata", "sample.jsonl"), transcript.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = log.Close() }() // it has not changed
	var page strings.Builder
	if err := export.Page(ctx, &page, log.Snapshot()); !errors.Is(err, gone) || page.Len() > 0 {
		t.Error(err, page.Len())
	}
}
