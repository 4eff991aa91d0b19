package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"charm.land/huh/v2"
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

// setUp shows the screen until the person is done. The error says how to configure
// keys where no model can be used then.
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
		what := setupDone
		if len(l.usable()) == 0 {
			what = setupKey
		}
		err := form(huh.NewSelect[string]().Title("Veyyon").Description(l.standing()).Options(huh.NewOptions(setupKey, setupModel, setupDone)...).Value(&what))
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

// form shows one field.
func form(field huh.Field) error {
	err := huh.NewForm(huh.NewGroup(field)).Run()
	if errors.Is(err, huh.ErrUserAborted) {
		return &exitError{code: 130}
	}
	return err
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
	var options []huh.Option[string]
	ready := l.usable()
	for _, name := range l.providers() {
		label := name
		if slices.ContainsFunc(ready, func(ref string) bool { return strings.HasPrefix(ref, name+"/") }) {
			label += " (has a key)"
		}
		options = append(options, huh.NewOption(label, name))
	}
	if len(options) == 0 {
		return errors.New("no provider is known: `veyyon models refresh` gets the catalogue")
	}
	var provider, key string
	if err := form(huh.NewSelect[string]().Title("Provider").Options(options...).Height(12).Value(&provider)); err != nil {
		return err
	}
	if err := form(huh.NewInput().Title("API key for " + provider).Description("Leave it empty to go back.").EchoMode(huh.EchoModePassword).Value(&key)); err != nil {
		return err
	}
	if key = strings.TrimSpace(key); key == "" {
		return nil
	}
	if err := l.store().Set(provider, key); err != nil {
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
	ref := l.defaultModel()
	if err := form(huh.NewSelect[string]().Title("Default model").Options(huh.NewOptions(refs...)...).Height(12).Value(&ref)); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), lockTimeout)
	defer cancel()
	if err := config.Set(ctx, l.dirs, "modelRoles.default", ref); err != nil {
		return err
	}
	return l.readSettings()
}
