package export

import (
	"html/template"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"
)

// read is the text of markup, as a browser shows it.
func read(t *testing.T, markup template.HTML) string {
	t.Helper()
	root, err := html.Parse(strings.NewReader("<pre><code>" + string(markup) + "</code></pre>"))
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	for node := range root.Descendants() {
		if node.Type == html.TextNode {
			out.WriteString(node.Data)
		}
	}
	return out.String()
}

func FuzzColouredCodeReadsAsItWasWritten(f *testing.F) {
	for _, name := range []string{"go", "python", "bash", "html", "json", "yaml", "sql", "lua", "diff", "css", "none", ""} {
		f.Add("func f() { // x\n\treturn `a\nb` + \"c\\\"\" + 'd' /* e */ 0x1f 1.5 } # <b a=\"x\">&amp;</b> key: {\"k\": 'v'}\n--- a\n+++ b\n@@ -1 +1 @@\n", name)
	}
	f.Add("\n\n<!-- ", "html")
	f.Add("\xff\x00\r\n'''", "py")
	f.Fuzz(func(t *testing.T, code, language string) {
		if diff := cmp.Diff(clean(code), read(t, highlight(code, language))); diff != "" {
			t.Error(diff)
		}
	})
}

func TestCodeIsColouredByItsLanguage(t *testing.T) {
	for _, c := range []struct{ language, code, want string }{
		{"GO", "return f(1.5) // why", `<span class="k">return</span> <span class="f">f</span>(<span class="n">1.5</span>) <span class="c">// why</span>`},
		{"py", "x = 'a\\'b' # c", `x = <span class="s">&#39;a\&#39;b&#39;</span> <span class="c"># c</span>`},
		{"json", `{"a": "b", "c": null}`, `{<span class="f">&#34;a&#34;</span>: <span class="s">&#34;b&#34;</span>, <span class="f">&#34;c&#34;</span>: <span class="k">null</span>}`},
		{"sh", "echo a#b; if x", `<span class="k">echo</span> a#b; <span class="k">if</span> x`},
		{"html", "<b>it's</b>", `<span class="f">&lt;b</span>&gt;it&#39;s<span class="f">&lt;/b</span>&gt;`},
		{"brainfuck", "if <x>", "if &lt;x&gt;"},
	} {
		if diff := cmp.Diff(c.want, string(highlight(c.code, c.language))); diff != "" {
			t.Errorf("%s: %s", c.language, diff)
		}
	}
}

// What takes a parser long, or its stack, is shown as it was written.
func TestMarkdownOfHostileShapeTakesNoTime(t *testing.T) {
	for name, text := range map[string]string{
		"quotes":       strings.Repeat(">", maxMarkdown),
		"lists":        strings.Repeat("- ", maxMarkdown/2),
		"numbers":      strings.Repeat("1. ", maxMarkdown/3),
		"brackets":     strings.Repeat("[", maxMarkdown),
		"links":        strings.Repeat("[a](", maxMarkdown/4),
		"emphasis":     strings.Repeat("*a_ ", maxMarkdown/4),
		"code":         strings.Repeat("`a``b", maxMarkdown/5),
		"bars":         strings.Repeat("|", maxMarkdown/2) + "\n" + strings.Repeat("|-", maxMarkdown/4),
		"entities":     strings.Repeat("&amp", maxMarkdown/4),
		"deep lists":   deep("- a\n", 400),
		"deep quotes":  strings.Repeat(strings.Repeat("> ", 40)+"a\n", maxMarkdown/84),
		"open tags":    strings.Repeat("<a ", maxMarkdown/3),
		"open comment": strings.Repeat("<!--", maxMarkdown/4),
		"images":       strings.Repeat("![", maxMarkdown/2),
		"references":   strings.Repeat("[a]: b\n", maxMarkdown/7),
	} {
		began := time.Now()
		markdown(text)
		if took := time.Since(began); took > time.Minute { // less than a second, unless it grows with a power of the length
			t.Errorf("%s: %v", name, took)
		} else if testing.Verbose() {
			t.Log(name, took)
		}
	}
}

// deep puts each line deeper than the one before.
func deep(line string, levels int) string {
	var out strings.Builder
	for i := range levels {
		out.WriteString(strings.Repeat("  ", i) + line)
	}
	return out.String()
}
