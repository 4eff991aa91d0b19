package document

import (
	"archive/zip"
	"bytes"
	"compress/zlib"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"
)

// childKind makes this test binary the process of a conversion.
const childKind = "VEYYON_TEST_CONVERT"

func TestMain(m *testing.M) {
	kind := os.Getenv(childKind)
	if kind == "" {
		os.Exit(m.Run())
	}
	if kind == "sleep" {
		time.Sleep(time.Hour)
	}
	if err := Serve(Kind(kind), "", os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "Error: "+err.Error())
		os.Exit(1)
	}
	os.Exit(0)
}

// child starts this binary as a conversion of the kind, or of what stands in for
// it.
func child(instead Kind) *Converter {
	return NewConverter(func(kind Kind, _ string) *exec.Cmd {
		if instead != "" {
			kind = instead
		}
		cmd := exec.Command(os.Args[0])
		cmd.Env = []string{childKind + "=" + string(kind)}
		return cmd
	})
}

const page = `<!doctype html><html><head><title>A  page</title><base href="/docs/"><style>p{}</style></head><body>
<nav><a href=x>Home</a></nav><script>alert(1)</script>
<main><h2>Limits</h2><p>See <a href="more.html">more</a>, and <em>note</em>: ` + "`a_b`" + ` <code>x &lt; y</code>.</p>
<table><thead><tr><th>Name</th><th>Size</th></tr></thead><tbody><tr><td>a|b</td><td>1</td></tr></tbody></table>
<ul><li>one<ul><li>two</li></ul></li></ul><pre><code class="language-go">if a {
	b()
}</code></pre><p hidden>secret</p><img alt="dot" src="data:image/png;base64,AAAA"><button>Buy</button>` +
	`<p>Long enough to be the main part of its page, which is what the rest of this sentence is there for and for nothing else, dear reader.</p></main><footer>(c)</footer></body></html>`

