package mcp

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func write(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "mcp.json")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func lookup(name string) (string, bool) { return "value-of-" + name, name == "HERE" }

func TestRead(t *testing.T) {
	path := write(t, `{"mcpServers": {
		"files": {"command": "npx", "args": ["${HERE}", "${GONE:-instead}", "${GONE}"], "env": {"A": "${HERE}"}, "timeout": 5000},
		"web": {"url": "https://h/mcp", "headers": {"X": "${HERE}"}},
		"old": {"type": "sse", "url": "http://h/sse"},
		"off": {"command": "x", "enabled": false}, "out": {"command": "x"},
		"both": {"command": "x", "url": "http://h"}, "none": {}, "bad name": {"command": "x"}, "odd": {"type": "acp"}, "wrong": {"command": 7, "env": {"K": "secret"}},
		"file": {"type": "http", "url": "file:///etc/passwd"}
	}, "disabledServers": ["out"]}`)
	servers, wrong := Read(path, lookup)
	want := []Server{
		{Name: "files", Transport: Stdio, Command: "npx", Args: []string{"value-of-HERE", "instead", "${GONE}"}, Env: map[string]string{"A": "value-of-HERE"}, Timeout: 5e9, From: path},
		{Name: "old", Transport: SSE, URL: "http://h/sse", From: path},
		{Name: "web", Transport: HTTP, URL: "https://h/mcp", Headers: map[string]string{"X": "value-of-HERE"}, From: path},
	}
	if diff := cmp.Diff(want, servers); diff != "" {
		t.Error(diff)
	}
	var texts []string
	for _, err := range wrong {
		texts = append(texts, strings.TrimPrefix(err.Error(), path+": "))
	}
	if diff := cmp.Diff([]string{
		`Server "bad name": the name must be 1 to 100 letters, digits, dots, hyphens and underscores`,
		`Server "both": both "command" and "url" are set`,
		`Server "file": "url" must be an http or https URL`,
		`Server "none": stdio server requires "command" field`,
		`Server "odd": unsupported MCP server transport: acp`,
		`Server "wrong": command must not be a number`,
	}, texts); diff != "" {
		t.Error(diff)
	}
	if _, wrong := Read(write(t, `{"mcpServers": {"a": {"env": {"KEY": "secret-4711"`), lookup); len(wrong) != 1 || strings.Contains(wrong[0].Error(), "4711") {
		t.Errorf("broken: %v", wrong)
	}
	if servers, wrong := Read(filepath.Join(t.TempDir(), "none"), lookup); servers != nil || wrong != nil {
		t.Errorf("missing: %v, %v", servers, wrong)
	}
}

func TestTrustHoldsForWhatWasSeen(t *testing.T) {
	trust := NewTrust(filepath.Join(t.TempDir(), "agent", "trusted"))
	one := Server{Name: "one", Transport: Stdio, Command: "npx", Args: []string{"a"}, Env: map[string]string{"A": "1"}}
	if err := trust.Give("/project", []Server{one}); err != nil {
		t.Fatal(err)
	}
	changed, richer, patient := one, one, one
	changed.Args = []string{"b"}
	richer.Env = map[string]string{"A": "2"}
	patient.Timeout, patient.From = 7, "another file"
	for _, c := range []struct {
		dir    string
		server Server
		want   bool
	}{{"/project", one, true}, {"/project", patient, true}, {"/other", one, false}, {"/project", changed, false}, {"/project", richer, false}} {
		trusted, others, err := trust.Sort(c.dir, []Server{c.server})
		if err != nil || len(trusted) == 1 != c.want || len(others) == 1 == c.want {
			t.Errorf("%s %+v: %v, %v, %v", c.dir, c.server, trusted, others, err)
		}
	}
	if err := trust.Give("/project", []Server{changed}); err != nil {
		t.Fatal(err)
	}
	if trusted, _, _ := trust.Sort("/project", []Server{one, changed}); len(trusted) != 2 {
		t.Errorf("both: %v", trusted)
	}
}

func TestMergeKeepsTheFirst(t *testing.T) {
	all := Merge([]Server{{Name: "a", Command: "1"}}, []Server{{Name: "a", Command: "2"}, {Name: "b"}})
	if len(all) != 2 || all[0].Command != "1" || all[1].Name != "b" {
		t.Errorf("%+v", all)
	}
}

func TestToolNamesAreLegalAndDistinct(t *testing.T) {
	taken := map[string]bool{}
	used := func(name string) bool { return taken[name] }
	long := strings.Repeat("x", 100)
	for _, c := range [][2]string{
		{"s", "get"}, {"s", "s_get"}, {"s", "g.e.t"}, {"s", "g e t"}, {"s3", "get-1"}, {"s3", "get-2"}, {"…", "…"}, {long, "a"}, {long, "b"}, {"s", long},
	} {
		name := toolName(c[0], c[1], used)
		if taken[name] || len(name) > maxName || strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") != "" {
			t.Errorf("%v is called %q", c, name)
		}
		if again := toolName(c[0], c[1], used); again != name {
			t.Errorf("%v is called %q and %q", c, name, again)
		}
		taken[name] = true
	}
	if !taken["mcp__s__get"] || !taken["mcp__s3__get-1"] {
		t.Errorf("%v", taken)
	}
}

func TestSchemasAreObjects(t *testing.T) {
	for _, given := range []any{nil, 7, "x", []int{1}, map[string]any{}, map[string]any{"type": "string"}, map[string]any{"type": []string{"object", "null"}}, json.RawMessage("{")} {
		var object struct {
			Type string `json:"type"`
		}
		if err := json.Unmarshal(schemaOf(given), &object); err != nil || object.Type != "object" {
			t.Errorf("%v: %s, %v", given, schemaOf(given), err)
		}
	}
}

func TestAServerWithToolsThatAllLookAlike(t *testing.T) {
	s := &Set{opts: Options{Reserved: func(name string) bool { return name == "mcp__a__x" }}}
	for _, server := range []string{"a", "a."} {
		m := &member{set: s, server: Server{Name: server}}
		for _, name := range []string{"x", "x.", "x!"} {
			m.tools = append(m.tools, &mcp.Tool{Name: name})
		}
		s.members = append(s.members, m)
	}
	s.rebuild()
	if n := len(s.tools.Offered()); n != 6 {
		t.Errorf("%d of 6 tools: %+v", n, s.tools.Offered())
	}
}

// FuzzRead: whatever a file holds, each server of it can be checked, and none has
// an illegal name.
func FuzzRead(f *testing.F) {
	f.Add([]byte(`{"mcpServers":{"a":{"command":"x","args":["${A:-b}"]},"b":{"url":"http://h"}},"disabledServers":["a"]}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		path := filepath.Join(t.TempDir(), "mcp.json")
		if err := os.WriteFile(path, raw, 0o600); err != nil {
			t.Fatal(err)
		}
		servers, _ := Read(path, lookup)
		for _, s := range servers {
			if s.check() != nil {
				t.Errorf("%+v", s)
			}
		}
	})
}
