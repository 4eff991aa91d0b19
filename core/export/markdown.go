package export

import (
	"bytes"
	"html/template"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/util"
)

const (
	// maxMarkdown bounds the text that is read as Markdown, in bytes; more is
	// shown as it was written.
	maxMarkdown = 256 << 10
	// maxNesting bounds how many quotes or lists may open on one line: each costs
	// the parser a pass over the lines below and a piece of the stack.
	maxNesting = 50
	// maxMarks bounds the signs of emphasis and links in one paragraph, since the
	// parser compares each with all before it.
	maxMarks = 3000
)

// markdown is text of a model as a person reads it. HTML in it is shown, not
// used.
func markdown(text string) template.HTML {
	text = clean(text)
	var out bytes.Buffer
	if len(text) <= maxMarkdown && isPlainEnough(text) {
		if dialect().Convert([]byte(text), &out) == nil {
			return template.HTML(out.String())
		}
		out.Reset()
	}
	out.WriteString(`<p class="plain">`)
	template.HTMLEscape(&out, []byte(text))
	out.WriteString("</p>\n")
	return template.HTML(out.String())
}

// isPlainEnough tells whether the parser will be done with a text soon. Any other
// is shown as it was written.
func isPlainEnough(text string) bool {
	marks := 0
	for line := range strings.Lines(text) {
		if strings.TrimSpace(line) == "" {
			marks = 0
			continue
		}
		for _, r := range line {
			if r == '*' || r == '_' || r == '[' {
				marks++
			}
		}
		if marks > maxMarks || nesting(line) > maxNesting && !isRule(line) {
			return false
		}
	}
	return true
}

// nesting counts the signs at the beginning of a line that may each open a block
// in another.
func nesting(line string) (depth int) {
	for _, r := range line {
		switch {
		case strings.ContainsRune(">-+*.)", r):
			depth++
		case !strings.ContainsRune(" \t0123456789", r):
			return depth
		}
	}
	return depth
}

// isRule tells whether a line has only signs of one kind, as rules have.
func isRule(line string) bool {
	line = strings.TrimSpace(line)
	return line != "" && line[0] != '>' && strings.Trim(line, line[:1]) == ""
}

var dialect = sync.OnceValue(func() goldmark.Markdown {
	return goldmark.New(
		goldmark.WithParserOptions(parser.WithParagraphTransformers(util.Prioritized(tables{}, 200))),
		goldmark.WithRendererOptions(renderer.WithNodeRenderers(util.Prioritized(parts{}, 100))),
	)
})

// parts writes what the library would write in a way that is not ours: code,
// links, images, tables, and HTML.
type parts struct{}

// RegisterFuncs is the library's way to ask for them.
func (parts) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(ast.KindFencedCodeBlock, writeFenced)
	r.Register(ast.KindCodeBlock, writeCode)
	r.Register(ast.KindHTMLBlock, writeHTMLBlock)
	r.Register(ast.KindRawHTML, writeRawHTML)
	r.Register(ast.KindLink, writeLink)
	r.Register(ast.KindAutoLink, writeAutoLink)
	r.Register(ast.KindImage, writeImage)
	registerTables(r)
}

func writeFenced(w util.BufWriter, source []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		language := string(node.(*ast.FencedCodeBlock).Language(source))
		put(w, `<pre class="code"><code>`, string(highlight(linesOf(node, source), language)), "</code></pre>\n")
	}
	return ast.WalkSkipChildren, nil
}

func writeCode(w util.BufWriter, source []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		put(w, `<pre class="code"><code>`, escape(linesOf(node, source)), "</code></pre>\n")
	}
	return ast.WalkSkipChildren, nil
}

func writeHTMLBlock(w util.BufWriter, source []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		text := linesOf(node, source)
		if block := node.(*ast.HTMLBlock); block.HasClosure() {
			text += string(block.ClosureLine.Value(source))
		}
		put(w, `<p class="plain">`, escape(strings.TrimSuffix(text, "\n")), "</p>\n")
	}
	return ast.WalkSkipChildren, nil
}

func writeRawHTML(w util.BufWriter, source []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		segments := node.(*ast.RawHTML).Segments
		for i := range segments.Len() {
			at := segments.At(i)
			put(w, escape(string(at.Value(source))))
		}
	}
	return ast.WalkSkipChildren, nil
}

// writeLink makes a link of what leads to the web or to a mailbox. Anything
// else, such as a path, says where it leads when it is pointed at.
func writeLink(w util.BufWriter, _ []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	target := string(node.(*ast.Link).Destination)
	switch safe := isSafe(target); {
	case entering && safe:
		put(w, `<a rel="noopener noreferrer nofollow" href="`, escape(target), `">`)
	case entering:
		put(w, `<span class="ref" title="`, escape(target), `">`)
	case safe:
		put(w, "</a>")
	default:
		put(w, "</span>")
	}
	return ast.WalkContinue, nil
}

func writeAutoLink(w util.BufWriter, source []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	link := node.(*ast.AutoLink)
	if !entering {
		return ast.WalkSkipChildren, nil
	}
	target, label := string(link.URL(source)), escape(string(link.Label(source)))
	if link.AutoLinkType == ast.AutoLinkEmail && !strings.HasPrefix(strings.ToLower(target), "mailto:") {
		target = "mailto:" + target
	}
	if isSafe(target) {
		put(w, `<a rel="noopener noreferrer nofollow" href="`, escape(target), `">`, label, "</a>")
	} else {
		put(w, label)
	}
	return ast.WalkSkipChildren, nil
}

// writeImage shows an image that is in the text itself. One from elsewhere
// becomes a link, since the page loads nothing.
func writeImage(w util.BufWriter, source []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	target, alt := string(node.(*ast.Image).Destination), escape(textOf(node, source))
	mimeType, data, inside := strings.Cut(strings.TrimPrefix(target, "data:"), ";base64,")
	if image, ok := dataURL(mimeType, data); ok && inside {
		put(w, `<img alt="`, alt, `" src="`, escape(string(image)), `">`)
		return ast.WalkSkipChildren, nil
	}
	if isSafe(target) {
		put(w, `<a rel="noopener noreferrer nofollow" href="`, escape(target), `">`, alt, "</a>")
	} else {
		put(w, `<span class="ref" title="`, escape(firstWords(target, maxGist)), `">`, alt, "</span>")
	}
	return ast.WalkSkipChildren, nil
}

// isSafe tells whether a link may be followed: it names a scheme that opens a
// page or writes a letter.
func isSafe(target string) bool {
	u, err := url.Parse(target)
	return err == nil && slices.Contains([]string{"http", "https", "mailto"}, strings.ToLower(u.Scheme))
}

func linesOf(node ast.Node, source []byte) string {
	return string(node.Lines().Value(source))
}

// textOf joins the texts below a node.
func textOf(node ast.Node, source []byte) string {
	var out strings.Builder
	_ = ast.Walk(node, func(n ast.Node, entering bool) (ast.WalkStatus, error) { // it has no errors
		if text, ok := n.(*ast.Text); ok && entering {
			out.Write(text.Value(source))
		}
		return ast.WalkContinue, nil
	})
	return out.String()
}

func escape(text string) string { return template.HTMLEscapeString(text) }

// put writes to the library's buffer, which keeps its errors until it is
// flushed.
func put(w util.BufWriter, texts ...string) {
	for _, text := range texts {
		_, _ = w.WriteString(text)
	}
}
