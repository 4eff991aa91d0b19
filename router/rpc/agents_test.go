package rpc

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// A tool of an agent's agent does not hear that it is to end: all three calls are
// given up in time, the innermost first.
func TestAgentsEndBeforeTheCallsThatWaitForThem(t *testing.T) {
	script := `
- {match: "^go", steps: [{tool: task, id: t1, args: {tasks: [{name: Ann, task: "do ann"}]}}]}
- {match: "^do ann", steps: [{tool: task, id: t2, args: {tasks: [{name: Cid, task: "do cid"}]}}]}
- {match: "^do cid", steps: [{tool: stubborn, id: s, args: {ms: 8000}}]}
`
	synctest.Test(t, func(t *testing.T) {
		k := startTalk(t, talkOptions{script: script})
		k.send(`{"id":1,"type":"set_subagent_subscription","level":"progress"}`, `{"id":2,"type":"prompt","message":"go"}`)
		time.Sleep(time.Second)
		k.send(`{"id":3,"type":"abort"}`)
		began := time.Now()
		k.wait("response 3")
		if took := time.Since(began); took > 4*time.Second {
			t.Errorf("the abort took %v", took)
		}
		time.Sleep(20 * time.Second) // for the tool
		k.hangUp()
		for _, wrong := range append(disorder(k.log), disorderOfAgents(k.log)...) {
			t.Error(wrong)
		}
		if t.Failed() {
			t.Log(transcriptOf(k.log))
		}
	})
}

// A host reads the transcript of an agent piece by piece while it is written: no
// entry is missed or seen twice. What it may not read is told apart.
func TestAnAgentsTranscriptIsReadFromAByteOn(t *testing.T) {
	script := `
- {match: "^go", steps: [{tool: task, id: t1, args: {tasks: [{name: Ann, task: "do ann"}]}}]}
- {match: "^do ann", steps: [{delay_ms: 1000}, {tool: read, id: r1, args: {path: nothing}}]}
- {match: "^do ann", steps: [{delay_ms: 1000}, {tool: yield, id: y1, args: {report: done}}]}
- {match: "^go", steps: [{text: thanks}]}
`
	synctest.Test(t, func(t *testing.T) {
		k := startTalk(t, talkOptions{script: script})
		asked := 0
		read := func(fields string) map[string]any {
			t.Helper()
			asked++
			k.send(fmt.Sprintf(`{"id":"m%d","type":"get_subagent_messages",%s}`, asked, fields))
			answer := k.wait(fmt.Sprintf("response m%d", asked)).fields
			if data, ok := answer["data"].(map[string]any); ok {
				return data
			}
			return answer
		}
		ids := func(part map[string]any) (list []string) {
			for _, e := range part["entries"].([]any) {
				list = append(list, text(e.(map[string]any)["id"]))
			}
			return list
		}
		k.send(`{"id":1,"type":"prompt","message":"go"}`)
		time.Sleep(500 * time.Millisecond)
		next, file := 0.0, ""
		var seen []string
		for range 4 {
			part := read(fmt.Sprintf(`"agentId":"Ann","fromByte":%v`, next))
			if part["reset"] != false || part["fromByte"] != next || part["nextByte"].(float64) < next {
				t.Errorf("from %v: %v", next, part)
			}
			next, file = part["nextByte"].(float64), text(part["sessionFile"])
			seen = append(seen, ids(part)...)
			time.Sleep(time.Second)
		}
		whole := read(`"subagentId":"Ann","fromByte":-3.7`)
		if diff := cmp.Diff(ids(whole), seen); diff != "" || len(whole["messages"].([]any)) != 5 {
			t.Errorf("%d messages %s", len(whole["messages"].([]any)), diff)
		}
		if again := read(fmt.Sprintf(`"sessionFile":%q,"fromByte":1e9`, file)); again["reset"] != true || again["fromByte"] != 0.0 || !cmp.Equal(again["entries"], whole["entries"]) {
			t.Errorf("behind the end: %v", again)
		}
		if end := read(fmt.Sprintf(`"agentId":"Ann","fromByte":%v`, next)); len(end["entries"].([]any)) != 0 || end["nextByte"] != next {
			t.Errorf("at the end: %v", end)
		}
		k.send(`{"id":9,"type":"new_session"}`)
		for fields, want := range map[string]string{
			`"agentId":"Ann"`:                      "Unknown agent or session file unavailable: Ann",
			fmt.Sprintf(`"sessionFile":%q`, file):  "Unknown agent session file",
			`"sessionFile":"/etc/passwd"`:          "Unknown agent session file",
			`"agentId":"Ann","fromByte":"5"`:       "fromByte must be a finite number",
			`"agentId":"","sessionFile":""`:        "get_subagent_messages requires agentId or sessionFile",
			`"agentId":"Ann","sessionFile":"/etc"`: "Unknown agent or session file unavailable: Ann",
		} {
			if got := read(fields)["error"]; got != want {
				t.Errorf("%s: %v", fields, got)
			}
		}
		k.hangUp()
	})
}
