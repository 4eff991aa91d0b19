package main

// The house rules that ARCHITECTURE.md states, as tables. A path is that of a
// package's folder or of a file, from the root of the module; "..." at its end
// stands for everything below it too.

// mayImport says which packages of the module a package may import. The first
// row that fits counts; without one, nothing of the module.
var mayImport = []struct {
	who string
	of  []string
}{
	{"frames", nil},
	{"frames/...", []string{"frames", "core/message", "core/event", "core/fault"}},
	{"stages", []string{"frames"}},
	{"stages/client", []string{"stages", "frames"}},
	{"router", []string{"stages", "frames", "core/fault", "core/host"}},
	{"router/...", []string{"router", "stages", "frames", "frames/rpc", "frames/acp", "core/..."}},
	{"core/message", nil},
	{"core/fault", nil},
	{"core/event", []string{"core/message"}},
	{"core/host", []string{"core/event"}},
	{"core/...", []string{"core/..."}},
	{"cmd/...", []string{"..."}},
	{"bench/...", []string{"..."}},
}

// onlyIn says where a package from outside may be imported: the one door it has.
var onlyIn = map[string][]string{
	"github.com/goccy/go-json":          {"frames/json.go", "core/model/wire/json.go"},
	"github.com/alecthomas/kong":        {"cmd/...", "bench/..."},
	"github.com/jotaen/kong-completion": {"cmd/..."},
	"log":                               nil, // log/slog
}

// programs may print, as no host reads what they write while it is not theirs.
var programs = []string{"cmd/...", "bench/..."}

// vague names say nothing about what a package holds.
var vague = []string{"util", "utils", "common", "types", "manager", "helper", "helpers", "misc", "base"}

// channelsIn are the files that make channels, each with what for. Those of the
// pipeline are made in three places only.
var channelsIn = map[string]string{
	"stages/pipe.go":     "the channels of the pipe",
	"stages/topology.go": "Lane.Make itself",
	"router/router.go":   "starts and the queues of the pools",

	"stages/write.go":          "the end of the writing goroutine",
	"stages/client/client.go":  "the end of the client's pipe, and its outbox once it is there",
	"stages/client/call.go":    "one answer to one call",
	"stages/client/mailbox.go": "wakes the reader of the mailbox",
	"stages/client/process.go": "the exit of the server",
	"router/ledger.go":         "wakes the asker of one question",
	"router/rpc/table.go":      "the turn of one large answer",
	"router/acp/turns.go":      "the end of one prompt",

	"core/agent.go":            "the end of all sessions",
	"core/hub/hub.go":          "the table of sessions, for one change at a time",
	"core/subagent/run.go":     "the end of one prompt of an agent",
	"core/tool/bash/hosted.go": "the end of one command at the host",
	"core/tool/task/task.go":   "the end of the agents of one call",
	"core/session/session.go":  "the operations of a session's loop, and its end",
	"core/job/board.go":        "the news of finished jobs, and the end of a piece of work",
	"core/session/abort.go":    "the end of one run",
	"core/session/writing.go":  "the end of one writing",
	"core/turn/turn.go":        "the steps of one turn",
	"core/turn/batch.go":       "the reports of the tool calls of one answer",
	"core/shell/runner.go":     "orders to the spawner and the keeper, and the ends of both",
	"core/shell/run.go":        "one started shell",
	"core/shell/process.go":    "the exit of one shell",
	"core/shell/follow.go":     "the output of one command, and its end",
	"core/file/lock.go":        "the turn at one path",
	"core/mcp/set.go":          "the news of a set of servers, and of one connection",
	"core/mcp/transport.go":    "the exit of one server",
	"core/mcp/oauth.go":        "the end of the callback, and what it brought",
	"core/tool/read/read.go":   "counts the images being decoded",
	"core/tool/grep/search.go": "the files of one search, in order",

	"cmd/veyyon/serve.go": "signals",

	"bench/bash.go":    "moments that are measured",
	"bench/stall.go":   "moments that are measured",
	"bench/tool.go":    "moments that are measured",
	"bench/context.go": "requests that have come in",
}

// goroutinesIn are the files that start goroutines by a bare go statement, each
// with who waits for them. Everything else uses a pool or a WaitGroup.
var goroutinesIn = map[string]string{
	"stages/pipe.go":           "Read, the one goroutine nobody waits for",
	"stages/write.go":          "the writing itself; write waits, or leaves it behind in its system call",
	"stages/client/client.go":  "the pipe; Close waits",
	"stages/client/process.go": "stderr and the exit of the server; Close waits",
	"core/agent.go":            "waits for the loops on behalf of Stop",
	"core/subagent/run.go":     "the loop of an agent; endSession waits",
	"core/tool/task/task.go":   "waits for the agents of a call on behalf of its ticker",
	"core/session/writing.go":  "the writing of a summary or a handoff document; the loop ends only behind it",
	"core/turn/turn.go":        "the turn; the loop receives its steps until they are closed",
	"core/turn/use.go":         "tool calls; each ends with a report that the batch receives",
	"core/shell/follow.go":     "the reader of the output, and the end of the family; follow waits",
	"core/shell/runner.go":     "shut on behalf of Close",
	"core/mcp/transport.go":    "waits for the exit of a server; end waits",
	"core/mcp/oauth.go":        "the callback of a sign-in; Login waits",
	"cmd/veyyon/serve.go":      "the signals, until the hard stop, and the wait for a host that stops reading, until the process ends",
}
