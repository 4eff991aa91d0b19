package client

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// actAs, in the environment, makes the test binary a server.
const actAs = "VEYYON_TEST_SERVER"

func TestMain(m *testing.M) {
	if role := os.Getenv(actAs); role != "" {
		serveProcess(role)
		return
	}
	goleak.VerifyTestMain(m)
}

// A server speaks the protocol for tests. Commands it knows:
//
//	echo   answers with the fields
//	fail   fails
//	hold   is never answered
//	note   is followed by an event with its text, n times, before the answer
//	say    writes its line as it is, then answers
//
// What is no command (a host's answer) comes back as an event "got".
type server struct {
	in  io.Reader
	out io.Writer
}

type incoming struct {
	ID    string          `json:"id"`
	Type  string          `json:"type"`
	Text  string          `json:"text"`
	N     int             `json:"n"`
	Line  json.RawMessage `json:"line"`
	Tools []struct{ Name string }
}

func (s server) run() {
	lines := bufio.NewScanner(s.in)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var in incoming
		if err := json.Unmarshal(lines.Bytes(), &in); err != nil {
			s.write(map[string]any{"type": "response", "command": "parse", "success": false, "error": err.Error()})
			continue
		}
		s.handle(in, append(json.RawMessage(nil), lines.Bytes()...))
	}
}

func (s server) handle(in incoming, raw json.RawMessage) {
	answer := map[string]any{"type": "response", "id": in.ID, "command": in.Type, "success": true}
	switch in.Type {
	case "echo":
		answer["data"] = raw
	case "fail":
		answer["success"], answer["error"], answer["code"] = false, "it failed", "busy"
	case "hold":
		return
	case "note":
		for i := range in.N {
			s.write(map[string]any{"type": "note", "text": in.Text, "i": i})
		}
	case "say":
		s.write(in.Line)
	case "set_host_tools":
		names := []string{}
		for _, t := range in.Tools {
			names = append(names, t.Name)
		}
		answer["data"] = map[string]any{"toolNames": names}
	case "set_host_uri_schemes":
		answer["data"] = map[string]any{"schemes": []string{"db"}}
	case "crash":
		os.Exit(3)
	default:
		answer = map[string]any{"type": "got", "frame": raw}
	}
	s.write(answer)
}

func (s server) write(v any) {
	line, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	_, _ = s.out.Write(append(line, '\n')) // the host may have gone
}

// serveProcess is a server of the temperament role.
func serveProcess(role string) {
	switch role {
	case "stubborn": // ends on SIGKILL only
		signal.Ignore(syscall.SIGTERM)
		fmt.Println(`{"type":"ready"}`)
		time.Sleep(time.Hour)
	case "orphaning": // leaves a child behind that holds its output
		child := exec.Command("sleep", "3600")
		child.Stdout = os.Stdout
		if err := child.Start(); err != nil {
			panic(err)
		}
		fmt.Printf(`{"type":"child","pid":%d}`+"\n", child.Process.Pid)
	}
	server{os.Stdin, os.Stdout}.run()
	fmt.Fprint(os.Stderr, strings.ToUpper(role))
}

// connect joins a client and a server over pipes that hold nothing.
func connect(t *testing.T) *Client {
	t.Helper()
	toServerR, toServerW := io.Pipe()
	fromServerR, fromServerW := io.Pipe()
	go func() { // ends when the client closes
		server{toServerR, fromServerW}.run()
		_ = fromServerW.Close()
	}()
	c := New(context.WithoutCancel(t.Context()), fromServerR, toServerW) // it lives on in Cleanup
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Errorf("closing: %v", err)
		}
	})
	return c
}
