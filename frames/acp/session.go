package acp

import (
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"strconv"
	"strings"

	"veyyon.dev/veyyon/core/fault"
	"veyyon.dev/veyyon/frames"
)

// An Initialize is the params of initialize. Capabilities that have a wrong shape
// count as absent.
type Initialize struct {
	Capabilities Capabilities
	Client       string // its name, "" when it does not tell
}

// Capabilities are those of the client that we use.
type Capabilities struct {
	ReadFile, WriteFile, Terminal, TerminalAuth, Form, Notices bool
}

// DecodeInitialize reads params of initialize.
func DecodeInitialize(o Object) (any, error) {
	raw, _ := o.Get("protocolVersion")
	version, err := strconv.ParseFloat(string(raw), 64)
	if err != nil || version != math.Trunc(version) || version < 0 || version > math.MaxUint16 {
		return nil, Invalid("protocolVersion must be an integer from 0 to 65535")
	}
	given, _ := o.Object("clientCapabilities")
	fs, _ := given.Object("fs")
	auth, _ := given.Object("auth")
	elicitation, _ := given.Object("elicitation")
	session, _ := given.Object("session")
	info, _ := o.Object("clientInfo")
	name, _ := info.OptString("name")
	return Initialize{Client: name, Capabilities: Capabilities{
		ReadFile: fs.IsTrue("readTextFile"), WriteFile: fs.IsTrue("writeTextFile"), Terminal: given.IsTrue("terminal"),
		TerminalAuth: auth.IsTrue("terminal"), Form: elicitation.Set("form"), Notices: session.Set("notices"),
	}}, nil
}

type (
	// Initialized answers initialize.
	Initialized struct {
		ProtocolVersion   int               `json:"protocolVersion"`
		AgentInfo         AgentInfo         `json:"agentInfo"`
		AuthMethods       []AuthMethod      `json:"authMethods"`
		AgentCapabilities AgentCapabilities `json:"agentCapabilities"`
	}
	// AgentInfo says who we are.
	AgentInfo struct {
		Name    string `json:"name"`
		Title   string `json:"title"`
		Version string `json:"version"`
	}
	// AuthMethod is a way to sign in; one without a Type needs nothing but itself.
	AuthMethod struct {
		Type        string   `json:"type,omitempty"`
		ID          string   `json:"id"`
		Name        string   `json:"name"`
		Description string   `json:"description,omitempty"`
		Args        []string `json:"args,omitempty"`
	}
	// AgentCapabilities say what we can do. Protocol: "Capabilities".
	AgentCapabilities struct {
		LoadSession         bool                `json:"loadSession"`
		MCPCapabilities     MCPCapabilities     `json:"mcpCapabilities"`
		PromptCapabilities  PromptCapabilities  `json:"promptCapabilities"`
		SessionCapabilities SessionCapabilities `json:"sessionCapabilities"`
	}
	// MCPCapabilities are the transports of MCP servers beside stdio.
	MCPCapabilities struct {
		HTTP bool `json:"http"`
		SSE  bool `json:"sse"`
	}
	// PromptCapabilities are what prompts may hold beside text and links.
	PromptCapabilities struct {
		EmbeddedContext bool `json:"embeddedContext"`
		Image           bool `json:"image"`
	}
	// SessionCapabilities are the methods that there are beside new and load.
	SessionCapabilities struct {
		List   struct{} `json:"list"`
		Fork   struct{} `json:"fork"`
		Resume struct{} `json:"resume"`
		Close  struct{} `json:"close"`
	}
)

// An Opening is the params of session/new, load, resume and fork. SessionID is ""
// for new.
type Opening struct {
	SessionID string
	CWD       string // absolute and clean
	Servers   []MCPServer
}

// MCPServer is a server that the client wants joined. Type is stdio, http or sse.
type MCPServer struct {
	Name, Type, Command, URL string
	Args                     []string
	Env, Headers             [][2]string // names and values
}

// DecodeNew reads params of session/new.
func DecodeNew(o Object) (any, error) { return decodeOpening(o, false) }

// DecodeStored reads params of session/load, resume and fork.
func DecodeStored(o Object) (any, error) { return decodeOpening(o, true) }

