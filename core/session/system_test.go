package session

import (
	"context"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"veyyon.dev/veyyon/core/event"
	"veyyon.dev/veyyon/core/model"
	"veyyon.dev/veyyon/core/tool"
	"veyyon.dev/veyyon/core/transcript"
)

// A run keeps the prompt it began with, since another would cost the provider's
// cache of the conversation.
func TestTheSystemPromptChangesBetweenRunsOnly(t *testing.T) {
	version := 0 // of the files
	var asked []string
	models := speaks(func(_ context.Context, r *model.Request, d *model.Draft) error {
		asked = append(asked, r.System[0])
		version++
		if len(asked) == 1 {
			d.CallStart("c", "quick")
			d.CloseBlock()
			return nil
		}
		d.Text("done")
		return nil
	})
	log, err := transcript.New(transcript.Options{Dir: t.TempDir(), CWD: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	s := New(Options{
		Log: log, Models: models, Dir: t.TempDir(), Emit: func(...event.Event) {}, Tools: func() tool.Set { return tool.Set{} },
		System: func() []string { return []string{fmt.Sprint("version ", version)} },
		Choice: Choice{Model: &model.Model{ID: "m", Provider: "p"}, Steering: QueueAll, FollowUp: QueueAll, Interrupt: InterruptImmediate},
	})
	go s.Loop(t.Context()) // ends with Stop
	for _, text := range []string{"one", "two"} {
		say(t, s, text)
		if err := s.Settled(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	state, err := s.State(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"version 0", "version 0", "version 2"}, asked); diff != "" || state.SystemPrompt[0] != "version 2" {
		t.Error(state.SystemPrompt, diff)
	}
	s.Stop(t.Context(), ErrClosed, false)
	<-s.Done()
}
