package auth

import (
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/gofrs/flock"
)

func TestAStuckProgramDoesNotHoldUpAChangeForEver(t *testing.T) {
	path := filepath.Join(t.TempDir(), "auth.json")
	other := flock.New(path + ".lock")
	if err := other.Lock(); err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		if err := NewStore(path).Set("p", "key"); err == nil || !strings.Contains(err.Error(), "other programs") {
			t.Errorf("storing: %v", err)
		}
	})
	if err := other.Unlock(); err != nil {
		t.Fatal(err)
	}
	if err := NewStore(path).Set("p", "key"); err != nil {
		t.Error(err)
	}
}
