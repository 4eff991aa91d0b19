package rpc

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"veyyon.dev/veyyon/core/message"
)

// A plan is a random conversation. It is drawn as a whole before it is played:
// rapid must not fail inside a bubble.
type plan struct {
	script string
	steps  []planStep
}

// planStep is some lines of one write, and time to pass afterwards.
type planStep struct {
	lines []string
	pause time.Duration
}

// said is what every text of a host begins with, so that it can be found again.
const said = "host says "

func drawPlan(t *rapid.T) plan {
	id := 0
	command := func(kind string, fields map[string]any) string {
		id++
		line := map[string]any{"id": fmt.Sprint(id), "type": kind}
		maps.Copy(line, fields)
		return compact(line)
	}
	word := func() map[string]any { return map[string]any{"message": fmt.Sprintf("%s%d.", said, id+1)} }
	behaving := func(how string) map[string]any { m := word(); m["streamingBehavior"] = how; return m }
	mode := rapid.SampledFrom([]string{"all", "one-at-a-time"})
	sessions := rapid.Bool().Draw(t, "with sessions")
	draw := func() string {
		switch n := rapid.IntRange(0, 29).Draw(t, "command"); n {
		case 0, 1, 2, 3:
			return command("prompt", word())
		case 4:
			return command("prompt", behaving("steer"))
		case 5:
			return command("prompt", behaving("followUp"))
		case 6, 7:
			return command("steer", word())
		case 8, 9:
			return command("follow_up", word())
		case 10, 11, 12:
			return command("abort", nil)
		case 13, 14:
			return command("abort_and_prompt", word())
		case 15:
			return command("abort_retry", nil)
		case 16:
			return command("set_steering_mode", map[string]any{"mode": mode.Draw(t, "mode")})
		case 17:
			return command("set_follow_up_mode", map[string]any{"mode": mode.Draw(t, "mode")})
		case 18:
			return command("set_interrupt_mode", map[string]any{"mode": rapid.SampledFrom([]string{"immediate", "wait"}).Draw(t, "mode")})
		case 19:
			return command("set_model", map[string]any{"provider": "scripted", "modelId": rapid.SampledFrom([]string{"demo", "script"}).Draw(t, "model")})
		case 20:
			return command("set_thinking_level", map[string]any{"level": rapid.SampledFrom([]string{"low", "auto", "off", "bad"}).Draw(t, "level")})
		case 21:
			return command("set_auto_retry", map[string]any{"enabled": rapid.Bool().Draw(t, "on")})
		case 22, 23:
			return command("compact", nil)
		case 24:
			return command("handoff", nil)
		case 25:
			return command("get_messages_page", map[string]any{"limit": 2})
		default:
			if !sessions {
				return command("get_messages", nil)
			}
			switch n {
			case 26, 27:
				return command("new_session", map[string]any{"background": rapid.Bool().Draw(t, "background")})
			case 28:
				return command("branch", map[string]any{"entryId": "$entry1"}) // known once get_branch_messages has told
			}
			return command("switch_session", map[string]any{"sessionPath": "$file1"})
		}
	}
	p := plan{script: drawScript(t)}
	for range rapid.IntRange(1, 12).Draw(t, "writes") {
		if sessions && rapid.Bool().Draw(t, "ask for points") {
			p.steps = append(p.steps, planStep{lines: []string{command("get_branch_messages", nil)}, pause: time.Millisecond})
		}
		step := planStep{pause: time.Duration(rapid.SampledFrom([]int{0, 0, 1, 120, 700, 20_000}).Draw(t, "pause")) * time.Millisecond}
		for range rapid.IntRange(1, 4).Draw(t, "lines") {
			step.lines = append(step.lines, draw())
		}
		p.steps = append(p.steps, step)
	}
	return p
}

func drawScript(t *rapid.T) string {
	turns := []any{}
	for range rapid.IntRange(0, 8).Draw(t, "turns") {
		steps := []any{}
		for i := range rapid.IntRange(0, 5).Draw(t, "steps") {
			steps = append(steps, drawStep(t, i == 0))
		}
		turns = append(turns, map[string]any{"steps": steps})
	}
	return compact(turns)
}

func drawStep(t *rapid.T, first bool) map[string]any {
	ms := func() int { return rapid.SampledFrom([]int{0, 1, 100, 500, 5000}).Draw(t, "ms") }
	switch n := rapid.IntRange(0, 15).Draw(t, "step"); {
	case n == 0 && first:
		return map[string]any{"status": rapid.SampledFrom([]int{400, 401, 429, 503, 529}).Draw(t, "status")}
	case n < 3:
		return map[string]any{"text": rapid.SampledFrom([]string{"a", " ", "\n"}).Draw(t, "text")}
	case n == 3:
		return map[string]any{"thinking": "hm"}
	case n < 6:
		return map[string]any{"delay_ms": ms()}
	case n == 6:
		return map[string]any{"drop": true}
	case n == 7:
		return map[string]any{"hang": true}
	case n == 8:
		return map[string]any{"stop": rapid.SampledFrom([]string{"length", "stop", "tool"}).Draw(t, "stop")}
	}
	if n := rapid.IntRange(0, 5).Draw(t, "of agents"); n == 0 {
		tasks := slices.Repeat([]any{map[string]any{"task": "work"}}, rapid.IntRange(1, 3).Draw(t, "agents"))
		return map[string]any{"tool": "task", "args": map[string]any{"tasks": tasks}}
	} else if n == 1 {
		return map[string]any{"tool": "yield", "args": map[string]any{"report": "done"}}
	}
	return map[string]any{
		"tool": rapid.SampledFrom([]string{"wait", "wait", "alone", "stubborn", "chatty", "broken", "nobody", "todo"}).Draw(t, "tool"),
		"id":   rapid.SampledFrom([]string{"", "x", "y"}).Draw(t, "id"),
		"args": map[string]any{"ms": rapid.SampledFrom([]any{1, 100, 3000, "bad"}).Draw(t, "args")},
	}
}

