package rpc

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/goccy/go-yaml"

	"veyyon.dev/veyyon/core/approval"
)

// approvalOf reads the section of a conversation that says which calls run.
func approvalOf(t *testing.T, text []byte) *approval.Options {
	t.Helper()
	var said struct {
		Mode     string         `yaml:"mode"`
		Rules    map[string]any `yaml:"rules"`
		Remember bool           `yaml:"remember"`
		Timeout  time.Duration  `yaml:"timeout"`
	}
	if err := yaml.UnmarshalWithOptions(text, &said, yaml.Strict()); err != nil {
		t.Fatal(err)
	}
	mode, ok := approval.ParseMode(said.Mode)
	rules, faults := approval.ParseRules(said.Rules)
	if !ok || len(faults) > 0 {
		t.Fatalf("the section approval: %q, %v", said.Mode, faults)
	}
	return &approval.Options{Policy: approval.Policy{Mode: mode, Rules: rules}, Remember: said.Remember, Timeout: said.Timeout}
}

// A host that leaves a session with an open dialog is not to answer it any more.
func TestADialogIsTakenBackWhenItsSessionGoesToTheBackground(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := startTalk(t, talkOptions{
			script: `
- steps: [{tool: wait, args: {ms: 1}, id: a}]
- steps: [{text: went on}]
`,
			approval: approvalOf(t, []byte("mode: ask")),
		})
		k.send(`{"id": 1, "type": "get_state"}`, `{"id": 2, "type": "prompt", "message": "go"}`)
		k.wait("extension_ui_request")
		k.send(`{"id": 3, "type": "new_session", "background": true}`)
		k.settle()
		k.send(`{"type": "extension_ui_response", "id": "$ask1", "value": "Approve"}`, `{"id": 4, "type": "switch_session", "sessionPath": "$file1"}`, `{"id": 5, "type": "get_messages"}`)
		k.wait("response 5")
		k.hangUp()
		told := transcriptOf(k.log)
		if strings.Count(told, `"method":"cancel","targetId":"$ask1"`) != 1 || strings.Count(told, "extension_ui_request") != 2 {
			t.Errorf("the dialog was not taken back once:\n%s", told)
		}
		if !strings.Contains(told, `toolResult a error "Tool \"wait\" requires approval but no interactive UI available.`) || !strings.Contains(told, "went on") {
			t.Errorf("the call was not refused:\n%s", told)
		}
	})
}
