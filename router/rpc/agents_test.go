package rpc

import (
	"testing"
	"testing/synctest"
	"time"
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