// TestAnyInterleavingLeavesAnOrderlySession throws commands at a session while
// its model does what it likes.
func TestAnyInterleavingLeavesAnOrderlySession(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		p := drawPlan(rt)
		var wrong []string
		var log []frame
		synctest.Test(t, func(t *testing.T) {
			k := startTalk(t, talkOptions{script: p.script})
			wrong = k.enact(p)
			log = k.log
		})
		if len(wrong) > 0 {
			rt.Fatalf("%s\n\nscript %s\n\n%s", strings.Join(wrong, "\n"), p.script, transcriptOf(log))
		}
	})
}

// enact plays the plan, lets the session come to rest and says what is wrong.
func (k *talk) enact(p plan) (wrong []string) {
	k.send(`{"id":"file","type":"get_state"}`, `{"id":"level","type":"set_subagent_subscription","level":"progress"}`)
	k.wait("response file")
	for _, step := range p.steps {
		k.send(slices.Clone(step.lines)...)
		time.Sleep(step.pause)
	}
	state := k.rest()
	k.send(`{"id":"agents","type":"get_subagents"}`)
	if running, _ := k.wait("response agents").fields["data"].(map[string]any); len(running["agents"].([]any)) > 0 {
		wrong = append(wrong, fmt.Sprintf("agents still run: %v", running))
	}
	k.send(`{"id":"last","type":"get_messages"}`)
	messages, _ := k.wait("response last").fields["data"].(map[string]any)
	k.hangUp()

	wrong = append(append(wrong, k.faults...), disorder(k.log)...)
	wrong = append(wrong, disorderOfAgents(k.log)...)
	wrong = append(wrong, unansweredOf(p, k.log)...)
	file := text(state["sessionFile"])
	stored, said := k.stored()
	if kept, ok := stored[file]; ok || len(messages["messages"].([]any)) > 0 {
		if diff := cmp.Diff(messages["messages"], asJSON(kept)); diff != "" {
			wrong = append(wrong, "the file does not hold what the session held:\n"+diff)
		}
	}
	return append(wrong, k.lost(said, int(state["queuedMessageCount"].(float64)))...)
}

// rest aborts until the session is idle, and returns its state.
func (k *talk) rest() map[string]any {
	k.t.Helper()
	for i := range 100 {
		k.send(fmt.Sprintf(`{"id":"stop%d","type":"abort"}`, i))
		k.wait(fmt.Sprintf("response stop%d", i))
		time.Sleep(time.Minute)
		k.settle()
		k.send(fmt.Sprintf(`{"id":"rest%d","type":"get_state"}`, i))
		state, _ := k.wait(fmt.Sprintf("response rest%d", i)).fields["data"].(map[string]any)
		if state["isStreaming"] == false {
			return state
		}
	}
	k.t.Fatal("the session does not come to rest")
	return nil
}

// unansweredOf lists the commands without an answer.
func unansweredOf(p plan, log []frame) (wrong []string) {
	answered := map[string]bool{}
	for _, f := range log {
		if f.kind == "response" {
			answered[text(f.fields["id"])] = true
		}
	}
	for _, step := range p.steps {
		for _, line := range step.lines {
			if id := text(decoded([]byte(line))["id"]); !answered[id] {
				wrong = append(wrong, "no answer to "+line)
			}
		}
	}
	return wrong
}

// lost tells of accepted texts that are not in the transcript, of refused ones
// that are, and of any that are there twice. What waits in a queue is not lost,
// nor what waited in one of a session that was left.
func (k *talk) lost(stored map[string]map[string]int, queued int) (wrong []string) {
	accepted, moved, copied := map[string]bool{}, false, false
	for _, f := range k.log {
		id := text(f.fields["id"])
		switch f.fields["command"] {
		case "prompt", "steer", "follow_up", "abort_and_prompt":
			accepted[said+id+"."] = f.fields["success"] == true
		case "new_session", "switch_session":
			moved = true
		case "branch":
			moved, copied = true, copied || f.fields["success"] == true
		}
	}
	heard := map[string]int{}
	for _, texts := range stored {
		for text, n := range texts {
			if copied { // a branch holds what the file it comes from does
				heard[text] = max(heard[text], n)
			} else {
				heard[text] += n
			}
		}
	}
	missing := 0
	for text, ok := range accepted {
		switch n := heard[text]; {
		case n > 1:
			wrong = append(wrong, fmt.Sprintf("%q is there %d times", text, n))
		case n == 1 && !ok:
			wrong = append(wrong, fmt.Sprintf("%q was refused and is there", text))
		case n == 0 && ok:
			missing++
		}
	}
	if !moved && missing != queued {
		wrong = append(wrong, fmt.Sprintf("%d accepted texts are missing, %d are queued", missing, queued))
	}
	return wrong
}

// asJSON is a list as the wire shows it.
func asJSON(messages []message.Message) any {
	raw, err := json.Marshal(messages)
	var list any
	if err == nil {
		err = json.Unmarshal(raw, &list)
	}
	if err != nil {
		return err.Error()
	}
	if list == nil {
		return []any{}
	}
	return list
}
