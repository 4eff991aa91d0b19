// Command veyyon is a headless coding agent that other programs drive over
// stdio. `veyyon --mode rpc` serves the RPC protocol.
package main

import (
	"os"
	"runtime/debug"
)

func main() { os.Exit(run(os.Args[1:])) }

// run parses the command line, runs what it names and returns the exit code.
// Nothing else in the program exits.
func run(args []string) int {
	if completing() {
		return exitCode(complete(os.Stdout), os.Stderr)
	}
	do, err := parse(args, os.Stdout)
	if err == nil && do != nil {
		err = do()
	}
	return exitCode(err, os.Stderr)
}

// version is what the module was built as.
func version() string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}
