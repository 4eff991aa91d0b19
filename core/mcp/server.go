// Package mcp gives agents the tools, resources and prompts of servers that speak
// the Model Context Protocol: programs that it starts, and servers on the network.
package mcp

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"
)

// Transport is how a server is reached.
type Transport string

// The transports.
const (
	Stdio Transport = "stdio"
	HTTP  Transport = "http" // streamable HTTP
	SSE   Transport = "sse"
)

// A Server is one to connect to, as a file or a host describes it.
type Server struct {
	Name      string
	Transport Transport
	Command   string // stdio: the program, looked up in PATH
	Args      []string
	Env       map[string]string // on top of an environment without keys
	Dir       string            // where the program works; "" is where the session does
	URL       string            // http and sse
	Headers   map[string]string
	OAuth     OAuth         // http: of a client that is registered already
	Timeout   time.Duration // of connecting and of a call; 0 is DefaultTimeout
	From      string        // where it is described: a file, or "the client"
}

// OAuth is a client that the server's people have registered; the zero one registers
// itself.
type OAuth struct{ ClientID, ClientSecret string }

// DefaultTimeout is how long a server may take to connect or to answer.
const DefaultTimeout = 30 * time.Second

func (s Server) timeout() time.Duration { return cmp.Or(s.Timeout, DefaultTimeout) }

// letters are those of a name.
const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-"

// check says what is wrong with a description (facts/platform 6).
func (s Server) check() error {
	switch {
	case len(s.Name) == 0 || len(s.Name) > 100 || strings.Trim(s.Name, letters) != "":
		return errors.New("the name must be 1 to 100 letters, digits, dots, hyphens and underscores")
	case s.Command != "" && s.URL != "":
		return errors.New(`both "command" and "url" are set`)
	case s.Transport == Stdio && s.Command == "":
		return errors.New(`stdio server requires "command" field`)
	case s.Transport == HTTP || s.Transport == SSE:
		u, err := url.Parse(s.URL)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
			return errors.New(`"url" must be an http or https URL`)
		}
	case s.Transport != Stdio:
		return fmt.Errorf("unsupported MCP server transport: %s", s.Transport)
	}
	return nil
}

// State is how a server is.
type State string

// The states.
const (
	Connecting State = "connecting"
	Connected  State = "connected"
	Failed     State = "failed" // it is tried again only when somebody asks for it
	Waiting    State = "waiting to reconnect"
)

// A Status is how a server of a Set is, for people.
type Status struct {
	Name      string
	Transport Transport
	From      string
	State     State
	Err       string // why it is not connected, without secrets
	Tools     int
	Prompts   int
	Resources bool
}
