package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"time"
)

// acpSessions is how many sessions are open, and have a turn, at a time.
const acpSessions = 100

// runACP measures the Agent Client Protocol: against the echo, against the program
// that streams what the model sends, and against RPC in the same run.
func runACP(ctx context.Context, b *bench) (found result, err error) {
	if b.bin == "" {
		return result{}, nil // inside this process there is RPC only
	}
	model, err := serveModel(streams)
	if err != nil {
		return result{}, err
	}
	defer func() { err = errors.Join(err, model.close()) }()
	for _, part := range []func(context.Context, *bench, *modelServer) ([]row, error){acpStart, acpStream, acpTurns, acpParallel} {
		rows, err := part(ctx, b, model)
		if found.rows = append(found.rows, rows...); err != nil {
			return found, err
		}
	}
	return found, nil
}

// An editor is a client of ACP, driven by hand.
type editor struct {
	*host
	last int // id of a request
}

// edit starts a server and waits for the answer to initialize.
func (b *bench) edit(ctx context.Context, model *modelServer) (*editor, error) {
	args := []string{"acp"}
	var setup func(home string) error
	if model != nil {
		args, setup = append(args, "--model", modelName), model.configure
	}
	p, err := start(ctx, b.bin, args, setup)
	if err != nil {
		return nil, err
	}
	e := &editor{host: &host{process: p, out: bufio.NewReaderSize(p.stdout, 256<<10)}}
	if _, err := e.call("initialize", `{"protocolVersion":1}`); err != nil {
		return nil, errors.Join(err, e.close())
	}
	return e, nil
}

// request sends a request and returns how its answer begins.
func (e *editor) request(method, params string) (answer []byte, err error) {
	e.last++
	err = e.send(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`+"\n", e.last, method, params))
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%d,`, e.last), err
}

// call sends a request and returns its answer.
func (e *editor) call(method, params string) ([]byte, error) {
	answer, err := e.request(method, params)
	if err != nil {
		return nil, err
	}
	for {
		line, err := e.next()
		if err != nil {
			return nil, err
		}
		if bytes.HasPrefix(line, answer) {
			return line, fulfilled(line)
		}
	}
}

func fulfilled(line []byte) error {
	if bytes.Contains(head(line), []byte(`"error":`)) {
		return fmt.Errorf("the server refused: %.300s", line)
	}
	return nil
}

// open begins a session.
func (e *editor) open() (id string, err error) {
	line, err := e.call("session/new", fmt.Sprintf(`{"cwd":%q,"mcpServers":[]}`, e.work()))
	if err != nil {
		return "", err
	}
	var opened struct {
		Result struct {
			SessionID string `json:"sessionId"`
		} `json:"result"`
	}
	err = json.Unmarshal(line, &opened)
	return opened.Result.SessionID, err
}

func prompting(session, text string) string {
	return fmt.Sprintf(`{"sessionId":%q,"prompt":[{"type":"text","text":%q}]}`, session, text)
}

// turn has a turn; take gets the pieces of the answer's text.
func (e *editor) turn(session, prompt string, take func(text []byte) error) error {
	answer, err := e.request("session/prompt", prompting(session, prompt))
	if err != nil {
		return err
	}
	for {
		line, err := e.next()
		if err != nil {
			return err
		}
		if bytes.HasPrefix(line, answer) {
			return fulfilled(line)
		}
		if err := take(chunkOf(line)); err != nil {
			return err
		}
	}
}

// chunkOf is the text of an agent_message_chunk, empty for other lines.
func chunkOf(line []byte) []byte {
	_, content, ok := bytes.Cut(line, []byte(`"agent_message_chunk","content":{"type":"text","text":"`))
	if !ok {
		return nil
	}
	text, _, _ := bytes.Cut(content, []byte(`"`))
	return text
}

// burst streams an answer of n deltas in a new session.
func (e *editor) burst(n int) (took time.Duration, err error) {
	session, err := e.open()
	if err != nil {
		return 0, err
	}
	began := time.Now()
	var follow checker
	err = e.turn(session, fmt.Sprintf("burst %d", n), func(text []byte) error {
		if err := follow.take(text); err != nil {
			return err
		}
		if follow.next == n {
			took = time.Since(began)
		}
		return nil
	})
	if err == nil && follow.next != n {
		err = fmt.Errorf("%d of %d deltas have come", follow.next, n)
	}
	if err != nil {
		return 0, err
	}
	_, err = e.call("session/close", fmt.Sprintf(`{"sessionId":%q}`, session))
	return took, err
}

