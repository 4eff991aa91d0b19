package shell

import "fmt"

// Argv is how somebody else starts a shell for a line, as Run would. The error
// says that there is no shell, or that the line is longer than an argument may be.
func (r *Runner) Argv(line string) ([]string, error) {
	if r.spawner.err != nil {
		return nil, r.spawner.err
	}
	if line = bare(line); len(line) > maxArgument {
		return nil, fmt.Errorf("the command line has %d bytes, more than the %d that it may have here; put it into a file and run that", len(line), maxArgument)
	}
	return []string{r.spawner.shell, "-c", line}, nil
}

// Ending is how a command that somebody else ran came to its end.
type Ending int

// It exited by itself, it was ended at a wish, or it took too long.
const (
	Exited Ending = iota
	Cancelled
	TimedOut
)

// Elsewhere makes a Result of what a command has printed in somebody else's
// terminal, as Run makes one of its own. Code counts for one that has exited; nil
// is unknown.
func Elsewhere(c Command, printed string, how Ending, code *int) Result {
	text := c.capture(true)
	text.write([]byte(printed))
	text.finish()
	result := Result{WorkingDir: c.Dir, TimedOut: how == TimedOut}
	text.fill(&result)
	if how != Exited {
		return cancelled(result, c.Timeout)
	}
	result.ExitCode = code
	return result
}
