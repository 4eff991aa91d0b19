package rule

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// BenchmarkAnswer watches 16 KiB of text in pieces of four bytes with ten rules.
func BenchmarkAnswer(b *testing.B) {
	dir := b.TempDir()
	rules := filepath.Join(dir, ".veyyon", "rules")
	if err := os.MkdirAll(rules, 0o755); err != nil {
		b.Fatal(err)
	}
	for i := range 10 {
		text := fmt.Sprintf("---\ncondition: '\\b(console|logger)%d\\.(log|warn)\\('\n---\nNo.", i)
		if err := os.WriteFile(filepath.Join(rules, fmt.Sprintf("r%d.md", i)), []byte(text), 0o600); err != nil {
			b.Fatal(err)
		}
	}
	set, faults := Load(Sources{Dir: dir, Agent: dir}, Options{})
	if len(faults) > 0 {
		b.Fatal(faults)
	}
	reply := answer{{"text", strings.Repeat("some words of an answer. ", 16<<10/25)}}
	b.SetBytes(int64(len(reply[0][1])))
	for b.Loop() {
		write(NewWatcher(set, nil), reply, 4)
	}
}
