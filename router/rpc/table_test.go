package rpc

import (
	"context"
	"io"
	"log/slog"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"veyyon.dev/veyyon/core/event"
	"veyyon.dev/veyyon/frames"
	wire "veyyon.dev/veyyon/frames/rpc"
	"veyyon.dev/veyyon/router"
	"veyyon.dev/veyyon/stages"
)

func TestMain(m *testing.M) {
	slog.SetDefault(slog.New(slog.NewTextHandler(io.Discard, nil))) // a panic is logged on purpose
	goleak.VerifyTestMain(m)
}

func same(t *testing.T, got, want any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// protocol lists the commands as the document does (facts/rpc 16), then those
// beyond it (decisions 28).
const protocol = `prompt, steer, follow_up, abort, abort_and_prompt, new_session, get_state, get_available_commands, set_todos, set_host_tools,
set_host_uri_schemes, set_subagent_subscription, get_subagents, get_subagent_messages, set_model, cycle_model, get_available_models,
set_thinking_level, cycle_thinking_level, set_steering_mode, set_follow_up_mode, set_interrupt_mode, compact, set_auto_compaction, set_auto_retry,
abort_retry, bash, abort_bash, get_session_stats, export_html, switch_session, branch, get_branch_messages, get_last_assistant_text,
set_session_name, handoff, get_background_sessions, cancel_background_session, get_messages, get_login_providers, login,
get_entries, get_tree, get_messages_page, set_label, open_session, list_sessions, set_event_filter, get_available_thinking_levels`

func TestTheTableIsTheProtocolsInItsOrder(t *testing.T) {
	var names []string
	for _, route := range Table(nil, NewURIs(nil), nil, nil) {
		names = append(names, route.Name)
	}
	same(t, names, strings.FieldsFunc(protocol, func(r rune) bool { return strings.ContainsRune(", \n", r) }))
}

func TestOnlyWhatWaitsIsPooled(t *testing.T) {
	pooled := map[router.Pool][]string{}
	for _, lane := range router.Topology(Table(nil, NewURIs(nil), nil, nil))[1:] {
		pooled[lane.Pool] = lane.Commands
	}
	same(t, pooled, map[router.Pool][]string{
		router.Shell: {"bash"},
		router.Model: {"abort", "compact", "handoff", "cancel_background_session"},
		router.Human: {"login"},
		router.Disk:  {"get_subagent_messages", "export_html", "get_branch_messages", "get_messages", "get_entries", "get_tree", "get_messages_page", "list_sessions"},
	})
}

func TestMissingArgumentsAreRefused(t *testing.T) {
	codec := NewCodec()
	for name, text := range map[string]string{
		"prompt": "message must be a string", "steer": "message must be a string", "follow_up": "message must be a string",
		"abort_and_prompt": "message must be a string", "set_todos": "phases must be an array", "set_host_tools": "tools must be an array",
		"set_host_uri_schemes": "schemes must be an array", "set_subagent_subscription": "Invalid agent subscription level: undefined",
		"get_subagent_messages": "get_subagent_messages requires agentId or sessionFile", "set_model": "provider must be a string",
		"set_thinking_level": "level must be a string", "set_steering_mode": "Invalid steering mode: undefined",
		"set_follow_up_mode": "Invalid follow-up mode: undefined", "set_interrupt_mode": "Invalid interrupt mode: undefined",
		"set_auto_compaction": "enabled must be a boolean", "set_auto_retry": "enabled must be a boolean", "bash": "command must be a string",
		"switch_session": "sessionPath must be a string", "branch": "entryId must be a string", "set_session_name": "name must be a string",
		"cancel_background_session": "sessionId must be a string", "login": "providerId must be a string",
	} {
		command, ok := codec.Decode(frames.Line(`{"id":"x","type":"` + name + `"}`)).(frames.Command)
		if !ok || command.Err == nil || command.Err.Error() != text || string(command.ID) != `"x"` {
			t.Errorf("%s without arguments: %+v", name, command)
		}
	}
}

// conversation runs lines through the whole pipe, without an agent, and returns
// what is written.
func conversation(t *testing.T, lines ...string) []string {
	t.Helper()
	var out strings.Builder
	middle := func(ctx context.Context, inbound <-chan frames.Inbound, out stages.Outbox) error {
		if err := Ready(ctx, out); err != nil {
			return err
		}
		ledger := router.NewLedger(ctx, out, router.HexIDs())
		return router.Run(ctx, inbound, out, Table(nil, NewURIs(ledger), nil, nil), ledger, router.Options{})
	}
	if err := stages.Pipe(t.Context(), strings.NewReader(strings.Join(lines, "\n")), &out, NewCodec(), middle, stages.Options{}); err != nil {
		t.Fatal(err)
	}
	written := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	same(t, written[0], `{"type":"ready"}`)
	return written[1:]
}

func TestConversations(t *testing.T) {
	for line, want := range map[string]string{
		`{"id":"1","type":"set_subagent_subscription","level":"loud"}`:                                          `{"id":"1","type":"response","command":"set_subagent_subscription","success":false,"error":"Invalid agent subscription level: loud","code":"invalid_argument"}`,
		`{"id":"1","type":"set_host_uri_schemes","schemes":[{"scheme":" DB "},{"scheme":"a"},{"scheme":"db"}]}`: `{"id":"1","type":"response","command":"set_host_uri_schemes","success":true,"data":{"schemes":["db","a"]}}`,
		`{"id":"1","type":"set_host_uri_schemes","schemes":[]}`:                                                 `{"id":"1","type":"response","command":"set_host_uri_schemes","success":true,"data":{"schemes":[]}}`,
		`{"id":"1","type":"set_host_uri_schemes","schemes":[{"scheme":"Skill"}]}`:                               `{"id":"1","type":"response","command":"set_host_uri_schemes","success":false,"error":"Host URI scheme is reserved: skill://","code":"invalid_argument"}`,
		`{"id":"1","type":"branch","entryId":{}}`:                                                               `{"id":"1","type":"response","command":"branch","success":false,"error":"entryId must be a string","code":"invalid_argument"}`,
		`{"id":"1","type":"nope"}`:                                                                              `{"type":"response","command":"nope","success":false,"error":"Unknown command: nope","code":"unknown_command"}`,
		`{"type":"host_tool_result","id":"zzz","result":{"content":[]}}`:                                        ``,
	} {
		got := strings.Join(conversation(t, line), "\n")
		same(t, got, want)
	}
	// There is no agent here, so this panics; the next line is answered all the same.
	got := conversation(t, `{"id":"1","type":"get_state"}`, `{"id":"2","type":"set_host_uri_schemes","schemes":[]}`)
	if len(got) != 2 || !strings.HasPrefix(got[0], `{"id":"1","type":"response","command":"get_state","success":false,"error":"internal error: `) {
		t.Errorf("answers: %q", got)
	}
	same(t, len(conversation(t, strings.Split(strings.Repeat(`{"type":"set_host_uri_schemes","schemes":[]}`+"\n\n", 500), "\n")...)), 500)
}

func TestEventsKeepTheirOrderAndTheirNames(t *testing.T) {
	outbox := make(chan frames.Outbound, 10)
	emit := NewSink(t.Context(), stages.NewOutbox(outbox)).Emit
	update := &event.MessageUpdate{Part: event.Part{Kind: event.TextDelta, Delta: "a"}}
	for _, e := range []event.Event{event.AgentStart{}, update, event.ToolUpdate{ToolCallID: "c"}, event.AgentEnd{}} {
		emit(e)
	}
	for _, want := range []frames.Note{
		{Name: "agent_start", Body: event.AgentStart{}},
		{Name: "message_update", Body: wire.Update{Event: update}},
		{Name: "tool_execution_update", Body: wire.Progress{ToolCallID: "c"}},
		{Name: "agent_end", Body: event.AgentEnd{}},
	} {
		same(t, <-outbox, frames.Outbound(want))
	}
}

// The names are those of the conformance kit, but for two that are commands here
// (decisions 28).
func TestUnknownCommandsAreAnsweredWithoutTheID(t *testing.T) {
	for _, name := range []string{
		"definitely_not_a_command", "Get_State", " get_state", "toString", "constructor", "__proto__", "hasOwnProperty",
		"negotiate_protocol", "ready", "response", "<b>&",
	} {
		got := conversation(t, `{"id":"550e8400-e29b-41d4-a716-446655440000","type":"`+name+`"}`)
		same(t, got, []string{`{"type":"response","command":"` + name + `","success":false,"error":"Unknown command: ` + name + `","code":"unknown_command"}`})
	}
}
