package stages

import (
	"bufio"
	"context"
	"io"
	"os"
	"strings"
	"testing"

	"veyyon.dev/veyyon/frames"
)

// BenchmarkEcho is the cost of one command and its answer through the pipe,
// with a host that writes ahead.
func BenchmarkEcho(b *testing.B) {
	b.ReportAllocs()
	in := io.LimitReader(endless{}, int64(b.N)*int64(len(endlessLine)))
	if err := Pipe(b.Context(), in, io.Discard, words{}, echo, Options{}); err != nil {
		b.Fatal(err)
	}
}

const endlessLine = `{"id":"req_1","type":"set_steering_mode","mode":"all"}` + "\n"

// endless reads as the same line for ever.
type endless struct{}

var endlessBlock = strings.Repeat(endlessLine, 1000)

func (endless) Read(p []byte) (int, error) {
	return copy(p[:len(p)/len(endlessLine)*len(endlessLine)], endlessBlock), nil
}

// BenchmarkStream is the cost of one frame that a single sender sends.
func BenchmarkStream(b *testing.B) {
	b.ReportAllocs()
	frame := note(delta{"block", strings.Repeat("x", 200)})
	err := Pipe(b.Context(), strings.NewReader(""), io.Discard, words{}, func(ctx context.Context, _ <-chan frames.Inbound, out Outbox) error {
		for range b.N {
			if err := out.Send(ctx, frame); err != nil {
				return err
			}
		}
		return nil
	}, Options{})
	if err != nil {
		b.Fatal(err)
	}
}

// BenchmarkRoundTrip is one command and its answer over pipes of the kernel,
// with a host that waits for each.
func BenchmarkRoundTrip(b *testing.B) {
	inR, inW, err := os.Pipe()
	if err != nil {
		b.Fatal(err)
	}
	outR, outW, err := os.Pipe()
	if err != nil {
		b.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- Pipe(b.Context(), inR, outW, words{}, echo, Options{}) }()
	answers := bufio.NewReader(outR)
	for b.Loop() {
		if _, err := inW.WriteString(endlessLine); err != nil {
			b.Fatal(err)
		}
		if _, err := answers.ReadSlice('\n'); err != nil {
			b.Fatal(err)
		}
	}
	_ = inW.Close()
	if err := <-ended; err != nil {
		b.Fatal(err)
	}
	for _, f := range []*os.File{inR, outR, outW} {
		_ = f.Close()
	}
}
