package session

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"veyyon.dev/veyyon/core/event"
	"veyyon.dev/veyyon/core/file"
	"veyyon.dev/veyyon/core/host"
	inmemory "veyyon.dev/veyyon/core/host/memory"
	"veyyon.dev/veyyon/core/model"
	"veyyon.dev/veyyon/core/shell"
	"veyyon.dev/veyyon/core/tool"
	"veyyon.dev/veyyon/core/tool/bash"
	"veyyon.dev/veyyon/core/tool/edit"
	"veyyon.dev/veyyon/core/tool/read"
	"veyyon.dev/veyyon/core/tool/write"
	"veyyon.dev/veyyon/core/transcript"
)

// toolEvents are the updates and the ends of calls, by tool.
func (k *talk) toolEvents() (updates map[string][]event.ToolOutput, ends map[string]event.ToolEnd) {
	k.mu.Lock()
	defer k.mu.Unlock()
	updates, ends = map[string][]event.ToolOutput{}, map[string]event.ToolEnd{}
	for _, e := range k.events {
		switch e := e.(type) {
		case event.ToolUpdate:
			updates[e.ToolName] = append(updates[e.ToolName], e.PartialResult)
		case event.ToolEnd:
			ends[e.ToolName] = e
		}
	}
	return updates, ends
}

func TestASessionWorksThroughTheHostsFilesAndTerminals(t *testing.T) {
	runner := shell.New(shell.Options{Env: os.Environ()})
	defer func() {
		if err := runner.Close(context.Background()); err != nil {
			t.Error(err)
		}
	}()
	dir := t.TempDir()
	path := filepath.Join(dir, "birds.txt")
	if err := os.WriteFile(path, []byte("saved\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var editor inmemory.Files
	unsaved, edited := "plover UNSEEN\n", "owl UNSEEN\n"
	editor.Put(path, unsaved)
	terminals := inmemory.Terminals{Begin: func(_ context.Context, term *inmemory.Terminal) error {
		term.Print("tweet\n", false)
		term.End(host.Exit{Code: new(int)})
		return nil
	}}
	locks, texts := &file.Locks{}, tool.Texts{Host: editor.Host(), Own: Owns}
	steps := [][2]string{
		{"read", `{"path":"birds.txt"}`},
		{"edit", `{"path":"birds.txt","edits":[{"old_text":"plover","new_text":"owl"}]}`},
		{"bash", `{"command":"chirp"}`},
	}
	log := newLog(t, transcript.Options{Dir: t.TempDir()})
	inTime(t, func(ctx context.Context, t *testing.T) {
		turn := 0
		k := talks(ctx, t, log, func(_ context.Context, _ *model.Request, d *model.Draft) error {
			if turn == len(steps) {
				d.Text("done")
				return nil
			}
			d.CallStart("", steps[turn][0])
			d.CallArguments(steps[turn][1])
			turn++
			return nil
		}, nil, func(opts *Options) {
			opts.Dir = dir
			opts.Tools = func() tool.Set {
				return tool.NewSet(
					read.New(read.Options{Texts: texts}), edit.New(edit.Options{Locks: locks, Texts: texts}), write.New(write.Options{Locks: locks, Texts: texts}),
					bash.New(bash.Options{Runner: runner, Terminals: &terminals}),
				)
			}
		})
		say(t, k.Session, "work")
		if err := k.Settled(t.Context()); err != nil {
			t.Fatal(err)
		}
		updates, ends := k.toolEvents()
		if text := ends["read"].Result.Content.Text(); text != "1:plover UNSEEN" {
			t.Errorf("read gave %q", text)
		}
		if diff := cmp.Diff([]event.Diff{{Path: path, Old: &unsaved, New: edited}}, ends["edit"].Result.Diffs); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff([]event.Location{{Path: path, Line: 1}}, ends["edit"].Result.Locations); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff(map[string]string{path: edited}, editor.Texts()); diff != "" {
			t.Error(diff)
		}
		if shown := updates["bash"]; len(shown) == 0 || !strings.Contains(string(shown[0].Details), `"terminalId":"term-1"`) {
			t.Errorf("the updates of bash are %+v", shown)
		}
		if ends["bash"].Result.Content.Text() != "tweet\n" || ends["bash"].IsError {
			t.Errorf("bash gave %+v", ends["bash"].Result)
		}
		frame, err := json.Marshal(ends["edit"])
		if err != nil || strings.Contains(string(frame), "iffs") || strings.Contains(string(frame), "ocations") {
			t.Errorf("%v: %s", err, frame)
		}
		own := filepath.Join(k.Folder(), "local", "PLAN.md")
		if view := (toolView{k.Session, ctx}); !Owns(view, own) || Owns(view, path) || Owns(nil, own) {
			t.Error("a session does not know what is its own")
		}
	})
	if got, err := os.ReadFile(path); err != nil || string(got) != "saved\n" {
		t.Errorf("the disk was written: %q, %v", got, err)
	}
	kept, err := os.ReadFile(log.Path())
	if err != nil || strings.Count(string(kept), "owl UNSEEN") != 1 { // in the unified diff of the details
		t.Errorf("%v: the transcript is\n%s", err, kept)
	}
}
