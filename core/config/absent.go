package config

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
)

// absent are the settings that programs of this family share and that mean
// nothing here, by the reason (facts/platform, Appendix A). They are kept in the
// files, and whoever sets one is told why nothing follows. A key that gets a
// meaning moves to keys.go.
var absent = []struct{ why, names string }{
	{"only OpenAI is asked to serve requests in one way or another", "tier.anthropic tier.google tier.subagent"},
	{"a list of closed tasks goes with the next prompt", "tasks.todoClearDelay"},
	{"providers.maxInFlightRequests bounds every provider", "providers.ollama-cloud.maxConcurrency"},
	{"there is no advisor", "advisor.enabled advisor.immuneTurns advisor.subagents advisor.syncBacklog tier.advisor"},
	{"hosts notify people themselves", "ask.notify"},
	{"there are no tools for syntax trees", "astEdit.enabled astGrep.enabled"},
	{"keys come from the environment, auth.json and models.yml", "auth.broker.token auth.broker.url"},
	{"nothing is learnt from sessions", "autolearn.autoContinue autolearn.enabled autolearn.minToolCalls"},
	{"tools.approval has patterns for commands", "bashInterceptor.enabled bashInterceptor.patterns"},
	{"branches are not summarised", "branchSummary.enabled branchSummary.reserveTokens"},
	{"there is no such tool", "checkpoint.enabled debug.enabled generate_image.enabled inspect_image.enabled irc.timeoutMs launch.enabled"},
	{"commands of other programs are not read", "commands.enableClaudeProject commands.enableClaudeUser commands.enableOpencodeProject commands.enableOpencodeUser"},
	{"the model of the session, or compaction.model, writes all summaries", "compaction.modelContextWindow compaction.remoteEnabled compaction.remoteEndpoint compaction.remoteStreamingV2Enabled compaction.v2RetainedMessageBudget"},
	{"retry.fallbackChains say which models take over", "contextPromotion.enabled providers.anthropic.serverSideFallback"},
	{"a conversation that is handed off by itself goes on in its session, with the document as its summary", "compaction.handoffSaveToDisk"},
	{"there are no extensions", "extensions"},
	{"there is no tool that runs code but bash", "eval.jl eval.js eval.py eval.rb julia.interpreter python.interpreter python.kernelMode ruby.interpreter"},
	{"calls of tools are judged when they are complete", "edit.streamingAbort tools.abortOnFabricatedResult"},
	{"the tools work through bash", "git.enabled github.cache.enabled github.cache.hardTtlSec github.cache.softTtlSec github.enabled"},
	{"there are no goals", "goal.continuationModes goal.enabled goal.statusInFooter"},
	{"hosts decide what they show", "cycleOrder hideThinkingBlock modelTags profile.displayName proseOnlyThinking read.toolResultPreview task.showResolvedModelBadge"},
	{"images go to models as they are, or not at all", "images.describeForTextModels"},
	{"the system prompt is made of files", "includeModelInPrompt includeWorkspaceTree personality"},
	{"there are no language servers", "lsp.diagnosticsDeduplicate lsp.diagnosticsOnEdit lsp.diagnosticsOnWrite lsp.enabled lsp.formatOnWrite lsp.lazy task.enableLsp"},
	{"all tools of MCP servers are offered, and resources are read when they are asked for", "mcp.discoveryDefaultServers mcp.discoveryMode mcp.notificationDebounceMs mcp.notifications"},
	{"there are no memories", "memories.enabled memories.fallbackTokenLimit memories.maxRawMemoriesForGlobal memories.maxRolloutAgeDays memories.maxRolloutsPerStartup memories.minRolloutIdleHours memories.phase1InputTokenLimit memories.phase2HeartbeatSeconds memories.phase2LeaseSeconds memories.phase2RetryDelaySeconds memories.rolloutPayloadPercent memories.stage1Concurrency memories.stage1LeaseSeconds memories.stage1RetryDelaySeconds memories.summaryInjectionTokenLimit memories.threadScanLimit providers.memoryModel"},
	{"loops are noticed by calls that repeat with the same results", "model.loopGuard.checkAssistantContent model.loopGuard.enabled model.loopGuard.toolCallReminder"},
	{"models are offered tools in their provider's way, and all of them", "inlineToolDescriptors tools.discoveryMode tools.essentialOverride tools.format tools.intentTracing"},
	{"thinking is kept as the provider gave it", "omitThinking"},
	{"sessions begin in the mode in which the agent works", "plan.defaultOnStartup prewalk.enabled"},
	{"requests are the same for all endpoints of a dialect", "provider.appendOnlyContext providers.antigravityEndpoint providers.fireworksTier providers.kimiApiFormat providers.openaiWebsockets providers.openrouterVariant"},
	{"no helper model is asked", "features.unexpectedStopDetection providers.autoThinkingModel providers.image providers.tinyModel providers.tinyModelDevice providers.tinyModelDtype providers.tts providers.unexpectedStopModel title.refreshOnReplan"},
	{"read fetches pages itself", "providers.fetch"},
	{"Gemini is not asked to search", "providers.webSearchGeminiModel"},
	{"read shows what files hold, never a summary", "read.summarize.enabled read.summarize.minBodyLines read.summarize.minCommentLines read.summarize.minTotalLines read.summarize.prose read.summarize.unfoldLimit read.summarize.unfoldUntil"},
	{"output is cut by size and columns only", "shellMinimizer.enabled shellMinimizer.except shellMinimizer.legacyFilters shellMinimizer.maxCaptureBytes shellMinimizer.only shellMinimizer.settingsPath shellMinimizer.sourceOutlineLevel"},
	{"sessions record what happened, and nothing else", "session.instrumentation"},
	{"no rules come with the program", "ttsr.builtinRules"},
	{"agent.agents says it for each agent", "task.agentModelOverrides task.disabledAgents"},
	{"agents end with their work", "task.agentIdleTtlMs"},
	{"git worktrees of agents are temporary", "worktree.base"},
}

