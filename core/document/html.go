package document

import (
	"bytes"
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/JohannesKaufmann/html-to-markdown/v2/converter"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/base"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/commonmark"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/strikethrough"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/table"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// minMain is how much text the main part of a page has at least, in bytes; with
// less, it is not what the page is about, and the whole page is shown.
const minMain = 200

// left out: what no reader of the page sees, and what is on every page of a
// site.
var leftOut = map[atom.Atom]bool{
	atom.Script: true, atom.Style: true, atom.Noscript: true, atom.Template: true, atom.Iframe: true, atom.Object: true,
	atom.Svg: true, atom.Canvas: true, atom.Head: true, atom.Nav: true, atom.Footer: true, atom.Aside: true,
	atom.Button: true, atom.Select: true, atom.Input: true, atom.Textarea: true, atom.Dialog: true,
}

// markdown converts a page, which is UTF-8. Links become absolute where base is
// a URL.
func markdown(raw []byte, base string) (string, error) {
	doc, err := html.Parse(bytes.NewReader(raw))
	if err != nil {
		return "", err
	}
	title, links := headOf(doc)
	body := mainPart(doc)
	prune(body)
	absolute(body, resolve(base, links))
	text, err := newMarkdown().ConvertNode(body)
	if err != nil {
		return "", err
	}
	if title != "" && !bytes.Contains(text[:min(len(text), 1<<10)], []byte("# "+title)) {
		text = append([]byte("# "+title+"\n\n"), text...)
	}
	return string(text), nil
}

func newMarkdown() *converter.Converter {
	return converter.NewConverter(converter.WithPlugins(
		base.NewBasePlugin(), commonmark.NewCommonmarkPlugin(), strikethrough.NewStrikethroughPlugin(),
		table.NewTablePlugin(table.WithCellPaddingBehavior(table.CellPaddingBehaviorMinimal), table.WithNewlineBehavior(table.NewlineBehaviorPreserve), table.WithHeaderPromotion(true)),
	))
}

// headOf is the title of a page and the href of its base element.
func headOf(doc *html.Node) (title, links string) {
	for n := range doc.Descendants() {
		switch {
		case n.DataAtom == atom.Title && title == "" && n.Namespace == "":
			title = strings.Join(strings.Fields(textOf(n)), " ")
		case n.DataAtom == atom.Base && links == "":
			links = attribute(n, "href")
		}
	}
	return title, links
}

// mainPart is the part of a page that says what it is about: its main element,
// its only article, or else all of it.
func mainPart(doc *html.Node) *html.Node {
	var mains, articles []*html.Node
	for n := range doc.Descendants() {
		switch {
		case n.DataAtom == atom.Main || attribute(n, "role") == "main":
			mains = append(mains, n)
		case n.DataAtom == atom.Article:
			articles = append(articles, n)
		}
	}
	for _, found := range [][]*html.Node{mains, articles} {
		if len(found) == 1 && len(strings.TrimSpace(textOf(found[0]))) >= minMain {
			return found[0]
		}
	}
	return doc
}

// prune takes out what is not shown.
func prune(n *html.Node) {
	for child := n.FirstChild; child != nil; {
		next := child.NextSibling
		if child.Type == html.ElementNode && (leftOut[child.DataAtom] || hidden(child)) {
			n.RemoveChild(child)
		} else {
			prune(child)
		}
		child = next
	}
}

func hidden(n *html.Node) bool {
	for _, a := range n.Attr {
		if a.Key == "hidden" || a.Key == "aria-hidden" && a.Val == "true" ||
			a.Key == "style" && strings.Contains(strings.ReplaceAll(a.Val, " ", ""), "display:none") {
			return true
		}
	}
	return false
}

// absolute makes links lead where they would lead in a browser, and takes out
// the pictures that are part of the page itself.
func absolute(n *html.Node, base *url.URL) {
	for n := range n.Descendants() {
		for i, a := range n.Attr {
			if a.Key != "href" && a.Key != "src" {
				continue
			}
			if strings.HasPrefix(a.Val, "data:") {
				n.Attr[i].Val = ""
			} else if u, err := url.Parse(strings.TrimSpace(a.Val)); err == nil && base != nil {
				n.Attr[i].Val = base.ResolveReference(u).String()
			}
		}
	}
}

// resolve is where the links of a page start; nil when that is unknown.
func resolve(page, base string) *url.URL {
	start, err := url.Parse(page)
	if err != nil || page == "" {
		return nil
	}
	if u, err := url.Parse(base); err == nil {
		start = start.ResolveReference(u)
	}
	return start
}

func attribute(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

func textOf(n *html.Node) string {
	var b strings.Builder
	for n := range n.Descendants() {
		if n.Type == html.TextNode {
			b.WriteString(n.Data)
		}
	}
	return b.String()
}

// bareText is the text of a page without its markup, whatever the page is: it
// takes time and room in proportion to it.
func bareText(raw []byte) string {
	var b strings.Builder
	tokens, skip := html.NewTokenizer(bytes.NewReader(raw)), atom.Atom(0)
	tokens.SetMaxBuf(maxText)
	for b.Len() < maxText {
		switch tokens.Next() {
		case html.ErrorToken:
			return strings.TrimSpace(b.String())
		case html.TextToken:
			if skip != 0 {
				continue
			}
			if words := strings.Fields(string(tokens.Text())); len(words) > 0 {
				b.WriteString(strings.Join(words, " ") + "\n")
			}
		case html.StartTagToken:
			if name, _ := tokens.TagName(); skip == 0 {
				if tag := atom.Lookup(name); tag == atom.Script || tag == atom.Style {
					skip = tag
				}
			}
		case html.EndTagToken:
			if name, _ := tokens.TagName(); atom.Lookup(name) == skip {
				skip = 0
			}
		}
	}
	return cut(b.String())
}

// cut shortens a text to what a document may have.
func cut(text string) string {
	if len(text) <= maxText {
		return text
	}
	end := maxText
	for !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + cutNotice
}
