package main

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"veyyon.dev/veyyon/core/model"
	"veyyon.dev/veyyon/core/model/catalog"
)

// refreshTimeout bounds the download of the catalogue.
const refreshTimeout = time.Minute

type modelsCommand struct {
	Ls      modelsList    `cmd:"" default:"withargs" help:"List the models that can be used."`
	Find    modelsFind    `cmd:"" help:"List the models whose name contains a text, with or without a key."`
	Refresh modelsRefresh `cmd:"" help:"Get the current catalogue from models.dev."`
}

type modelsList struct {
	ProviderID string `arg:"" optional:"" name:"provider" help:"Only this provider's."`
	JSON       bool   `help:"Print JSON."`
}

// Run lists models.
func (c *modelsList) Run(flags *launchFlags) error {
	l := &launch{flags: flags}
	if err := l.prepare(); err != nil {
		return err
	}
	var models []*model.Model
	for _, m := range l.models.Available() {
		if c.ProviderID == "" || m.Provider == c.ProviderID {
			models = append(models, m)
		}
	}
	if len(models) == 0 && !c.JSON {
		_, _ = fmt.Fprintln(os.Stderr, "No models can be used. Set an API key in the environment, or write "+l.dirs.Agent+"/models.yml.") // nobody to tell
	}
	return printModels(models, c.JSON)
}

type modelsFind struct {
	Text string `arg:"" help:"A part of an id or a name."`
	JSON bool   `help:"Print JSON."`
}

// Run searches the catalogue.
func (c *modelsFind) Run(flags *launchFlags) error {
	l := &launch{flags: flags}
	if err := l.prepare(); err != nil {
		return err
	}
	want := strings.ToLower(c.Text)
	var models []*model.Model
	for _, m := range l.models.All() {
		if strings.Contains(strings.ToLower(m.Ref()+" "+m.Name), want) {
			models = append(models, m)
		}
	}
	if len(models) == 0 && !c.JSON {
		_, _ = fmt.Fprintf(os.Stderr, "No model has %q in its name.\n", c.Text) // nobody to tell
	}
	return printModels(models, c.JSON)
}

func printModels(models []*model.Model, asJSON bool) error {
	if asJSON {
		if models == nil {
			models = []*model.Model{}
		}
		return printJSON(models)
	}
	table := tabwriter.NewWriter(os.Stdout, 0, 4, 2, ' ', 0)
	for _, m := range models {
		_, _ = fmt.Fprintf(table, "%s\t%s\t%d\t$%g in\t$%g out\n", m.Ref(), m.Name, m.ContextWindow, m.Cost.Input, m.Cost.Output) // Flush reports
	}
	return table.Flush()
}

type modelsRefresh struct {
	URL string `placeholder:"URL" help:"Where the table is, if not at models.dev."`
}

// Run replaces the profile's copy of the catalogue.
func (c *modelsRefresh) Run(flags *launchFlags) error {
	l := &launch{flags: flags}
	if err := l.place(); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), refreshTimeout)
	defer cancel()
	table, err := catalog.Refresh(ctx, http.DefaultClient, cmp.Or(c.URL, catalog.ModelsDevURL), catalogPath(l.dirs))
	if err != nil {
		return err
	}
	fmt.Printf("%d models, written to %s\n", len(table.Models), catalogPath(l.dirs))
	return nil
}

// prepare does what commands need that serve nothing.
func (l *launch) prepare() error {
	for _, step := range []func() error{l.place, l.configure, l.findModels} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}
