package acp

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"veyyon.dev/veyyon/core/approval"
)

var (
	free  = approval.Policy{Mode: approval.Yolo}
	asked = approval.Policy{Mode: approval.Ask}
)

func same(t *testing.T, got, want []string) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// saw tells whether a frame is this one in short.
func saw(text string) func(frame) bool { return func(f frame) bool { return f.short() == text } }

func TestATurnIsToldBeforeItsAnswer(t *testing.T) {
	const script = `
- {steps: [{thinking: "hm"}, {text: "I wait."}, {tool: wait, args: {seconds: 1}}]}
- {steps: [{text: "Done."}]}`
	inBubble(t, script, free, `{}`, func(t *testing.T, c *client) {
		s := c.begin()
		time.Sleep(introduceAfter + time.Millisecond)
		list := c.settle(c.prompt(s, "go"))
		same(t, c.shorts(list), []string{
			"agent_thought_chunk hm", "agent_message_chunk I wait.", "tool_call pending", "tool_call_update in_progress",
			"tool_call_update completed", "agent_message_chunk Done.", "3 end_turn",
		})
		if text := fmt.Sprint(len(list)); list[0].short() != "available_commands_update" || list[1].short() != "session_info_update" {
			t.Errorf("%s frames, first %s and %s", text, list[0].short(), list[1].short())
		}
		time.Sleep(time.Hour)
		if len(c.written) > 0 {
			t.Errorf("%d frames after the answer", len(c.written))
		}
	})
}

func TestANewSessionIsIntroducedBehindItsAnswer(t *testing.T) {
	inBubble(t, "[]", free, `{}`, func(t *testing.T, c *client) {
		s := c.begin()
		began := time.Now()
		mode := c.settle(c.send("session/set_mode", fmt.Sprintf(`{"sessionId":%q,"modeId":"plan"}`, s)))
		if time.Since(began) != 0 || mode[0].short() != "current_mode_update plan" || mode[1].short() != "config_option_update" || len(mode) != 3 {
			t.Errorf("after %v: %s", time.Since(began), mode[0].short())
		}
		c.until(saw("available_commands_update"))
		if took := time.Since(began); took != introduceAfter {
			t.Errorf("introduced after %v", took)
		}
		c.until(saw("session_info_update"))
	})
}

func TestPromptsFollowOneAnotherOrTakeATurnsPlace(t *testing.T) {
	const script = `
- {match: one, steps: [{text: "first"}, {hang: true}]}
- {match: two, steps: [{delay_ms: 100}, {text: "second"}]}
- {match: three, steps: [{text: "third"}]}`
	inBubble(t, script, free, `{}`, func(t *testing.T, c *client) {
		s := c.begin()
		c.prompt(s, "one")
		c.until(saw("agent_message_chunk first"))
		c.prompt(s, "two")
		last := c.prompt(s, "three")
		same(t, c.shorts(c.settle(last)), []string{
			"3 cancelled", "agent_message_chunk second", "4 end_turn", "agent_message_chunk third", "5 end_turn",
		})
	})
}

func TestAPromptTakesThePlaceOfATurnThatSaysNothing(t *testing.T) {
	inBubble(t, `
- {match: one, steps: [{hang: true}]}
- {match: two, steps: [{text: "second"}]}`, free, `{}`, func(t *testing.T, c *client) {
		s := c.begin()
		c.prompt(s, "one")
		time.Sleep(together + time.Millisecond)
		same(t, c.shorts(c.settle(c.prompt(s, "two"))), []string{"3 cancelled", "agent_message_chunk second", "4 end_turn"})
	})
}

func TestATurnIsCancelledInManyWays(t *testing.T) {
	for name, cancel := range map[string]func(c *client, s string, id int){
		"cancel":  func(c *client, s string, _ int) { c.notify("session/cancel", fmt.Sprintf(`{"sessionId":%q}`, s)) },
		"request": func(c *client, _ string, id int) { c.notify("$/cancel_request", fmt.Sprintf(`{"requestId":%d}`, id)) },
		"close":   func(c *client, s string, _ int) { c.send("session/close", fmt.Sprintf(`{"sessionId":%q}`, s)) },
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, `- {steps: [{tool: wait, args: {seconds: 1000}}]}`, free, `{}`, func(t *testing.T, c *client) {
				s := c.begin()
				id := c.prompt(s, "go")
				c.until(saw("tool_call_update in_progress"))
				cancel(c, s, id)
				same(t, c.shorts(c.settle(id)), []string{"tool_call_update failed", "3 cancelled"})
			})
		})
	}
}

