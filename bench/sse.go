package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"

	"golang.org/x/sync/errgroup"
)

// A modelServer is a model on loopback that speaks OpenAI Chat Completions. It
// runs in this process, so what it sends can carry our clock.
type modelServer struct {
	url     string
	server  *http.Server
	serving errgroup.Group // ends with close
}

// An answer writes the event stream for one request.
type answer func(out *events, asked request) error

// A request is what the model is asked: the role and the text of the last
// message.
type request struct{ role, text string }

// serveModel starts a model that answers so. The caller closes it.
func serveModel(reply answer) (*modelServer, error) {
	return serveRaw(func(out *events, body io.Reader) error {
		asked, err := readRequest(body)
		if err != nil {
			return err
		}
		return reply(out, asked)
	})
}

// A rawAnswer reads the body of a request and writes the event stream for it.
type rawAnswer func(out *events, body io.Reader) error

// serveRaw is serveModel for models that look at a request themselves.
func serveRaw(reply rawAnswer) (*modelServer, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	m := &modelServer{url: "http://" + listener.Addr().String() + "/v1"}
	m.server = &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		if err := reply(&events{w, r.Context()}, r.Body); err != nil {
			panic(http.ErrAbortHandler) // the stream breaks off, as it would elsewhere
		}
	})}
	m.serving.Go(func() error { return m.server.Serve(listener) })
	return m, nil
}

func (m *modelServer) close() error {
	err := m.server.Close()
	if served := m.serving.Wait(); !errors.Is(served, http.ErrServerClosed) {
		err = errors.Join(err, served)
	}
	return err
}

// The model wants a key, as all do.
const (
	keyVariable = "BENCH_MODEL_KEY" // in the environment of servers
	modelKey    = "loopback"
)

// modelName is what --model takes.
const modelName = "bench/stream"

// modelsFile is where a home tells of models.
func modelsFile(home string) string {
	return filepath.Join(home, ".veyyon", "profiles", "default", "agent", "models.yml")
}

// configure writes the models.yml that makes the model known to a server. Its
// context is so large that nothing is ever compacted.
func (m *modelServer) configure(home string) error {
	path := modelsFile(home)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return os.WriteFile(path, fmt.Appendf(nil, `providers:
  bench:
    baseUrl: %s
    apiKey: %s
    api: openai-completions
    models:
      - id: stream
        name: Stream
        reasoning: false
        input: [text]
        contextWindow: 1000000000
        maxTokens: 1000000000
`, m.url, keyVariable), 0o600)
}

// post sends a request and reads the whole answer.
func post(ctx context.Context, url string, body []byte) error {
	asked, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return err
	}
	answer, err := http.DefaultClient.Do(asked)
	if err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, answer.Body)
	return errors.Join(err, answer.Body.Close())
}

func readRequest(body io.Reader) (request, error) {
	var asked struct {
		Messages []struct {
			Role    string          `json:"role"`
			Content json.RawMessage `json:"content"`
		} `json:"messages"`
	}
	if err := json.NewDecoder(body).Decode(&asked); err != nil {
		return request{}, err
	}
	if len(asked.Messages) == 0 {
		return request{}, errors.New("no messages")
	}
	last := asked.Messages[len(asked.Messages)-1]
	var text string
	var parts []struct {
		Text string `json:"text"`
	}
	if json.Unmarshal(last.Content, &text) != nil && json.Unmarshal(last.Content, &parts) == nil {
		for _, part := range parts {
			text += part.Text
		}
	}
	return request{last.Role, text}, nil
}

// events is the stream of one answer.
type events struct {
	w   http.ResponseWriter
	ctx context.Context // the request's
}

// send writes events and lets them go at once.
func (e *events) send(text []byte) error {
	if _, err := e.w.Write(text); err != nil {
		return err
	}
	return http.NewResponseController(e.w).Flush()
}

// appendEvent appends one event as providers write them, with this JSON as its
// delta and as its finish reason.
func appendEvent(dst []byte, delta, finish string) []byte {
	return fmt.Appendf(dst, `data: {"id":"chatcmpl-bench","object":"chat.completion.chunk","created":1790000000,`+
		`"model":"stream","service_tier":"default","system_fingerprint":"fp_0000000000",`+
		`"choices":[{"index":0,"delta":%s,"logprobs":null,"finish_reason":%s}]}`+"\n\n", delta, finish)
}

// appendText appends the event of a text; it must need no escapes.
func appendText(dst []byte, text string) []byte {
	return appendEvent(dst, `{"content":"`+text+`"}`, "null")
}

// appendEnd appends what closes an answer.
func appendEnd(dst []byte, reason string) []byte {
	dst = appendEvent(dst, "{}", `"`+reason+`"`)
	return append(dst, `data: {"id":"chatcmpl-bench","object":"chat.completion.chunk","choices":[],`+
		`"usage":{"prompt_tokens":10,"completion_tokens":10,"total_tokens":20}}`+"\n\ndata: [DONE]\n\n"...)
}