func decodeOpening(o Object, stored bool) (opening Opening, err error) {
	if stored {
		if opening.SessionID, err = required(o, "sessionId"); err != nil {
			return opening, err
		}
	}
	cwd, err := required(o, "cwd")
	if err != nil {
		return opening, err
	}
	if opening.CWD, err = absolute(cwd); err != nil {
		return opening, err
	}
	if o.Set("mcpServers") {
		opening.Servers, err = decodeServers(o)
	}
	return opening, err
}

// absolute is a clean path. Protocol: "Sessions".
func absolute(cwd string) (string, error) {
	if !filepath.IsAbs(cwd) {
		return "", fault.Newf(fault.Invalid, "ACP cwd must be absolute: %s", cwd)
	}
	return filepath.Clean(cwd), nil
}

func decodeServers(o Object) ([]MCPServer, error) {
	items, err := o.Objects("mcpServers")
	if err != nil {
		return nil, Invalid("%v", err)
	}
	var servers []MCPServer
	for i, item := range items {
		s, err := decodeServer(item)
		if err != nil {
			return nil, Invalid("mcpServers[%d]: %v", i, err)
		}
		servers = append(servers, s)
	}
	return servers, nil
}

func decodeServer(o Object) (s MCPServer, err error) {
	if s.Name, err = o.String("name"); err != nil {
		return s, err
	}
	if s.Type, err = o.OptString("type"); err != nil {
		return s, err
	}
	switch s.Type {
	case "", "stdio":
		s.Type = "stdio"
		if s.Command, err = o.String("command"); err != nil {
			return s, err
		}
		if s.Args, err = texts(o, "args"); err != nil {
			return s, err
		}
		s.Env, err = pairs(o, "env")
	case "http", "sse":
		if s.URL, err = o.String("url"); err != nil {
			return s, err
		}
		s.Headers, err = pairs(o, "headers")
	default:
		//lint:ignore ST1005 the text is fixed (facts/acp 2)
		err = fmt.Errorf("Unsupported MCP server transport: %s", s.Type)
	}
	return s, err
}

// texts reads a list of strings that may be absent.
func texts(o Object, key string) ([]string, error) {
	if !o.Set(key) {
		return nil, nil
	}
	items, err := o.Array(key)
	if err != nil {
		return nil, err
	}
	list := make([]string, len(items))
	for i, item := range items {
		if !frames.IsString(item) {
			return nil, fmt.Errorf("%s[%d] must be a string", key, i)
		}
		list[i] = frames.Unquote(item)
	}
	return list, nil
}

// pairs reads a list of names and values that may be absent.
func pairs(o Object, key string) ([][2]string, error) {
	if !o.Set(key) {
		return nil, nil
	}
	items, err := o.Objects(key)
	if err != nil {
		return nil, err
	}
	list := make([][2]string, len(items))
	for i, item := range items {
		for j, part := range []string{"name", "value"} {
			if list[i][j], err = item.String(part); err != nil {
				return nil, fmt.Errorf("%s[%d].%w", key, i, err)
			}
		}
	}
	return list, nil
}

// required reads a string that must be there.
func required(o Object, key string) (string, error) {
	value, err := o.String(key)
	if err != nil {
		return "", Invalid("%v", err)
	}
	return value, nil
}

// Text reads params with one string that must be there.
func Text(key string) func(Object) (any, error) {
	return func(o Object) (any, error) { return required(o, key) }
}

// Nothing reads params of which none count.
func Nothing(Object) (any, error) { return struct{}{}, nil }

type (
	// Opened answers session/new and fork; load and resume have no SessionID.
	Opened struct {
		SessionID     string         `json:"sessionId,omitempty"`
		ConfigOptions []ConfigOption `json:"configOptions"`
		Modes         Modes          `json:"modes"`
	}
	// Modes are the modes of a session.
	Modes struct {
		CurrentModeID  string `json:"currentModeId"`
		AvailableModes []Mode `json:"availableModes"`
	}
	// Mode is one of them.
	Mode struct {
		ID          string `json:"id"`
		Name        string `json:"name"`
		Description string `json:"description,omitempty"`
	}
	// ConfigOption is one that the client can set.
	ConfigOption struct {
		ID           string   `json:"id"`
		Name         string   `json:"name"`
		Category     string   `json:"category"`
		Type         string   `json:"type"`
		CurrentValue string   `json:"currentValue"`
		Options      []Choice `json:"options"`
	}
	// Choice is a value of it.
	Choice struct {
		Value       string `json:"value"`
		Name        string `json:"name"`
		Description string `json:"description,omitempty"`
	}
	// OptionsSet answers session/set_config_option.
	OptionsSet struct {
		ConfigOptions []ConfigOption `json:"configOptions"`
	}
)

