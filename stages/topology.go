package stages

import "reflect"

// A Lane is the blueprint of a channel. Who runs the pipeline makes its
// channels from lanes and who prints it reads the same lanes, so that the
// picture cannot drift from the thing.
type Lane[T any] struct {
	Name     string
	Capacity int
}

// Make makes the channel.
func (l Lane[T]) Make() chan T { return make(chan T, l.Capacity) }

// Channel describes it.
func (l Lane[T]) Channel() Channel {
	return Channel{Name: l.Name, Element: reflect.TypeFor[T]().String(), Capacity: l.Capacity}
}

// Channel describes a channel; Element is the Go type that travels in it.
type Channel struct {
	Name     string
	Element  string
	Capacity int
}

// Stage describes one stage: how many goroutines it runs on, what it receives
// from and what it sends to. In is nil for Read, Out for Write.
type Stage struct {
	Name       string
	Goroutines int
	In, Out    *Channel
}

// The names of the stages, as Topology prints them and as the profile label
// "stage" of their goroutines shows them.
const (
	readStage   = "Read"
	decodeStage = "Decode"
	middleStage = "Middle"
	fanInStage  = "FanIn"
	writeStage  = "Write"
)

// Topology describes the pipe, from stdin to stdout. The middle counts one
// goroutine, the one that Pipe gives it.
func Topology() []Stage {
	lines, inbound := linesLane.Channel(), inboundLane.Channel()
	outbox, wire := outboxLane.Channel(), wireLane.Channel()
	return []Stage{
		{Name: readStage, Goroutines: 1, Out: &lines},
		{Name: decodeStage, Goroutines: 1, In: &lines, Out: &inbound},
		{Name: middleStage, Goroutines: 1, In: &inbound, Out: &outbox},
		{Name: fanInStage, Goroutines: 1, In: &outbox, Out: &wire},
		{Name: writeStage, Goroutines: 2, In: &wire},
	}
}
