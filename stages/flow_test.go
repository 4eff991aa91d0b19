package stages

import (
	"context"
	"errors"
	"testing"

	"pgregory.net/rapid"
)

func TestRecvAndSendHearTheHardStop(t *testing.T) {
	cause := errors.New("the cause")
	ctx, stop := context.WithCancelCause(t.Context())
	stop(cause)
	ch := make(chan int)
	if _, ok, err := Recv(ctx, ch); ok || !errors.Is(err, cause) {
		t.Errorf("Recv: %v, %v", ok, err)
	}
	if err := Send(ctx, ch, 1); !errors.Is(err, cause) {
		t.Errorf("Send: %v", err)
	}
	close(ch)
	if _, ok, err := Recv(t.Context(), ch); ok || err != nil {
		t.Errorf("Recv from a closed channel: %v, %v", ok, err)
	}
}

func TestBacklogIsAQueue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var b Backlog[int]
		var model []int
		bytes := 0
		for i := range rapid.IntRange(0, 3000).Draw(t, "steps") {
			if rapid.IntRange(0, 2).Draw(t, "step") > 0 {
				b.Push(i, i)
				model = append(model, i)
				bytes += i
			} else if v, ok := b.Pop(); ok != (len(model) > 0) || ok && v != model[0] {
				t.Fatalf("popped %d, %v", v, ok)
			} else if ok {
				model = model[1:]
				bytes -= v
			}
			if front, ok := b.Front(); b.Len() != len(model) || b.Bytes() != bytes || ok && front != model[0] {
				t.Fatalf("front %d, %d values of %d bytes; want %d of %d", front, b.Len(), b.Bytes(), len(model), bytes)
			}
		}
	})
}

func TestABacklogThatNeverRunsEmptyDoesNotGrow(t *testing.T) {
	var b Backlog[int]
	b.Push(0, 0)
	for i := range 1_000_000 {
		b.Push(i, 1)
		b.Pop()
	}
	if cap(b.items) > keepItems {
		t.Errorf("room for %d to hold one", cap(b.items))
	}
}
