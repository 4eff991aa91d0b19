package export

import (
	"cmp"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"html/template"
	"slices"
	"strings"
	"sync"
	"time"

	"veyyon.dev/veyyon/core/tally"
)

var (
	//go:embed page/page.html
	pageHTML string
	//go:embed page/page.css
	pageCSS string
)

// templates are parsed for the first page, not for every start of the program.
var templates = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("page").Funcs(template.FuncMap{
		"inc":   func(i int) int { return i + 1 },
		"clock": func(t time.Time) string { return t.UTC().Format("15:04") },
		"stamp": func(t time.Time) string { return t.UTC().Format(time.RFC3339) },
	}).Parse(pageHTML))
})

// policy forbids the browser all but the page's own style, known by its hash,
// and images that are in the page.
var policy = sync.OnceValue(func() string {
	sum := sha256.Sum256([]byte(pageCSS))
	return "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) +
		"'; img-src data:; base-uri 'none'; form-action 'none'"
})

// head is what the page begins with.
type head struct {
	Policy  string
	Style   template.CSS
	Title   string
	Began   time.Time
	Facts   []fact
	Figures []fact
	Prompts []string
}

// fact is a value with its name.
type fact struct{ Name, Value string }

func headOf(s Session, o *outline) head {
	header := s.Header()
	title, _ := s.Title()
	if title == "" && len(o.prompts) > 0 {
		title = o.prompts[0]
	}
	h := head{Policy: policy(), Style: template.CSS(pageCSS), Title: cmp.Or(clean(title), "Untitled session"), Began: o.tally.First}
	if began, err := time.Parse(time.RFC3339, header.Timestamp); err == nil {
		h.Began = began.UTC()
	}
	h.fact("Folder", header.CWD)
	h.fact("Models", strings.Join(byCount(o.tally.ByModel), ", "))
	if span := o.tally.Span(); span > 0 {
		h.fact("Duration", tally.Took(span))
	}
	h.fact("Session", header.ID)
	h.fact("Continues", header.ParentSession)
	h.Figures = figures(&o.tally)
	if len(o.prompts) > 1 {
		h.Prompts = o.prompts[:min(len(o.prompts), maxContents)]
	}
	return h
}

func (h *head) fact(name, value string) {
	if value != "" {
		h.Facts = append(h.Facts, fact{name, clean(value)})
	}
}

// figures are the numbers of a session, without those that are nothing.
func figures(t *tally.Tally) []fact {
	var all []fact
	add := func(name string, n int) {
		if n > 0 {
			all = append(all, fact{name, tally.Commas(n)})
		}
	}
	add("Messages", t.Messages)
	add("Tool calls", t.Calls)
	add("Tokens in", t.Tokens.Input)
	add("From cache", t.Tokens.CacheRead)
	add("Into cache", t.Tokens.CacheWrite)
	add("Tokens out", t.Tokens.Output)
	if t.Cost > 0 {
		all = append(all, fact{"Cost", tally.Dollars(t.Cost)})
	}
	return all
}

// byCount lists the keys, the most frequent first.
func byCount(counts map[string]int) []string {
	keys := make([]string, 0, len(counts))
	for key := range counts {
		keys = append(keys, key)
	}
	slices.SortFunc(keys, func(a, b string) int { return cmp.Or(counts[b]-counts[a], strings.Compare(a, b)) })
	return keys
}
