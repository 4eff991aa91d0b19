package rpc

import (
	"context"
	"errors"
	"maps"
	"testing"
	"testing/synctest"
	"time"

	"veyyon.dev/veyyon/core/host"
)

// shown are the dialogs with their frames, but for type and id.
var shown = []struct {
	dialog host.Dialog
	frame  object
}{
	{host.Select{Title: "Pick", Options: []string{"a", "b"}}, object{"method": "select", "title": "Pick", "options": []any{"a", "b"}}},
	{host.Select{Title: "Pick", Timeout: 30 * time.Second}, object{"method": "select", "title": "Pick", "options": []any{}, "timeout": 30000.0}},
	{host.Confirm{Title: "Confirm", Timeout: time.Second}, object{"method": "confirm", "title": "Confirm", "message": "", "timeout": 1000.0}},
	{host.Input{Title: "Branch", Placeholder: "feature/…"}, object{"method": "input", "title": "Branch", "placeholder": "feature/…"}},
	{host.Input{Title: "Code", Secret: true}, object{"method": "input", "title": "Code", "secret": true}},
	{host.Editor{Title: "Edit", Prefill: "text", Prompt: true}, object{"method": "editor", "title": "Edit", "prefill": "text", "promptStyle": true}},
}

func TestDialogsTakeWhatThePersonSays(t *testing.T) {
	for _, c := range []struct {
		reply     object
		text, yes host.Answer // to dialogs that want a text, and to confirm
	}{
		{object{"value": "not an option"}, host.Answer{Value: "not an option", Given: true}, host.Answer{}},
		{object{"value": ""}, host.Answer{Given: true}, host.Answer{}},
		{object{"value": 5}, host.Answer{}, host.Answer{}},
		{object{"confirmed": true}, host.Answer{}, host.Answer{Confirmed: true}},
		{object{"confirmed": "true"}, host.Answer{}, host.Answer{}},
		{object{"confirmed": false}, host.Answer{}, host.Answer{}},
		{object{"cancelled": true, "value": "x", "confirmed": true}, host.Answer{}, host.Answer{}},
		{object{"cancelled": true, "timedOut": true}, host.Answer{TimedOut: true}, host.Answer{TimedOut: true}},
		{object{}, host.Answer{}, host.Answer{}},
	} {
		for _, d := range shown {
			synctest.Test(t, func(t *testing.T) {
				l := newLine(t)
				done := ask(func() (host.Answer, error) { return UI{Ledger: l.ledger}.Ask(t.Context(), d.dialog) })
				request := l.read()
				want := maps.Clone(d.frame)
				want["type"], want["id"] = "extension_ui_request", request["id"]
				same(t, request, want)
				reply := maps.Clone(c.reply)
				reply["type"] = "extension_ui_response"
				l.write("another", maps.Clone(reply))
				l.write(request["id"], reply)
				got := <-done
				same(t, got.err, error(nil))
				if _, ok := d.dialog.(host.Confirm); ok {
					same(t, got.value, c.yes)
				} else {
					same(t, got.value, c.text)
				}
				l.write(request["id"], reply) // a second answer is nobody's
				same(t, len(l.outbox), 0)
			})
		}
	}
}

func TestADialogTimesOutWithoutAFrame(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLine(t)
		began := time.Now()
		done := ask(func() (host.Answer, error) {
			return UI{Ledger: l.ledger}.Ask(t.Context(), host.Confirm{Title: "Sure?", Timeout: 30 * time.Second})
		})
		request := l.read()
		same(t, <-done == ended[host.Answer]{value: host.Answer{TimedOut: true}}, true)
		same(t, time.Since(began), 30*time.Second)
		same(t, len(l.outbox), 0)

		// The late answer does not reach the next question.
		next := ask(func() (host.Answer, error) {
			return UI{Ledger: l.ledger}.Ask(t.Context(), host.Confirm{Title: "Really?"})
		})
		second := l.read()
		l.write(request["id"], object{"type": "extension_ui_response", "confirmed": true})
		synctest.Wait()
		same(t, len(next), 0)
		l.write(second["id"], object{"type": "extension_ui_response", "confirmed": false})
		same(t, <-next == ended[host.Answer]{}, true)
	})
}

