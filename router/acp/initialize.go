package acp

import (
	"context"

	"veyyon.dev/veyyon/core/fault"
	wire "veyyon.dev/veyyon/frames/acp"
	"veyyon.dev/veyyon/router"
)

// protocolVersion is the only one that is spoken; a client that wants another is
// offered this one.
const protocolVersion = 1

// The ways to sign in. Protocol: "Capabilities".
const (
	agentAuth    = "agent"
	terminalAuth = "terminal"
)

// initialize says what we can do. What the client says it can do holds for the
// sessions that are opened afterwards.
func (s *Server) initialize(_ context.Context, i wire.Initialize) (router.Answer, error) {
	s.client.Store(&i.Capabilities)
	methods := []wire.AuthMethod{{
		ID: agentAuth, Name: "Use existing local credentials",
		Description: "Use the provider keys and sign-ins of the active profile.",
	}}
	if i.Capabilities.TerminalAuth {
		methods = append(methods, wire.AuthMethod{
			Type: terminalAuth, ID: terminalAuth, Name: "Set up Veyyon in terminal",
			Description: "Add provider keys and choose the default model in a terminal.", Args: []string{"--acp-terminal-auth"},
		})
	}
	return router.Answer{Data: wire.Initialized{
		ProtocolVersion: protocolVersion,
		AgentInfo:       wire.AgentInfo{Name: "veyyon", Title: "Veyyon", Version: s.opts.Version},
		AuthMethods:     methods,
		AgentCapabilities: wire.AgentCapabilities{
			LoadSession:        true,
			MCPCapabilities:    wire.MCPCapabilities{HTTP: true, SSE: true},
			PromptCapabilities: wire.PromptCapabilities{EmbeddedContext: true, Image: true},
		},
	}}, nil
}

// authenticate takes note of the way; keys are looked at when they are needed.
func (s *Server) authenticate(_ context.Context, method string) (router.Answer, error) {
	if method == agentAuth || method == terminalAuth && s.client.Load().TerminalAuth {
		return router.Answer{}, nil
	}
	return router.Answer{}, fault.New(fault.Invalid, "Unknown ACP auth method: "+method)
}
