package stages

import "context"

// Recv takes the next value from ch. ok is false once ch is closed; the error
// is the cause of ctx when that ends first.
func Recv[T any](ctx context.Context, ch <-chan T) (v T, ok bool, err error) {
	select {
	case v, ok = <-ch:
		return v, ok, nil
	case <-ctx.Done():
		return v, false, context.Cause(ctx)
	}
}

// Send hands v to ch. It returns the cause of ctx when that ends first; then v
// has not been sent.
func Send[T any](ctx context.Context, ch chan<- T, v T) error {
	select {
	case ch <- v:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// A Backlog is a queue without a bound that knows how many bytes it holds, so
// that its owner can set one. The zero value is empty. One goroutine only.
type Backlog[T any] struct {
	items []sized[T]
	head  int // index of the oldest item; what stands before it is zeroed
	bytes int
}

type sized[T any] struct {
	value T
	size  int
}

// Push appends v, which counts as size bytes.
func (b *Backlog[T]) Push(v T, size int) {
	if b.head > 0 && len(b.items) == cap(b.items) {
		b.compact()
	}
	b.items = append(b.items, sized[T]{v, size})
	b.bytes += size
}

// Front returns the oldest value without taking it.
func (b *Backlog[T]) Front() (v T, ok bool) {
	if b.Len() == 0 {
		return v, false
	}
	return b.items[b.head].value, true
}

// Pop takes the oldest value.
func (b *Backlog[T]) Pop() (v T, ok bool) {
	if b.Len() == 0 {
		return v, false
	}
	first := b.items[b.head]
	b.items[b.head] = sized[T]{}
	b.head++
	b.bytes -= first.size
	if b.head == len(b.items) {
		b.reset()
	}
	return first.value, true
}

// Len is the number of values.
func (b *Backlog[T]) Len() int { return len(b.items) - b.head }

// Bytes is the sum of their sizes.
func (b *Backlog[T]) Bytes() int { return b.bytes }

// compact moves the items to the front when at least half of the array has been
// taken, so that a queue which never runs empty does not grow for ever.
func (b *Backlog[T]) compact() {
	if b.head < len(b.items)/2 {
		return
	}
	n := copy(b.items, b.items[b.head:])
	clear(b.items[n:])
	b.items, b.head = b.items[:n], 0
}

// keepItems is the capacity up to which an emptied Backlog keeps its array; a
// larger one, left by a burst, is given back.
const keepItems = 1024

func (b *Backlog[T]) reset() {
	b.head = 0
	b.items = b.items[:0]
	if cap(b.items) > keepItems {
		b.items = nil
	}
}
