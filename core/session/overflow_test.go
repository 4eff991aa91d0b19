package session

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"veyyon.dev/veyyon/core/model"
)

func TestAnOverflowIsCompactedOnceAndTriedAgain(t *testing.T) {
	inTime(t, func(ctx context.Context, t *testing.T) {
		limit := 1 << 30 // tokens the provider takes
		k := filled(ctx, t, func(ctx context.Context, r *model.Request, d *model.Draft) error {
			if tokens(r) > limit {
				return overflow(ctx, r, d)
			}
			d.Text("ok")
			return nil
		}, answers("S"), nil)
		limit = 3000
		begun := len(k.told())
		say(t, k.Session, "more")
		k.settle(t)
		want := []string{
			"agent_start", "user more", "error prompt is too long",
			"compacting: overflow", "compacted: result true, aborted false, retry true",
			"agent_start", "answer ok", "agent_end",
		}
		if diff := cmp.Diff(want, k.told()[begun:]); diff != "" {
			t.Error(diff)
		}
		limit = 0
		begun = len(k.told())
		say(t, k.Session, long("again", 2000))
		k.settle(t)
		want = []string{
			"agent_start", "user again abc ab", "error prompt is too long",
			"compacting: overflow", "compacted: result true, aborted false, retry true",
			"agent_start", "error prompt is too long", "notice", "agent_end",
		}
		if diff := cmp.Diff(want, k.told()[begun:]); diff != "" {
			t.Error(diff)
		}
		if state := k.state(t); state.IsStreaming || state.IsCompacting {
			t.Errorf("%+v", state)
		}
		limit = 1 << 30
		say(t, k.Session, "better?")
		k.settle(t)
		if told := k.told(); told[len(told)-2] != "answer ok" {
			t.Errorf("events: %v", told)
		}
	})
}

func TestAnOverflowThatCannotBeHelpedStands(t *testing.T) {
	inTime(t, func(ctx context.Context, t *testing.T) {
		k := talks(ctx, t, memory(t), overflow, answers("S"), nil)
		say(t, k.Session, "small")
		k.settle(t)
		if diff := cmp.Diff([]string{"agent_start", "user small", "error prompt is too long", "notice", "agent_end"}, k.told()); diff != "" {
			t.Error(diff)
		}
		failing := filled(ctx, t, func(ctx context.Context, r *model.Request, d *model.Draft) error {
			if tokens(r) > 3800 {
				return overflow(ctx, r, d)
			}
			d.Text("ok")
			return nil
		}, func(context.Context, *model.Request, *model.Draft) error { return &model.Error{Message: "no"} }, nil)
		begun := len(failing.told())
		say(t, failing.Session, long("big", 1000))
		failing.settle(t)
		want := []string{
			"agent_start", "user big abc abc ", "error prompt is too long",
			"compacting: overflow", "compacted: result false, aborted false, retry falseContext overflow recovery failed: no", "notice", "agent_end",
		}
		if diff := cmp.Diff(want, failing.told()[begun:]); diff != "" {
			t.Error(diff)
		}
	})
}

func TestAnOverflowIsNotPaidForAgainAndAgain(t *testing.T) {
	inTime(t, func(ctx context.Context, t *testing.T) {
		full := false
		k := talks(ctx, t, memory(t), func(ctx context.Context, r *model.Request, d *model.Draft) error {
			if full {
				d.Text("partial")
				return overflow(ctx, r, d)
			}
			d.Text("ok")
			return nil
		}, answers("S"), nil)
		for n := range 12 {
			say(t, k.Session, long(fmt.Sprint("q", n), 400))
			k.settle(t)
		}
		full = true
		begun, asked := len(k.told()), len(k.asked())
		say(t, k.Session, "more")
		k.settle(t)
		want := []string{
			"agent_start", "user more", "error prompt is too long",
			"compacting: overflow", "compacted: result true, aborted false, retry true",
			"agent_start", "error prompt is too long", "notice", "agent_end",
		}
		if diff := cmp.Diff(want, k.told()[begun:]); diff != "" {
			t.Error(diff)
		}
		retried := k.asked()[asked:]
		if len(retried) != 3 || retried[1] != "summary" || strings.Contains(retried[2], "error") {
			t.Errorf("requests: %q", retried)
		}
	})
}
