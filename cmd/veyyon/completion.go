package main

import (
	"fmt"
	"io"
	"os"

	kongcompletion "github.com/jotaen/kong-completion"
)

// completionCommand prints what a shell needs to complete our command line: it
// then asks this program, which answers when COMP_LINE is set.
type completionCommand struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"bash, zsh or fish."`
}

// Run prints the script.
func (c *completionCommand) Run() error {
	path, err := os.Executable()
	if err != nil {
		return err
	}
	switch c.Shell {
	case "bash":
		fmt.Printf("complete -o default -o bashdefault -C %q veyyon\n", path)
	case "zsh":
		fmt.Printf("autoload -U +X bashcompinit && bashcompinit\ncomplete -o default -o bashdefault -C %q veyyon\n", path)
	case "fish":
		fmt.Printf("function __complete_veyyon\n    set -lx COMP_LINE (commandline -cp)\n"+
			"    test -z (commandline -ct)\n    and set COMP_LINE \"$COMP_LINE \"\n    %q\nend\n"+
			"complete -f -c veyyon -a \"(__complete_veyyon)\"\n", path)
	}
	return nil
}

// completing tells whether a shell asks for completions.
func completing() bool { return os.Getenv("COMP_LINE") != "" }

// complete answers it, on out.
func complete(out io.Writer) error {
	k, err := newParser(&cli{}, out)
	if err != nil {
		return err
	}
	kongcompletion.Register(k, kongcompletion.WithExitFunc(func(int) {}))
	return nil
}
