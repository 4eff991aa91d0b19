package wire

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"veyyon.dev/veyyon/core/message"
	"veyyon.dev/veyyon/core/model"
	"veyyon.dev/veyyon/core/model/replay"
)

// history is a request with own signed thinking and an image.
func history() *model.Request {
	m := &model.Model{ID: "m", Provider: "p", API: "a", Input: []string{"text", "image"}}
	return &model.Request{Model: m, Messages: []message.Message{
		&message.User{Content: message.Blocks{message.NewText("q"), message.NewImage("eA==", "image/png")}},
		&message.Assistant{API: "a", Provider: "p", Model: "m", Content: message.Blocks{
			&message.Thinking{Type: "thinking", Thinking: "t", Signature: "s"}, message.NewText("x"),
		}},
		&message.User{Content: message.Blocks{message.NewText("again")}},
	}}
}

// askTwice asks a server that refuses once with this status and text; it
// returns how many blocks each request held.
func askTwice(t *testing.T, status int, refusal string) (blocks []int, err error) {
	t.Helper()
	refused := false
	client, address := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		if !refused {
			refused = true
			w.WriteHeader(status)
			_, _ = io.WriteString(w, refusal)
			return
		}
		stream(w, "word", "end")
	})
	req := history()
	draft := model.NewDraft(req.Model, model.DraftOptions{})
	err = client.Ask(t.Context(), Question{
		Request: req, Draft: draft,
		Call: func(rules replay.Rules) Call {
			n := 0
			for _, m := range replay.Conversation(req, rules) {
				switch m := m.(type) {
				case *message.User:
					for _, b := range m.Content {
						if _, ok := b.(*message.Image); ok {
							n += 10
						}
					}
				case *message.Assistant:
					n += len(m.Content)
				}
			}
			blocks = append(blocks, n)
			return NewCall(req, address, nil)
		},
		Answer: func() Answer {
			return func(data []byte) (State, error) {
				draft.Text(string(data))
				if string(data) == "end" {
					return Finished, nil
				}
				return Streaming, nil
			}
		},
	})
	return blocks, err
}

func TestARefusedHistoryIsRepairedOnce(t *testing.T) {
	for _, c := range []struct {
		status int
		text   string
		want   []int // ten an image, one a block of the assistant
		fails  bool
	}{
		{400, "messages.1.content.0: Invalid `signature` in `thinking` block", []int{12, 11}, false},
		{400, "The encrypted content could not be verified.", []int{12, 11}, false},
		{400, "Could not process image", []int{12, 2}, false},
		{413, "", []int{12, 2}, false},
		{400, "unknown field", []int{12}, true},
		{500, "image", []int{12}, true},
	} {
		got, err := askTwice(t, c.status, c.text)
		if diff := cmp.Diff(c.want, got); diff != "" || (err != nil) != c.fails {
			t.Errorf("%d %q: error %v (-want +got):\n%s", c.status, c.text, err, diff)
		}
	}
}

func TestAnEmptyAnswerIsNoSuccess(t *testing.T) {
	client, address := serve(t, func(w http.ResponseWriter, _ *http.Request) { stream(w, "end") })
	req := &model.Request{Model: &model.Model{}}
	err := client.Ask(t.Context(), Question{
		Request: req, Draft: model.NewDraft(req.Model, model.DraftOptions{}),
		Call:   func(replay.Rules) Call { return NewCall(req, address, nil) },
		Answer: func() Answer { return func([]byte) (State, error) { return Finished, nil } },
	})
	var failure *model.Error
	if !errors.As(err, &failure) || failure.Class != model.ClassTransient {
		t.Errorf("error %v", err)
	}
}

func TestJSONIsValidUTF8WithoutHTMLEscapes(t *testing.T) {
	raw, err := Marshal(map[string]string{"a": "<&>\xff\u2028"})
	if err != nil {
		t.Fatal(err)
	}
	if want := `{"a":"<&>\ufffd\u2028"}`; string(raw) != want {
		t.Errorf("%s, want %s", raw, want)
	}
}

func TestAnAnswerWithoutEndIsLeft(t *testing.T) {
	client, address := serve(t, func(w http.ResponseWriter, r *http.Request) {
		for r.Context().Err() == nil {
			stream(w, "word")
		}
	})
	req := history()
	draft := model.NewDraft(req.Model, model.DraftOptions{})
	long := strings.Repeat("x", 1<<20)
	err := client.Ask(t.Context(), Question{
		Request: req, Draft: draft,
		Call:   func(replay.Rules) Call { return NewCall(req, address, nil) },
		Answer: func() Answer { return func([]byte) (State, error) { draft.Text(long); return Streaming, nil } },
	})
	var failure *model.Error
	if !errors.As(err, &failure) || failure.Retryable() || !strings.Contains(failure.Message, "longer than 32 MiB") {
		t.Errorf("error %v", err)
	}
}
