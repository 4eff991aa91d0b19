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
	if err := Serve(Kind(kind), os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "Error: "+err.Error())
		os.Exit(1)
	}
	os.Exit(0)
}

// child starts this binary as a conversion of the kind, or of what stands in for
// it.
func child(instead Kind) *Converter {
	return NewConverter(func(kind Kind) *exec.Cmd {
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
	got := Markdown([]byte(page), "https://example.com/a/b")
	for _, want := range []string{
		"# A page\n\n## Limits\n\nSee [more](https://example.com/docs/more.html), and *note*:", "`x < y`",
		"| Name | Size |\n| --- | --- |\n| a\\|b | 1 |", "- one\n  - two", "```go\nif a {\n\tb()\n}\n```",
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
	got, err := convert(PDF, makePDF("%PDF-2.0", content))
	must(t, err)
	if want := "## Page 1\n\nHello world\nsecond line\n\nfar below"; got != want {
		t.Errorf("got %q", got)
	}
	for name, raw := range map[string][]byte{
		"no text":   makePDF("%PDF-1.4", "0 0 m"),
		"damaged":   makePDF("%PDF-1.4", content)[:300],
		"too short": []byte("%PDF-"),
	} {
		if got, err := convert(PDF, raw); err == nil {
			t.Errorf("%s: %q", name, got)
		}
	}
}

func TestADocumentBecomesMarkdown(t *testing.T) {
	got, err := convert(DOCX, makeDOCX(t, `<w:p><w:pPr><w:pStyle w:val="Heading2"/><w:numPr/></w:pPr><w:r><w:t>Plan</w:t></w:r></w:p>
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
	if _, err := convert(DOCX, []byte("PK\x03\x04")); err == nil {
		t.Error("a broken archive is accepted")
	}
}

func TestPagesOfAllKinds(t *testing.T) {
	for in, want := range map[string]string{
		"":                                      "",
		"just text &amp; more":                  "just text & more",
		"<p>one<p>two<br>three":                 "one\n\ntwo\nthree",
		"a<b> b </b>c<i></i>":                   "a **b** c",
		"<a href=/x>in <b>bold</b></a>.":        "[in **bold**](https://h/x).",
		"<a href=/x><h3>T</h3><p>p</p></a><p>q": "### [T](https://h/x)\n\np\n\nq",
		"<a href=#x>top</a> <a href='javascript:x()'>run</a>":         "top run",
		"<a href='/a(b)' title='x > y'>t</a>":                         "[t](https://h/a%28b%29)",
		"<ol><li>one<li><p>two</ol>three":                             "1. one\n2. two\n\nthree",
		"<ul><li>a<ol><li>b</ol><li>c</ul>":                           "- a\n  1. b\n- c",
		"<blockquote><p>a<p>b</blockquote>c":                          "> a\n>\n> b\n\nc",
		"<pre>a  b\n<b>c</b> &lt;</pre>d":                             "```\na  b\nc <\n```\n\nd",
		"<pre>```</pre>":                                              "````\n```\n````",
		"<code>a`b</code>":                                            "`` a`b ``",
		"<table><tr><td>lay</td></tr><tr><td>out</td></tr></table>":   "lay\n\nout",
		"<table><tr><th colspan=2>h<tr><td>a<td>b<br>c<tr></table>d":  "| h |  |\n| --- | --- |\n| a | b c |\n\nd",
		"<table><caption>Cap</caption><tr><td>a<td>":                  "Cap\n\n| a |  |\n| --- | --- |",
		"<table><tr><td>a<table><tr><td>b<td>c</table><td>d</table>e": "| a b c | d |\n| --- | --- |\n\ne",
		"x<!-- <p>no -->y<!doctype z>":                                "xy",
		"1 < 2 <3 </ 4":                                               "1 < 2 <3 </ 4",
		"<nav>never closed<p>kept":                                    "never closed\n\nkept",
		"<aside><aside>x</aside>y</aside>z":                           "z",
		"<SCRIPT>if (a<b) '<p>'</ScRiPt >ok":                          "ok",
		"<p style='display: none'>no</p><p aria-hidden=true>no</p>ok": "ok",
		"<img src=a.png alt='A  b'><img src=b.png>":                   "![A b](https://h/a.png)",
		"<p>a\u00a0b":      "a b",
		"<svg/><p>after":   "after",
		"<p title=\"never": "",
	} {
		if got := Markdown([]byte(in), "https://h/"); got != want {
			t.Errorf("%s\ngives %q\nnot   %q", in, got, want)
		}
	}
}

func TestNoPageTakesLong(t *testing.T) {
	const n = 1 << 19 // bytes
	hidden := &bytes.Buffer{}
	for i := range n / 20 {
		fmt.Fprintf(hidden, "<x%d hidden>", i)
	}
	for _, piece := range []string{
		"<b>", "<b>x", "<b>x</b>", "<ul><li>", "<ul><li><p>x", "<li>x", "<p>x", "<td>x", "<table><tr><td>x", "<tr><td colspan=9999 rowspan=9999>x", "<a href=x>", "<a href=x>x</a>", "</b>", "<", "</", "<!--", "<!", "<x hidden>",
		"<nav>", "<nav/>", "<pre>`", "<code>`</code>", "<blockquote>x", "&", "&amp;", "*", " ", "<main>", "<article>", "<script>", "</script>", "<i><b>x</i>", "<p a=\"", "<p ======>", "<title>", "<title>x</title>", "<h1>x", "\u00a0", "|",
	} {
		raw := bytes.Repeat([]byte(piece), n/len(piece))
		if piece == "<x hidden>" {
			raw = hidden.Bytes()
		}
		for _, raw := range [][]byte{raw, append([]byte("<ul><li><ul><li><ul><li><blockquote><table><tr><td>"), raw...)} {
			began := time.Now()
			got := Markdown(raw, "https://example.com/")
			if took := time.Since(began); took > time.Minute || len(got) > maxText+len(cutNotice) {
				t.Errorf("%q: %d bytes after %v", piece, len(got), took)
			}
		}
	}
}

func TestBombsAreRefusedOrGivenUp(t *testing.T) {
	text := strings.Repeat("<w:t>"+strings.Repeat("A", 1<<20)+"</w:t>", 65)
	for name, c := range map[string]struct {
		kind Kind
		raw  []byte
	}{
		"a zip entry": {DOCX, makeDOCX(t, text)}, "a PDF stream": {PDF, pdfOf("%PDF-1.4", bomb())},
	} {
		c2 := child("")
		c2.timeout = 3 * time.Second
		began := time.Now()
		text, err := c2.Text(t.Context(), c.kind, c.raw)
		if took := time.Since(began); err == nil || text != "" || took > 8*time.Second {
			t.Errorf("%s: %.60q, %v after %v", name, text, err, took)
		}
	}
}

// bomb is a packed stream that draws a text of 900 MB.
func bomb() []byte {
	var packed bytes.Buffer
	w := zlib.NewWriter(&packed)
	piece := []byte(strings.Repeat("A", 1<<20))
	_, _ = io.WriteString(w, "BT (") // a buffer takes all
	_, _ = w.Write(piece)
	_ = w.Flush()
	first := packed.Len()
	_, _ = w.Write(piece)
	_ = w.Flush()
	again := packed.Bytes()[first:]
	return append(packed.Bytes()[:first:first], bytes.Repeat(again, 900)...)
}

func TestAConversionTellsWhyItFailed(t *testing.T) {
	if _, err := child("").Text(t.Context(), PDF, []byte("%PDF-1.4 no")); err == nil || !strings.Contains(err.Error(), "converting the document: it holds no objects") {
		t.Errorf("error is %v", err)
	}
	slow := child("sleep")
	slow.timeout = 50 * time.Millisecond
	if _, err := slow.Text(t.Context(), PDF, nil); err == nil || !strings.Contains(err.Error(), "took longer than 50ms") {
		t.Errorf("error is %v", err)
	}
	cause := errors.New("aborted")
	ctx, stop := context.WithTimeoutCause(t.Context(), 50*time.Millisecond, cause)
	defer stop()
	if _, err := child("sleep").Text(ctx, DOCX, nil); !errors.Is(err, cause) {
		t.Errorf("error is %v", err)
	}
	text, err := child("").Text(t.Context(), DOCX, makeDOCX(t, "<w:p><w:t>fine</w:t></w:p>"))
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
		if text := Markdown(raw, "https://example.com/"); len(text) > maxText+len(cutNotice) || strings.ToValidUTF8(text, "") != text {
			t.Errorf("%d bytes of text", len(text))
		}
		UTF8(raw, "text/html")
	})
}

func FuzzDOCX(f *testing.F) {
	f.Add([]byte(`<w:tbl><w:tr><w:tc><w:p><w:hyperlink r:id="r1"><w:t>x</w:t></w:hyperlink></w:p></w:tc></w:tr></w:tbl>`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		if text, err := convert(DOCX, makeDOCX(t, string(raw))); err == nil && len(text) > maxText+len(cutNotice) {
			t.Errorf("%d bytes of text", len(text))
		}
	})
}

// makePDF is a PDF of one page that draws this.
func makePDF(version, content string) []byte {
	var packed bytes.Buffer
	w := zlib.NewWriter(&packed)
	_, _ = io.WriteString(w, content) // a buffer takes all
	_ = w.Close()
	return pdfOf(version, packed.Bytes())
}

// pdfOf is a PDF of one page that draws what this packed stream says.
func pdfOf(version string, packed []byte) []byte {
	var out bytes.Buffer
	objects := []string{
		"<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[3 0 R]/Count 1>>",
		"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>",
		fmt.Sprintf("<</Length %d/Filter/FlateDecode>>\nstream\n%s\nendstream", len(packed), packed),
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
