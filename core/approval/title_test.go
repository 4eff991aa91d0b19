package approval

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestADialogShowsWhatWouldHide(t *testing.T) {
	g := NewGate(Options{}, "/w")
	agent := g.Agent("Ann", "/w", "")
	for _, c := range []struct {
		gate       *Gate
		tool, args string
		reason     string
		want       string
	}{
		{g, "bash", `{"command":"ls\u202e\r\u0000\u00a0 x\ny"}`, "", "Allow tool: bash\nCommand: ls<U+202E><U+000D><U+0000><U+00A0> x\ny"},
		{g, "bash", `{"command":"ls","cwd":"d","env":{"B":"2","A":"1"}}`, "why", "Allow tool: bash\nReason: why\nDirectory: d\nEnvironment: A=1\nEnvironment: B=2\nCommand: ls"},
		{agent, "write", `{"path":"f","content":"x"}`, "", "Allow tool: write\nAgent: Ann\nFile: f"},
		{g, "other", `{}`, "", "Allow tool: other"},
		{g, "other", `{"a":1}`, "", `Allow tool: other` + "\n" + `Arguments: {"a":1}`},
		{g, "bash", `{"command":"` + strings.Repeat("a", 3000) + `"}`, "", "Allow tool: bash\nCommand: " + strings.Repeat("a", 1000) + "[…1000ch elided…]" + strings.Repeat("a", 1000)},
	} {
		got := c.gate.title(Call{Tool: c.tool, Args: json.RawMessage(c.args)}, Decision{Reason: c.reason})
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s %.60s: %s", c.tool, c.args, diff)
		}
	}
}
