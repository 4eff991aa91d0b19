// Command streamref is the reference for streaming: one goroutine that reads
// the event stream of a model, decodes each delta and writes one light
// message_update line for it. It batches as any honest program would: it
// flushes when the model has nothing more to read at the moment.
//
// Usage: streamref BASE-URL
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"

	"veyyon.dev/veyyon/frames"
)

type command struct {
	ID      string `json:"id"`
	Type    string `json:"type"`
	Message string `json:"message"`
}

type chunk struct {
	Choices []struct {
		Delta struct {
			Content string `json:"content"`
		} `json:"delta"`
	} `json:"choices"`
}

type update struct {
	Type    string  `json:"type"`
	Event   event   `json:"assistantMessageEvent"`
	Message message `json:"message"`
}

type event struct {
	Type         string `json:"type"`
	ContentIndex int    `json:"contentIndex"`
	Delta        string `json:"delta"`
}

type message struct {
	Role    string   `json:"role"`
	Content []string `json:"content"`
}

func main() {
	if err := serve(os.Args[1], os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "streamref:", err)
		os.Exit(1)
	}
}

// serve answers each command with success; a prompt then streams.
func serve(baseURL string, in io.Reader, stdout io.Writer) error {
	out := bufio.NewWriterSize(stdout, 64<<10)
	_, _ = out.WriteString(`{"type":"ready"}` + "\n") // Flush tells of errors
	lines := bufio.NewReaderSize(in, 64<<10)
	for {
		if err := out.Flush(); err != nil {
			return err
		}
		line, err := lines.ReadBytes('\n')
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
		_, _ = fmt.Fprintf(out, `{"id":%q,"type":"response","command":%q,"success":true}`+"\n", c.ID, c.Type)
		if c.Type != "prompt" {
			continue
		}
		if err := prompt(baseURL, c.Message, out); err != nil {
			return err
		}
		_, _ = out.WriteString(`{"type":"agent_end","messages":[]}` + "\n")
	}
}

func prompt(baseURL, text string, out *bufio.Writer) error {
	body, err := json.Marshal(map[string]any{"stream": true, "messages": []any{map[string]string{"role": "user", "content": text}}})
	if err != nil {
		return err
	}
	response, err := http.Post(baseURL+"/chat/completions", "application/json", bytes.NewReader(body))
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }() // read to its end, or failed anyway
	if response.StatusCode != http.StatusOK {
		return errors.New(response.Status)
	}
	return forward(bufio.NewReaderSize(response.Body, 64<<10), out)
}

func forward(in *bufio.Reader, out *bufio.Writer) error {
	data := []byte("data: ")
	for {
		if in.Buffered() == 0 {
			if err := out.Flush(); err != nil {
				return err
			}
		}
		line, err := in.ReadSlice('\n')
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
		text, ok := bytes.CutPrefix(bytes.TrimRight(line, "\r\n"), data)
		if !ok || bytes.HasPrefix(text, []byte("[DONE]")) {
			continue
		}
		var c chunk
		if err := frames.Unmarshal(text, &c); err != nil {
			return err
		}
		for _, choice := range c.Choices {
			if choice.Delta.Content == "" {
				continue
			}
			if err := write(out, choice.Delta.Content); err != nil {
				return err
			}
		}
	}
}

func write(out *bufio.Writer, delta string) error {
	line, err := frames.Marshal(update{
		"message_update", event{"text_delta", 0, delta}, message{"assistant", []string{}},
	})
	if err != nil {
		return err
	}
	_, err = out.Write(append(line, '\n'))
	return err
}
