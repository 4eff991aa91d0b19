package rpc

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// A frame is one line of the agent, and its essence on one line.
type frame struct {
	kind   string
	fields map[string]any
	short  string
}

func decoded(raw []byte) map[string]any {
	var fields map[string]any
	if err := json.Unmarshal(raw, &fields); err != nil {
		return map[string]any{"type": "not JSON: " + string(raw)}
	}
	return fields
}

func newFrame(line string, n *names) frame {
	fields := decoded([]byte(line))
	n.learn(fields)
	kind := text(fields["type"])
	return frame{kind, fields, n.of(shorten(kind, fields))}
}

func transcriptOf(log []frame) string {
	var b strings.Builder
	for _, f := range log {
		b.WriteString(f.short + "\n")
	}
	return b.String()
}

// shorten says what matters of a frame: its kind, then what tells it apart.
func shorten(kind string, f map[string]any) string {
	switch kind {
	case "response":
		return shortResponse(f)
	case "message_start", "message_end":
		return kind + " " + shortMessage(f["message"])
	case "message_update":
		e, _ := f["assistantMessageEvent"].(map[string]any)
		return fmt.Sprintf("message_update %v %v %s", e["type"], e["contentIndex"], compact(pick(e, "delta", "content", "toolCall")))
	case "turn_end":
		m, _ := f["message"].(map[string]any)
		return fmt.Sprintf("turn_end %v%s", m["stopReason"], eachOf(f["toolResults"], func(m any) string { return " " + text(m.(map[string]any)["toolCallId"]) }))
	case "agent_end":
		return "agent_end" + eachOf(f["messages"], func(m any) string { return " " + text(m.(map[string]any)["role"]) })
	case "tool_execution_start", "tool_execution_update", "tool_execution_end":
		out, _ := f["result"].(map[string]any)
		if kind == "tool_execution_update" {
			out, _ = f["partialResult"].(map[string]any)
		}
		short := fmt.Sprintf("%s %v %v", kind, f["toolCallId"], f["toolName"])
		if kind == "tool_execution_start" {
			return short + " " + compact(f["args"])
		}
		return short + shortContent(out["content"]) + mark(f["isError"] == true, " error")
	case "available_commands_update":
		return kind
	case "auto_retry_start":
		return kind + " " + compact(without(f, "type", "delayMs"))
	case "config_update":
		m, _ := f["model"].(map[string]any)
		return fmt.Sprintf("%s %v %v", kind, m["id"], f["thinkingLevel"])
	}
	return strings.TrimSuffix(kind+" "+compact(without(f, "type")), " {}")
}

func shortResponse(f map[string]any) string {
	head := fmt.Sprintf("response %v %v", f["id"], f["command"])
	if f["success"] != true {
		return fmt.Sprintf("%s failed %q %v", head, f["error"], f["code"])
	}
	data, _ := f["data"].(map[string]any)
	switch {
	case f["command"] == "get_messages":
		return head + eachOf(data["messages"], func(m any) string { return "\n  " + shortMessage(m) })
	case data != nil:
		data = without(data, "dumpTools", "systemPrompt", "contextUsage", "tokens", "cost", "autoCompactionEnabled", "isCompacting", "workingDir")
		if m, ok := data["model"].(map[string]any); ok {
			data["model"] = m["id"]
		}
		return head + " " + compact(data)
	}
	return head
}

func shortMessage(v any) string {
	m, _ := v.(map[string]any)
	head := text(m["role"])
	switch head {
	case "assistant":
		head += " " + text(m["stopReason"])
	case "toolResult":
		head += fmt.Sprintf(" %v%s", m["toolCallId"], mark(m["isError"] == true, " error"))
	case "bashExecution":
		return fmt.Sprintf("bashExecution %q %q %v cancelled=%v", m["command"], m["output"], m["exitCode"], m["cancelled"])
	}
	return head + mark(m["steering"] == true, " steering") + shortContent(m["content"]) + mark(m["errorMessage"] != nil, fmt.Sprintf(" error %q", m["errorMessage"]))
}

