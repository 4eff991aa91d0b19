package rpc

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"veyyon.dev/veyyon/core/shell"
)

var update = flag.Bool("update", false, "write what the agent says into the conversations")

// TestWholeConversations plays testdata/*.txtar. Each has
//
//   - `model`: the script, see package scripted;
//   - `host`: what the host does. Lines that begin with { are sent, neighbours in
//     one write, with $ask1, $file1 and the like for what was named earlier.
//     "wait TEXT" takes frames until one begins so, "sleep 1s" lets time pass,
//     "settle" waits until nothing moves, "put FILE TEXT" writes a file of the
//     folder, with \n for line breaks. In the end the input is closed. Words
//     on top: "drain" is --drain, "apart" lists the responses behind the events,
//     where their order is nobody's promise;
//   - `agent`: the frames expected, in short;
//   - `approval`, where it is there: which tool calls run, as YAML;
//   - `requests`, where it is there: what the model is asked, one line each;
//   - `NAME.jsonl`: a session file that is there, as $dir/NAME.jsonl;
//   - `.veyyon/NAME`: what the project has for the program.
//
// Time is fake, unless a bash command needs a real process.
func TestWholeConversations(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no conversations", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) { check(t, file) })
	}
}

func check(t *testing.T, file string) {
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	archive := txtar.Parse(data)
	sections, files := map[string]*txtar.File{}, map[string][]byte{}
	for i := range archive.Files {
		section := &archive.Files[i]
		sections[section.Name] = section
		if strings.HasSuffix(section.Name, ".jsonl") || strings.HasPrefix(section.Name, ".veyyon/") {
			files[section.Name] = section.Data
		}
	}
	o := talkOptions{script: string(sections["model"].Data), files: files}
	if asked := sections["approval"]; asked != nil {
		o.approval = approvalOf(t, asked.Data)
	}
	host := strings.Split(strings.TrimSpace(string(sections["host"].Data)), "\n")
	apart := false
	for ; host[0] == "drain" || host[0] == "apart"; host = host[1:] {
		o.drain, apart = o.drain || host[0] == "drain", apart || host[0] == "apart"
	}
	var k *talk
	play := func(t *testing.T) {
		k = startTalk(t, o)
		k.play(host)
		k.hangUp()
	}
	if strings.Contains(string(sections["host"].Data), `"bash"`) {
		o.shell = shell.New(shell.Options{Spares: -1})
		play(t)
		if err := o.shell.Close(t.Context()); err != nil {
			t.Error(err)
		}
	} else {
		synctest.Test(t, play)
	}
	for _, wrong := range append(k.faults, disorder(k.log)...) {
		t.Error(wrong)
	}
	if apart {
		slices.SortStableFunc(k.log, responsesLast)
	}
	compare(t, sections["agent"], transcriptOf(k.log))
	if asked := sections["requests"]; asked != nil {
		compare(t, asked, strings.Join(append(k.requests, ""), "\n"))
	}
	if *update && !t.Failed() {
		writeFile(t, file, txtar.Format(archive))
	}
}

// responsesLast puts responses behind events, in the order of their ids.
func responsesLast(a, b frame) int {
	if a.kind == "response" && b.kind == "response" {
		return strings.Compare(a.short, b.short)
	}
	return strings.Compare(mark(a.kind == "response", "last"), mark(b.kind == "response", "last"))
}

// compare holds a section against what came, or takes it over.
func compare(t *testing.T, section *txtar.File, got string) {
	t.Helper()
	if *update {
		section.Data = []byte(got)
		return
	}
	if diff := cmp.Diff(strings.Split(string(section.Data), "\n"), strings.Split(got, "\n")); diff != "" {
		t.Errorf("%s:\n%s", section.Name, diff)
	}
}

// play does what the lines of a host section say.
func (k *talk) play(host []string) {
	k.t.Helper()
	var write []string
	flush := func() {
		if len(write) > 0 {
			k.send(write...)
			write = nil
		}
	}
	for _, line := range host {
		if strings.HasPrefix(line, "{") {
			write = append(write, line)
			continue
		}
		flush()
		verb, rest, _ := strings.Cut(line, " ")
		switch verb {
		case "wait":
			k.wait(rest)
		case "sleep":
			d, err := time.ParseDuration(rest)
			if err != nil {
				k.t.Fatal(err)
			}
			time.Sleep(d)
		case "settle":
			k.settle()
		case "put":
			name, text, _ := strings.Cut(rest, " ")
			writeFile(k.t, filepath.Join(k.dir, name), []byte(strings.ReplaceAll(text, `\n`, "\n")))
		case "":
		default:
			k.t.Fatalf("host section: %q", line)
		}
	}
	flush()
}

// disorder tells what breaks the promises that hold whatever the host does:
// starts and ends nest, each call is closed once, and each command answered once
// (a prompt may fail once more).
func disorder(log []frame) (wrong []string) {
	var o order
	answers := map[string]int{}
	for i, f := range log {
		if f.kind == "response" {
			key := fmt.Sprintf("%v %v %v", f.fields["id"], f.fields["command"], f.fields["success"])
			if answers[key]++; answers[key] > 1 {
				wrong = append(wrong, fmt.Sprintf("frame %d: %s answered twice", i, key))
			}
		}
		if f.kind == "available_commands_update" && comesBack(log[i:]) {
			o.midway = true
		}
		if fault := o.take(f); fault != "" {
			wrong = append(wrong, fmt.Sprintf("frame %d, %s: %s", i, f.short, fault))
		}
	}
	if o.run {
		wrong = append(wrong, "the run did not end")
	}
	return wrong
}

