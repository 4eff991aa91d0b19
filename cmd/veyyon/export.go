package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"sync"
	"syscall"

	"veyyon.dev/veyyon/core/export"
	"veyyon.dev/veyyon/core/transcript"
)

type exportCommand struct {
	File   string `arg:"" help:"A session: its file, its id, or the beginning of one."`
	Output string `short:"o" placeholder:"FILE" help:"Where to write the page; - is the standard output."`
}

// Run writes the page and prints where it is.
func (c *exportCommand) Run(flags *launchFlags) error {
	l := offline(flags)
	if err := l.place(); err != nil {
		return err
	}
	if err := errors.Join(l.readSettings(), l.findModels()); err != nil { // they know what is secret
		return err
	}
	reading, err := l.look(c.File)
	if err != nil {
		return err
	}
	defer func() { _ = reading.Close() }() // read only
	session := export.Discreet(reading, l.discreet())
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop() // a page that is given up leaves no part of it behind
	switch c.Output {
	case "-":
		out := bufio.NewWriter(os.Stdout)
		if err := export.Page(ctx, out, session); err != nil {
			return err
		}
		return out.Flush()
	case "":
		c.Output = export.FileName(reading.Path())
	}
	if err := export.File(ctx, c.Output, reading.Path(), session); err != nil {
		return err
	}
	fmt.Println(c.Output)
	return nil
}

// offline is the launch of a command that looks at sessions. It works where it
// was started, also in the home directory, since no model gets to work there.
func offline(flags *launchFlags) *launch {
	flags.AllowHome = true
	return &launch{flags: flags, told: new(sync.Map)}
}

// look reads a session, also one that a server writes: by its file, or by the
// beginning of its id or of its file's name, here first and then in all folders.
func (l *launch) look(name string) (*transcript.Reading, error) {
	o := l.transcripts(l.dir)
	path, err := l.seek(name, o.Dir)
	if err != nil {
		return nil, err
	}
	session, err := transcript.Read(path, o)
	if err != nil {
		return nil, err
	}
	if n := session.Skipped(); n > 0 {
		_, _ = fmt.Fprintf(os.Stderr, "%d line(s) of %s could not be read and were passed over.\n", n, path) // nobody to tell
	}
	return session, nil
}

func (l *launch) seek(name, folder string) (path string, err error) {
	if transcript.IsPath(name) {
		return l.fileOf(name)
	}
	found, ok, err := transcript.Find(l.dirs.Sessions, folder, name)
	if err == nil && !ok {
		err = notFound(name)
	}
	return found.Path, err
}
