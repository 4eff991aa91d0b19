package approval

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"veyyon.dev/veyyon/core/tool"
)

func TestModesSayWhichTiersRun(t *testing.T) {
	const a, p, d = Allow, Prompt, Deny
	for name, want := range map[string][4]Verdict{ // read, write, exec, and one that was not declared
		"plan": {a, d, d, d}, "ask": {a, p, p, p}, "always-ask": {a, p, p, p}, "auto-edit": {a, a, p, p}, "write": {a, a, p, p}, "yolo": {a, a, a, a},
	} {
		mode, ok := ParseMode(name)
		if !ok {
			t.Errorf("%s is no mode", name)
		}
		var got [4]Verdict
		for i, tier := range []tool.Tier{tool.TierRead, tool.TierWrite, tool.TierExec, ""} {
			got[i] = Policy{Mode: mode}.Decide(Call{Tool: "t", Tier: tier, Args: json.RawMessage("{}"), Dir: "/"}).Verdict
		}
		if got != want {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
	for _, name := range []string{"", "Yolo", "all"} {
		if _, ok := ParseMode(name); ok {
			t.Errorf("%q is a mode", name)
		}
	}
}

// Rules stand above the mode; what is out of the ordinary stands above rules that
// allow, and the mode that asks about nothing above that.
func TestRulesModesAndDangersInTheirOrder(t *testing.T) {
	const critical, outside, unknown = `{"command":"rm -rf /x"}`, `{"path":"/x"}`, `{"command":"ls; $x"}`
	for _, c := range []struct {
		rule       any
		tool, args string
		want       map[Mode]Verdict
	}{
		{"allow", "bash", critical, map[Mode]Verdict{Plan: Prompt, Ask: Prompt, AutoEdit: Prompt, Yolo: Allow}},
		{"deny", "bash", critical, map[Mode]Verdict{Plan: Deny, Ask: Deny, AutoEdit: Deny, Yolo: Deny}},
		{"prompt", "bash", unknown, map[Mode]Verdict{Plan: Prompt, Ask: Prompt, AutoEdit: Prompt, Yolo: Prompt}},
		{"allow", "bash", unknown, map[Mode]Verdict{Plan: Allow, Ask: Allow, AutoEdit: Allow, Yolo: Allow}},
		{nil, "bash", critical, map[Mode]Verdict{Plan: Deny, Ask: Prompt, AutoEdit: Prompt, Yolo: Allow}},
		{map[string]any{"deny": "rm"}, "bash", unknown, map[Mode]Verdict{Plan: Prompt, Ask: Prompt, AutoEdit: Prompt, Yolo: Prompt}},
		{map[string]any{"deny": "rm"}, "bash", critical, map[Mode]Verdict{Plan: Deny, Ask: Deny, AutoEdit: Deny, Yolo: Deny}},
		{map[string]any{"allow": "ls"}, "bash", unknown, map[Mode]Verdict{Plan: Deny, Ask: Prompt, AutoEdit: Prompt, Yolo: Allow}},
		{map[string]any{"allow": []any{"ls"}}, "bash", `{"command":"ls"}`, map[Mode]Verdict{Plan: Allow, Ask: Allow, AutoEdit: Allow, Yolo: Allow}},
		{map[string]any{"prompt": "ls"}, "bash", `{"command":"ls"}`, map[Mode]Verdict{Plan: Prompt, Ask: Prompt, AutoEdit: Prompt, Yolo: Prompt}},
		{"allow", "write", outside, map[Mode]Verdict{Plan: Prompt, Ask: Prompt, AutoEdit: Prompt, Yolo: Allow}},
		{nil, "read", outside, map[Mode]Verdict{Plan: Prompt, Ask: Prompt, AutoEdit: Prompt, Yolo: Allow}},
		{"deny", "Mixed_Case", `{}`, map[Mode]Verdict{Plan: Deny, Ask: Deny, AutoEdit: Deny, Yolo: Deny}},
		{"allow", "bash", `{"command":5}`, map[Mode]Verdict{Ask: Allow}},
		{map[string]any{"allow": "*"}, "bash", `{"command":5}`, map[Mode]Verdict{Ask: Prompt}},
		{map[string]any{"allow": "ls"}, "bash", `{"command":"ls","cwd":"/"}`, map[Mode]Verdict{Ask: Prompt}},
		{map[string]any{"allow": "./x"}, "bash", `{"command":"./x","cwd":"d"}`, map[Mode]Verdict{Ask: Prompt}},
		{map[string]any{"allow": "ls"}, "bash", `{"command":"ls","env":{"LD_PRELOAD":"x"}}`, map[Mode]Verdict{Ask: Prompt}},
		{map[string]any{"allow": "ls"}, "bash", `{"command":"ls","env":{"NO_COLOR":"1"}}`, map[Mode]Verdict{Ask: Allow}},
		{map[string]any{"deny": "rm"}, "bash", `{"command":"echo $((x))","env":{"x":"a[$(rm y)]"}}`, map[Mode]Verdict{Yolo: Prompt}},
	} {
		rules, faults := ParseRules(map[string]any{c.tool: c.rule})
		if c.rule == nil {
			rules, faults = nil, nil
		}
		if len(faults) > 0 {
			t.Fatal(faults)
		}
		tier := map[string]tool.Tier{"read": tool.TierRead, "write": tool.TierWrite}[c.tool]
		for mode, want := range c.want {
			call := Call{Tool: c.tool, Tier: tier, Args: json.RawMessage(c.args), Dir: t.TempDir()}
			if got := (Policy{Mode: mode, Rules: rules}).Decide(call); got.Verdict != want {
				t.Errorf("%v, %s %s in %s: %+v, want %s", c.rule, c.tool, c.args, mode, got, want)
			}
		}
	}
}

// Of a shell that is not bash no line is known.
func TestNoPatternAllowsALineOfAForeignShell(t *testing.T) {
	rules, _ := ParseRules(map[string]any{"bash": map[string]any{"allow": "ls"}})
	if d := (Policy{Mode: Ask, Rules: rules, Foreign: true}).Decide(bashCall(t, "ls", nil)); d.Verdict != Prompt {
		t.Errorf("%+v", d)
	}
}

// Whoever writes a rule that is not understood did not want the default.
func TestRulesThatAreNotUnderstoodAskAndTell(t *testing.T) {
	rules, faults := ParseRules(map[string]any{
		" Write ": " ALLOW ", "read": "maybe", "edit": 5, "grep": map[string]any{"deny": "x"},
		"bash": map[string]any{"deny": []any{"rm", "a | b", 5}, "sometimes": "ls"},
	})
	got := map[string]Verdict{}
	for name, rule := range rules {
		got[name] = rule.Verdict
	}
	want := map[string]Verdict{"write": Allow, "read": Prompt, "edit": Prompt, "grep": Prompt, "bash": Prompt}
	if diff := cmp.Diff(want, got); diff != "" || len(rules["bash"].Deny) != 1 {
		t.Errorf("%s, %v", diff, rules["bash"].Deny)
	}
	var told strings.Builder
	for _, fault := range faults {
		told.WriteString(fault.Error() + "\n")
	}
	for _, name := range []string{"bash", "read", "edit", "grep"} {
		if !strings.Contains(told.String(), "tools.approval."+name+": ") {
			t.Errorf("nothing is told about %s:\n%s", name, told.String())
		}
	}
}

func TestADeniedCallSaysHowToAllowIt(t *testing.T) {
	rules, _ := ParseRules(map[string]any{"write": "deny", "bash": map[string]any{"deny": "git push"}})
	policy := Policy{Mode: Yolo, Rules: rules}
	for _, c := range []struct {
		call Call
		want string
	}{
		{Call{Tool: "write"}, "Tool \"write\" is blocked by user policy.\nTo allow: remove \"tools.approval.write: deny\" from config."},
		{bashCall(t, "git push", nil), "Tool \"bash\" is blocked by user policy: the command matches \"git push\".\nTo allow: remove it from \"tools.approval.bash.deny\" in config."},
	} {
		if d := policy.Decide(c.call); d.Verdict != Deny || d.Reason != c.want {
			t.Errorf("%+v", d)
		}
	}
}
