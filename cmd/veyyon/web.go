package main

import (
	"log/slog"
	"os"
	"os/exec"
	"runtime"

	"veyyon.dev/veyyon/core/config"
	"veyyon.dev/veyyon/core/document"
	"veyyon.dev/veyyon/core/web"
)

// agentName is what we call ourselves on the web.
func agentName() string { return "Veyyon/" + version() + " (+https://veyyon.dev)" }

// web is what fetches pages, nil when that is switched off.
func (l *launch) web() *web.Client {
	if !config.FetchOn.Of(l.settings) {
		return nil
	}
	return web.New(web.Options{Agent: agentName(), AllowPrivate: config.FetchPrivate.Of(l.settings)})
}

// searchKey is the key of a service that searches the web.
func (l *launch) searchKey(service string) string {
	key, err := l.keys.Lookup(service)
	if err != nil {
		slog.Warn("the stored keys cannot be read", "err", err)
	}
	return key
}

// convertCommand is the process that turns one document into text (see package
// document). Nobody but this program starts it.
type convertCommand struct {
	Kind string `arg:"" help:"pdf or docx."`
}

// Run converts stdin to stdout.
func (c *convertCommand) Run() error {
	return document.Serve(document.Kind(c.Kind), os.Stdin, os.Stdout)
}

// newDocuments converts documents with this program itself, which gets nothing of
// our environment.
func newDocuments() *document.Converter {
	return document.NewConverter(func(kind document.Kind) *exec.Cmd {
		return &exec.Cmd{Path: ourselves(), Args: []string{os.Args[0], "convert", string(kind)}, Env: []string{}}
	})
}

// ourselves is the file of this program, also after another has taken its place.
func ourselves() string {
	if runtime.GOOS == "linux" {
		return "/proc/self/exe"
	}
	path, err := os.Executable()
	if err != nil {
		return os.Args[0]
	}
	return path
}
