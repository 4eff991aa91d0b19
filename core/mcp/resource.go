package mcp

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Scheme is that of URLs that name a server and a resource of it:
// mcp://SERVER/URI, and mcp://SERVER for the list of them.
const Scheme = "mcp"

func resourceURL(server, uri string) string { return Scheme + "://" + server + "/" + uri }

// maxResources is how many resources a list has; more are not named.
const maxResources = 200

// ReadResource is the text of the resource of a URL, or the list of a server's.
func (s *Set) ReadResource(ctx context.Context, url string) (string, error) {
	server, uri, _ := strings.Cut(strings.TrimPrefix(url, Scheme+"://"), "/")
	m := s.member(server)
	if m == nil {
		return "", fmt.Errorf("there is no MCP server %q", server)
	}
	session, err := m.connected()
	if err != nil {
		return "", err
	}
	limited, cancel := context.WithTimeout(ctx, m.server.timeout())
	defer cancel()
	if uri == "" {
		return listResources(limited, m, session)
	}
	result, err := session.ReadResource(limited, &mcp.ReadResourceParams{URI: uri})
	if err != nil {
		return "", errors.New("MCP error: " + s.discreet(err))
	}
	var parts []string
	for _, c := range result.Contents {
		parts = append(parts, resourceText(c))
	}
	return strings.Join(parts, "\n\n"), nil
}

func listResources(ctx context.Context, m *member, session *mcp.ClientSession) (string, error) {
	var b strings.Builder
	n := 0
	for r, err := range session.Resources(ctx, nil) {
		if err != nil {
			return "", errors.New("MCP error: " + m.set.discreet(err))
		}
		if n++; n > maxResources {
			b.WriteString("[there are more]\n")
			break
		}
		fmt.Fprintf(&b, "%s: %s %s\n", resourceURL(m.server.Name, r.URI), r.Name, r.Description)
	}
	if n == 0 {
		return "(no resources)", nil
	}
	return b.String(), nil
}
