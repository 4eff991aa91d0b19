package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"text/tabwriter"
	"time"

	"veyyon.dev/veyyon/core/config"
	"veyyon.dev/veyyon/core/message"
)

// lockTimeout bounds the wait for another process that changes the settings.
const lockTimeout = 10 * time.Second

type configCommand struct {
	List  configList  `cmd:"" default:"withargs" help:"List all settings with their values."`
	Get   configGet   `cmd:"" help:"Print one setting."`
	Set   configSet   `cmd:"" help:"Change one setting of the profile."`
	Unset configUnset `cmd:"" help:"Take one setting out of the profile."`
	Path  configPath  `cmd:"" help:"Print where the profile's settings are."`
}

func settingsOf(flags *launchFlags) (*launch, error) {
	l := &launch{flags: flags}
	if err := l.place(); err != nil {
		return nil, err
	}
	return l, l.readSettings()
}

type configList struct {
	JSON bool `help:"Print JSON."`
}

// Run lists the settings.
func (c *configList) Run(flags *launchFlags) error {
	l, err := settingsOf(flags)
	if err != nil {
		return err
	}
	if c.JSON {
		values := map[string]any{}
		for _, item := range l.settings.Items() {
			if item.Kind != "" {
				values[item.Key] = item.Value
			}
		}
		return printJSON(values)
	}
	table := tabwriter.NewWriter(os.Stdout, 0, 4, 2, ' ', 0)
	for _, item := range l.settings.Items() {
		origin := item.Origin
		switch {
		case item.Kind == "":
			origin = "unused"
		case origin == "":
			origin = "default"
		}
		_, _ = fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", item.Key, jsonText(item.Value), origin, item.Doc) // Flush reports
	}
	return table.Flush()
}

type configGet struct {
	Key  string `arg:"" help:"Name of the setting."`
	JSON bool   `help:"Print JSON."`
}

// Run prints one setting.
func (c *configGet) Run(flags *launchFlags) error {
	l, err := settingsOf(flags)
	if err != nil {
		return err
	}
	value, ok := l.settings.Get(c.Key)
	if !ok {
		if item, known := l.settings.Item(c.Key); known {
			return fmt.Errorf("%s has %s", c.Key, item.Doc)
		}
		return fmt.Errorf("%w: %s", config.ErrUnknown, c.Key)
	}
	if text, ok := value.(string); ok && !c.JSON {
		fmt.Println(text)
		return nil
	}
	return printJSON(value)
}

type configSet struct {
	Key   string `arg:"" help:"Name of the setting."`
	Value string `arg:"" help:"New value; lists and records as JSON."`
}

// Run changes one setting.
func (c *configSet) Run(flags *launchFlags) error {
	l := &launch{flags: flags}
	if err := l.place(); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), lockTimeout)
	defer cancel()
	if err := config.Set(ctx, l.dirs, c.Key, c.Value); err != nil {
		return err
	}
	l.tellWinner(c.Key)
	return nil
}

// tellWinner tells of a file that sets the same as the profile, and wins.
func (l *launch) tellWinner(key string) {
	s, _, err := config.Load(config.Sources{Dirs: l.dirs, CWD: l.dir, Overlays: l.flags.ConfigFile})
	if err != nil {
		return // the profile is changed, and an overlay was not asked about
	}
	if item, known := s.Item(key); known && item.Origin != "" && item.Origin != l.dirs.ConfigFile() {
		l.tell(fmt.Sprintf("Note: %s sets %s too, and wins here.", item.Origin, key))
	}
}

type configUnset struct {
	Key string `arg:"" help:"Name of the setting."`
}

// Run takes one setting out of the profile's file.
func (c *configUnset) Run(flags *launchFlags) error {
	l := &launch{flags: flags}
	if err := l.place(); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), lockTimeout)
	defer cancel()
	return config.Unset(ctx, l.dirs, c.Key)
}

type configPath struct{}

// Run prints the path.
func (c *configPath) Run(flags *launchFlags) error {
	l := &launch{flags: flags}
	if err := l.place(); err != nil {
		return err
	}
	fmt.Println(l.dirs.ConfigFile())
	return nil
}

func printJSON(v any) error {
	out := json.NewEncoder(os.Stdout)
	out.SetEscapeHTML(false)
	out.SetIndent("", "  ")
	return out.Encode(v)
}

func jsonText(v any) string {
	raw, err := message.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(raw)
}
