package mcp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	// maxLine is how long a line of a program may be, in bytes; at a longer one the
	// connection ends.
	maxLine = 64 << 20
	// endGrace is how long a program may go on after its stdin has ended, and again
	// after it was told to end; then it is killed with all that it has started.
	endGrace = 500 * time.Millisecond
	// maxTold is how much of what a program writes to stderr is logged, in bytes of
	// a line and in lines of a connection; the rest is read and dropped.
	maxTold, maxToldLines = 500, 200
)

// transport reaches a server. end ends what was started for it, and waits.
func (s Server) transport(set *Set) (t mcp.Transport, end func(), err error) {
	switch s.Transport {
	case HTTP:
		web := &mcp.StreamableClientTransport{Endpoint: s.URL, HTTPClient: s.client(), MaxRetries: -1}
		if !s.hasKey() && set.opts.SignIns.path != "" {
			web.OAuthHandler = signedIn{tokens{set.life, set.opts.SignIns, s, http.DefaultClient}}
		}
		return web, func() {}, nil
	case SSE:
		return &mcp.SSEClientTransport{Endpoint: s.URL, HTTPClient: s.client()}, func() {}, nil
	}
	return s.start(set.opts.Dir, set.opts.Env)
}

// client adds the headers of the server to what it asks of it, and of nobody else.
func (s Server) client() *http.Client {
	return &http.Client{Transport: headers{s.Headers, http.DefaultTransport}, CheckRedirect: func(next *http.Request, before []*http.Request) error {
		if next.URL.Host != before[0].URL.Host {
			return errors.New("the server redirects to another host")
		}
		if len(before) > 5 {
			return errors.New("the server redirects for ever")
		}
		return nil
	}}
}

// hasKey tells whether the headers say who we are.
func (s Server) hasKey() bool {
	for name := range s.Headers {
		if http.CanonicalHeaderKey(name) == "Authorization" {
			return true
		}
	}
	return false
}

type headers struct {
	values map[string]string
	next   http.RoundTripper
}

// RoundTrip implements http.RoundTripper.
func (h headers) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	for name, value := range h.values {
		r.Header.Set(name, value)
	}
	return h.next.RoundTrip(r)
}

// start runs the program of a server, in a process group of its own.
func (s Server) start(dir string, env []string) (t mcp.Transport, end func(), err error) {
	cmd := exec.Command(s.Command, s.Args...)
	cmd.Dir, cmd.Env = dir, env
	if s.Dir != "" {
		cmd.Dir = s.Dir
	}
	for name, value := range s.Env {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, nil, err
	}
	out, theirs, err := os.Pipe()
	if err != nil {
		return nil, nil, err
	}
	told, theirErrors, err := os.Pipe()
	if err != nil {
		return nil, nil, errors.Join(err, out.Close(), theirs.Close())
	}
	cmd.Stdout, cmd.Stderr = theirs, theirErrors
	err = cmd.Start()
	_, _ = theirs.Close(), theirErrors.Close() // the program has its own
	if err != nil {
		_, _, _ = stdin.Close(), out.Close(), told.Close()
		return nil, nil, err
	}
	var draining sync.WaitGroup
	draining.Go(func() { drain(s.Name, told) }) // ends when the last of the group has closed it, or end has
	exited := make(chan struct{})
	go func() { defer close(exited); _ = cmd.Wait() }() // ends with the program, which end kills
	end = sync.OnceFunc(func() {
		_ = stdin.Close()
		for _, signal := range []syscall.Signal{syscall.SIGTERM, syscall.SIGKILL} {
			select {
			case <-exited:
			case <-time.After(endGrace):
			}
			_ = syscall.Kill(-cmd.Process.Pid, signal) // also what the program leaves behind
		}
		<-exited
		_, _ = out.Close(), told.Close()
		draining.Wait()
	})
	return &mcp.IOTransport{Reader: newLines(out), Writer: stdin, MaxLineLength: maxLine}, end, nil
}

// drain logs the beginning of what a program writes to stderr, and reads the rest.
func drain(name string, told io.Reader) {
	lines := bufio.NewReaderSize(told, 4<<10)
	for n := 0; ; {
		line, err := lines.ReadSlice('\n')
		if text := strings.TrimSpace(string(line[:min(len(line), maxTold)])); text != "" && n < maxToldLines {
			slog.Debug("an MCP server writes", "server", name, "stderr", text)
			n++
		}
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return
		}
	}
}

// lines passes on the lines of a program that are JSON objects; what else it
// prints (a log, a banner) is dropped.
type lines struct {
	from io.ReadCloser
	in   *bufio.Reader
	rest []byte
}

func newLines(from io.ReadCloser) *lines {
	return &lines{from: from, in: bufio.NewReaderSize(from, 64<<10)}
}

// Read implements io.Reader.
func (l *lines) Read(p []byte) (int, error) {
	for len(l.rest) == 0 {
		line, err := l.line()
		if err != nil {
			return 0, err
		}
		if trimmed := bytes.TrimSpace(line); len(trimmed) > 0 {
			if trimmed[0] != '{' || !json.Valid(trimmed) {
				slog.Debug("a line of an MCP server is no message", "bytes", len(line))
				continue
			}
			l.rest = append(trimmed, '\n')
		}
	}
	n := copy(p, l.rest)
	l.rest = l.rest[n:]
	return n, nil
}

var errLongLine = errors.New("a line of the MCP server is longer than 64 MiB")

func (l *lines) line() (line []byte, err error) {
	for {
		part, err := l.in.ReadSlice('\n')
		line = append(line, part...)
		switch {
		case len(line) > maxLine:
			return nil, errLongLine
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err != nil && len(line) > 0:
			return line, nil // the last one, without its end
		}
		return line, err
	}
}

// Close implements io.Closer.
func (l *lines) Close() error { return l.from.Close() }

// connect speaks with a server of a set. end ends what was started for it.
func (s Server) connect(ctx context.Context, set *Set, client *mcp.Client) (session *mcp.ClientSession, end func(), err error) {
	t, end, err := s.transport(set)
	if err != nil {
		return nil, nil, err
	}
	session, err = client.Connect(ctx, t, &mcp.ClientSessionOptions{ProtocolVersion: protocolVersion})
	if err != nil {
		end()
		return nil, nil, err
	}
	return session, end, nil
}

// protocolVersion is what is asked for first. Newer ones begin with a question that
// many servers never answer.
const protocolVersion = "2025-11-25"
