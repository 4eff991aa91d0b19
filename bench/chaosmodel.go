package main

import (
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"sync"
	"time"
)

// A chaosModel answers so that a server is busy in many ways, and checks each
// request.
type chaosModel struct {
	*modelServer
	mu       sync.Mutex // over all below: connections of a killed server linger
	random   *rand.Rand
	checked  int
	unpaired []string
}

// A chatRequest is what of a request is looked at.
type chatRequest struct {
	Messages []struct {
		Role       string          `json:"role"`
		Content    json.RawMessage `json:"content"`
		ToolCallID string          `json:"tool_call_id"`
		ToolCalls  []struct {
			ID string `json:"id"`
		} `json:"tool_calls"`
	} `json:"messages"`
}

func serveChaos(random *rand.Rand) (*chaosModel, error) {
	m := &chaosModel{random: random}
	served, err := serveRaw(m.answer)
	m.modelServer = served
	return m, err
}

// counts are the requests that were looked at, and what was wrong with them.
func (m *chaosModel) counts() (checked int, unpaired []string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.checked, m.unpaired
}

func (m *chaosModel) answer(out *events, body io.Reader) error {
	var asked chatRequest
	if err := json.NewDecoder(body).Decode(&asked); err != nil {
		return err // the server was killed meanwhile
	}
	m.mu.Lock()
	m.checked++
	if wrong := asked.pairing(); wrong != "" {
		m.unpaired = append(m.unpaired, wrong)
	}
	small, n := m.random.IntN(30), m.random.IntN(1<<20)
	m.mu.Unlock()

	kind, batches := asked.wanted()
	switch {
	case kind == "tools" && batches < 2:
		return out.send(appendEnd(m.batch(n), "tool_calls"))
	case kind == "tools", kind == "quick":
		return out.send(appendEnd(appendText(nil, "done"), "stop"))
	case kind == "big":
		return out.send(appendEnd(appendText(nil, strings.Repeat("much at once ", 1000+n%10_000)), "stop"))
	}
	for range small { // also for summaries, which nobody asked for by kind
		if err := out.send(appendText(nil, "word ")); err != nil {
			return err
		}
		pause(out.ctx, time.Millisecond)
	}
	return out.send(appendEnd(appendText(nil, "end"), "stop"))
}

// batch is an answer that runs a command, and writes and edits files.
func (m *chaosModel) batch(n int) []byte {
	call := func(index int, name string, arguments any) string {
		raw, _ := json.Marshal(arguments)         // of strings
		quoted, _ := json.Marshal(string(raw))    // a string
		id := fmt.Sprintf("call_%d_%d", n, index) // random: unique among neighbours
		return fmt.Sprintf(`{"index":%d,"id":%q,"type":"function","function":{"name":%q,"arguments":%s}}`, index, id, name, quoted)
	}
	type object = map[string]any
	calls := []string{
		call(0, "write", object{"path": fmt.Sprintf("w%d.txt", n%5), "content": sealed(strings.Repeat(fmt.Sprintf("line %d\n", n), n%4000))}),
		call(1, "bash", object{"command": fmt.Sprintf("printf . >> log.txt; sleep 0.0%d; head -c %d /dev/zero | tr '\\0' x", n%3, n%150_000)}),
		call(2, "write", object{"path": "src/edited.txt", "content": editedBefore}),
		call(3, "edit", object{"path": "src/edited.txt", "edits": []object{{"old_text": "before", "new_text": "behind"}}}),
	}
	return appendEvent(nil, `{"tool_calls":[`+strings.Join(calls, ",")+`]}`, "null")
}

// wanted is the kind of the last prompt, and how many batches of calls were
// made for it; "" when the last words are not a prompt of ours.
func (r *chatRequest) wanted() (kind string, batches int) {
	for i := len(r.Messages) - 1; i >= 0; i-- {
		m := r.Messages[i]
		if len(m.ToolCalls) > 0 {
			batches++
		}
		if m.Role == "user" {
			_, after, found := strings.Cut(string(m.Content), "chaos ")
			if !found || strings.Contains(string(m.Content), "summar") {
				return "", 0
			}
			kind, _, _ = strings.Cut(after, " ")
			return kind, batches
		}
	}
	return "", 0
}

// pairing says what is wrong with calls and results, "" for nothing: after an
// answer with calls there must be one result for each of them, and no other.
func (r *chatRequest) pairing() string {
	var open []string // ids that need a result before anything else
	for i, m := range r.Messages {
		if m.Role == "tool" {
			if len(open) == 0 || open[0] != m.ToolCallID {
				return fmt.Sprintf("message %d is a result of %s; results are due of %q", i, m.ToolCallID, open)
			}
			open = open[1:]
			continue
		}
		if len(open) > 0 {
			return fmt.Sprintf("message %d comes before the results of %q", i, open)
		}
		for _, call := range m.ToolCalls {
			open = append(open, call.ID)
		}
	}
	if len(open) > 0 {
		return fmt.Sprintf("the request ends without the results of %q", open)
	}
	return ""
}
