// Package rpc is the table of the Veyyon RPC commands: what each asks of the
// agent. A family of commands has one file here, and one of the same name in
// frames/rpc for what travels. The same package serves what the agent asks of
// its host: tools, virtual files and dialogs.
package rpc

import (
	"veyyon.dev/veyyon/core"
	"veyyon.dev/veyyon/core/file/picture"
	"veyyon.dev/veyyon/core/session"
	wire "veyyon.dev/veyyon/frames/rpc"
	"veyyon.dev/veyyon/router"
)

// commands is what the rows share. Their handlers run one at a time, on the
// Starter; only what they return for a pool runs beside them.
type commands struct {
	agent *core.Agent
	uris  *URIs
	sink  *Sink
	// images makes images of the host fit for models.
	images picture.Fitter

	constant constantState // the Starter's
	large    chan struct{} // holds a token while a large answer is being encoded: one at a time
}

// NewCodec returns the codec that knows the commands of the table.
func NewCodec() *wire.Codec {
	bodies := make(map[string]wire.BodyDecoder)
	for _, row := range new(commands).rows() {
		bodies[row.route.Name] = row.decode
	}
	return wire.NewCodec(bodies)
}

// Table returns the routes of the protocol for an agent. uris is where
// set_host_uri_schemes takes effect, sink where set_event_filter does; they are
// the agent's. images makes what hosts show fit for models.
func Table(agent *core.Agent, uris *URIs, sink *Sink, images picture.Fitter) router.Table {
	c := &commands{agent: agent, uris: uris, sink: sink, images: images, large: make(chan struct{}, 1)}
	var table router.Table
	for _, row := range c.rows() {
		table = append(table, row.route)
	}
	return table
}

// rows lists the commands in the order of the document ("Command Schema").
func (c *commands) rows() []row {
	queueModes := []session.QueueMode{session.QueueAll, session.QueueOneAtATime}
	return []row{
		accepting("prompt", wire.DecodePrompt, c.prompt),
		ordered("steer", wire.DecodePrompt, c.steer),
		ordered("follow_up", wire.DecodePrompt, c.followUp),
		pooled("abort", router.Model, wire.Nothing, c.abort),
		accepting("abort_and_prompt", wire.DecodePrompt, c.abortAndPrompt),
		ordered("new_session", wire.DecodeNewSession, c.newSession),

		ordered("get_state", wire.Nothing, c.state),
		ordered("get_available_commands", wire.Nothing, list("commands", c.agent.Commands)),
		ordered("set_todos", wire.DecodeTodos, c.setTodos),
		ordered("set_host_tools", wire.DecodeHostTools, c.setHostTools),
		ordered("set_host_uri_schemes", wire.DecodeURISchemes, c.setURISchemes),
		ordered("set_subagent_subscription", wire.OneOf("level", "agent subscription level", "off", "progress", "events"), c.subscribe),
		ordered("get_subagents", wire.Nothing, c.subagents),
		pooled("get_subagent_messages", router.Disk, wire.DecodeSubagentMessages, c.subagentMessages),

		ordered("set_model", wire.DecodeSetModel, c.setModel),
		ordered("cycle_model", wire.Nothing, c.cycleModel),
		ordered("get_available_models", wire.Nothing, list("models", c.agent.AvailableModels)),
		ordered("set_thinking_level", wire.String("level"), done(c.agent.SetThinkingLevel)),
		ordered("cycle_thinking_level", wire.Nothing, c.cycleThinkingLevel),

		ordered("set_steering_mode", wire.OneOf("mode", "steering mode", queueModes...), done(c.agent.SetSteeringMode)),
		ordered("set_follow_up_mode", wire.OneOf("mode", "follow-up mode", queueModes...), done(c.agent.SetFollowUpMode)),
		ordered("set_interrupt_mode", wire.OneOf("mode", "interrupt mode", session.InterruptImmediate, session.InterruptWait), done(c.agent.SetInterruptMode)),

		pooled("compact", router.Model, wire.OptString("customInstructions"), c.compact),
		ordered("set_auto_compaction", wire.Bool("enabled"), done(c.agent.SetAutoCompaction)),
		ordered("set_auto_retry", wire.Bool("enabled"), done(c.agent.SetAutoRetry)),
		ordered("abort_retry", wire.Nothing, act(c.agent.AbortRetry)),

		pooled("bash", router.Shell, wire.String("command"), c.bash),
		ordered("abort_bash", wire.Nothing, act(c.agent.AbortBash)),

		ordered("get_session_stats", wire.Nothing, get(c.agent.Stats)),
		pooled("export_html", router.Disk, wire.OptString("outputPath"), c.exportHTML),
		ordered("switch_session", wire.String("sessionPath"), c.switchSession),
		ordered("branch", wire.String("entryId"), c.branch),
		either("get_branch_messages", router.Disk, wire.Nothing, c.branchMessages),
		ordered("get_last_assistant_text", wire.Nothing, c.lastAssistantText),
		ordered("set_session_name", wire.String("name"), done(c.agent.SetName)),
		pooled("handoff", router.Model, wire.OptString("customInstructions"), c.handoff),

		ordered("get_background_sessions", wire.Nothing, list("sessions", c.agent.BackgroundSessions)),
		pooled("cancel_background_session", router.Model, wire.String("sessionId"), c.cancelBackgroundSession),

		either("get_messages", router.Disk, wire.Nothing, c.messages),

		ordered("get_login_providers", wire.Nothing, c.loginProviders),
		pooled("login", router.Human, wire.String("providerId"), c.login),

		// Beyond the document (decisions 28).
		pooled("get_entries", router.Disk, wire.DecodeEntries, c.entries),
		pooled("get_tree", router.Disk, wire.Nothing, c.tree),
		pooled("get_messages_page", router.Disk, wire.DecodeMessagesPage, c.messagesPage),
		ordered("set_label", wire.DecodeLabel, done(c.setLabel)),
		ordered("open_session", wire.DecodeOpenSession, c.openSession),
		pooled("list_sessions", router.Disk, wire.DecodeSessionList, c.listSessions),
		ordered("set_event_filter", wire.DecodeEventFilter, c.setEventFilter),
		ordered("get_available_thinking_levels", wire.Nothing, list("levels", c.agent.ThinkingLevels)),
	}
}
