package export

import (
	"cmp"
	"encoding/json"
	"html/template"
	"strings"

	"github.com/aymanbagabas/go-udiff"
)

// maxCompare bounds the texts that are compared here, in bytes together, since
// comparing takes long; larger ones are shown as they are.
const maxCompare = 64 << 10

// diff is a change of a file, coloured.
type diff struct {
	Head, Rest     template.HTML // folded as output is, at a higher bound
	More           string
	Added, Removed int
}

// Lines of a diff that stand open; a longer one shows them, and the rest on
// demand.
const diffHead = 120

// diffOf is the diff that a tool told hosts of; nil when there is none.
func diffOf(details json.RawMessage) *diff {
	var d struct {
		Diff string `json:"diff"`
	}
	if len(details) == 0 || json.Unmarshal(details, &d) != nil || d.Diff == "" {
		return nil
	}
	return colour(d.Diff)
}

// diffOfEdits compares the old and the new texts of an edit whose result has no
// diff; nil for any other call.
func diffOfEdits(arguments []field) *diff {
	type edit struct {
		Old *string `json:"old_text"`
		New *string `json:"new_text"`
	}
	var edits []edit
	var single edit
	for _, f := range arguments {
		switch f.key {
		case "edits":
			if json.Unmarshal(f.value, &edits) != nil {
				return nil
			}
		case "old_text":
			_ = json.Unmarshal(f.value, &single.Old) // stays nil
		case "new_text":
			_ = json.Unmarshal(f.value, &single.New)
		}
	}
	if single.Old != nil {
		edits = append(edits, single)
	}
	var all strings.Builder
	for _, e := range edits {
		if e.Old == nil || e.New == nil || len(*e.Old)+len(*e.New) > maxCompare {
			return nil
		}
		_, hunks, _ := strings.Cut(udiff.Unified("", "", ended(*e.Old), ended(*e.New)), "\n+++ \n")
		all.WriteString(hunks)
	}
	if all.Len() == 0 {
		return nil
	}
	return colour(all.String())
}

// ended gives a text's last line its newline, or the diff would speak of it.
func ended(text string) string {
	if text == "" || strings.HasSuffix(text, "\n") {
		return text
	}
	return text + "\n"
}

// colour marks the lines of a unified diff.
func colour(text string) *diff {
	d := &diff{}
	var head, rest strings.Builder
	shown, hidden := 0, 0
	for line := range strings.Lines(clean(text)) {
		class := classOf(line)
		switch class {
		case "add":
			d.Added++
		case "del":
			d.Removed++
		case "file":
			continue // the call names it
		}
		out := &head
		if shown++; shown > diffHead {
			out = &rest
			hidden++
		}
		span(out, cmp.Or(class, "ctx"), strings.TrimSuffix(line, "\n"))
		out.WriteByte('\n')
	}
	d.Head, d.Rest, d.More = template.HTML(head.String()), template.HTML(rest.String()), countOf(hidden, "more line")
	return d
}

func classOf(line string) string {
	switch {
	case strings.HasPrefix(line, "+++ "), strings.HasPrefix(line, "--- "):
		return "file"
	case strings.HasPrefix(line, "+"):
		return "add"
	case strings.HasPrefix(line, "-"):
		return "del"
	case strings.HasPrefix(line, "@@"):
		return "hunk"
	}
	return ""
}

// span writes text in a span of that class, which is ours; escaped.
func span(out *strings.Builder, class, text string) {
	if class == "" {
		template.HTMLEscape(out, []byte(text))
		return
	}
	out.WriteString(`<span class="` + class + `">`)
	template.HTMLEscape(out, []byte(text))
	out.WriteString("</span>")
}
