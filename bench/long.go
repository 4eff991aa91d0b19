package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

const (
	// earlyFrom and earlyTo are the turns whose median is the reference: by then
	// the server is warm, and the conversation is still short.
	earlyFrom, earlyTo = 20, 70
	lateTurns          = 50 // the last turns, whose median is compared with it
	toolEvery          = 5  // every so many turns the model reads a file first
	memorySamples      = 80 // of resident memory and transcript, evenly over the turns
)

// longNote is the file that the model reads.
const longNote = "note.txt"

// runLong measures whether a session stays as quick as it was, and how its
// memory grows with its transcript. Each turn is a prompt with a short answer;
// the model reads only the end of its request, so that what grows is the
// server's work and the transport of the request alone. The reference of
// latency is the same session at its beginning, and that of sending the bare
// exchange of a request of the same size, without a server.
func runLong(ctx context.Context, b *bench) (found result, err error) {
	model := &longModel{}
	model.modelServer, err = serveRaw(model.answer)
	if err != nil {
		return result{}, err
	}
	defer func() { err = errors.Join(err, model.close()) }()
	server, err := b.connect(ctx, model.modelServer)
	if err != nil {
		return result{}, err
	}
	defer func() { err = errors.Join(err, server.close()) }()
	if err := os.WriteFile(filepath.Join(server.work(), longNote), []byte("remember the milk\n"), 0o600); err != nil {
		return result{}, err
	}
	turns := b.pick(2000, 400)
	took := make([]float64, 0, turns)
	var sizes growth
	var earlyRequest []byte
	for turn := range turns {
		began := time.Now()
		if err := server.turn(turn); err != nil {
			return result{}, fmt.Errorf("turn %d: %w", turn+1, err)
		}
		took = append(took, ms(time.Since(began)))
		if turn == earlyTo {
			earlyRequest = bytes.Clone(model.last.Bytes())
		}
		if turn >= earlyTo && turn%max(1, turns/memorySamples) == 0 { // by then what every server takes is taken
			if err := sizes.sample(server); err != nil {
				return result{}, err
			}
		}
	}
	early, late := median(took[earlyFrom:earlyTo]), median(took[turns-lateTurns:])
	found.rows = append(found.rows, compared("long", "latency_p50", late, early, "ms"))
	light, heavy, err := model.bareExchange(ctx, earlyRequest, bytes.Clone(model.last.Bytes()))
	if err != nil {
		return found, err
	}
	found.rows = append(found.rows,
		compared("long", "bare_exchange_p50", heavy, light, "ms"),
		figure("long", "last_request", float64(model.last.Len())/1e6, "MB"))
	return result{rows: append(found.rows, sizes.rows()...)}, nil
}

// turn gives one short prompt and reads to the end of its run.
func (h *host) turn(n int) error {
	kind := "say"
	if n%toolEvery == 0 {
		kind = "look"
	}
	if err := h.send(fmt.Appendf(nil, `{"id":"req_1","type":"prompt","message":"%s %d"}`+"\n", kind, n)); err != nil {
		return err
	}
	_, _, err := h.follow(func([]byte) error { return nil })
	return err
}

// longModel gives short answers without decoding what it is asked.
type longModel struct {
	*modelServer
	last bytes.Buffer // the last request; touched by others between turns only
}

func (m *longModel) answer(out *events, asked io.Reader) error {
	m.last.Reset()
	if _, err := m.last.ReadFrom(asked); err != nil {
		return err
	}
	body := m.last.Bytes()
	tail := body[bytes.LastIndex(body, []byte(`{"role":`)):]
	if bytes.HasPrefix(tail, []byte(`{"role":"user","content":"look `)) { // not "look " anywhere: the tools follow
		call := fmt.Sprintf(`{"tool_calls":[{"index":0,"id":"call_%d","type":"function","function":{"name":"read","arguments":"{\"path\":\"%s\"}"}}]}`, len(body), longNote)
		return out.send(appendEnd(appendEvent(nil, call, "null"), "tool_calls"))
	}
	var text []byte
	for _, part := range strings.SplitAfter("Next comes the milk.", " ") {
		text = appendText(text, part)
	}
	return out.send(appendEnd(text, "stop"))
}

// bareExchange is how long the model takes to be asked with each of these
// bodies and to answer, in ms, when nothing has to be encoded or kept.
func (m *longModel) bareExchange(ctx context.Context, light, heavy []byte) (lightTook, heavyTook float64, err error) {
	var took [2][]float64
	for range lateTurns {
		for i, body := range [][]byte{light, heavy} {
			began := time.Now()
			if err := post(ctx, m.url+"/chat/completions", body); err != nil {
				return 0, 0, err
			}
			took[i] = append(took[i], ms(time.Since(began)))
		}
	}
	return median(took[0]), median(took[1]), nil
}

// growth is how resident memory went with the size of the transcript.
type growth struct {
	transcript []float64 // bytes
	memory     []float64 // bytes
}

func (g *growth) sample(h *host) error {
	resident, err := h.resident()
	if errors.Is(err, fs.ErrNotExist) {
		return nil // see memory.go
	}
	if err != nil {
		return err
	}
	size, err := h.transcriptSize()
	if err != nil {
		return err
	}
	g.transcript, g.memory = append(g.transcript, size), append(g.memory, resident*(1<<20))
	return nil
}

// rows gives the bytes of memory for each byte of transcript, over all and by
// halves: memory that grows in line with the transcript has the same slope in
// both.
func (g *growth) rows() []row {
	n := len(g.memory)
	if n < 4 {
		return nil
	}
	first := slope(g.transcript[:n/2], g.memory[:n/2])
	second := slope(g.transcript[n/2:], g.memory[n/2:])
	return []row{
		figure("long", "memory_slope", slope(g.transcript, g.memory), "B/B"),
		compared("long", "memory_second_half", second, first, "B/B"),
	}
}

// slope is that of the line that fits best, by least squares.
func slope(x, y []float64) float64 {
	var sumX, sumY, sumXX, sumXY float64
	for i := range x {
		sumX, sumY = sumX+x[i], sumY+y[i]
		sumXX, sumXY = sumXX+x[i]*x[i], sumXY+x[i]*y[i]
	}
	n := float64(len(x))
	if spread := n*sumXX - sumX*sumX; spread != 0 {
		return (n*sumXY - sumX*sumY) / spread
	}
	return 0
}

// transcriptSize is that of all session files in the home, in bytes.
func (p *process) transcriptSize() (size float64, err error) {
	err = filepath.WalkDir(sessionsRoot(p.home()), func(_ string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		info, err := entry.Info()
		if err == nil {
			size += float64(info.Size())
		}
		return err
	})
	return size, err
}

// sessionsRoot is where a home keeps its sessions.
func sessionsRoot(home string) string {
	return filepath.Join(filepath.Dir(modelsFile(home)), "sessions")
}
