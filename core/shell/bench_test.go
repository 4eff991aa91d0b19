package shell

import (
	"context"
	"os"
	"os/exec"
	"slices"
	"sync"
	"testing"
	"time"
)

// The figures of the issue: one command after another, and 50 at once, here and
// by plain exec.

func BenchmarkTrue(b *testing.B) {
	r := New(Options{Env: os.Environ()})
	defer func() { _ = r.Close(context.Background()) }()
	dir := b.TempDir()
	b.Run("runner", func(b *testing.B) { median(b, func() { run(b, r, Command{Line: "true", Dir: dir}) }) })
	b.Run("plain", func(b *testing.B) { median(b, func() { execPlain(b, "true") }) })
}

func BenchmarkFiftyAtOnce(b *testing.B) {
	r := New(Options{Env: os.Environ()})
	defer func() { _ = r.Close(context.Background()) }()
	dir := b.TempDir()
	b.Run("runner", func(b *testing.B) {
		median(b, func() { atOnce(50, func() { run(b, r, Command{Line: "sleep 0.2", Dir: dir}) }) })
	})
	b.Run("plain", func(b *testing.B) { median(b, func() { atOnce(50, func() { execPlain(b, "sleep 0.2") }) }) })
}

func median(b *testing.B, f func()) {
	var times []time.Duration
	for b.Loop() {
		begin := time.Now()
		f()
		times = append(times, time.Since(begin))
	}
	slices.Sort(times)
	b.ReportMetric(float64(times[len(times)/2].Microseconds()), "p50-µs")
}

func run(b *testing.B, r *Runner, c Command) {
	if result, err := r.Run(context.Background(), c); err != nil || result.ExitCode == nil || *result.ExitCode != 0 {
		b.Errorf("%+v, %v", result, err)
	}
}

func execPlain(b *testing.B, line string) {
	if err := exec.Command("/bin/bash", "-c", line).Run(); err != nil {
		b.Error(err)
	}
}

func atOnce(n int, f func()) {
	var all sync.WaitGroup
	for range n {
		all.Go(f)
	}
	all.Wait()
}