func TestPermissionsAreGivenAndRemembered(t *testing.T) {
	const script = `
- {steps: [{tool: wait, args: {seconds: 0}}]}
- {steps: [{tool: wait, args: {seconds: 0}}]}
- {repeat: true, steps: [{text: ok}]}`
	for choice, want := range map[string][]string{
		"allow_once": {
			"tool_call pending", "asks session/request_permission", "tool_call_update in_progress", "tool_call_update completed",
			"tool_call pending", "asks session/request_permission", "tool_call_update in_progress", "tool_call_update completed", "agent_message_chunk ok", "3 end_turn",
		},
		"allow_always": {
			"tool_call pending", "asks session/request_permission", "tool_call_update in_progress", "tool_call_update completed",
			"tool_call pending", "tool_call_update in_progress", "tool_call_update completed", "agent_message_chunk ok", "3 end_turn",
		},
		"reject_always": {
			"tool_call pending", "asks session/request_permission", "tool_call_update failed",
			"tool_call pending", "tool_call_update failed", "agent_message_chunk ok", "3 end_turn",
		},
		"bogus": {
			"tool_call pending", "asks session/request_permission", "tool_call_update failed",
			"tool_call pending", "asks session/request_permission", "tool_call_update failed", "agent_message_chunk ok", "3 end_turn",
		},
	} {
		t.Run(choice, func(t *testing.T) {
			inBubble(t, script, asked, `{}`, func(t *testing.T, c *client) {
				c.answer = func(string, json.RawMessage) string {
					return fmt.Sprintf(`{"outcome":{"outcome":"selected","optionId":%q}}`, choice)
				}
				s := c.begin()
				same(t, c.shorts(c.settle(c.prompt(s, "go"))), want)
			})
		})
	}
}

