package session

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestOneProcessSweepsAFolderOnce(t *testing.T) {
	dir := t.TempDir()
	litter := filepath.Join(dir, ".veyyon-"+strings.Repeat("A", 26)) // as a crash leaves it
	for _, want := range []bool{false, true} {                       // later it is another process's to remove
		if err := os.WriteFile(litter, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		inTime(t, func(ctx context.Context, t *testing.T) {
			talks(ctx, t, memory(t), answers("yes"), nil, func(o *Options) { o.Dir = dir }).settle(t)
		})
		if _, err := os.Stat(litter); (err == nil) != want {
			t.Errorf("what a crash left: %v", err)
		}
	}
}