func TestAPageBecomesMarkdownWithItsTable(t *testing.T) {
	got, err := convert(HTML, "https://example.com/a/b", []byte(page))
	must(t, err)
	for _, want := range []string{
		"# A page\n\n## Limits\n\nSee [more](https://example.com/docs/more.html), and *note*:", "`x < y`",
		"| Name | Size |\n", "| a\\|b | 1 |", "- one\n", "  - two", "```go\nif a {\n\tb()\n}\n```",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	for _, not := range []string{"Home", "alert", "secret", "base64", "Buy", "(c)"} {
		if strings.Contains(got, not) {
			t.Errorf("%q is in\n%s", not, got)
		}
	}
}

func TestAPDFBecomesText(t *testing.T) {
	content := "BT /F1 12 Tf 72 720 Td (Hello) Tj 40 0 Td (world) Tj -40 -14 Td [(sec) -20 (ond line)] TJ 0 -60 Td (far below) Tj ET"
	got, err := convert(PDF, "", makePDF("%PDF-2.0", content))
	must(t, err)
	if want := "## Page 1\n\nHello world\nsecond line\n\nfar below"; got != want {
		t.Errorf("got %q", got)
	}
	for name, raw := range map[string][]byte{
		"no text":   makePDF("%PDF-1.4", "0 0 m"),
		"damaged":   makePDF("%PDF-1.4", content)[:300],
		"too short": []byte("%PDF-"),
	} {
		if got, err := convert(PDF, "", raw); err == nil {
			t.Errorf("%s: %q", name, got)
		}
	}
}

func TestADocumentBecomesMarkdown(t *testing.T) {
	got, err := convert(DOCX, "", makeDOCX(t, `<w:p><w:pPr><w:pStyle w:val="Heading2"/><w:numPr/></w:pPr><w:r><w:t>Plan</w:t></w:r></w:p>
<w:p><w:r><w:t xml:space="preserve">See </w:t></w:r><w:hyperlink r:id="r1"><w:r><w:t>this</w:t></w:r></w:hyperlink><w:r><w:delText>gone</w:delText><w:t>.</w:t></w:r></w:p>
<w:p><w:pPr><w:numPr><w:ilvl w:val="0"/></w:numPr></w:pPr><w:r><w:t>one</w:t></w:r></w:p>
<w:p><w:pPr><w:numPr><w:ilvl w:val="1"/></w:numPr></w:pPr><w:r><w:t>two</w:t></w:r></w:p>
<w:tbl><w:tr><w:tc><w:p><w:r><w:t>Name</w:t></w:r></w:p></w:tc><w:tc><w:p><w:r><w:t>a|b</w:t></w:r></w:p></w:tc></w:tr>
<w:tr><w:tc><w:p><w:r><w:t>x</w:t></w:r></w:p></w:tc><w:tc><w:tbl><w:tr><w:tc><w:p><w:r><w:t>in</w:t></w:r></w:p></w:tc></w:tr></w:tbl><w:p><w:r><w:t>y</w:t></w:r></w:p></w:tc></w:tr></w:tbl>`))
	must(t, err)
	want := "## Plan\n\nSee [this](https://example.com/).\n\n- one\n  - two\n\n| Name | a\\|b |\n| --- | --- |\n| x | in y |"
	if got != want {
		t.Errorf("got\n%s", got)
	}
	if _, err := convert(DOCX, "", []byte("PK\x03\x04")); err == nil {
		t.Error("a broken archive is accepted")
	}
}

func TestBombsAreRefusedOrGivenUp(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	nested := strings.Repeat("<ul><li>", 200) + strings.Repeat("<p>x", 50_000)
	wide := "<table><tr>" + strings.Repeat("<td colspan=1000000 rowspan=1000>x", 50)
	letters := strings.Repeat("A", 1<<20)
	for name, c := range map[string]struct {
		kind Kind
		raw  []byte
	}{
		"nested lists":  {HTML, []byte(nested)},
		"wide cells":    {HTML, []byte(wide)},
		"deep elements": {HTML, []byte(strings.Repeat("<b>", 100_000) + "x")},
		"a zip entry":   {DOCX, makeDOCX(t, strings.Repeat("<w:t>"+letters+"</w:t>", 65))},
		"a PDF stream":  {PDF, makePDF("%PDF-1.4", append([]string{"BT ("}, slices.Repeat([]string{letters}, 900)...)...)},
	} {
		c2 := child("")
		c2.timeout = 3 * time.Second
		began := time.Now()
		text, plain, err := c2.Text(t.Context(), c.kind, "", c.raw)
		if took := time.Since(began); took > 8*time.Second || len(text) > maxText+len(cutNotice) {
			t.Errorf("%s: %d bytes after %v", name, len(text), took)
		}
		if c.kind == HTML && (err != nil || !plain || !strings.HasPrefix(text, "x")) || c.kind != HTML && err == nil {
			t.Errorf("%s: %.60q, %v, %v", name, text, plain, err)
		}
	}
}

func TestAConversionTellsWhyItFailed(t *testing.T) {
	if _, _, err := child("").Text(t.Context(), PDF, "", []byte("%PDF-1.4 no")); err == nil || !strings.Contains(err.Error(), "converting the document: it is too short to be a PDF") {
		t.Errorf("error is %v", err)
	}
	slow := child("sleep")
	slow.timeout = 50 * time.Millisecond
	if _, _, err := slow.Text(t.Context(), PDF, "", nil); err == nil || !strings.Contains(err.Error(), "took longer than 50ms") {
		t.Errorf("error is %v", err)
	}
	cause := errors.New("aborted")
	ctx, stop := context.WithTimeoutCause(t.Context(), 50*time.Millisecond, cause)
	defer stop()
	if _, _, err := child("sleep").Text(ctx, HTML, "", nil); !errors.Is(err, cause) {
		t.Errorf("error is %v", err)
	}
	text, _, err := child("").Text(t.Context(), HTML, "", []byte("<p>fine"))
	if text != "fine" || err != nil {
		t.Errorf("%q, %v", text, err)
	}
}

func TestTextIsDecoded(t *testing.T) {
	for name, c := range map[string]struct{ raw, contentType, want string }{
		"said":        {"caf\xe9", "text/plain; charset=ISO-8859-1", "café"},
		"meta":        {"<meta charset=shift_jis>\x93\xfa\x96{", "text/html", "<meta charset=shift_jis>日本"},
		"utf-16":      {"\xff\xfeh\x00i\x00", "text/plain", "hi"},
		"late utf-8":  {strings.Repeat("x", 2000) + "é", "text/plain", strings.Repeat("x", 2000) + "é"},
		"not said":    {"caf\xe9", "", "café"},
		"unknown set": {"plain", "text/plain; charset=klingon", "plain"},
	} {
		if got := string(UTF8([]byte(c.raw), c.contentType)); got != c.want {
			t.Errorf("%s: %q", name, got)
		}
	}
}

func FuzzHTML(f *testing.F) {
	f.Add([]byte(page))
	f.Fuzz(func(t *testing.T, raw []byte) {
		if len(raw) > 2000 || bytes.Contains(raw, []byte("span")) { // bombs have a test of their own
			return
		}
		check(t, HTML, raw)
		if text := bareText(raw); len(text) > maxText+len(cutNotice) {
			t.Errorf("%d bytes of text", len(text))
		}
	})
}

func FuzzPDF(f *testing.F) {
	f.Add(makePDF("%PDF-1.4", "BT /F1 12 Tf 72 720 Td (Hello) Tj ET"))
	f.Fuzz(func(t *testing.T, raw []byte) { check(t, PDF, raw) })
}

func FuzzDOCX(f *testing.F) {
	f.Add([]byte(`<w:tbl><w:tr><w:tc><w:p><w:hyperlink r:id="r1"><w:t>x</w:t></w:hyperlink></w:p></w:tc></w:tr></w:tbl>`))
	f.Fuzz(func(t *testing.T, raw []byte) { check(t, DOCX, makeDOCX(t, string(raw))) })
}

func check(t *testing.T, kind Kind, raw []byte) {
	t.Helper()
	text, err := convert(kind, "https://example.com/", raw)
	if err == nil && (len(text) > maxText+len(cutNotice) || strings.ToValidUTF8(text, "") != text) {
		t.Errorf("%d bytes of text", len(text))
	}
}

// makePDF is a PDF of one page that draws this, in a packed stream.
func makePDF(version string, content ...string) []byte {
	var packed, out bytes.Buffer
	w := zlib.NewWriter(&packed)
	for _, part := range content {
		_, _ = io.WriteString(w, part) // a buffer takes all
	}
	_ = w.Close()
	objects := []string{
		"<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[3 0 R]/Count 1>>",
		"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>",
		fmt.Sprintf("<</Length %d/Filter/FlateDecode>>\nstream\n%s\nendstream", packed.Len(), packed.String()),
		"<</Type/Font/Subtype/Type1/BaseFont/Courier/Encoding/WinAnsiEncoding/FirstChar 32/LastChar 126/Widths[" + strings.Repeat("500 ", 95) + "]>>",
	}
	out.WriteString(version + "\n")
	table := "xref\n0 6\n0000000000 65535 f \n"
	for i, object := range objects {
		table += fmt.Sprintf("%010d 00000 n \n", out.Len())
		fmt.Fprintf(&out, "%d 0 obj\n%s\nendobj\n", i+1, object)
	}
	start := out.Len()
	fmt.Fprintf(&out, "%strailer\n<</Size 6/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\ntrailing", table, start)
	return out.Bytes()
}

func makeDOCX(t *testing.T, body string) []byte {
	t.Helper()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for name, text := range map[string]string{
		"word/document.xml":            "<w:document><w:body>" + body + "</w:body></w:document>",
		"word/_rels/document.xml.rels": `<Relationships><Relationship Id="r1" Target="https://example.com/" TargetMode="External"/></Relationships>`,
	} {
		part, err := w.Create(name)
		must(t, err)
		_, err = part.Write([]byte(text))
		must(t, err)
	}
	must(t, w.Close())
	return out.Bytes()
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
