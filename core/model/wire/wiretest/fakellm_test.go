package wiretest_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"veyyon.dev/veyyon/core/message"
	"veyyon.dev/veyyon/core/model"
	"veyyon.dev/veyyon/core/model/anthropic"
	"veyyon.dev/veyyon/core/model/google"
	"veyyon.dev/veyyon/core/model/openai"
	"veyyon.dev/veyyon/core/model/wire"
	"veyyon.dev/veyyon/core/model/wire/wiretest"
)

// script is where the project's scripted server lies beside a checkout.
const script = "../../../../../shared/conformance/fakellm.py"

var dialects = []struct {
	api  model.API
	path string
	make wiretest.Maker
}{
	{model.APICompletions, "/v1", func(c *wire.Client) model.Provider { return openai.NewCompletions(c) }},
	{model.APIResponses, "/v1", func(c *wire.Client) model.Provider { return openai.NewResponses(c) }},
	{model.APIAnthropic, "", func(c *wire.Client) model.Provider { return anthropic.New(c) }},
	{model.APIGoogle, "/v1beta", func(c *wire.Client) model.Provider { return google.New(c) }},
}

// serve starts the scripted server, in its own process, and returns its address.
func serve(t *testing.T, turns string) string {
	t.Helper()
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("no python3 here")
	}
	if _, err := os.Stat(script); err != nil {
		t.Skip("the scripted server is not here")
	}
	file := filepath.Join(t.TempDir(), "turns.json")
	if err := os.WriteFile(file, []byte(turns), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(python, "-B", script, "--port", "0", "--script", file)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // it serves for ever
		_ = cmd.Wait()         // killed
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(line)
}

func TestTheScriptedServerIsUnderstoodInEveryDialect(t *testing.T) {
	turn := `{"steps":[{"thinking":"hmm "},{"thinking":"so"},{"text":"Read"},{"text":"ing."},
		{"tool":"read","args":{"path":"a"},"id":"call_1"},{"tool":"ls","args":{},"id":"call_2"}],"usage":{"in":1200,"cached":200,"out":34}}`
	for _, d := range dialects {
		t.Run(string(d.api), func(t *testing.T) {
			address := serve(t, "["+turn+`,{"steps":[{"text":"Once"},{"stop":"length"}]},
				{"steps":[{"status":529,"body":{"error":{"message":"busy"}},"headers":{"Retry-After":"3"}}]},
				{"steps":[{"text":"Once"},{"drop":true}]},{"steps":[{"text":"Once"},{"hang":true}]}]`)
			client := wire.NewClient()
			defer client.Close()
			client.Idle = 300 * time.Millisecond
			p, req := d.make(client), wiretest.Question(d.api)
			req.Model.BaseURL = address + d.path

			_, m, err := wiretest.Run(p, req)
			if err != nil {
				t.Fatal(err)
			}
			var kinds []string
			for _, block := range m.Content {
				switch b := block.(type) {
				case *message.Thinking:
					kinds = append(kinds, "thinking "+b.Thinking)
				case *message.Text:
					kinds = append(kinds, "text "+b.Text)
				case *message.ToolCall:
					kinds = append(kinds, "call "+b.ID+" "+b.Name+" "+compact(t, b.Arguments))
				}
			}
			want := []string{"thinking hmm so", "text Reading.", `call call_1 read {"path":"a"}`, `call call_2 ls {}`}
			if diff := cmp.Diff(want, kinds); diff != "" {
				t.Errorf("content (-want +got):\n%s", diff)
			}
			fresh := 1000
			if d.api == model.APIAnthropic {
				fresh = 1200 // this dialect counts cached tokens apart
			}
			if u := m.Usage; m.StopReason != message.StopToolUse || u.Input != fresh || u.CacheRead != 200 || u.Output != 34 {
				t.Errorf("stop %s, usage %+v", m.StopReason, u)
			}

			if _, m, err = wiretest.Run(p, req); err != nil || m.StopReason != message.StopLength {
				t.Errorf("a cut answer: %v, stop %s", err, m.StopReason)
			}
			for _, c := range []struct {
				name  string
				class model.Class
				text  string
				retry time.Duration
			}{
				{"overloaded", model.ClassTransient, "", 3 * time.Second},
				{"dropped", model.ClassTransient, "Once", 0},
				{"hanging", model.ClassTransient | model.ClassTimeout, "Once", 0},
			} {
				_, m, err := wiretest.Run(p, req)
				var failure *model.Error
				if !errors.As(err, &failure) || failure.Class != c.class || failure.RetryAfter != c.retry {
					t.Errorf("%s: %+v", c.name, err)
				}
				if m.Content.Text() != c.text {
					t.Errorf("%s: text %q", c.name, m.Content.Text())
				}
			}
		})
	}
}

func compact(t *testing.T, raw json.RawMessage) string {
	t.Helper()
	var value any
	if err := json.Unmarshal(raw, &value); err != nil {
		t.Fatal(err)
	}
	out, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}
