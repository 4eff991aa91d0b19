package main

import (
	"slices"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// A sample measures once.
type sample func() (float64, error)

// compare takes samples of the server and of its reference by turns, so that
// whatever else the machine does falls on both, and gives the median of each.
// The first round only warms up.
func (b *bench) compare(server, reference sample) (ours, theirs float64, err error) {
	var s, r []float64
	for round := range b.runs + 1 {
		ours, err := server()
		if err != nil {
			return 0, 0, err
		}
		theirs, err := reference()
		if err != nil {
			return 0, 0, err
		}
		if round > 0 {
			s, r = append(s, ours), append(r, theirs)
		}
	}
	return median(s), median(r), nil
}

// median is the middle value, or the mean of the two in the middle.
func median(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	middle := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[middle]
	}
	return (sorted[middle-1] + sorted[middle]) / 2
}

// Latencies are kept in nanoseconds, up to a minute, to three digits.
const (
	longest   = int64(time.Minute)
	precision = 3
)

// A spread collects latencies: those of the present round, and all.
type spread struct{ round, whole *hdrhistogram.Histogram }

func newSpread() *spread {
	return &spread{hdrhistogram.New(1, longest, precision), hdrhistogram.New(1, longest, precision)}
}

// add records one latency; one over a minute counts as a minute.
func (s *spread) add(d time.Duration) {
	_ = s.round.RecordValue(min(max(int64(d), 1), longest)) // in range, so it cannot fail
}

// endRound returns the median of the round, in ms, and begins the next.
func (s *spread) endRound() float64 {
	middle := inMs(s.round.ValueAtQuantile(50))
	s.whole.Merge(s.round)
	s.round.Reset()
	return middle
}

// percentile of all rounds, in ms.
func (s *spread) percentile(p float64) float64 { return inMs(s.whole.ValueAtQuantile(p)) }

func inMs(ns int64) float64 { return float64(ns) / 1e6 }

func ms(d time.Duration) float64 { return inMs(int64(d)) }

// tails are the rows that tell of the slow ones among many. There is no limit
// on them: on a shared machine they tell of the neighbours, too.
func tails(scenario, prefix string, server, reference *spread) []row {
	rows := make([]row, 0, 2)
	for _, at := range []struct {
		name string
		p    float64
	}{{"p99", 99}, {"max", 100}} {
		rows = append(rows, compared(scenario, prefix+at.name, server.percentile(at.p), reference.percentile(at.p), "ms"))
	}
	return rows
}
