package read

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"veyyon.dev/veyyon/core/document"
	"veyyon.dev/veyyon/core/file"
	"veyyon.dev/veyyon/core/file/picture"
	"veyyon.dev/veyyon/core/message"
	"veyyon.dev/veyyon/core/tool"
	"veyyon.dev/veyyon/core/web"
)

const (
	maxRefusal = 2 << 10 // bytes shown of a page whose status says that it is not the one asked for
	maxType    = 100     // bytes shown of a Content-Type
	sniffed    = 512     // bytes that make out the type of a page that has none
	littleText = 200     // bytes; a page that gives less than this
	muchHTML   = 5 << 10 // bytes; and has more than this is likely to be made by scripts, and a note says so
)

// webPath is the URL that a path without a scheme means, as people write them.
func webPath(dir, path string) (url string, ok bool) {
	host, _, _ := strings.Cut(path, "/")
	if !strings.HasPrefix(host, "www.") {
		return "", false
	}
	if _, err := os.Lstat(file.Resolve(dir, host)); err == nil {
		return "", false
	}
	return "https://" + path, true
}

// isHost tells whether a URL has no path, so that what follows its last colon is
// a port and no selector.
func isHost(url string) bool {
	_, rest, _ := strings.Cut(url, "://")
	at := strings.LastIndexByte(rest, ':')
	return !strings.ContainsAny(rest, "/?#") && (at < 0 || strings.Trim(rest[at+1:], "0123456789") == "")
}

// readWeb reads a page. What a server refuses is a failure that shows what it
// said.
func (r *reader) readWeb(ctx context.Context, url string, sel selector) (tool.Output, error) {
	if r.opts.Web == nil {
		return tool.Output{}, errors.New("reading the web is switched off by the setting fetch.enabled")
	}
	page, err := r.opts.Web.Fetch(ctx, url)
	if err != nil {
		return tool.Output{}, err
	}
	mediaType, _, _ := mime.ParseMediaType(page.Type) // empty when it is malformed
	if mediaType == "" || mediaType == "application/octet-stream" {
		mediaType, _, _ = strings.Cut(http.DetectContentType(page.Body[:min(len(page.Body), sniffed)]), ";")
	}
	details := Details{Kind: "web", URL: page.URL, ContentType: file.Cut(cmp.Or(page.Type, mediaType), maxType)}
	if page.Moved {
		details.Notes = append(details.Notes, "the page was redirected to this URL")
	}
	if page.Status < 200 || page.Status > 299 {
		return r.refused(ctx, page, mediaType, details)
	}
	if picture.Sniff(page.Body) != "" && !page.Cut {
		return r.readImage(ctx, bytes.NewReader(page.Body), int64(len(page.Body)), details)
	}
	text, err := r.webText(ctx, page, mediaType, sel.Raw, &details)
	if err != nil {
		return tool.Output{}, fmt.Errorf("reading %s: %w", page.URL, err)
	}
	sel.Bare = true
	out, err := r.readText(ctx, bytes.NewReader(text), sel, details.Kind, details)
	if err == nil {
		out.Content = message.Blocks{message.NewText(webHead(details) + out.Content.Text())}
	}
	return out, err
}

// webText is what a page says, and how that was found out.
func (r *reader) webText(ctx context.Context, page *web.Page, mediaType string, raw bool, details *Details) ([]byte, error) {
	kind := document.Sniff(page.Body, mediaType)
	if page.Cut {
		if kind == document.PDF || kind == document.DOCX {
			return nil, fmt.Errorf("it is larger than %d MiB, and a document can only be read whole", len(page.Body)>>20)
		}
		details.Notes = append(details.Notes, fmt.Sprintf("only the first %d MiB were read", len(page.Body)>>20))
	}
	body := page.Body
	if kind == "" || kind == document.HTML {
		if body = document.UTF8(page.Body, page.Type); file.Binary(body) || unknownBytes(page, mediaType) {
			details.Kind, details.Method, details.ContentUnavailable = "binary", "none", &Unavailable{"binary"}
			return fmt.Appendf(nil, "Binary content (%s, %d bytes); it is not shown.", mediaType, len(page.Body)), nil
		}
	}
	if kind == "" || kind == document.HTML && raw {
		details.Method = "as it is"
		return body, nil
	}
	details.Method = string(kind) + " to text"
	if kind != document.HTML {
		text, err := r.opts.Documents.Text(ctx, kind, body)
		return []byte(text), err
	}
	if len(body) > document.MaxHTML {
		body = body[:document.MaxHTML]
		details.Notes = append(details.Notes, fmt.Sprintf("only the first %d MiB of the page are shown", document.MaxHTML>>20))
	}
	text := document.Markdown(body, page.URL)
	if len(text) < littleText && len(body) > muchHTML {
		details.Notes = append(details.Notes, "there is hardly any text without running the scripts of the page")
	}
	return []byte(text), nil
}

// unknownBytes tells of a page that is neither called text nor is UTF-8.
func unknownBytes(page *web.Page, mediaType string) bool {
	return !strings.HasPrefix(mediaType, "text/") && !strings.Contains(page.Type, "charset") && !utf8.Valid(page.Body)
}

// refused is the output for a page that is not the one asked for.
func (r *reader) refused(ctx context.Context, page *web.Page, mediaType string, details Details) (tool.Output, error) {
	said := fmt.Sprintf("%s answered %d %s", page.URL, page.Status, http.StatusText(page.Status))
	text, err := r.webText(ctx, page, mediaType, false, &details)
	if ctx.Err() != nil {
		return tool.Output{}, context.Cause(ctx)
	}
	if shown, _ := file.Printable(text); err == nil && strings.TrimSpace(shown) != "" {
		said += ":\n\n" + file.Cut(strings.TrimSpace(shown), maxRefusal)
	}
	return tool.Detailed(tool.ErrorOutput(said), details)
}

// webHead tells where a text comes from.
func webHead(d Details) string {
	var head strings.Builder
	fmt.Fprintf(&head, "URL: %s\nContent-Type: %s\nMethod: %s\n", d.URL, d.ContentType, d.Method)
	if len(d.Notes) > 0 {
		fmt.Fprintf(&head, "Notes: %s\n", strings.Join(d.Notes, "; "))
	}
	head.WriteString("---\n")
	return head.String()
}

// readDocument shows the text of a PDF or of a document of a word processor.
func (r *reader) readDocument(ctx context.Context, in io.Reader, kind document.Kind, sel selector, details Details) (tool.Output, error) {
	raw, err := io.ReadAll(io.LimitReader(in, document.MaxBytes+1))
	if err != nil {
		return tool.Output{}, fmt.Errorf("reading %s: %w", details.ResolvedPath, err)
	}
	text, err := r.opts.Documents.Text(ctx, kind, raw)
	if err != nil {
		return tool.Output{}, fmt.Errorf("reading %s: %w", details.ResolvedPath, err)
	}
	details.Method, sel.Bare = string(kind)+" to text", true
	return r.readText(ctx, strings.NewReader(text), sel, "document", details)
}

// documentKind is the kind of a file that is shown as its text, "" for others.
func (r *reader) documentKind(head []byte, path string, sel selector) document.Kind {
	if r.opts.Documents == nil || sel.Raw {
		return ""
	}
	mediaType := ""
	if strings.EqualFold(filepath.Ext(path), ".docx") {
		mediaType = document.TypeDOCX
	}
	return document.Sniff(head, mediaType)
}