// reasons tells why a setting means nothing here, by its name.
var reasons = sync.OnceValue(func() map[string]string {
	m := map[string]string{}
	for _, group := range absent {
		for name := range strings.FieldsSeq(group.names) {
			m[name] = "no meaning here: " + group.why
		}
	}
	return m
})

// maxIdle bounds the warnings about settings of one file that nothing follows, of
// which it is told how many more there are, and those about names that stand twice.
const maxIdle = 10

// idle tells of the settings of the layer that nothing follows: unknown ones, and
// those that mean nothing here.
func (l *layer) idle() []Warning {
	var found []Warning
	l.walk(l.tree, nil, func(path []string, text string) {
		found = append(found, Warning{File: l.file, Line: l.line(path), Key: join(path), Text: text + "; it is ignored"})
	})
	if more := len(found) - maxIdle; more > 0 {
		found = append(found[:maxIdle], Warning{File: l.file, Text: fmt.Sprintf("%d more of its settings are unknown or have no meaning here", more)})
	}
	return found
}

// walk notes what nothing follows in a part of the tree.
func (l *layer) walk(tree map[string]any, above []string, note func(path []string, text string)) {
	for _, name := range slices.Sorted(maps.Keys(tree)) {
		path := append(slices.Clip(above), name)
		below, isMapping := tree[name].(map[string]any)
		switch place := places()[join(path)]; {
		case strings.Contains(name, "."):
			text := "unknown setting"
			if len(above) == 0 && places()[name] != "" {
				text = "a name with dots is not understood in a file: write " + strings.ReplaceAll(name, ".", ": {") + ": …" + strings.Repeat("}", strings.Count(name, "."))
			}
			note(path, text)
		case place == followed:
		case place == holder && isMapping:
			l.walk(below, path, note)
		case place == holder && tree[name] == nil, isMapping && len(below) == 0:
		case place == "" || place == holder:
			note(path, "unknown setting")
		default:
			note(path, place)
		}
	}
}

// What a place in the tree is, besides a setting without a meaning, for which
// places has the reason.
const (
	followed = "followed" // a setting
	holder   = "holder"   // a mapping that holds settings
)

// places tells what there may be in the tree, by dotted path.
var places = sync.OnceValue(func() map[string]string {
	m := maps.Clone(reasons())
	for _, key := range table {
		m[join(key.path)] = followed
	}
	for name := range maps.Clone(m) {
		for i, c := range name {
			if c == '.' && m[name[:i]] == "" {
				m[name[:i]] = holder
			}
		}
	}
	return m
})
