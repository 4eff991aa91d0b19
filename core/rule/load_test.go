package rule

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"veyyon.dev/veyyon/core/event"
	"veyyon.dev/veyyon/core/frontmatter"
)

// folder writes files below a new repository and returns its root.
func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	files[".git/HEAD"] = ""
	for name, text := range files {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func rule(head string) string { return "---\n" + head + "\n---\n\nDo not.\n" }

func TestTheNearestFileOfANameHolds(t *testing.T) {
	root := folder(t, map[string]string{
		"sub/.veyyon/rules/a.md":  rule("condition: near"),
		".veyyon/rules/a.md":      rule("condition: far"),
		".veyyon/rules/b.mdc":     rule("ttsr_trigger: [x, 'y']\nscope: text, tool:edit(*.{ts,tsx})\nglobs: '*.ts'\ndescription: d\nalwaysApply: true\ninterruptMode: never"),
		".veyyon/rules/off.md":    rule("condition: z"),
		".veyyon/rules/none.md":   rule("description: about nothing that is written"),
		".veyyon/rules/notes.txt": rule("condition: z"),
		"agent/rules/b.md":        rule("condition: profile"),
		"agent/rules/c.md":        rule("ttsrTrigger: c\ncondition: '*.go'"),
	})
	set, faults := Load(Sources{Dir: filepath.Join(root, "sub"), Agent: filepath.Join(root, "agent"), Disabled: []string{"off"}}, Options{})
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	var got []event.Rule
	for _, r := range set.rules {
		got = append(got, r.Rule)
	}
	from := func(path, level string) event.RuleSource {
		return event.RuleSource{Provider: "native", Path: filepath.Join(root, path), Level: level}
	}
	want := []event.Rule{
		{Name: "a", Content: "Do not.", Condition: []string{"near"}, Source: from("sub/.veyyon/rules/a.md", "project")},
		{
			Name: "b", Content: "Do not.", Condition: []string{"x", "y"}, Scope: []string{"text", "tool:edit(*.{ts,tsx})"}, Globs: []string{"*.ts"},
			Description: "d", AlwaysApply: true, InterruptMode: "never", Source: from(".veyyon/rules/b.mdc", "project"),
		},
		{
			Name: "c", Content: "Do not.", Condition: []string{"c"}, Scope: []string{"tool:edit(*.go)", "tool:write(*.go)"},
			Source: from("agent/rules/c.md", "user"),
		},
	}
	for i := range want {
		want[i].Path = want[i].Source.Path
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if set, faults := Load(Sources{Dir: t.TempDir(), Agent: t.TempDir()}, Options{}); set != nil || faults != nil {
		t.Error("no rules gave", set, faults)
	}
}

func TestRulesThatAreNotAboutWhatIsWrittenAreSpoken(t *testing.T) {
	root := folder(t, map[string]string{
		".veyyon/rules/always.md": rule("alwaysApply: true"),
		".veyyon/rules/told.md":   rule("description: d"),
		".veyyon/rules/cond.md":   rule("condition: x\nalwaysApply: true"),
		".veyyon/rules/mute.md":   rule("globs: '*.go'"),
		"agent/rules/told.md":     rule("description: farther"),
		"agent/rules/mine.md":     rule("description: mine"),
	})
	spoken, faults := Spoken(Sources{Dir: root, Agent: filepath.Join(root, "agent")})
	var got []string
	for _, r := range spoken {
		got = append(got, fmt.Sprint(r.Name, " ", r.AlwaysApply, " ", r.Description))
	}
	if diff := cmp.Diff([]string{"always true ", "told false d", "mine false mine"}, got); diff != "" || len(faults) > 0 {
		t.Error(faults, diff)
	}
}

func TestAFileWithAFaultIsPassedOverAndNamed(t *testing.T) {
	root := folder(t, map[string]string{
		".veyyon/rules/a-good.md": rule("condition: ok"),
		".veyyon/rules/b.md":      rule("description: x\ncondition: ['fine', '(?=ahead)']"),
		".veyyon/rules/c.md":      rule("condition: x\ninterruptMode: sometimes"),
		".veyyon/rules/d.md":      rule("condition: x\nscope: 'tool:edit(['"),
		".veyyon/rules/e.md":      rule("condition: x\nglobs: ['[']"),
		".veyyon/rules/f.md":      rule("condition: x\nalwaysApply: perhaps"),
		".veyyon/rules/g.md":      rule("condition: {a: b}"),
		".veyyon/rules/h.md":      rule("condition: ["),
		".veyyon/rules/i.md":      rule("condition: x\nastCondition: foo($A)"),
		".veyyon/rules/j.md":      rule("condition: '(a'"),
	})
	set, faults := Load(Sources{Dir: root, Agent: root}, Options{})
	got := []string{}
	for _, fault := range faults {
		got = append(got, strings.TrimPrefix(fault.Error(), root+"/.veyyon/rules/"))
	}
	want := []string{
		"b.md:3: condition: (?=ahead): looking ahead, behind or back at a group is not supported",
		"c.md:3: interruptMode: expected always, prose-only, tool-only or never, got sometimes",
		"d.md:3: scope: tool:edit([ is no scope",
		"e.md:3: globs: [ is no pattern of paths",
		"f.md:3: alwaysApply: expected true or false, got perhaps",
		"g.md:2: condition: expected text or a list of texts",
		"h.md:2: sequence end token ']' not found",
		"i.md:3: astCondition: conditions on syntax trees are not supported",
		"j.md:2: condition: error parsing regexp: missing closing ): `(a`",
	}
	if diff := cmp.Diff(want, got); diff != "" || len(set.rules) != 1 {
		t.Error(diff, set.rules)
	}
}

func TestPatternsOfJavaScriptAreUnderstood(t *testing.T) {
	for pattern, matches := range map[string]string{
		`caf\u00e9`:          "café",
		`\u{1F389}`:          "🎉",
		`a[^]b`:              "a\nb",
		`\/\/ TODO`:          "// TODO",
		`(?<year>\d{4})`:     "2024",
		`\\u0041`:            `\u0041`,
		`console\.log\(`:     "console.log(1)",
		`\bas any\b`:         "x as any;",
		`import\s+.*\s+from`: "import a from",
	} {
		if c, err := compile(pattern); err != nil || !newSearch(c.prog).feed([]byte(matches)) {
			t.Errorf("%s does not match %s: %v", pattern, matches, err)
		}
	}
	for pattern, glob := range map[string]bool{
		"*.go": true, "**/*.test.ts": true, "src/*.ts": true, "*.{ts,tsx}": true, "**/vendor/*": true,
		"a.*b": false, ".*": false, "foo.go": false, "a*": false, "x/.*y": false,
	} {
		if isGlob(pattern) != glob {
			t.Errorf("%s is a glob: %t", pattern, !glob)
		}
	}
}

func TestRulesAreBounded(t *testing.T) {
	if _, err := compile(strings.Repeat("x{1000}", 5)); err == nil || err.Error() != "the pattern is too large" {
		t.Error(err)
	}
	long := "condition: x\n" + strings.Repeat("# remark\n", 15<<10/9)
	thick := "condition: x\n---\n" + strings.Repeat("Do not.\n", 1<<20/8-8)
	wide := "condition: ['x{1000}', 'y{1000}']"
	for name, c := range map[string]struct {
		count  int
		head   string
		loaded int
		fault  string
	}{
		"files":       {frontmatter.MaxFiles + 2, "condition: x", frontmatter.MaxFiles, "r256.md: there are more than 256 files of its kind"},
		"no rules":    {frontmatter.MaxFiles + 2, "globs: x", 0, "r256.md: there are more than 256 files of its kind"},
		"heads":       {20, long, 17, "r017.md: the heads of its kind are longer than 256 KiB"},
		"bodies":      {10, thick, 8, "r008.md: the files of its kind are longer than 8 MiB"},
		"conditions":  {20, wide, maxSteps / 2004, "r016.md: the conditions of rules are too large"},
		"of one rule": {1, "condition: ['a{1000}', 'b{1000}', 'c{1000}', 'd{1000}', 'e{1000}']", 0, "r000.md:2: condition: the patterns are too large"},
	} {
		files := map[string]string{}
		for i := range c.count {
			files[fmt.Sprintf(".veyyon/rules/r%03d.md", i)] = rule(c.head)
		}
		files["agent/rules/mine.md"] = rule("condition: x")
		root := folder(t, files)
		set, faults := Load(Sources{Dir: root, Agent: filepath.Join(root, "agent")}, Options{})
		loaded := len(set.rules) - 1 // that of the person, who is not crowded out
		if loaded != c.loaded || len(faults) != 1 || !strings.HasSuffix(faults[0].Error(), c.fault) {
			t.Errorf("%s: %d rules, %v", name, loaded, faults)
		}
	}
}
