package router

import (
	"context"

	"veyyon.dev/veyyon/frames"
	"veyyon.dev/veyyon/stages"
)

// maxWaiting is how many commands may wait for a worker of one pool. Beyond it
// a command is refused with errWaiting, before it is begun.
const maxWaiting = 1024

var (
	// starts has no buffer: the Router's backlog is the buffer.
	startsLane = stages.Lane[[]frames.Inbound]{Name: "starts", Capacity: 0}

	// poolSizes says how many commands of a pool run at once.
	poolSizes = []struct {
		pool    Pool
		workers int
	}{
		{Shell, 64},  // decisions 12
		{Model, 512}, // they wait for the network or for a turn, and cost a goroutine
		{Human, 8},   // a person answers one dialog at a time
		{Disk, 4},
	}
)

func poolLane(p Pool) stages.Lane[work] {
	return stages.Lane[work]{Name: string(p), Capacity: maxWaiting}
}

// work is the second half of a command.
type work struct {
	job    *job
	finish Finish
	life   context.Context // of finish
	done   func()          // frees it
}

// A Lane describes one way through the router: its goroutines, the channel they
// receive from, and the commands that take it.
type Lane struct {
	Pool     Pool
	Workers  int
	Channel  stages.Channel
	Commands []string
}

// Topology describes the lanes: first the Starter, which all commands pass and
// where the ordered ones are done, then the pools.
func Topology(t Table) []Lane {
	described := []Lane{{Pool: Ordered, Workers: 1, Channel: startsLane.Channel()}}
	for _, size := range poolSizes {
		described = append(described, Lane{Pool: size.pool, Workers: size.workers, Channel: poolLane(size.pool).Channel()})
	}
	for i := range described {
		for _, route := range t {
			if route.Pool == described[i].Pool {
				described[i].Commands = append(described[i].Commands, route.Name)
			}
		}
	}
	return described
}
