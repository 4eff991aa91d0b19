package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// built compiles a reference.
func built(t *testing.T, program string) string {
	t.Helper()
	path, err := build(t.Context(), t.TempDir(), program)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func TestStateAndFloodMeasureTheEchoAgainstItself(t *testing.T) {
	var stdout, stderr bytes.Buffer
	code := run(t.Context(), []string{"state", "flood", "--quick", "--runs=1", "--json", "--bin", built(t, "bench/echo")}, &stdout, &stderr)
	if code != exitOK {
		t.Fatalf("exit code %d: %s", code, stderr.String())
	}
	var got []string
	for line := range strings.Lines(stdout.String()) {
		var r row
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatal(err)
		}
		if r.Value <= 0 || r.Reference == nil || *r.Reference <= 0 {
			t.Errorf("nothing was measured: %s", line)
		}
		got = append(got, r.Scenario+" "+r.Metric)
	}
	if diff := cmp.Diff([]string{"state p50", "state p99", "state max", "flood rate"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestServerThatDoesNotKnowTheProtocolFailsWithItsLastWords(t *testing.T) {
	path := filepath.Join(t.TempDir(), "server")
	if err := os.WriteFile(path, []byte("#!/bin/sh\necho no such mode >&2\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	var stdout, stderr bytes.Buffer
	code := run(t.Context(), []string{"start", "--bin", path}, &stdout, &stderr)
	if code != exitFailed || !strings.Contains(stderr.String(), "no such mode") {
		t.Errorf("exit code %d: %s", code, stderr.String())
	}
}

func TestWrongUseHasAnExitCodeOfItsOwn(t *testing.T) {
	for _, args := range [][]string{{"nonsense"}, {"--bin", "/does/not/exist"}, {"--runs=x"}} {
		var stdout, stderr bytes.Buffer
		if code := run(t.Context(), args, &stdout, &stderr); code != exitUsage || stderr.Len() == 0 {
			t.Errorf("%v: exit code %d: %s", args, code, stderr.String())
		}
	}
	var stdout, stderr bytes.Buffer
	if code := run(t.Context(), []string{"--help"}, &stdout, &stderr); code != exitOK || !strings.Contains(stdout.String(), "--check") {
		t.Errorf("--help: exit code %d: %s", code, stdout.String())
	}
}

// streamReference connects to streamref with a model behind it; its end is a
// clean-up, which comes after the end of the test's context.
func streamReference(t *testing.T) *host {
	t.Helper()
	model, err := serveModel(streams)
	if err != nil {
		t.Fatal(err)
	}
	h, err := connect(context.WithoutCancel(t.Context()), built(t, "bench/streamref"), []string{model.url}, model.configure)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := h.close(); err != nil {
			t.Error(err)
		}
		if err := model.close(); err != nil {
			t.Error(err)
		}
	})
	return h
}

func TestStreamReferencePassesOnEveryDelta(t *testing.T) {
	h := streamReference(t)
	for range 2 {
		took, size, err := h.burst(5000)
		if err != nil || took <= 0 || size < 5000*deltaWidth {
			t.Fatalf("%d bytes in %v: %v", size, took, err)
		}
	}
	late := newSpread()
	p50, err := lateness(h, 50, late)
	if err != nil || p50 <= 0 || late.whole.TotalCount() != 50 {
		t.Errorf("median %v ms of %d: %v", p50, late.whole.TotalCount(), err)
	}
}

func TestServerInsideThisProcessStreamsAndCallsTools(t *testing.T) {
	b := &bench{quick: true, runs: 1, streamref: built(t, "bench/streamref")}
	var got []string
	for _, run := range []func(context.Context, *bench) (result, error){runStream, runTool} {
		found, err := run(t.Context(), b)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range found.rows {
			if r.Value <= 0 {
				t.Errorf("nothing was measured: %+v", r)
			}
			got = append(got, r.Scenario+" "+r.Metric)
		}
	}
	want := []string{
		"stream rate", "stream growth", "stream bytes", "stream lateness_p50", "stream lateness_p99", "stream lateness_max",
		"tool round_trip_p50", "tool round_trip_p99",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestEndOfTheContextEndsAHungServer(t *testing.T) {
	ctx, stop := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer stop()
	b := &bench{bin: "/bin/cat"} // never ready, and never at an end by itself
	_, err := b.one(ctx, scenario{name: "hung", run: func(ctx context.Context, b *bench) (result, error) {
		_, err := connect(ctx, b.bin, nil, nil) // without the flags of a server
		return result{}, err
	}})
	if err == nil || !strings.Contains(err.Error(), "deadline") {
		t.Errorf("error %v", err)
	}
}

func TestMemoryWatchSeesThePeakOfItsTime(t *testing.T) {
	if _, err := os.Stat("/proc/self/status"); err != nil {
		t.Skip("memory is measured where there is /proc")
	}
	// Text in a shell variable is memory.
	shell := `echo '{"type":"ready"}'; while read -r n; do x=$(head -c $((n << 20)) /dev/zero | tr '\0' x); unset x; echo '{"type":"response","success":true}'; done`
	h, err := connect(t.Context(), "/bin/bash", []string{"-c", shell}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, mib := range []string{"16", "1"} {
		w, err := h.watchMemory()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := h.ask([]byte(mib + "\n")); err != nil {
			t.Fatal(err)
		}
		grown, err := w.growth()
		if err != nil {
			t.Fatal(err)
		}
		if mib == "16" && grown < 16 || mib == "1" && grown > 10 {
			t.Errorf("%s MiB of text made it grow by %.1f MiB", mib, grown)
		}
	}
	if err := h.close(); err != nil {
		t.Error(err)
	}
}
