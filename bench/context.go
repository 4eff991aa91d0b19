package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// What the rich home and project hold.
const (
	contextSkills   = 50
	contextCommands = 30
	contextDepth    = 10 // folders with an AGENTS.md
)

// contextText is the size in bytes of each of their texts.
const contextText = 2000

// runContext measures how late the first prompt of a session begins its model
// request where there are many skills, commands and instructions, against the
// same folders without them: from the spawn, with the prompt sent as soon as the
// server is ready, and from that moment.
func runContext(ctx context.Context, b *bench) (found result, err error) {
	if b.bin == "" {
		return result{}, nil // a session inside this process has no files
	}
	asked := make(chan []byte, 1) // the model sends, one for each server
	var arrived time.Time         // written before asked is sent on, read after
	model, err := serveRaw(func(out *events, body io.Reader) error {
		arrived = time.Now()
		text, err := io.ReadAll(body)
		if err != nil {
			return err
		}
		asked <- text
		return out.send(appendEnd(appendText(nil, "done"), "stop"))
	})
	if err != nil {
		return result{}, err
	}
	defer func() { err = errors.Join(err, model.close()) }()

	// since is the moment that counts: the spawn, or ready.
	first := func(rich bool, since func(spawned, ready time.Time) time.Time) sample {
		return func() (float64, error) {
			spawned := time.Now()
			h, err := connect(ctx, b.bin, []string{"--mode", "rpc", "--model", modelName, "--cwd", filepath.Join(deep(contextDepth)...)},
				func(home string) error {
					err := errors.Join(model.configure(home), laid(home, rich))
					spawned = time.Now() // what follows is only the spawn
					return err
				})
			if err != nil {
				return 0, err
			}
			ready := time.Now()
			if err := h.send([]byte(`{"id":"req_1","type":"prompt","message":"hello"}` + "\n")); err != nil {
				return 0, errors.Join(err, h.close())
			}
			select {
			case text := <-asked:
				if !rich || knows(text) {
					return ms(arrived.Sub(since(spawned, ready))), h.close()
				}
				err = errors.New("the request does not hold the instructions and skills")
			case <-ctx.Done():
				err = ctx.Err()
			}
			return 0, errors.Join(err, h.close())
		}
	}
	for _, m := range []struct {
		metric string
		since  func(spawned, ready time.Time) time.Time
	}{
		{"spawn_to_request", func(spawned, _ time.Time) time.Time { return spawned }},
		{"ready_to_request", func(_, ready time.Time) time.Time { return ready }},
	} {
		s, r, err := b.compare(first(true, m.since), first(false, m.since))
		if err != nil {
			return found, err
		}
		found.rows = append(found.rows, compared("context", m.metric, s, r, "ms"))
	}
	return found, nil
}

// deep are the folders from the working folder to the one the session works in.
func deep(depth int) []string {
	names := make([]string, depth)
	for i := range names {
		names[i] = fmt.Sprintf("depth%d", i)
	}
	return names
}

// knows tells whether a request holds the instructions of all folders, and of
// all skills what they are for.
func knows(request []byte) bool {
	for i := range contextDepth {
		if !bytes.Contains(request, []byte(mark(i))) {
			return false
		}
	}
	for i := range contextSkills {
		if !bytes.Contains(request, []byte(purpose(i))) {
			return false
		}
	}
	return true
}

func purpose(skill int) string {
	return fmt.Sprintf("What to do when it is about subject %d.", skill)
}

func mark(depth int) string { return fmt.Sprintf("Instructions at depth %d.", depth) }

// laid makes a repository with a deep folder, and when it is rich all that a
// person may keep for the program.
func laid(home string, rich bool) error {
	work, profile := filepath.Join(filepath.Dir(home), "work"), filepath.Dir(modelsFile(home))
	files := map[string]string{filepath.Join(work, ".git", "HEAD"): "ref: refs/heads/main\n"}
	dir := work
	for i, name := range deep(contextDepth) {
		dir = filepath.Join(dir, name)
		files[filepath.Join(dir, "main.c")] = ""
		if rich {
			files[filepath.Join(dir, "AGENTS.md")] = mark(i) + "\n" + sampleText(contextText)
		}
	}
	for i := 0; rich && i < contextSkills; i++ {
		files[filepath.Join(profile, "skills", fmt.Sprintf("skill-%d", i), "SKILL.md")] = headed(fmt.Sprintf("name: skill-%d\ndescription: %s", i, purpose(i)))
	}
	for i := 0; rich && i < contextCommands; i++ {
		files[filepath.Join(profile, "commands", fmt.Sprintf("command-%d.md", i))] = headed(fmt.Sprintf("description: Does thing %d", i))
	}
	for path, text := range files {
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
			return err
		}
	}
	return nil
}

func headed(head string) string {
	return "---\n" + head + "\n---\n\n" + strings.TrimSpace(sampleText(contextText)) + "\n"
}
