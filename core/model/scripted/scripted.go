// Package scripted is the provider that needs no network and no key, with two
// models. It is exported for tests: what they say streams through the same
// Draft as every other provider's answer.
//
// # scripted/demo
//
// It answers by rules and really uses the tools it is offered. Each line of the
// last user message that is an instruction becomes one tool call, all of them in
// one answer:
//
//	list files [in DIR]      glob
//	read FILE                read
//	write FILE: TEXT         write
//	edit FILE: OLD -> NEW    edit
//	grep PATTERN [in PATH]   grep
//	run CMD   or  run: CMD   bash
//	call TOOL {JSON}         any tool, those of the host too
//	think TEXT               no tool: a thinking block
//
// Asked without tools, as for a summary, it only tells how much it was given.
// When results have come back it sums them up. To anything else it replies
// politely. The same conversation gives the same answer.
//
// # scripted/script
//
// It plays turns from a file, a YAML or JSON list. Each request takes the first
// turn not yet used whose match fits; without one left the answer is the text
// "(script exhausted)".
//
//	# turns.yml
//	- match: hello            # regular expression (RE2), searched in the last user text; none fits all
//	  repeat: true            # the turn is never used up
//	  usage: {in: 100, out: 10, cached: 0}   # token counts; cached are part of in
//	  steps:
//	    - text: Hi              # one text delta
//	    - thinking: hm          # one thinking delta
//	    - text_repeat: ["tok ", 1000]          # a thousand text deltas
//	    - tool: bash            # one tool call; args and id may be left out
//	      args: {command: ls}
//	      id: call_1
//	    - delay_ms: 50          # wait
//	    - stop: length          # end for this reason: stop, length or tool
//
// and, to try what goes wrong:
//
//	steps:
//	  - status: 529           # answer with this HTTP status instead; only as the first step
//	    headers: {retry-after: "2"}
//	    body: {error: {message: busy}}       # or a text
//	  - drop: true            # the connection breaks here
//	  - hang: true            # silence until the request is aborted
//
// A step has exactly one of text, thinking, text_repeat, tool, delay_ms, stop,
// status, drop and hang. The whole file is checked before anything is played.
package scripted

import (
	"context"
	"encoding/json"

	"veyyon.dev/veyyon/core/message"
	"veyyon.dev/veyyon/core/model"
)

// The provider's name and its models.
const (
	ID     = "scripted"
	Demo   = "demo"
	Script = "script"
)

// Provider plays both models. Safe for concurrent use.
type Provider struct{ play *Play }

// New returns the provider; play may be nil when there is no script.
func New(play *Play) *Provider { return &Provider{play: play} }

// Models describes the demo model and, when there is a script, the script
// model.
func (p *Provider) Models() []*model.Model {
	models := []*model.Model{describe(Demo, "Demo (answers by rules, no network)")}
	if p.play != nil {
		models = append(models, describe(Script, "Script (plays turns from a file)"))
	}
	return models
}

func describe(id, name string) *model.Model {
	return &model.Model{
		ID: id, Name: name, API: model.APIScripted, Provider: ID, Reasoning: true, Input: []string{"text", "image"},
		ContextWindow: 128_000, MaxTokens: 16_384, Compat: json.RawMessage("{}"),
		Thinking: &model.ThinkingConfig{Mode: "effort", Efforts: []model.Level{model.LevelLow, model.LevelMedium, model.LevelHigh}},
	}
}

// Stream answers one request.
func (p *Provider) Stream(ctx context.Context, req *model.Request, draft *model.Draft) error {
	if req.Model.ID != Script {
		return demo(ctx, req, draft)
	}
	if p.play == nil {
		return &model.Error{Message: "scripted/script has no script to play: none was given with --script"}
	}
	return p.play.stream(ctx, req, draft)
}

// lastUserText is the text of the last message a person wrote.
func lastUserText(messages []message.Message) string {
	for i := len(messages) - 1; i >= 0; i-- {
		if user, ok := messages[i].(*message.User); ok {
			return user.Content.Join("\n")
		}
	}
	return ""
}
