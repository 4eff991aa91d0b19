// Package shell runs commands: process groups, pseudo-terminals, limits, and
// output that is bounded in memory.
package shell

// Result is what a command gave. TotalBytes and TotalLines count what the
// command wrote, after control sequences were taken out; OutputBytes and
// OutputLines count what of it is in Output, without our own remarks. A line
// count is the number of newlines plus one, and 0 for no output.
//
// A shell that died of a signal nobody here sent has the ExitCode that bash
// itself would report for it, 128 + the signal's number.
//
// Protocol: facts/rpc 6.9.
type Result struct {
	Output      string `json:"output"`             // stdout and stderr as they came, valid UTF-8
	ExitCode    *int   `json:"exitCode,omitempty"` // nil when cancelled or timed out
	Cancelled   bool   `json:"cancelled"`          // aborted or timed out
	Truncated   bool   `json:"truncated"`          // Output leaves something out
	TotalLines  int    `json:"totalLines"`
	TotalBytes  int    `json:"totalBytes"`
	OutputLines int    `json:"outputLines"`
	OutputBytes int    `json:"outputBytes"`
	WorkingDir  string `json:"workingDir,omitempty"`
	TimedOut    bool   `json:"-"`
	NoTerminal  bool   `json:"-"` // a terminal was asked for and none could be had
}
