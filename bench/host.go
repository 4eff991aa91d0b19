package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
)

// A host drives a process over its pipes by hand. It looks only at the few
// bytes of a line that tell what it is: a host that decodes all it reads would
// be the slowest of the two, and take its time from the server on a machine with
// few cores. It reads compact JSON whose `type` is near the beginning, as all
// servers of this protocol write it. One goroutine only, except send.
type host struct {
	*process
	out  *bufio.Reader
	long []byte // a line that did not fit the reader's buffer
}

// connect starts a program and waits until it is ready.
func connect(ctx context.Context, path string, args []string, setup func(home string) error) (*host, error) {
	p, err := start(ctx, path, args, setup)
	if err != nil {
		return nil, err
	}
	return greet(p)
}

// greet waits until a process is ready, and closes it if it is not.
func greet(p *process) (*host, error) {
	h := &host{process: p, out: bufio.NewReaderSize(p.stdout, 256<<10)}
	line, err := h.next()
	if err == nil && !is(line, "ready") {
		err = fmt.Errorf("the first line is not ready but %.200s", line)
	}
	if err != nil {
		return nil, errors.Join(err, h.close())
	}
	return h, nil
}

// next reads a line; it is valid until the next call.
func (h *host) next() ([]byte, error) {
	line, err := h.out.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		h.long = h.long[:0]
		for errors.Is(err, bufio.ErrBufferFull) {
			h.long = append(h.long, line...)
			line, err = h.out.ReadSlice('\n')
		}
		h.long = append(h.long, line...)
		line = h.long
	}
	switch {
	case errors.Is(err, io.EOF):
		return nil, fmt.Errorf("the server closed stdout; stderr: %s", h.lastWords())
	case err != nil:
		return nil, fmt.Errorf("reading stdout: %w", err)
	}
	return line, nil
}

// send writes commands, each with its newline.
func (h *host) send(commands []byte) error {
	if _, err := h.stdin.Write(commands); err != nil {
		return fmt.Errorf("writing stdin: %w; stderr: %s", err, h.lastWords())
	}
	return nil
}

// ask sends one command and waits for its answer, which must be a success.
func (h *host) ask(command []byte) ([]byte, error) {
	if err := h.send(command); err != nil {
		return nil, err
	}
	return h.answered()
}

// answered reads up to the next answer, which must be a success. The line is
// valid until the next read.
func (h *host) answered() ([]byte, error) {
	for {
		line, err := h.next()
		if err != nil {
			return nil, err
		}
		if is(line, "response") {
			return line, success(line)
		}
	}
}

func success(line []byte) error {
	if !bytes.Contains(head(line), []byte(`"success":true`)) {
		return fmt.Errorf("the server refused: %.300s", line)
	}
	return nil
}

// is tells whether a frame is of this type.
func is(line []byte, frameType string) bool {
	at := bytes.Index(head(line), []byte(`"type":"`))
	return at >= 0 && bytes.HasPrefix(line[at+len(`"type":"`):], append([]byte(frameType), '"'))
}

// headSize is how many bytes of a line are looked at to tell what it is.
const headSize = 256

func head(line []byte) []byte { return line[:min(len(line), headSize)] }
