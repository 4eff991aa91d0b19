package session

import (
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestArtifactsSavedAtOnceTakeDifferentNumbers(t *testing.T) {
	s, folder := New(Options{}), filepath.Join(t.TempDir(), "session")
	var mu sync.Mutex
	var got []int
	save := func(kind string) {
		n, ok := s.saveArtifact(folder, kind, []byte(kind))
		mu.Lock()
		defer mu.Unlock()
		if !ok {
			t.Error("an artifact was not saved")
		}
		got = append(got, n)
	}
	var all sync.WaitGroup // ends with the calls
	for range 5 {
		all.Go(func() { save("bash") })
		all.Go(func() { save("job") })
	}
	all.Wait()
	slices.Sort(got)
	if diff := cmp.Diff([]int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, got); diff != "" {
		t.Error(diff)
	}
	found, err := os.ReadDir(folder)
	if err != nil || len(found) != len(got) {
		t.Errorf("the folder holds %v: %v", found, err)
	}
	again, ok := New(Options{}).saveArtifact(folder, "bash", nil)
	if !ok || again != len(got) {
		t.Errorf("after a restart the next is %d", again)
	}
}
