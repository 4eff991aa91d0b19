package host

import "context"

// Terminals begins commands in terminals of the host, where the person sees them.
// Safe for concurrent use.
//
// Protocol: facts/acp 9.2.
type Terminals interface {
	// Create begins a command and does not wait for its end. The Terminal must be
	// released, also when ctx has ended meanwhile. After an error nothing runs;
	// with one that is the cause of ctx nobody knows.
	Create(ctx context.Context, spec TerminalSpec) (Terminal, error)
}

// TerminalSpec is a command for a terminal. Command is a program, not a line for a
// shell.
type TerminalSpec struct {
	Command         string
	Args            []string
	Env             map[string]string // on top of the host's
	Dir             string            // absolute
	OutputByteLimit int               // how much of the output's end the host keeps, in bytes
}

// A Terminal is a terminal of the host with the command it was made for. Its
// methods are safe for concurrent use: output is read while another goroutine
// waits. Errors are the host's, the cause of ctx, or ErrGone.
type Terminal interface {
	// ID is the host's name for the terminal, by which it can be shown.
	ID() string
	// Output is what the command has printed so far. With truncated its
	// beginning is missing; exit is nil while the command runs.
	Output(ctx context.Context) (text string, truncated bool, exit *Exit, err error)
	// Wait waits until the command has ended.
	Wait(ctx context.Context) (Exit, error)
	// Kill ends the command. The output can still be read.
	Kill(ctx context.Context) error
	// Release ends the command and gives the terminal up: it is called exactly
	// once, after every other call has returned.
	Release(ctx context.Context) error
}

// Exit is how a command ended: Code is nil when a Signal ended it, or when the
// host does not know.
type Exit struct {
	Code   *int
	Signal string
}
