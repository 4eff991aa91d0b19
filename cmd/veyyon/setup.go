package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/term"

	"veyyon.dev/veyyon/core/config"
	"veyyon.dev/veyyon/core/model/scripted"
)

// setupFlag opens the setup screen instead of serving; editors add it to the command
// that they start us with. Protocol: "Capabilities".
const setupFlag = "--acp-terminal-auth"

// howToConfigure is for whoever cannot be shown the screen, or leaves it early.
const howToConfigure = "Keys come from the environment (ANTHROPIC_API_KEY, OPENAI_API_KEY and others), or from models.yml of the profile; `veyyon models` lists what can be used"

// settingUp tells whether the command line asks for the setup screen, and gives it
// without that, without --mode and without the name acp.
func settingUp(args []string) (rest []string, ok bool) {
	for i := 0; i < len(args); i++ {
		switch {
		case args[i] == setupFlag:
			ok = true
		case args[i] == "--mode":
			i++ // and its value
		case strings.HasPrefix(args[i], "--mode="):
		case args[i] == modeACP && i == 0:
		default:
			rest = append(rest, args[i])
		}
	}
	return rest, ok
}

// What the first page of the screen offers.
const (
	setupKey   = "Add a key"
	setupModel = "Choose the default model"
	setupDone  = "Done"
)

// setUp asks until the person is done. The error says how to configure keys where no
// model can be used then.
//
// It asks line by line: a library of screens (huh) takes 3 MB of the binary and a
// tenth of the time until any start is ready, and this is shown once.
func setUp(flags *launchFlags) error {
	if !term.IsTerminal(int(os.Stdin.Fd())) || !term.IsTerminal(int(os.Stdout.Fd())) {
		return errors.New("the setup screen needs a terminal. " + howToConfigure)
	}
	l := offline(flags)
	for _, step := range []func() error{l.place, l.readSettings, l.findModels} {
		if err := step(); err != nil {
			return err
		}
	}
	for {
		what, err := choose("Veyyon: "+l.standing(), []string{setupKey, setupModel, setupDone})
		switch {
		case err != nil:
			return err
		case what == setupDone && len(l.usable()) == 0:
			return errors.New("no model can be used yet. " + howToConfigure)
		case what == setupDone:
			return nil
		case what == setupKey:
			err = l.addKey()
		default:
			err = l.chooseDefault()
		}
		if err != nil {
			return err
		}
	}
}

// choose lets the person choose one of a list by its number.
func choose(title string, options []string) (string, error) {
	fmt.Printf("\n%s\n", title)
	for i, option := range options {
		fmt.Printf("%3d. %s\n", i+1, option)
	}
	for {
		fmt.Printf("A number between 1 and %d: ", len(options))
		line, err := typed()
		if err != nil {
			return "", err
		}
		if n, err := strconv.Atoi(strings.TrimSpace(line)); err == nil && n >= 1 && n <= len(options) {
			return options[n-1], nil
		}
	}
}

// typed is a line from the terminal. It reads no byte more, as the next line may be a
// key that is not to be seen.
func typed() (string, error) {
	var line []byte
	for piece := make([]byte, 1); ; {
		n, err := os.Stdin.Read(piece)
		switch {
		case n == 1 && piece[0] == '\n':
			return string(line), nil
		case n == 1:
			line = append(line, piece[0])
		case err != nil:
			return "", errors.New("the terminal was closed. " + howToConfigure)
		}
	}
}

// usable are the models that have a key, without those that play scripts.
func (l *launch) usable() (refs []string) {
	for _, m := range l.models.Available() {
		if m.Provider != scripted.ID {
			refs = append(refs, m.Ref())
		}
	}
	return refs
}

// standing says what there is.
func (l *launch) standing() string {
	text := fmt.Sprintf("%d models can be used.", len(l.usable()))
	if ref := l.defaultModel(); ref != "" {
		text += " The default is " + ref + "."
	}
	return text
}

// providers are those that take a key.
func (l *launch) providers() (names []string) {
	for _, m := range l.models.All() {
		if m.Provider != scripted.ID && !slices.Contains(names, m.Provider) {
			names = append(names, m.Provider)
		}
	}
	slices.Sort(names)
	return names
}

// addKey asks for a provider and its key, and stores that.
func (l *launch) addKey() error {
	const has = " (has a key)"
	var options []string
	ready := l.usable()
	for _, name := range l.providers() {
		if slices.ContainsFunc(ready, func(ref string) bool { return strings.HasPrefix(ref, name+"/") }) {
			name += has
		}
		options = append(options, name)
	}
	if len(options) == 0 {
		return errors.New("no provider is known: `veyyon models refresh` gets the catalogue")
	}
	provider, err := choose("Provider", options)
	if err != nil {
		return err
	}
	provider = strings.TrimSuffix(provider, has)
	fmt.Printf("API key for %s (not shown; empty goes back): ", provider)
	key, err := term.ReadPassword(int(os.Stdin.Fd()))
	fmt.Println()
	if err != nil || strings.TrimSpace(string(key)) == "" {
		return err
	}
	if err := l.store().Set(provider, strings.TrimSpace(string(key))); err != nil {
		return err
	}
	l.models.Reload()
	return nil
}

// chooseDefault asks for the default model of the profile.
func (l *launch) chooseDefault() error {
	refs := l.usable()
	if len(refs) == 0 {
		return nil // the first page says so
	}
	ref, err := choose("Default model", refs)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), lockTimeout)
	defer cancel()
	if err := config.Set(ctx, l.dirs, "modelRoles.default", ref); err != nil {
		return err
	}
	return l.readSettings()
}
