package read

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"veyyon.dev/veyyon/core/document"
	"veyyon.dev/veyyon/core/web"
)

// site is a server with pages of all kinds.
func site(t *testing.T) string {
	t.Helper()
	var picture bytes.Buffer
	must(t, png.Encode(&picture, image.NewNRGBA(image.Rect(0, 0, 30, 20))))
	pages := map[string][2]string{
		"/page":   {"text/html; charset=iso-8859-1", "<title>T</title><p>caf\xe9 <a href=/x>x</a><table><tr><th>a<th>b<tr><td>1<td>2</table>"},
		"/text":   {"text/plain", "one\ntwo\nthree\n"},
		"/json":   {"application/json", `{"a": 1}`},
		"/none":   {"", "<!doctype html><p>sniffed"},
		"/zip":    {"application/zip", "PK\x05\x06\x00\x00"},
		"/bytes":  {"application/octet-stream", strings.Repeat("\xff\xfa\x01\x80", 100)},
		"/image":  {"image/png", picture.String()},
		"/docx":   {document.TypeDOCX, docx(t, "inside")},
		"/pdf":    {"application/pdf", "%PDF-1.4\nnot really"},
		"/script": {"text/html", "<p>Loading" + strings.Repeat("<script>x()</script>", 500)},
		"/empty":  {"text/html", ""},
		"/huge":   {"text/html", strings.Repeat("<p>x", 5<<18)},
		"/deep":   {"text/html", strings.Repeat("<b>", 2000) + "deep"},
	}
	var long strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&long, "line %d\n", i+1)
	}
	pages["/long"] = [2]string{"text/plain", long.String()}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		page, ok := pages[r.URL.Path]
		switch {
		case r.URL.Path == "/moved":
			http.Redirect(w, r, "/text", http.StatusFound)
			return
		case !ok:
			w.Header().Set("Content-Type", "text/html")
			w.WriteHeader(http.StatusNotFound)
			page[1] = "<h1>Not here</h1>"
		default:
			w.Header()["Content-Type"] = nil
			if page[0] != "" {
				w.Header().Set("Content-Type", page[0])
			}
		}
		_, _ = w.Write([]byte(page[1]))
	}))
	t.Cleanup(server.Close)
	return server.URL
}

func webOptions() Options {
	direct := func(*http.Request) (*url.URL, error) { return nil, nil }
	return Options{
		Web: web.New(web.Options{AllowPrivate: true, Proxy: direct}),
		Documents: document.NewConverter(func(kind document.Kind) *exec.Cmd {
			cmd := exec.Command(os.Args[0])
			cmd.Env = []string{childKind + "=" + string(kind)}
			return cmd
		}),
	}
}

func TestReadShowsPages(t *testing.T) {
	server, dir := site(t), t.TempDir()
	head := func(path, contentType, method, notes string) string {
		if notes != "" {
			notes = "Notes: " + notes + "\n"
		}
		return "URL: " + server + path + "\nContent-Type: " + contentType + "\nMethod: " + method + "\n" + notes + "---\n"
	}
	for path, want := range map[string]string{
		"/page":     head("/page", "text/html; charset=iso-8859-1", "html to text", "") + "# T\n\ncafé [x](" + server + "/x)\n\n| a | b |\n| --- | --- |\n| 1 | 2 |",
		"/page:raw": head("/page", "text/html; charset=iso-8859-1", "as it is", "") + "<title>T</title><p>café <a href=/x>x</a><table><tr><th>a<th>b<tr><td>1<td>2</table>",
		"/text":     head("/text", "text/plain", "as it is", "") + "one\ntwo\nthree",
		"/text:2-2": head("/text", "text/plain", "as it is", "") + "one\ntwo\nthree", // with what is around it
		"/moved":    head("/text", "text/plain", "as it is", "the page was redirected to this URL") + "one\ntwo\nthree",
		"/json":     head("/json", "application/json", "as it is", "") + `{"a": 1}`,
		"/none":     head("/none", "text/html", "html to text", "") + "sniffed",
		"/zip":      head("/zip", "application/zip", "none", "") + "Binary content (application/zip, 6 bytes); it is not shown.",
		"/bytes":    head("/bytes", "application/octet-stream", "none", "") + "Binary content (application/octet-stream, 400 bytes); it is not shown.",
		"/docx":     head("/docx", document.TypeDOCX, "docx to text", "") + "inside",
		"/script":   head("/script", "text/html", "html to text", "there is hardly any text without running the scripts of the page") + "Loading",
		"/empty":    head("/empty", "text/html", "html to text", "") + "(empty file)",
		"/deep":     head("/deep", "text/html", "html to text", "there is hardly any text without running the scripts of the page") + "**deep**",
	} {
		if got := text(t, New(webOptions()), dir, server+path); got != want {
			t.Errorf("%s:\n%s\nwant\n%s", path, got, want)
		}
	}
	if got := text(t, New(webOptions()), dir, server+"/huge"); !strings.Contains(got, "Notes: only the first 4 MiB of the page are shown\n---\nx\n\nx\n") {
		t.Errorf("/huge is %q", got[:200])
	}
	got := text(t, New(webOptions()), dir, server+"/long:301")
	if !strings.Contains(got, "---\nline 301\n") || !strings.HasSuffix(got, "line 600\n\n[Showing lines 301-600 of 1000. Use :601 to continue.]") {
		t.Errorf("/long is %q", got)
	}
	if got := read(t, New(webOptions()), dir, server+"/image"); len(got.Content) != 2 || got.Content.Text() != "Read image file [image/png], 30×20 pixels" {
		t.Errorf("/image is %+v", got)
	}
}

