package approval

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"veyyon.dev/veyyon/core/tool"
)

// An agent may do by itself only what the session could, wherever it works.
func TestAnAgentIsAllowedNoMoreThanItsSession(t *testing.T) {
	base := t.TempDir()
	dir, far, copied := filepath.Join(base, "alias", "work"), filepath.Join(base, "far"), filepath.Join(base, "copy")
	must(t, os.Mkdir(filepath.Join(base, "real"), 0o755))
	must(t, os.Symlink("real", filepath.Join(base, "alias")))
	sub := filepath.Join(dir, "sub")
	for _, d := range []string{sub, far, copied} {
		must(t, os.MkdirAll(d, 0o755))
	}
	rules, _ := ParseRules(map[string]any{"bash": map[string]any{"allow": []any{"./run.sh", "ls"}}})
	g := NewGate(Options{Policy: Policy{Mode: AutoEdit, Rules: rules}}, dir)
	inCopy := g.Agent("A", dir, copied)
	for _, c := range []struct {
		name                 string
		gate                 *Gate
		dir, command, writes string
		asks                 bool
	}{
		{"session", g, dir, "./run.sh", "", false},
		{"session, elsewhere", g, far, "ls", "", true},
		{"same place", g.Agent("A", dir, ""), dir, "./run.sh", "", false},
		{"below", g.Agent("A", sub, ""), sub, "ls", "", false},
		{"a program below", g.Agent("A", sub, ""), sub, "./run.sh", "", true},
		{"far away", g.Agent("A", far, ""), far, "ls", "", true},
		{"a file far away", g.Agent("A", far, ""), far, "", "x", true},
		{"copy", inCopy, copied, "./run.sh", "", false},
		{"a file in a copy", inCopy, copied, "", "x", false},
		{"agent of an agent in a copy", inCopy.Agent("B", copied, ""), copied, "./run.sh", "", false},
		{"a file of the session from a copy", inCopy, copied, "", dir + "/x", false},
		{"a copy of what is below", g.Agent("A", sub, copied), copied, "./run.sh", "", true},
		{"a file in a copy of what is below", g.Agent("A", sub, copied), copied, "", "x", false},
		{"a copy of what is far away", g.Agent("A", far, copied), copied, "ls", "", true},
		{"a file in a copy of what is far away", g.Agent("A", far, copied), copied, "", "x", true},
		{"an agent's copy is not the session's", g, dir, "", copied + "/x", true},
	} {
		spec, args := tool.Spec{Name: "bash", Tier: tool.TierExec}, map[string]string{"command": c.command}
		if c.writes != "" {
			spec, args = tool.Spec{Name: "write", Tier: tool.TierWrite}, map[string]string{"path": c.writes}
		}
		raw, err := json.Marshal(args)
		must(t, err)
		refusal, ask := c.gate.Check(spec, tool.Call{Args: raw, Dir: c.dir})
		if refusal != nil || (ask != nil) != c.asks {
			t.Errorf("%s: refused %v, asks %v", c.name, refusal, ask != nil)
		}
	}
}
