package scripted

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"sync"

	"veyyon.dev/veyyon/core/message"
	"veyyon.dev/veyyon/core/model"
)

// demo answers a request of the demo model.
func demo(ctx context.Context, req *model.Request, draft *model.Draft) error {
	if req.NoTools { // somebody wants a text about a conversation, and would read its lines as instructions
		return finish(ctx, req, draft, fmt.Sprintf("A conversation of %s came before this. The demo model remembers no more of it.", count(size(req), "byte")))
	}
	if results := trailingResults(req.Messages); len(results) > 0 {
		return finish(ctx, req, draft, summary(results))
	}
	asked := lastUserText(req.Messages)
	calls, thought, missing := instructions(asked, req)
	draft.Thinking(thought)
	switch {
	case len(calls) > 0:
		return finish(ctx, req, draft, intention(calls), calls...)
	case missing != "":
		return finish(ctx, req, draft, fmt.Sprintf("I would use the tool %s for that, but I have not been given it.", missing))
	case thought != "":
		return finish(ctx, req, draft, "I have thought about it.")
	}
	return finish(ctx, req, draft, fmt.Sprintf("You said: %q. I am the demo model: I answer by rules and need no network. "+
		"Try \"list files\", \"read FILE\", \"grep PATTERN\", \"write FILE: TEXT\" or \"run COMMAND\".", asked))
}

// finish says the text in several deltas, makes the calls and counts tokens.
func finish(ctx context.Context, req *model.Request, draft *model.Draft, text string, calls ...call) error {
	const wordsPerDelta = 4
	words := strings.SplitAfter(text, " ")
	for len(words) > 0 {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		n := min(wordsPerDelta, len(words))
		draft.Text(strings.Join(words[:n], ""))
		words = words[n:]
	}
	written := len(text)
	for _, c := range calls {
		c.write(draft, "")
		written += len(c.args)
	}
	draft.Usage(message.Usage{Input: tokens(size(req)), Output: tokens(written)}, req.Model.Cost)
	return nil
}

// tokens estimates what a text of so many bytes costs.
func tokens(bytes int) int { return bytes/4 + 1 }

func size(req *model.Request) int {
	bytes := 0
	for _, block := range req.System {
		bytes += len(block)
	}
	for _, t := range req.Tools {
		bytes += len(t.Name) + len(t.Description) + len(t.Parameters)
	}
	for _, m := range req.Messages {
		switch m := m.(type) {
		case *message.User:
			bytes += len(m.Content.Join("\n"))
		case *message.Developer:
			bytes += len(m.Content.Join("\n"))
		case *message.Assistant:
			bytes += len(m.Content.Join("\n"))
		case *message.ToolResult:
			bytes += len(m.Content.Join("\n"))
		}
	}
	return bytes
}

// rule turns a line into a call of a tool.
type rule struct {
	line *regexp.Regexp
	tool string
	args func(parts []string) any // parts are the line's submatches, from 1
}

type object = map[string]any

// rules are made when they are first needed: the expressions take their time,
// and every start would pay for it.
var rules = sync.OnceValue(func() []rule {
	return []rule{
		{regexp.MustCompile(`(?i)^list(?: the)? files(?: in (\S+))?$`), "glob", func(p []string) any {
			if p[1] == "" {
				return object{"path": "."}
			}
			return object{"path": p[1]}
		}},
		{regexp.MustCompile(`(?i)^read (\S.*)$`), "read", func(p []string) any { return object{"path": p[1]} }},
		{regexp.MustCompile(`(?i)^write (\S+): (.*)$`), "write", func(p []string) any { return object{"path": p[1], "content": p[2] + "\n"} }},
		{regexp.MustCompile(`(?i)^edit (\S+): (.+) -> (.*)$`), "edit", func(p []string) any {
			return object{"path": p[1], "edits": []object{{"old_text": p[2], "new_text": p[3]}}}
		}},
		{regexp.MustCompile(`(?i)^grep (\S+)(?: in (\S+))?$`), "grep", func(p []string) any {
			if p[2] == "" {
				return object{"pattern": p[1]}
			}
			return object{"pattern": p[1], "path": p[2]}
		}},
		{regexp.MustCompile(`(?i)^run:? (\S.*)$`), "bash", func(p []string) any { return object{"command": p[1]} }},
	}
})

var (
	callLine  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(?i:call) (\S+)(?: (\{.*\}))?$`) })
	thinkLine = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)^think (\S.*)$`) })
)

// instructions reads the lines of what was asked: the calls they mean, what is
// to be thought, and a tool that would be needed but is not offered.
func instructions(asked string, req *model.Request) (calls []call, thought, missing string) {
	for line := range strings.SplitSeq(asked, "\n") {
		line = strings.TrimSpace(line)
		if parts := thinkLine().FindStringSubmatch(line); parts != nil {
			thought += parts[1] + "\n"
			continue
		}
		c, ok := instruction(line)
		switch {
		case ok && offered(req, c.name):
			calls = append(calls, c)
		case ok:
			missing = c.name
		}
	}
	return calls, strings.TrimSuffix(thought, "\n"), missing
}

func instruction(line string) (call, bool) {
	if parts := callLine().FindStringSubmatch(line); parts != nil {
		if parts[2] == "" {
			parts[2] = "{}"
		}
		return call{name: parts[1], args: parts[2]}, json.Valid([]byte(parts[2]))
	}
	for _, r := range rules() {
		if parts := r.line.FindStringSubmatch(line); parts != nil {
			args, err := message.Marshal(r.args(parts))
			return call{name: r.tool, args: string(args)}, err == nil
		}
	}
	return call{}, false
}

func offered(req *model.Request, tool string) bool {
	if req.NoTools {
		return false
	}
	for _, spec := range req.Tools {
		if spec.Name == tool {
			return true
		}
	}
	return false
}

func intention(calls []call) string {
	names := make([]string, len(calls))
	for i, c := range calls {
		names[i] = c.name
	}
	return "I will use " + strings.Join(names, ", then ") + "."
}

// trailingResults are the results that no answer has followed yet.
func trailingResults(messages []message.Message) []*message.ToolResult {
	var results []*message.ToolResult
	for i := len(messages) - 1; i >= 0; i-- {
		result, ok := messages[i].(*message.ToolResult)
		if !ok {
			break
		}
		results = append([]*message.ToolResult{result}, results...)
	}
	return results
}

// summary says what came back, with the first lines of each result.
func summary(results []*message.ToolResult) string {
	const shown = 10 // lines
	var out strings.Builder
	for i, result := range results {
		if i > 0 {
			out.WriteString("\n\n")
		}
		text := strings.TrimRight(result.Content.Join("\n"), "\n")
		lines := strings.Split(text, "\n")
		verb := "gave"
		if result.IsError {
			verb = "failed with"
		}
		fmt.Fprintf(&out, "The tool %s %s %s:\n", result.ToolName, verb, count(len(lines), "line"))
		out.WriteString(strings.Join(lines[:min(shown, len(lines))], "\n"))
		if more := len(lines) - shown; more > 0 {
			fmt.Fprintf(&out, "\n(and %s more)", count(more, "line"))
		}
	}
	return out.String()
}

func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