func TestReadTellsWhyAPageIsNotThere(t *testing.T) {
	server := site(t)
	out := read(t, New(webOptions()), t.TempDir(), server+"/gone?a=b")
	var details Details
	must(t, json.Unmarshal(out.Details, &details))
	if diff := cmp.Diff(Details{Kind: "web", URL: server + "/gone?a=b", ContentType: "text/html", Method: "html to text"}, details); diff != "" {
		t.Error(diff)
	}
	if got := out.Content.Text(); !out.IsError || got != server+"/gone?a=b answered 404 Not Found:\n\n# Not here" {
		t.Errorf("%q", got)
	}
	_, err := run(t.Context(), New(webOptions()), t.TempDir(), server+"/pdf")
	if err == nil || err.Error() != "reading "+server+"/pdf: converting the document: it holds no objects" {
		t.Errorf("error is %v", err)
	}
}

func TestPortsAreNoSelectors(t *testing.T) {
	for path, want := range map[string]string{
		"http://h:8080": "http://h:8080", "http://h": "http://h", "http://h:8080/a:3-4": "http://h:8080/a", "http://h:raw": "http://h",
		"http://[::1]:80": "http://[::1]:80", "http://h/:5": "http://h/", "http://h:80:5-": "http://h:80",
	} {
		if got, _, err := split(path, isHost); got != want || err != nil {
			t.Errorf("%s is %s, %v", path, got, err)
		}
	}
	dir := t.TempDir()
	put(t, dir, "www.kept/x", "")
	if url, ok := webPath(dir, "www.example.com/a"); !ok || url != "https://www.example.com/a" {
		t.Error(url, ok)
	}
	if url, ok := webPath(dir, "www.kept/x"); ok {
		t.Error(url)
	}
}

func TestReadShowsDocuments(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "a.docx", docx(t, "inside"))
	put(t, dir, "a.pdf", "%PDF-1.4\nnot really")
	if got := text(t, New(webOptions()), dir, "a.docx"); got != "inside" {
		t.Errorf("got %q", got)
	}
	if got := text(t, New(webOptions()), dir, "a.docx:raw"); !strings.HasPrefix(got, "Binary file (application/zip") {
		t.Errorf("got %q", got)
	}
	if _, err := run(t.Context(), New(webOptions()), dir, "a.pdf"); err == nil || !strings.HasSuffix(err.Error(), "a.pdf: converting the document: it holds no objects") {
		t.Errorf("error is %v", err)
	}
}

// docx is a document of one paragraph.
func docx(t *testing.T, line string) string {
	t.Helper()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	part, err := w.Create("word/document.xml")
	must(t, err)
	_, err = part.Write([]byte("<w:document><w:body><w:p><w:r><w:t>" + line + "</w:t></w:r></w:p></w:body></w:document>"))
	must(t, err)
	must(t, w.Close())
	return out.String()
}