// disorderOfAgents tells which agents do not start once and end once, before the
// call that set their task. Those of a session that was left are not heard of any
// more, unless it comes back: then they start anew.
func disorderOfAgents(log []frame) (wrong []string) {
	open := map[string]string{} // the call, by agent
	for i, f := range log {
		if f.kind == "available_commands_update" {
			clear(open)
			continue
		}
		if f.kind == "tool_execution_end" {
			for id, call := range open {
				if call == text(f.fields["toolCallId"]) {
					wrong = append(wrong, fmt.Sprintf("frame %d: the call ends before its agent %s", i, id))
				}
			}
		}
		payload, _ := f.fields["payload"].(map[string]any)
		progress, _ := payload["progress"].(map[string]any)
		if _, is := open[text(progress["id"])]; f.kind == "subagent_progress" && !is {
			wrong = append(wrong, fmt.Sprintf("frame %d: progress of agent %s, which is not open", i, progress["id"]))
		}
		if f.kind != "subagent_lifecycle" {
			continue
		}
		id, started := text(payload["id"]), payload["status"] == "started"
		if _, is := open[id]; is == started {
			wrong = append(wrong, fmt.Sprintf("frame %d: %v of agent %s, which is open: %v", i, payload["status"], id, is))
		}
		if delete(open, id); started {
			open[id] = text(payload["parentToolCallId"])
		}
	}
	return wrong
}

// comesBack tells whether the next answer brings a session back whose run may be
// under way.
func comesBack(log []frame) bool {
	for _, f := range log {
		if f.kind == "response" {
			data, _ := f.fields["data"].(map[string]any)
			return f.fields["command"] == "switch_session" && data["background"] != nil
		}
	}
	return false
}

// order is where the events of a session stand.
type order struct {
	midway    bool // the events begin in the middle of a run, and are not looked at before the next
	run, turn bool
	again     bool   // the prompt may go on in another run
	message   string // the role of the open message, "" when none is
	calls     map[string]bool
	result    string // the call whose result message must come next
}

// wordless tells of an answer that stopped with neither a word nor a call: it is
// asked for again.
func wordless(m map[string]any) bool {
	if m["role"] != "assistant" || m["stopReason"] != "stop" && m["stopReason"] != "toolUse" {
		return false
	}
	blocks, _ := m["content"].([]any)
	for _, b := range blocks {
		block, _ := b.(map[string]any)
		if block["type"] == "toolCall" || strings.TrimSpace(text(block["text"])) != "" {
			return false
		}
	}
	return true
}

// take follows one frame and says what is wrong with it.
func (o *order) take(f frame) string {
	if o.midway && f.kind != "available_commands_update" {
		o.midway = f.kind != "agent_end"
		return ""
	}
	if family, _, _ := strings.Cut(f.kind, "_"); o.result != "" && f.kind != "message_start" && strings.Contains("agent turn tool message", family) {
		return "the result of " + o.result + " does not follow its end"
	}
	m, _ := f.fields["message"].(map[string]any)
	call := text(f.fields["toolCallId"])
	switch f.kind {
	case "available_commands_update": // another session
		*o = order{calls: map[string]bool{}, midway: o.midway}
	case "agent_start":
		if o.run && !o.again || o.turn {
			return "the run before has not ended"
		}
		o.run, o.again = true, false
	case "agent_end":
		if !o.run || o.turn {
			return "no run or an open turn"
		}
		o.run, o.again = false, false
	case "turn_start":
		if !o.run || o.turn {
			return "no run or an open turn"
		}
		o.turn = true
	case "turn_end":
		if !o.turn || o.message != "" || len(o.calls) > 0 {
			return "something in it has not ended"
		}
		o.turn = false
	case "auto_retry_start", "todo_reminder":
		if !o.run || o.turn {
			return "no run or an open turn"
		}
		o.again = true
	case "ttsr_triggered":
		if o.message != "assistant" {
			return "no answer is open"
		}
		o.again = true
	case "message_start":
		if !o.turn || o.message != "" {
			return "no turn or an open message"
		}
		o.message = text(m["role"])
		if o.message == "toolResult" && text(m["toolCallId"]) != o.result {
			return "a result that no call waits for"
		}
		o.result = ""
	case "message_update":
		if o.message != "assistant" {
			return "no answer is open"
		}
	case "message_end":
		if o.message != text(m["role"]) || o.message == "" {
			return "another message is open"
		}
		o.message = ""
		o.again = o.again || wordless(m)
	case "tool_execution_start":
		if !o.turn || o.message != "" || o.calls[call] {
			return "no turn, an open message or a call that runs"
		}
		o.calls[call] = true
	case "tool_execution_update":
		if !o.calls[call] {
			return "the call does not run"
		}
	case "tool_execution_end":
		if !o.calls[call] {
			return "the call does not run"
		}
		delete(o.calls, call)
		o.result = call
	}
	return ""
}