func TestACancelledTurnTakesItsQuestionBack(t *testing.T) {
	inBubble(t, `- {steps: [{tool: wait, args: {seconds: 0}}]}`, asked, `{}`, func(t *testing.T, c *client) {
		s := c.begin()
		id := c.prompt(s, "go")
		question := c.until(saw("asks session/request_permission"))
		c.notify("session/cancel", fmt.Sprintf(`{"sessionId":%q}`, s))
		same(t, c.shorts(c.settle(id)), []string{"asks $/cancel_request", "tool_call_update failed", "3 cancelled"})
		late := question[len(question)-1].ID
		c.write(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"outcome":{"outcome":"selected","optionId":"allow_once"}}}`, late))
		if f := c.call("session/list", `{}`); f.Error != nil { // the late answer is ignored
			t.Errorf("%+v", f)
		}
	})
}

const planScript = `
- {steps: [{tool: wait, args: {seconds: 0}}]}
- {steps: [{tool: write, args: {path: "local://PLAN.md", content: "# Count plovers\n"}}]}
- {steps: [{tool: resolve, args: {action: apply, extra: {title: Birds}}}]}
- {steps: [{tool: wait, args: {seconds: 0}}]}
- {repeat: true, steps: [{text: ok}]}`

func TestAPlanIsApproved(t *testing.T) {
	for caps, c := range map[string]struct{ question, yes, no string }{
		`{}`:                          {"session/request_permission", `{"outcome":{"outcome":"selected","optionId":"approve"}}`, `{"outcome":{"outcome":"cancelled"}}`},
		`{"elicitation":{"form":{}}}`: {"elicitation/create", `{"action":"accept","content":{"value":"Approve and execute"}}`, `{"action":"decline"}`},
	} {
		for approve, want := range map[bool][]string{
			true: {
				"tool_call pending", "tool_call_update failed", "tool_call pending", "tool_call_update completed",
				"tool_call pending", "asks " + c.question, "current_mode_update default", "tool_call_update completed",
				"tool_call pending", "tool_call_update completed", "agent_message_chunk ok", "4 end_turn",
			},
			false: {
				"tool_call pending", "tool_call_update failed", "tool_call pending", "tool_call_update completed",
				"tool_call pending", "asks " + c.question, "tool_call_update completed",
				"tool_call pending", "tool_call_update failed", "agent_message_chunk ok", "4 end_turn",
			},
		} {
			t.Run(fmt.Sprintf("%s %t", c.question, approve), func(t *testing.T) {
				inBubble(t, planScript, free, caps, func(t *testing.T, k *client) {
					k.answer = func(_ string, params json.RawMessage) string {
						if !strings.Contains(string(params), "Count plovers") {
							t.Errorf("the question does not show the plan: %s", params)
						}
						if approve {
							return c.yes
						}
						return c.no
					}
					s := k.begin()
					k.call("session/set_mode", fmt.Sprintf(`{"sessionId":%q,"modeId":"plan"}`, s))
					got := slices.DeleteFunc(k.shorts(k.settle(k.prompt(s, "plan"))), func(s string) bool { return strings.HasSuffix(s, "in_progress") })
					same(t, got, want)
				})
			})
		}
	}
}

func TestASessionIsToldAgain(t *testing.T) {
	const script = `
- {steps: [{thinking: hm}, {text: "I look."}, {tool: todo, args: {op: init, items: [one]}}]}
- {repeat: true, steps: [{text: ok}]}`
	inBubble(t, script, free, `{}`, func(t *testing.T, c *client) {
		s := c.begin()
		where := fmt.Sprintf(`{"sessionId":%q,"cwd":%q,"mcpServers":[]}`, s, c.dir)
		c.settle(c.prompt(s, "go"))
		want := []string{
			"user_message_chunk go", "agent_thought_chunk hm", "agent_message_chunk I look.", "tool_call completed",
			"tool_call_update completed", "plan", "agent_message_chunk ok",
		}
		same(t, c.shorts(c.settle(c.send("session/load", where))), append(want, "4"))
		if f := c.call("session/load", fmt.Sprintf(`{"sessionId":%q,"cwd":"/elsewhere"}`, s)); f.Error == nil || !strings.Contains(f.Error.Message, "is already loaded for") {
			t.Errorf("elsewhere: %+v", f)
		}
		c.call("session/close", fmt.Sprintf(`{"sessionId":%q}`, s))
		same(t, c.shorts(c.settle(c.send("session/load", where))), append(want, "7"))
		c.call("session/close", fmt.Sprintf(`{"sessionId":%q}`, s))
		same(t, c.shorts(c.settle(c.send("session/resume", where))), []string{"9"})
	})
}

// A client that reads a session again at once was told that the file is in use.
func TestASessionIsLoadedRightBehindItsClose(t *testing.T) {
	inBubble(t, "- {repeat: true, steps: [{text: ok}, {delay_ms: 5}]}", free, `{}`, func(t *testing.T, c *client) {
		s := c.begin()
		where := fmt.Sprintf(`{"sessionId":%q,"cwd":%q,"mcpServers":[]}`, s, c.dir)
		c.settle(c.prompt(s, "go"))
		for range 20 {
			c.prompt(s, "go on")
			c.send("session/close", fmt.Sprintf(`{"sessionId":%q}`, s))
			open := map[string]bool{}
			for _, method := range []string{"session/load", "session/resume"} { // at once
				open[fmt.Sprint(c.send(method, where))] = true
			}
			c.until(func(f frame) bool {
				if f.Method == "" && open[string(f.ID)] {
					delete(open, string(f.ID))
					if f.Error != nil {
						t.Errorf("%s: %+v", f.ID, f.Error)
					}
				}
				return len(open) == 0
			})
		}
	})
}

func TestSessionsAreRefusedInWords(t *testing.T) {
	inBubble(t, "[]", free, `{}`, func(t *testing.T, c *client) {
		s := c.begin()
		for _, r := range []struct{ method, params, want string }{
			{"session/prompt", `{"sessionId":"x","prompt":[]}`, "-32002 Unsupported ACP session: x"},
			{"session/set_mode", `{"sessionId":"x","modeId":"plan"}`, "-32002 Unsupported ACP session: x"},
			{"session/set_mode", `{"sessionId":"` + s + `","modeId":"nope"}`, "-32602 Unsupported ACP mode: nope"},
			{"session/set_config_option", `{"sessionId":"` + s + `","configId":"model","value":"x/y"}`, "-32602 Unknown ACP model: x/y"},
			{"session/set_config_option", `{"sessionId":"` + s + `","configId":"thinking","value":"ultra"}`, "-32602 Unknown ACP thinking level: ultra"},
			{"session/set_config_option", `{"sessionId":"` + s + `","configId":"foo","value":"x"}`, "-32602 Unknown ACP config option: foo"},
			{"session/set_config_option", `{"sessionId":"` + s + `","configId":"mode","value":true}`, "-32602 Unsupported boolean ACP config option: mode"},
			{"session/load", `{"sessionId":"x","cwd":"/"}`, "-32002 ACP session not found: x"},
			{"session/fork", `{"sessionId":"` + s + `","cwd":"/"}`, "-32603 ACP session cannot be forked before it is persisted: " + s},
			{"session/list", `{"cursor":"?"}`, "-32602 Invalid ACP session cursor: ?"},
			{"authenticate", `{"methodId":"terminal"}`, "-32602 Unknown ACP auth method: terminal"},
		} {
			f := c.call(r.method, r.params)
			if f.Error == nil {
				t.Errorf("%s %s succeeds", r.method, r.params)
				continue
			}
			if got := fmt.Sprintf("%d %s", f.Error.Code, f.Error.Message); got != r.want {
				t.Errorf("%s %s: %s, want %s", r.method, r.params, got, r.want)
			}
		}
		for range 2 {
			if f := c.call("session/close", fmt.Sprintf(`{"sessionId":%q}`, s)); f.Error != nil || string(f.Result) != "{}" {
				t.Errorf("closing: %+v", f)
			}
		}
	})
}

func TestTheEndOfInputEndsTurnsSoon(t *testing.T) {
	inBubble(t, `- {steps: [{text: "a"}, {hang: true}]}`, free, `{}`, func(t *testing.T, c *client) {
		s := c.begin()
		c.prompt(s, "go")
		c.until(saw("agent_message_chunk a"))
		began := time.Now()
		c.hangUp()
		if took := time.Since(began); took > 2*time.Second {
			t.Errorf("it took %v", took)
		}
		c.ended <- nil // for the end of the bubble
	})
}