func TestADialogOfAnAskerThatHasGoneIsTakenBack(t *testing.T) {
	stopped := errors.New("stopped")
	for _, d := range shown {
		synctest.Test(t, func(t *testing.T) {
			l := newLine(t)
			ctx, stop := context.WithCancelCause(t.Context())
			done := ask(func() (host.Answer, error) { return UI{Ledger: l.ledger}.Ask(ctx, d.dialog) })
			request := l.read()
			stop(stopped)
			cancel := l.read()
			same(t, cancel, object{"type": "extension_ui_request", "id": cancel["id"], "method": "cancel", "targetId": request["id"]})
			same(t, cancel["id"] != request["id"], true)
			same(t, errors.Is((<-done).err, stopped), true)

			_, err := UI{Ledger: l.ledger}.Ask(ctx, d.dialog) // already gone: nothing is shown
			same(t, errors.Is(err, stopped), true)
			same(t, len(l.outbox), 0)
		})
	}
}

func TestDialogsFailOnceTheHostHasGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLine(t)
		ui := UI{Ledger: l.ledger}
		const want = "RPC client disconnected before extension UI response completed"
		done := ask(func() (host.Answer, error) { return ui.Ask(t.Context(), host.Editor{Title: "Edit"}) })
		l.read()
		l.ledger.Close()
		got := <-done
		same(t, got.err.Error(), want)
		same(t, errors.Is(got.err, host.ErrGone), true)
		_, err := ui.Ask(t.Context(), host.Input{Title: "Code"})
		same(t, err.Error(), want)
		same(t, len(l.outbox), 0)
	})
}

func TestNoticesWaitForNobody(t *testing.T) {
	ok := "ok"
	for _, c := range []struct {
		notice host.Notice
		frame  object
	}{
		{host.Message{Text: "Saved", Level: "info"}, object{"method": "notify", "message": "Saved", "notifyType": "info"}},
		{host.Message{Text: "Saved"}, object{"method": "notify", "message": "Saved"}},
		{host.Status{Key: "lint", Text: &ok}, object{"method": "setStatus", "statusKey": "lint", "statusText": "ok"}},
		{host.Status{Key: "lint"}, object{"method": "setStatus", "statusKey": "lint"}},
		{host.Widget{Key: "w", Lines: []string{"l1", "l2"}, Placement: "belowEditor"}, object{"method": "setWidget", "widgetKey": "w", "widgetLines": []any{"l1", "l2"}, "widgetPlacement": "belowEditor"}},
		{host.Widget{Key: "w"}, object{"method": "setWidget", "widgetKey": "w"}},
		{host.Title{Text: "t"}, object{"method": "setTitle", "title": "t"}},
		{host.EditorText{Text: "draft"}, object{"method": "set_editor_text", "text": "draft"}},
		{host.Page{URL: "https://auth.example/…", LaunchURL: "http://localhost:1455/launch", Instructions: "Sign in", Credential: "oauth"}, object{"method": "open_url", "url": "https://auth.example/…", "launchUrl": "http://localhost:1455/launch", "instructions": "Sign in", "credential": "oauth"}},
	} {
		l := newLine(t)
		same(t, UI{Ledger: l.ledger, Titles: true}.Show(c.notice), error(nil))
		got := l.read()
		c.frame["type"], c.frame["id"] = "extension_ui_request", got["id"]
		same(t, got, c.frame)
	}
	l := newLine(t)
	same(t, UI{Ledger: l.ledger}.Show(host.Title{Text: "t"}), error(nil))
	same(t, len(l.outbox), 0)
}
