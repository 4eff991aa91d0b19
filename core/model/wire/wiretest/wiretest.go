// Package wiretest tests dialects: recorded streams and requests compared with
// golden files, arbitrary bytes as answers, and the cost of a delta.
package wiretest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"veyyon.dev/veyyon/core/event"
	"veyyon.dev/veyyon/core/message"
	"veyyon.dev/veyyon/core/model"
	"veyyon.dev/veyyon/core/model/wire"
)

var update = flag.Bool("update", false, "write the golden files anew")

// A Maker makes the provider under test.
type Maker func(*wire.Client) model.Provider

// transport answers every request with the same bytes, and keeps the request.
type transport struct {
	status int
	stream io.Reader
	sent   []byte
}

func (t *transport) RoundTrip(req *http.Request) (*http.Response, error) {
	t.sent, _ = io.ReadAll(req.Body) // a bytes.Reader
	return &http.Response{
		StatusCode: t.status, Header: http.Header{"Content-Type": {"text/event-stream"}}, Request: req,
		Body: io.NopCloser(t.stream),
	}, nil
}

func clientOf(t *transport) *wire.Client {
	return &wire.Client{HTTP: &http.Client{Transport: t}, FirstEvent: wire.FirstEventTimeout, Idle: wire.IdleTimeout}
}

// Run streams an answer and returns the steps it took, one a line, with the
// message and the error that came out.
func Run(p model.Provider, req *model.Request) (steps []string, m *message.Assistant, err error) {
	draft := model.NewDraft(req.Model, model.DraftOptions{Emit: func(part event.Part, _ *message.Assistant) {
		line := fmt.Sprintf("%d %s", part.ContentIndex, part.Kind)
		if part.Delta != "" {
			line += fmt.Sprintf(" %q", part.Delta)
		}
		steps = append(steps, line)
	}})
	if err = p.Stream(context.Background(), req, draft); err != nil {
		m = draft.Fail(message.StopError, err.Error())
	} else {
		m = draft.Finish()
	}
	m.Timestamp = 0
	return steps, m, err
}

// Streams plays each testdata/NAME*.txtar: the file "stream" is the answer, the
// file "want" what must come of it.
func Streams(t *testing.T, newProvider Maker, req *model.Request, pattern string) {
	files, err := filepath.Glob(filepath.Join("testdata", pattern))
	if err != nil || len(files) == 0 {
		t.Fatalf("no test data for %s: %v", pattern, err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			stream, want := section(archive, "stream"), section(archive, "want")
			steps, m, err := Run(newProvider(clientOf(&transport{status: 200, stream: bytes.NewReader(stream.Data)})), req)
			got := strings.Join(steps, "\n") + "\n" + pretty(t, m)
			var failure *model.Error
			if errors.As(err, &failure) {
				got += fmt.Sprintf("class %#x status %d retry after %s\n", int(failure.Class), failure.Status, failure.RetryAfter)
			}
			compare(t, file, archive, want, got)
		})
	}
}

// Golden compares the body of the request with testdata/NAME.json.
func Golden(t *testing.T, newProvider Maker, req *model.Request, name string) {
	t.Helper()
	tr := &transport{status: 200, stream: strings.NewReader("")}
	_, _, _ = Run(newProvider(clientOf(tr)), req) // only the request is looked at
	var out bytes.Buffer
	if err := json.Indent(&out, tr.sent, "", "  "); err != nil {
		t.Fatalf("the body is no JSON: %v\n%s", err, tr.sent)
	}
	out.WriteByte('\n')
	file := filepath.Join("testdata", name+".json")
	if *update {
		if err := os.WriteFile(file, out.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), out.String()); diff != "" {
		t.Errorf("request (-want +got):\n%s", diff)
	}
}

// Fuzz feeds arbitrary bytes as the answer: the provider must come to an end,
// with a message or a *model.Error, and never with an empty success.
func Fuzz(f *testing.F, newProvider Maker, req *model.Request, pattern string) {
	files, _ := filepath.Glob(filepath.Join("testdata", pattern)) // no seeds are no error
	for _, file := range files {
		if archive, err := txtar.ParseFile(file); err == nil {
			f.Add(section(archive, "stream").Data)
		}
	}
	f.Fuzz(func(t *testing.T, stream []byte) {
		_, m, err := Run(newProvider(clientOf(&transport{status: 200, stream: bytes.NewReader(stream)})), req)
		var failure *model.Error
		if err != nil && !errors.As(err, &failure) {
			t.Fatalf("the error is a %T: %v", err, err)
		}
		if err == nil && m.StopReason == message.StopError {
			t.Fatal("an error without one")
		}
		for _, call := range m.Content.ToolCalls() {
			if !json.Valid(call.Arguments) || call.Arguments[0] != '{' {
				t.Fatalf("arguments are no object: %s", call.Arguments)
			}
		}
	})
}

// deltas is how many deltas a benchmark's stream holds.
const deltas = 8192

// Bench measures one delta of a stream that is before, then many times delta,
// then after.
func Bench(b *testing.B, newProvider Maker, req *model.Request, before, delta, after string) {
	stream := before + strings.Repeat(delta, deltas) + after
	b.ReportAllocs()
	b.SetBytes(int64(len(stream)))
	for b.Loop() {
		p := newProvider(clientOf(&transport{status: 200, stream: strings.NewReader(stream)}))
		draft := model.NewDraft(req.Model, model.DraftOptions{Emit: func(event.Part, *message.Assistant) {}})
		if err := p.Stream(context.Background(), req, draft); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*deltas), "ns/delta")
	perRun := testing.AllocsPerRun(1, func() {
		p := newProvider(clientOf(&transport{status: 200, stream: strings.NewReader(stream)}))
		draft := model.NewDraft(req.Model, model.DraftOptions{Emit: func(event.Part, *message.Assistant) {}})
		_ = p.Stream(context.Background(), req, draft) // it has just succeeded
	})
	b.ReportMetric(perRun/deltas, "allocs/delta")
}

func section(archive *txtar.Archive, name string) *txtar.File {
	for i := range archive.Files {
		if archive.Files[i].Name == name {
			return &archive.Files[i]
		}
	}
	archive.Files = append(archive.Files, txtar.File{Name: name})
	return &archive.Files[len(archive.Files)-1]
}

func compare(t *testing.T, file string, archive *txtar.Archive, want *txtar.File, got string) {
	t.Helper()
	if *update {
		want.Data = []byte(got)
		if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(string(want.Data), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", file, diff)
	}
}

func pretty(t *testing.T, v any) string {
	t.Helper()
	raw, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return string(raw) + "\n"
}
