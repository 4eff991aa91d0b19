package mcp

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"veyyon.dev/veyyon/core/message"
	"veyyon.dev/veyyon/core/tool"
)

// remote is a tool of a server.
type remote struct {
	member *member
	name   string // as the server calls it
	spec   tool.Spec
}

func newTool(m *member, name string, t *mcp.Tool) tool.Tool {
	about := t.Description
	if about == "" {
		about = "MCP tool from " + m.server.Name
	}
	return &remote{m, t.Name, tool.Spec{
		Name: name, Label: m.server.Name + "/" + t.Name, Description: about, Parameters: schemaOf(t.InputSchema), Tier: tool.TierWrite,
	}}
}

// schemaOf is a schema of type object, whatever the server says.
func schemaOf(given any) json.RawMessage {
	raw, err := json.Marshal(given)
	var object map[string]json.RawMessage
	if err != nil || json.Unmarshal(raw, &object) != nil || object == nil {
		return json.RawMessage(`{"type":"object","properties":{}}`)
	}
	if string(object["type"]) != `"object"` {
		object["type"] = json.RawMessage(`"object"`)
		raw, _ = json.Marshal(object) // it was decoded a moment ago
	}
	return raw
}

// Spec implements tool.Tool.
func (r *remote) Spec() tool.Spec { return r.spec }

// Run implements tool.Tool. The server gets the arguments just as the model gave
// them.
func (r *remote) Run(ctx context.Context, call tool.Call) (tool.Output, error) {
	session, err := r.member.connected()
	if err != nil {
		return tool.Output{}, err
	}
	limited, cancel := context.WithTimeoutCause(ctx, r.member.server.timeout(), fmt.Errorf("the MCP server %s did not answer within %v", r.member.server.Name, r.member.server.timeout()))
	defer cancel()
	token := r.member.follow(func(text string) { call.Update(tool.TextOutput(text)) })
	defer r.member.unfollow(token)
	params := &mcp.CallToolParams{Name: r.name, Arguments: call.Args}
	params.SetProgressToken(token)
	result, err := session.CallTool(limited, params)
	switch {
	case limited.Err() != nil && ctx.Err() == nil:
		return tool.Output{}, context.Cause(limited)
	case ctx.Err() != nil:
		return tool.Output{}, context.Cause(ctx)
	case err != nil:
		return tool.Output{}, errors.New("MCP error: " + r.member.set.discreet(err))
	}
	out := tool.Output{IsError: result.IsError, Content: r.content(result, call)}
	return out, nil
}

// content is what a call gave, as blocks; never empty.
func (r *remote) content(result *mcp.CallToolResult, call tool.Call) (blocks message.Blocks) {
	text := func(s string) {
		if short, cut := tool.Shorten(s, r.spec.Name, call); cut != nil {
			s = short
		}
		blocks = append(blocks, message.NewText(s))
	}
	for _, c := range result.Content {
		switch c := c.(type) {
		case *mcp.TextContent:
			text(c.Text)
		case *mcp.ImageContent:
			blocks = append(blocks, message.NewImage(base64.StdEncoding.EncodeToString(c.Data), c.MIMEType))
		case *mcp.EmbeddedResource:
			text(resourceText(c.Resource))
		case *mcp.ResourceLink:
			text(fmt.Sprintf("[%s](%s)", c.Name, resourceURL(r.member.server.Name, c.URI)))
		case *mcp.AudioContent:
			text("[audio omitted]")
		}
	}
	if len(blocks) == 0 && result.StructuredContent != nil {
		raw, err := json.Marshal(result.StructuredContent)
		if err == nil {
			text(string(raw))
		}
	}
	if len(blocks) == 0 {
		text("(no output)")
	}
	return blocks
}

func resourceText(c *mcp.ResourceContents) string {
	switch {
	case c == nil:
		return ""
	case c.Blob != nil:
		return fmt.Sprintf("[%s: %d bytes of %s]", c.URI, len(c.Blob), c.MIMEType)
	}
	return c.Text
}

// follow lets f hear how far a call is, under the token it returns.
func (m *member) follow(f func(string)) (token string) {
	m.set.mu.Lock()
	defer m.set.mu.Unlock()
	m.tokens++
	token = "call-" + strconv.Itoa(m.tokens)
	if m.progress == nil {
		m.progress = map[string]func(string){}
	}
	m.progress[token] = f
	return token
}

func (m *member) unfollow(token string) {
	m.set.mu.Lock()
	defer m.set.mu.Unlock()
	delete(m.progress, token)
}

// progressed passes on how far a call is.
func (m *member) progressed(p *mcp.ProgressNotificationParams) {
	token, _ := p.ProgressToken.(string)
	m.set.mu.Lock()
	f := m.progress[token]
	m.set.mu.Unlock()
	if f == nil {
		return
	}
	text := strings.TrimSpace(p.Message)
	if p.Total > 0 {
		text = strings.TrimSpace(fmt.Sprintf("%s %g of %g", text, p.Progress, p.Total))
	} else if text == "" {
		text = fmt.Sprintf("%g", p.Progress)
	}
	f(text)
}
