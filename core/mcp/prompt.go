package mcp

import (
	"context"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A Prompt is a text that a server offers, called as /server:name.
type Prompt struct {
	Name  string // server:name
	About string
	Hint  string // what to type behind it
}

// Prompts lists those of all servers, in their order.
func (s *Set) Prompts() (list []Prompt) {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, m := range s.members {
		for _, p := range m.prompts {
			var hints []string
			for _, a := range p.Arguments {
				hints = append(hints, a.Name)
			}
			list = append(list, Prompt{Name: promptName(m, p), About: p.Description, Hint: strings.Join(hints, " ")})
		}
	}
	return list
}

func promptName(m *member, p *mcp.Prompt) string {
	return legal(m.server.Name, "server") + ":" + legal(p.Name, "prompt")
}

// Called is the prompt that a text calls; nil when it calls none. fetch asks the
// server for it and gives the text for the model.
func (s *Set) Called(text string) (fetch func(context.Context) (string, error)) {
	if s == nil || !strings.HasPrefix(text, "/") {
		return nil
	}
	name, args, _ := strings.Cut(strings.TrimSpace(text[1:]), " ")
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, m := range s.members {
		for _, p := range m.prompts {
			if promptName(m, p) == name {
				return func(ctx context.Context) (string, error) { return m.fetch(ctx, p, args) }
			}
		}
	}
	return nil
}

// fetch gives each word to an argument, in order; the last takes the rest.
func (m *member) fetch(ctx context.Context, p *mcp.Prompt, args string) (string, error) {
	session, err := m.connected()
	if err != nil {
		return "", err
	}
	given := map[string]string{}
	rest := strings.TrimSpace(args)
	for i, a := range p.Arguments {
		word, more, _ := strings.Cut(rest, " ")
		if i == len(p.Arguments)-1 {
			word, more = rest, ""
		}
		if word != "" {
			given[a.Name] = word
		} else if a.Required {
			return "", fmt.Errorf("%s needs the argument %s", promptName(m, p), a.Name)
		}
		rest = strings.TrimSpace(more)
	}
	limited, cancel := context.WithTimeout(ctx, m.server.timeout())
	defer cancel()
	result, err := session.GetPrompt(limited, &mcp.GetPromptParams{Name: p.Name, Arguments: given})
	if err != nil {
		return "", fmt.Errorf("MCP error: %s", m.set.discreet(err))
	}
	var parts []string
	for _, message := range result.Messages {
		switch c := message.Content.(type) {
		case *mcp.TextContent:
			parts = append(parts, c.Text)
		case *mcp.EmbeddedResource:
			parts = append(parts, resourceText(c.Resource))
		}
	}
	return strings.Join(parts, "\n\n"), nil
}
