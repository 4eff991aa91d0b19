package stages

import (
	"context"
	"errors"

	"veyyon.dev/veyyon/frames"
)

// decode turns lines into inbound values through the codec, which never fails:
// a bad line becomes a Malformed in its place.
//
// In: lines, nil for one that was too long. Out: inbound. It ends when lines
// closes, or softly when no more input is wanted (the cause of ctx is
// errInputOver); its caller then closes inbound. When the middle is slow it
// waits, and Read behind it.
func decode(ctx context.Context, c frames.Codec, lines <-chan []frames.Line, inbound chan<- frames.Inbound, maxLine int) error {
	for {
		batch, ok, err := Recv(ctx, lines)
		if err != nil {
			return unlessOver(err)
		}
		if !ok {
			return nil
		}
		for _, line := range batch {
			value := decodeLine(c, line, maxLine)
			if value == nil {
				continue
			}
			if err := Send(ctx, inbound, value); err != nil {
				return unlessOver(err)
			}
		}
	}
}

func decodeLine(c frames.Codec, line frames.Line, maxLine int) frames.Inbound {
	if line == nil {
		return c.TooLong(maxLine)
	}
	return c.Decode(line)
}

func unlessOver(err error) error {
	if errors.Is(err, errInputOver) {
		return nil
	}
	return err
}