// acpStart is from the spawn to the answer of initialize.
func acpStart(ctx context.Context, b *bench, _ *modelServer) ([]row, error) {
	server, reference := newSpread(), newSpread()
	for range b.pick(20, 10) {
		began := time.Now()
		e, err := b.edit(ctx, nil)
		if err != nil {
			return nil, err
		}
		server.add(time.Since(began))
		if err := e.close(); err != nil {
			return nil, err
		}
		began = time.Now()
		h, err := connect(ctx, b.echo, nil, nil)
		if err != nil {
			return nil, err
		}
		if _, err := h.ask([]byte(`{"id":1,"type":"initialize"}` + "\n")); err != nil {
			return nil, errors.Join(err, h.close())
		}
		reference.add(time.Since(began))
		if err := h.close(); err != nil {
			return nil, err
		}
	}
	return []row{compared("acp", "start", server.endRound(), reference.endRound(), "ms")}, nil
}

// acpStream is how fast an answer comes through, against the program that only
// streams, and against RPC.
func acpStream(ctx context.Context, b *bench, model *modelServer) (rows []row, err error) {
	e, err := b.edit(ctx, model)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, e.close()) }()
	plain, err := connect(ctx, b.streamref, []string{model.url}, nil)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, plain.close()) }()
	rpc, err := b.connect(ctx, model)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rpc.close()) }()
	ours := func() (float64, error) {
		took, err := e.burst(longAnswer)
		return longAnswer / took.Seconds(), err
	}
	theirs := func(h *host) sample {
		return func() (float64, error) {
			took, _, err := h.burst(longAnswer)
			return longAnswer / took.Seconds(), err
		}
	}
	for _, against := range []struct {
		metric string
		host   *host
	}{{"stream_rate", plain}, {"stream_rate_of_rpc", rpc}} {
		s, r, err := b.compare(ours, theirs(against.host))
		if err != nil {
			return rows, err
		}
		rows = append(rows, compared("acp", against.metric, s, r, "deltas/s"))
	}
	return rows, nil
}

// acpTurns is the round trip of a short prompt, against RPC.
func acpTurns(ctx context.Context, b *bench, model *modelServer) (rows []row, err error) {
	e, err := b.edit(ctx, model)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, e.close()) }()
	rpc, err := b.connect(ctx, model)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rpc.close()) }()
	session, err := e.open()
	if err != nil {
		return nil, err
	}
	ours, theirs := newSpread(), newSpread()
	n := b.pick(100, 50)
	s, r, err := b.compare(
		func() (float64, error) {
			for range n {
				began := time.Now()
				if err := e.turn(session, "burst 1", func([]byte) error { return nil }); err != nil {
					return 0, err
				}
				ours.add(time.Since(began))
			}
			return ours.endRound(), nil
		},
		func() (float64, error) {
			for range n {
				began := time.Now()
				if err := rpc.send([]byte(`{"id":"req_1","type":"prompt","message":"burst 1"}` + "\n")); err != nil {
					return 0, err
				}
				if _, _, err := rpc.follow(func([]byte) error { return nil }); err != nil {
					return 0, err
				}
				theirs.add(time.Since(began))
			}
			return theirs.endRound(), nil
		})
	if err != nil {
		return nil, err
	}
	return []row{compared("acp", "prompt_p50_of_rpc", s, r, "ms")}, nil
}

// acpParallel has a turn in each of many sessions at once, against the same turns
// one after the other, and tells what a session takes.
func acpParallel(ctx context.Context, b *bench, model *modelServer) (rows []row, err error) {
	e, err := b.edit(ctx, model)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, e.close()) }()
	before, err := e.resident()
	if errors.Is(err, fs.ErrNotExist) {
		before, err = 0, nil // there is no /proc
	}
	if err != nil {
		return nil, err
	}
	sessions := make([]string, acpSessions)
	for i := range sessions {
		if sessions[i], err = e.open(); err != nil {
			return nil, err
		}
	}
	const prompt = "burst 200"
	together := func() (float64, error) {
		began := time.Now()
		first := e.last
		for _, session := range sessions {
			if _, err := e.request("session/prompt", prompting(session, prompt)); err != nil {
				return 0, err
			}
		}
		for answers := 0; answers < acpSessions; {
			line, err := e.next()
			if err != nil {
				return 0, err
			}
			var id int
			if _, err := fmt.Sscanf(string(head(line)), `{"jsonrpc":"2.0","id":%d,`, &id); err != nil || id <= first {
				continue
			}
			if err := fulfilled(line); err != nil {
				return 0, err
			}
			answers++
		}
		return ms(time.Since(began)), nil
	}
	inTurn := func() (float64, error) {
		began := time.Now()
		for _, session := range sessions {
			if err := e.turn(session, prompt, func([]byte) error { return nil }); err != nil {
				return 0, err
			}
		}
		return ms(time.Since(began)), nil
	}
	s, r, err := b.compare(together, inTurn)
	if err != nil {
		return nil, err
	}
	rows = []row{compared("acp", "turns_of_100_sessions", s, r, "ms")}
	if after, err := e.resident(); err == nil && before > 0 {
		rows = append(rows, figure("acp", "memory_of_a_session", (after-before)/acpSessions, "MiB"))
	}
	return rows, nil
}