func shortContent(v any) string {
	return eachOf(v, func(v any) string {
		b, _ := v.(map[string]any)
		switch b["type"] {
		case "text":
			return fmt.Sprintf(" %q", b["text"])
		case "thinking":
			return fmt.Sprintf(" thinking %q", b["thinking"])
		case "toolCall":
			return fmt.Sprintf(" call %v %v %s", b["id"], b["name"], compact(b["arguments"]))
		}
		return " " + compact(b)
	})
}

func text(v any) string {
	s, _ := v.(string)
	return s
}

func mark(on bool, text string) string {
	if on {
		return text
	}
	return ""
}

func eachOf(list any, f func(any) string) string {
	var b strings.Builder
	items, _ := list.([]any)
	for _, item := range items {
		b.WriteString(f(item))
	}
	return b.String()
}

func pick(m map[string]any, keys ...string) map[string]any {
	out := map[string]any{}
	for _, key := range keys {
		if v, ok := m[key]; ok {
			out[key] = v
		}
	}
	return out
}

func without(m map[string]any, keys ...string) map[string]any {
	out := maps.Clone(m)
	for _, key := range keys {
		delete(out, key)
	}
	return out
}

func compact(v any) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return err.Error()
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// names gives what differs from run to run a name in the order of appearance:
// $ask1, $session1, $file1, $call1. Safe for concurrent use.
type names struct {
	mu    sync.Mutex
	given map[string]string
	count map[string]int
}

func newNames() *names { return &names{given: map[string]string{}, count: map[string]int{}} }

func (n *names) give(kind string, value any) {
	s := text(value)
	n.mu.Lock()
	defer n.mu.Unlock()
	if s == "" || n.given[s] != "" {
		return
	}
	n.count[kind]++
	n.given[s] = fmt.Sprintf("$%s%d", kind, n.count[kind])
}

// learn names what is new in a frame.
func (n *names) learn(f map[string]any) {
	switch text(f["type"]) {
	case "host_tool_call":
		n.give("ask", f["id"])
	case "host_tool_cancel":
		n.give("cancel", f["id"])
	case "extension_ui_request":
		if f["method"] == "cancel" {
			n.give("cancel", f["id"])
		} else {
			n.give("ask", f["id"])
		}
	}
	n.give("session", f["sessionId"])
	if data, ok := f["data"].(map[string]any); ok {
		n.give("session", data["sessionId"])
		n.give("file", data["sessionFile"])
		for list, key := range map[string]string{"entries": "id", "nodes": "id", "messages": "entryId"} {
			items, _ := data[list].([]any)
			for _, item := range items {
				if fields, ok := item.(map[string]any); ok {
					n.give("entry", fields[key])
				}
			}
		}
	}
}

var ownCallID = regexp.MustCompile(`call_[0-9a-f]{32}`)

// of puts the names into a text.
func (n *names) of(s string) string {
	for _, id := range ownCallID.FindAllString(s, -1) {
		n.give("call", id)
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, value := range n.longestFirst() {
		s = strings.ReplaceAll(s, value, n.given[value])
	}
	return s
}

// back puts what they stand for into a text.
func (n *names) back(s string) string {
	n.mu.Lock()
	defer n.mu.Unlock()
	for value, name := range n.given {
		s = strings.ReplaceAll(s, `"`+name+`"`, `"`+value+`"`)
		s = strings.ReplaceAll(s, `"`+name+`.`, `"`+value+`.`) // the beginning of a cursor
	}
	return s
}

// longestFirst lists the named values so that none is cut by one inside it: a
// file's name holds its session's id.
func (n *names) longestFirst() []string {
	return slices.SortedFunc(maps.Keys(n.given), func(a, b string) int { return len(b) - len(a) })
}
