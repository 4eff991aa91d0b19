// Command echo is the reference for a server's start, its round trips and its
// pace: one goroutine that reads a line, decodes type and id, encodes an answer
// and writes it. No server can do less.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"os"

	"veyyon.dev/veyyon/frames"
)

type command struct {
	ID   json.RawMessage `json:"id"`
	Type string          `json:"type"`
}

type answer struct {
	ID      json.RawMessage `json:"id,omitempty"`
	Type    string          `json:"type"`
	Command string          `json:"command"`
	Success bool            `json:"success"`
}

func main() {
	if err := serve(os.Stdin, os.Stdout); err != nil {
		_, _ = os.Stderr.WriteString("echo: " + err.Error() + "\n") // nobody is left to tell
		os.Exit(1)
	}
}

func serve(in io.Reader, out io.Writer) error {
	if _, err := io.WriteString(out, `{"type":"ready"}`+"\n"); err != nil {
		return err
	}
	lines := bufio.NewReaderSize(in, 64<<10)
	for {
		line, err := lines.ReadSlice('\n')
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
		var c command
		if err := frames.Unmarshal(line, &c); err != nil {
			return err
		}
		reply, err := frames.Marshal(answer{c.ID, "response", c.Type, true})
		if err != nil {
			return err
		}
		if _, err := out.Write(append(reply, '\n')); err != nil {
			return err
		}
	}
}
