package main

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// A victim is a server that will be killed. Its host notes each message whose
// end it reads. All that it does ends with an error once the server is gone.
type victim struct {
	*host
	c *chaos
}

// errRefused means that the server answered a command with a failure.
var errRefused = errors.New("refused")

// talk lets the model stream: mostly small pieces, sometimes much at once.
func (v *victim) talk() error {
	for {
		kind := "stream"
		if v.c.random.IntN(4) == 0 {
			kind = "big"
		}
		if err := v.prompt(kind); err != nil {
			return err
		}
	}
}

// work lets the model run commands, and write and edit files.
func (v *victim) work() error {
	for {
		if err := v.prompt("tools"); err != nil {
			return err
		}
	}
}

// compact has the conversation compacted, after a little more of it.
func (v *victim) compact() error {
	for {
		if err := v.prompt("big"); err != nil {
			return err
		}
		if err := v.offered("compact", ""); err != nil {
			return err
		}
	}
}

// branch leaves the session for others, now and then while the model streams.
func (v *victim) branch() error {
	for {
		if err := v.prompt("quick"); err != nil {
			return err
		}
		if v.c.random.IntN(3) == 0 {
			if err := v.begin("stream"); err != nil {
				return err
			}
			for range v.c.random.IntN(12) {
				if _, err := v.line(); err != nil {
					return err
				}
			}
		}
		var err error
		switch v.c.random.IntN(3) {
		case 0:
			err = v.renew()
		case 1:
			err = v.branchOff()
		case 2:
			if err = v.offered("handoff", ""); err == nil {
				err = v.locate()
			}
		}
		if err != nil {
			return err
		}
	}
}

// branchOff goes back to a random message of the person.
func (v *victim) branchOff() error {
	line, err := v.command(`"type":"get_branch_messages"`)
	if err != nil {
		return err
	}
	var answer struct {
		Data struct {
			Messages []struct {
				EntryID string `json:"entryId"`
			} `json:"messages"`
		} `json:"data"`
	}
	if err := json.Unmarshal(line, &answer); err != nil {
		return err
	}
	if len(answer.Data.Messages) == 0 {
		return nil
	}
	id := answer.Data.Messages[v.c.random.IntN(len(answer.Data.Messages))].EntryID
	before := v.c.before(id)
	old := v.c.front
	if err := v.offered("branch", fmt.Sprintf(`,"entryId":%q`, id)); err != nil {
		return err
	}
	if err := v.locate(); err != nil {
		return err
	}
	if v.c.front != old && v.c.front != "" {
		v.c.recall(v.c.front).finished = before
	}
	return nil
}

// renew begins a new session.
func (v *victim) renew() error {
	if _, err := v.command(`"type":"new_session"`); err != nil {
		return err
	}
	return v.locate()
}

// revisit goes on with any of the sessions so far.
func (v *victim) revisit() error {
	paths := v.c.some()
	if len(paths) == 0 {
		return nil
	}
	path := paths[v.c.random.IntN(len(paths))]
	if fileSize(path) == 0 {
		return nil
	}
	if _, err := v.command(fmt.Sprintf(`"type":"switch_session","sessionPath":%q`, path)); err != nil {
		return err
	}
	return v.locate()
}

// offered gives a command that this server may not have yet, and that may have
// nothing to do.
func (v *victim) offered(command, arguments string) error {
	if v.c.missing[command] {
		return nil
	}
	line, err := v.command(fmt.Sprintf(`"type":%q%s`, command, arguments))
	if errors.Is(err, errRefused) {
		v.c.missing[command] = strings.Contains(string(line), `"code":"not_implemented"`)
		return nil
	}
	if err == nil {
		v.c.done[command]++
	}
	return err
}

// locate asks which session is in front. A new one has no file yet.
func (v *victim) locate() error {
	line, err := v.command(`"type":"get_state"`)
	if err != nil {
		return err
	}
	var answer struct {
		Data struct {
			SessionFile string `json:"sessionFile"`
		} `json:"data"`
	}
	if err := json.Unmarshal(line, &answer); err != nil {
		return err
	}
	v.c.front = answer.Data.SessionFile
	return nil
}

// prompt gives a prompt and reads to the end of its run.
func (v *victim) prompt(kind string) error {
	if err := v.begin(kind); err != nil {
		return err
	}
	for {
		line, err := v.line()
		if err != nil || is(line, "agent_end") {
			return err
		}
	}
}

// begin gives a prompt, sometimes with an image and sometimes a long one.
func (v *victim) begin(kind string) error {
	text, images := fmt.Sprintf("chaos %s %d", kind, v.c.random.IntN(1000)), ""
	switch v.c.random.IntN(6) {
	case 0:
		images = fmt.Sprintf(`,"images":[{"type":"image","mimeType":"image/png","data":%q}]`, base64.StdEncoding.EncodeToString(noise(v.c.random)))
	case 1:
		text += strings.Repeat(" and so on", 10_000)
	}
	return v.send(fmt.Appendf(nil, `{"id":"prompt","type":"prompt","message":%q%s}`+"\n", text, images))
}

// command gives a command and waits for its answer, which is good until the
// next line is read.
func (v *victim) command(fields string) ([]byte, error) {
	if err := v.send(fmt.Appendf(nil, `{"id":"command",%s}`+"\n", fields)); err != nil {
		return nil, err
	}
	for {
		line, err := v.line()
		if err != nil {
			return nil, err
		}
		if !is(line, "response") || !strings.Contains(string(head(line)), `"id":"command"`) {
			continue
		}
		if err := success(line); err != nil {
			return line, fmt.Errorf("%w: %w", errRefused, err)
		}
		return line, nil
	}
}

// line reads a line, and notes the message that it ends.
func (v *victim) line() ([]byte, error) {
	line, err := v.next()
	if err != nil || !is(line, "message_end") {
		return line, err
	}
	var end struct {
		Message json.RawMessage `json:"message"`
	}
	if err := json.Unmarshal(line, &end); err != nil {
		return nil, fmt.Errorf("%w: %.300s", err, line)
	}
	if m, ok := canonical(end.Message); ok {
		kept := v.c.recall(v.c.front)
		kept.finished = append(kept.finished, m)
	}
	return line, nil
}
