package export

import (
	"bytes"
	"encoding/json"
	"html/template"
	"path"
	"strings"

	"veyyon.dev/veyyon/core/message"
	"veyyon.dev/veyyon/core/transcript"
)

const (
	// maxGist bounds what the line of a call says of its arguments, in runes.
	maxGist = 100
	// openLines is how many lines a call and its result may have together and
	// still stand open in the page.
	openLines = 14
)

// call is a tool call with its result.
type call struct {
	Name, Gist     string
	Arguments      []argument
	Diff           *diff
	Failed, Lost   bool // Lost: no result is on record
	Open           bool
	Added, Removed int
}

// argument is one argument of a call. Short ones stand on a line; long ones are
// code.
type argument struct {
	Key   string
	Short string
	Code  template.HTML
	lines int
}

// call writes a call that answer made, and its result.
func (p *page) call(answer *transcript.Entry, b *message.ToolCall) {
	key := callKey{answer, b.ID}
	result := p.resultOf(key)
	c := call{Name: clean(b.Name), Lost: result == nil}
	arguments := fieldsOf(b.Arguments)
	c.Gist = gist(arguments)
	if result != nil {
		c.Failed = result.IsError
		c.Diff = diffOf(result.Details)
	}
	if c.Diff == nil && !c.Failed {
		c.Diff = diffOfEdits(arguments)
	}
	lines := 0
	for _, f := range arguments {
		if c.Diff != nil && (f.key == "edits" || f.key == "old_text" || f.key == "new_text") {
			continue // the diff shows it
		}
		a := argumentOf(f, arguments)
		if a.Short == c.Gist && a.Short != "" {
			continue // the line of the call shows it
		}
		c.Arguments = append(c.Arguments, a)
		lines += 1 + a.lines
	}
	if c.Diff != nil {
		c.Added, c.Removed = c.Diff.Added, c.Diff.Removed
	}
	if result != nil {
		lines += strings.Count(result.Content.Text(), "\n") + 1
	}
	c.Open = c.Diff != nil || c.Failed || lines > 0 && lines <= openLines
	p.put("call", c)
	if result != nil && (c.Diff == nil || c.Failed) {
		p.result(result)
	} else if result != nil {
		p.put("quiet", fold(result.Content.Text()))
	}
	p.put("uncall", nil)
}

// resultOf takes the result of a call from the outline; nil when there is none.
func (p *page) resultOf(key callKey) *message.ToolResult {
	entry := p.outline.results[key]
	if entry == nil {
		return nil
	}
	p.outline.results[key] = nil // two calls of one id do not share it
	b, ok := p.body(entry).(*transcript.Message)
	if !ok {
		return nil
	}
	result, _ := b.Message.(*message.ToolResult)
	return result
}

// result writes what a tool answered.
func (p *page) result(m *message.ToolResult) {
	for _, block := range m.Content {
		if text, ok := block.(*message.Text); ok {
			p.put("output", fold(text.Text))
			continue
		}
		p.plain(message.Blocks{block})
	}
}

// field is one member of a JSON object.
type field struct {
	key   string
	value json.RawMessage
}

// fieldsOf lists the members of the object in their order. What is no object is
// one field without a name.
func fieldsOf(raw json.RawMessage) []field {
	in := json.NewDecoder(bytes.NewReader(raw))
	if token, err := in.Token(); err != nil || token != json.Delim('{') {
		return []field{{"", raw}}
	}
	var fields []field
	for in.More() {
		key, err := in.Token()
		if err != nil {
			return []field{{"", raw}}
		}
		name, _ := key.(string)
		var value json.RawMessage
		if in.Decode(&value) != nil {
			return []field{{"", raw}}
		}
		fields = append(fields, field{name, value})
	}
	return fields
}

// text is a field's value as a person reads it: a string without its quotes,
// anything else as JSON.
func (f field) text() string {
	var s string
	if json.Unmarshal(f.value, &s) == nil {
		return clean(s)
	}
	var out bytes.Buffer
	if len(f.value) <= maxGist && json.Compact(&out, f.value) == nil {
		return clean(out.String())
	}
	out.Reset()
	if json.Indent(&out, f.value, "", "  ") == nil {
		return clean(out.String())
	}
	return clean(string(f.value))
}

// gistKeys are the arguments that say what a call is about, the best first.
var gistKeys = []string{"command", "pattern", "query", "path", "file_path", "url", "task", "question", "name", "op", "action"}

func gist(fields []field) string {
	for _, key := range gistKeys {
		for _, f := range fields {
			if f.key == key {
				return firstWords(f.text(), maxGist)
			}
		}
	}
	return ""
}

// argumentOf shows one of the arguments. Its language follows from its name, or
// from the path among the others.
func argumentOf(f field, all []field) argument {
	text := f.text()
	lines := strings.Count(text, "\n") + 1
	if lines == 1 && len(text) <= maxGist {
		return argument{Key: clean(f.key), Short: text}
	}
	language := "json"
	if f.value[0] == '"' {
		language = languageOfArgument(f.key, all)
	}
	return argument{Key: clean(f.key), Code: highlight(text, language), lines: lines}
}

func languageOfArgument(key string, all []field) string {
	if key == "command" {
		return "bash"
	}
	for _, f := range all {
		if key == "content" && (f.key == "path" || f.key == "file_path") {
			file := path.Base(f.text())
			if extension := strings.TrimPrefix(path.Ext(file), "."); extension != "" {
				return extension
			}
			return file
		}
	}
	return ""
}
