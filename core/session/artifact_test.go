package session

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"veyyon.dev/veyyon/core/transcript"
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

func TestAnArtifactIsFoundWhateverItsFolderIsCalled(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "[a]*?\\")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	inTime(t, func(ctx context.Context, t *testing.T) {
		k := talks(ctx, t, newLog(t, transcript.Options{Dir: dir}), answers("yes"), nil, nil)
		v := toolView{k.Session, ctx}
		for range 11 { // so that there are both 1 and 10
			if _, ok := v.SaveArtifact("bash", []byte("text")); !ok {
				t.Fatal("an artifact was not saved")
			}
		}
		for n, want := range map[int]string{1: "1.bash.log", 10: "10.bash.log", 11: ""} {
			path, ok := Artifact(v, n)
			if ok != (want != "") || ok && path != filepath.Join(k.Folder(), want) {
				t.Errorf("artifact %d is %q, %v", n, path, ok)
			}
		}
	})
}
