package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"
)

// The lengths of the answers that show how the bytes on the wire grow.
const (
	shortAnswer = 2_000 // deltas
	longAnswer  = 20_000
)

// runStream measures how a streamed answer reaches the host: how many deltas a
// second, how many bytes for them, and how late each is at a model's usual pace.
func runStream(ctx context.Context, b *bench) (found result, err error) {
	model, err := serveModel(streams)
	if err != nil {
		return result{}, err
	}
	defer func() { err = errors.Join(err, model.close()) }()
	server, err := b.connect(ctx, model)
	if err != nil {
		return result{}, err
	}
	defer func() { err = errors.Join(err, server.close()) }()
	reference, err := connect(ctx, b.streamref, []string{model.url}, nil)
	if err != nil {
		return result{}, err
	}
	defer func() { err = errors.Join(err, reference.close()) }()

	for _, part := range []func(*bench, *host, *host) (result, error){streamRate, streamGrowth, streamLateness} {
		r, err := part(b, server, reference)
		found.rows, found.curves = append(found.rows, r.rows...), append(found.curves, r.curves...)
		if err != nil {
			return found, err
		}
	}
	return found, nil
}

func streamRate(b *bench, server, reference *host) (result, error) {
	rate := func(h *host) sample {
		return func() (float64, error) {
			took, _, err := h.burst(longAnswer)
			return longAnswer / took.Seconds(), err
		}
	}
	s, r, err := b.compare(rate(server), rate(reference))
	if err != nil {
		return result{}, err
	}
	return result{rows: []row{compared("stream", "rate", s, r, "deltas/s")}}, nil
}

// streamGrowth compares the bytes of a long answer with those of a short one,
// and, to inform, with those of the reference.
func streamGrowth(_ *bench, server, reference *host) (result, error) {
	_, short, err := server.burst(shortAnswer)
	if err != nil {
		return result{}, err
	}
	_, long, err := server.burst(longAnswer)
	if err != nil {
		return result{}, err
	}
	_, light, err := reference.burst(longAnswer)
	if err != nil {
		return result{}, err
	}
	return result{rows: []row{
		compared("stream", "growth", float64(long), float64(short), "bytes"),
		compared("stream", "bytes", float64(long)/longAnswer, float64(light)/longAnswer, "bytes/delta"),
	}}, nil
}

func streamLateness(b *bench, server, reference *host) (result, error) {
	n := b.pick(1000, 500)
	ours, theirs := newSpread(), newSpread()
	s, r, err := b.compare(
		func() (float64, error) { return lateness(server, n, ours) },
		func() (float64, error) { return lateness(reference, n, theirs) })
	if err != nil {
		return result{}, err
	}
	return result{
		rows:   append([]row{compared("stream", "lateness_p50", s, r, "ms")}, tails("stream", "lateness_", ours, theirs)...),
		curves: []curve{{"stream: lateness at 500 deltas/s", ours, theirs}},
	}, nil
}

// burst asks for n deltas at once and tells when the last one was there and how
// many bytes they took.
func (h *host) burst(n int) (took time.Duration, size int, err error) {
	began := time.Now()
	var follow checker
	size, err = h.stream(fmt.Sprintf("burst %d", n), n, func(text []byte) error {
		if err := follow.take(text); err != nil {
			return err
		}
		if follow.next == n {
			took = time.Since(began)
		}
		return nil
	})
	return took, size, err
}

func lateness(h *host, n int, late *spread) (float64, error) {
	_, err := h.stream(fmt.Sprintf("paced %d", n), n, func(text []byte) error {
		for ; len(text) >= deltaWidth; text = text[deltaWidth:] {
			d, err := since(text[:deltaWidth])
			if err != nil {
				return err
			}
			late.add(d)
		}
		return nil
	})
	return late.endRound(), err
}

// stream gives a prompt to a new session, reads to the end of the answer and
// hands on the text of each delta. It fails unless there are n deltas of text.
// The size is that of the message_update lines.
func (h *host) stream(prompt string, n int, take func(text []byte) error) (size int, err error) {
	if _, err := h.ask([]byte(`{"id":"req_0","type":"new_session"}` + "\n")); err != nil {
		return 0, err
	}
	if err := h.send(fmt.Appendf(nil, `{"id":"req_1","type":"prompt","message":%q}`+"\n", prompt)); err != nil {
		return 0, err
	}
	size, text, err := h.follow(take)
	if err == nil && text != n*deltaWidth {
		err = fmt.Errorf("the answer has %d bytes, the model sent %d", text, n*deltaWidth)
	}
	return size, err
}

// follow reads a run to its end.
func (h *host) follow(take func(text []byte) error) (size, text int, err error) {
	for {
		line, err := h.next()
		switch {
		case err != nil:
			return size, text, err
		case is(line, "message_update"):
			size += len(line)
			delta := deltaOf(line)
			text += len(delta)
			if err := take(delta); err != nil {
				return size, text, err
			}
		case is(line, "response"):
			if err := success(line); err != nil {
				return size, text, err
			}
		case is(line, "agent_end"):
			return size, text, nil
		}
	}
}

// deltaOf is the text that a message_update adds: as our texts need no escapes,
// what stands between the quotes.
func deltaOf(line []byte) []byte {
	_, event, ok := bytes.Cut(line, []byte(`"text_delta"`))
	if !ok {
		return nil
	}
	_, text, _ := bytes.Cut(event, []byte(`"delta":"`))
	text, _, _ = bytes.Cut(text, []byte(`"`))
	return text
}
