package approval

import (
	"strings"
	"testing"
)

// What a call of the shell costs to decide about, before it runs.
func BenchmarkDecide(b *testing.B) {
	rules, _ := ParseRules(map[string]any{"bash": map[string]any{
		"allow": []any{"ls *", "git status *", "go test *", "cat *", "find *", "xargs *", "grep *"}, "deny": []any{"rm", "git push", "sudo"},
	}})
	policy := Policy{Mode: Ask, Rules: rules}
	for name, line := range map[string]string{
		"plain":   "git status --short",
		"joined":  "cd src && go test ./... 2>&1 | grep -v ok",
		"wrapped": `find . -name '*.go' -print0 | timeout 10 xargs -0 sh -c 'grep -l "$1" $(cat list)' _`,
		"script":  strings.Repeat("for f in a b; do cat \"$f\" | grep x; done\n", 25), // 1 KB
	} {
		b.Run(name, func(b *testing.B) {
			call := bashCall(b, line, nil)
			b.SetBytes(int64(len(line)))
			b.ReportAllocs()
			for b.Loop() {
				policy.Decide(call)
			}
		})
	}
}