// A ListRequest is the params of session/list.
type ListRequest struct{ CWD, Cursor string }

// DecodeList reads params of session/list.
func DecodeList(o Object) (any, error) {
	var l ListRequest
	for key, to := range map[string]*string{"cwd": &l.CWD, "cursor": &l.Cursor} {
		value, err := o.OptString(key)
		if err != nil {
			return nil, Invalid("%v", err)
		}
		*to = value
	}
	if o.Set("cwd") {
		cwd, err := absolute(l.CWD)
		if err != nil {
			return nil, err
		}
		l.CWD = cwd
	}
	return l, nil
}

type (
	// Listed answers session/list.
	Listed struct {
		Sessions   []StoredSession `json:"sessions"` // never nil
		NextCursor string          `json:"nextCursor,omitempty"`
	}
	// StoredSession is one of a list. UpdatedAt is in RFC 3339 with milliseconds.
	StoredSession struct {
		SessionID string     `json:"sessionId"`
		CWD       string     `json:"cwd"`
		Title     string     `json:"title,omitempty"`
		UpdatedAt string     `json:"updatedAt"`
		Meta      StoredMeta `json:"_meta"`
	}
	// StoredMeta says how large it is; Size is in bytes, MessageCount nil when
	// nobody has counted.
	StoredMeta struct {
		MessageCount *int  `json:"messageCount,omitempty"`
		Size         int64 `json:"size"`
	}
)

// A SetMode is the params of session/set_mode.
type SetMode struct{ SessionID, ModeID string }

// DecodeSetMode reads params of session/set_mode.
func DecodeSetMode(o Object) (any, error) {
	id, err := required(o, "sessionId")
	if err != nil {
		return nil, err
	}
	mode, err := required(o, "modeId")
	return SetMode{id, mode}, err
}

// A SetOption is the params of session/set_config_option. Bool is for a value
// that is true or false.
type SetOption struct {
	SessionID, ConfigID, Value string
	Bool                       bool
}

// DecodeSetOption reads params of session/set_config_option.
func DecodeSetOption(o Object) (any, error) {
	s := SetOption{}
	var err error
	if s.SessionID, err = required(o, "sessionId"); err != nil {
		return nil, err
	}
	if s.ConfigID, err = required(o, "configId"); err != nil {
		return nil, err
	}
	value, _ := o.Get("value")
	if word := string(value); word == "true" || word == "false" {
		s.Bool = true
		return s, nil
	}
	s.Value, err = required(o, "value")
	return s, err
}

// A Limit is the params of an extension method that lists: CWD may be "".
type Limit struct {
	CWD string
	N   int
}

// DecodeLimit reads params with a limit from 1 to most; what is no number is as
// good as usual. need tells that a cwd must be there.
func DecodeLimit(usual, most int, need bool) func(Object) (any, error) {
	return func(o Object) (any, error) {
		l := Limit{N: usual}
		if raw, ok := o.Get("limit"); ok {
			var n float64
			if json.Unmarshal(raw, &n) == nil && string(raw) != "null" {
				l.N = int(min(max(math.Trunc(n), 1), float64(most)))
			}
		}
		l.CWD, _ = o.OptString("cwd")
		if need && strings.TrimSpace(l.CWD) == "" {
			return nil, fault.New(fault.Invalid, "cwd required")
		}
		return l, nil
	}
}

// A Toggle is the params of _veyyon/extensions/toggle.
type Toggle struct {
	ProviderID string
	Enabled    bool
}

// DecodeToggle reads params of _veyyon/extensions/toggle; only false disables.
func DecodeToggle(o Object) (any, error) {
	id, err := o.OptString("providerId")
	if err != nil || id == "" {
		return nil, fault.New(fault.Invalid, "providerId required")
	}
	raw, _ := o.Get("enabled")
	return Toggle{ProviderID: id, Enabled: string(raw) != "false"}, nil
}
