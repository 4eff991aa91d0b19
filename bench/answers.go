package main

import (
	"bytes"
	"fmt"
	"strconv"
	"time"
)

// The text of the streaming scenarios comes in deltas of one width, about five
// words each. A numbered delta tells its place, a stamped one when it was sent.
const (
	deltaWidth  = 24 // bytes
	words       = " quick brown fox"
	numberWidth = deltaWidth - len(words)
)

// streams answers "burst N" with N numbered deltas as fast as the connection
// takes them, and "paced N" with N stamped ones at 500 a second.
func streams(out *events, asked request) error {
	var kind string
	var n int
	if _, err := fmt.Sscanf(asked.text, "%s %d", &kind, &n); err != nil {
		return fmt.Errorf("prompt %q: %w", asked.text, err)
	}
	if kind == "paced" {
		return paced(out, n)
	}
	return burst(out, n)
}

// burst sends deltas in large pieces.
func burst(out *events, n int) error {
	const piece = 64 << 10 // bytes
	event := appendText(nil, numbered(0))
	place := bytes.Index(event, []byte(numbered(0)))
	var text []byte
	for i := range n { // no more than a copy each, since both ends share the machine with us
		text = append(text, event...)
		putNumber(text[len(text)-len(event)+place:], i)
		if len(text) > piece {
			if err := out.send(text); err != nil {
				return err
			}
			text = text[:0]
		}
	}
	return out.send(appendEnd(text, "stop"))
}

// pace is the time from one delta to the next: 500 a second.
const pace = 2 * time.Millisecond

func paced(out *events, n int) error {
	tick := time.NewTicker(pace)
	defer tick.Stop()
	var text []byte
	for range n {
		select {
		case <-tick.C:
		case <-out.ctx.Done():
			return out.ctx.Err()
		}
		text = appendText(text[:0], stamp(time.Since(began)))
		if err := out.send(text); err != nil {
			return err
		}
	}
	return out.send(appendEnd(nil, "stop"))
}

func numbered(i int) string {
	text := make([]byte, deltaWidth)
	putNumber(text, i)
	copy(text[numberWidth:], words)
	return string(text)
}

// putNumber writes the number of a delta over its beginning.
func putNumber(text []byte, i int) {
	for at := numberWidth - 1; at >= 0; at-- {
		text[at] = byte('0' + i%10)
		i /= 10
	}
}

// began is the zero of the clock in stamped deltas.
var began = time.Now()

func stamp(at time.Duration) string { return fmt.Sprintf("%0*d", deltaWidth, at.Nanoseconds()) }

// since is how long ago a stamped delta was sent.
func since(delta []byte) (time.Duration, error) {
	ns, err := strconv.ParseInt(string(delta), 10, 64)
	return time.Since(began) - time.Duration(ns), err
}

// A checker follows numbered deltas, each alone or several joined, and tells
// of the first that is not the next.
type checker struct{ next int }

func (c *checker) take(text []byte) error {
	for len(text) > 0 {
		delta := text[:min(deltaWidth, len(text))]
		if !bytes.Equal(delta, []byte(numbered(c.next))) {
			return fmt.Errorf("delta %d is %q", c.next, delta)
		}
		c.next++
		text = text[len(delta):]
	}
	return nil
}
