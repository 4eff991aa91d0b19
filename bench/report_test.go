package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestLimitsHoldUpToTheirBound(t *testing.T) {
	for _, c := range []struct {
		limit            limit
		value, reference float64
		holds            bool
	}{
		{atMostTimes(3), 30, 10, true},
		{atMostTimes(3), 30.1, 10, false},
		{atLeastTimes(0.5), 5, 10, true},
		{atLeastTimes(0.5), 4.9, 10, false},
		{atMostAbove(24), 27, 3, true},
		{atMostAbove(24), 27.1, 3, false},
		{atMost(0), 0, 99, true},
		{atMost(0), 1, 99, false},
	} {
		if holds := c.limit.holds(c.value, c.reference); holds != c.holds {
			t.Errorf("%s, %v against %v: %v", c.limit.text, c.value, c.reference, holds)
		}
	}
}

func TestEachLimitBelongsToAScenario(t *testing.T) {
	for name := range limits {
		scenario, _, _ := strings.Cut(name, " ")
		if len(selected([]string{scenario})) != 1 {
			t.Errorf("%s: no such scenario", name)
		}
	}
}

// sampleRows are a figure that holds, one that misses, and one that informs.
func sampleRows() []row {
	return []row{
		compared("state", "p50", 0.02, 0.005, "ms"),
		compared("flood", "rate", 30_000, 100_000, "commands/s"),
		figure("bash", "abort_p50", 12.3456, "ms"),
	}
}

func TestTableNamesWhatWasMissed(t *testing.T) {
	var out bytes.Buffer
	if err := writeTable(&out, sampleRows()); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"scenario  metric     value  unit        reference  ratio  limit        ok",
		"state     p50        0.02   ms          0.005      4      ratio ≤ 5    ok",
		"flood     rate       30000  commands/s  100000     0.3    ratio ≥ 0.4  MISSED",
		"bash      abort_p50  12.3   ms",
	}
	var got []string
	for line := range strings.Lines(out.String()) {
		got = append(got, strings.TrimRight(line, " \n"))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	missed := misses(sampleRows(), 1)
	if missed == nil || missed.Error() != "missed: flood rate: 30000 commands/s, reference 100000, ratio 0.3, limit ratio ≥ 0.4" {
		t.Errorf("misses: %v", missed)
	}
	if misses(sampleRows(), 1.3) == nil || misses(sampleRows(), 1.4) != nil { // 0.3 is a third beyond 0.4
		t.Errorf("with slack: %v, %v", misses(sampleRows(), 1.3), misses(sampleRows(), 1.4))
	}
}

func TestJSONLinesCarryEveryKey(t *testing.T) {
	var out bytes.Buffer
	if err := writeJSON(&out, sampleRows()); err != nil {
		t.Fatal(err)
	}
	var got []map[string]any
	for line := range strings.Lines(out.String()) {
		var r map[string]any
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatal(err)
		}
		got = append(got, r)
	}
	want := []map[string]any{
		{"scenario": "state", "metric": "p50", "value": 0.02, "unit": "ms", "reference": 0.005, "ratio": 4.0, "limit": "ratio ≤ 5", "ok": true},
		{"scenario": "flood", "metric": "rate", "value": 30000.0, "unit": "commands/s", "reference": 100000.0, "ratio": 0.3, "limit": "ratio ≥ 0.4", "ok": false},
		{"scenario": "bash", "metric": "abort_p50", "value": 12.3456, "unit": "ms", "reference": nil, "ratio": nil, "limit": "", "ok": true},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestReferenceOfZeroHasNoRatio(t *testing.T) {
	if r := compared("stall", "lost", 5, 0, "bytes"); r.Ratio != nil || r.OK {
		t.Errorf("%+v", r)
	}
}

func TestMediansAreTakenByTurnsAndWithoutTheWarmUp(t *testing.T) {
	var order strings.Builder
	side := func(name string, values ...float64) sample {
		return func() (float64, error) {
			order.WriteString(name)
			v := values[0]
			values = values[1:]
			return v, nil
		}
	}
	b := &bench{runs: 3}
	s, r, err := b.compare(side("A", 1000, 1, 9, 2), side("B", 1000, 30, 10, 20))
	if s != 2 || r != 20 || err != nil {
		t.Errorf("medians %v and %v, %v", s, r, err)
	}
	if order.String() != "ABABABAB" {
		t.Errorf("order %s", order.String())
	}
	failure := errors.New("gone")
	if _, _, err := b.compare(side("A", 1), func() (float64, error) { return 0, failure }); !errors.Is(err, failure) {
		t.Errorf("error %v", err)
	}
}

func TestMedianOfAnEvenNumberIsBetweenTheMiddleTwo(t *testing.T) {
	if m := median([]float64{4, 1, 3, 2}); m != 2.5 {
		t.Error(m)
	}
}

func TestPlotShowsRatiosAndCurves(t *testing.T) {
	fast, slow := newSpread(), newSpread()
	for i := range 1000 {
		fast.add(time.Duration(i) * time.Microsecond)
		slow.add(time.Duration(i) * time.Millisecond)
	}
	fast.endRound()
	slow.endRound()
	path := filepath.Join(t.TempDir(), "plot.svg")
	if err := writePlot(path, result{sampleRows(), []curve{{"round trips", slow, fast}}}); err != nil {
		t.Fatal(err)
	}
	drawn, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"<svg", "round trips", "flood rate", "state p50"} {
		if !bytes.Contains(drawn, []byte(text)) {
			t.Errorf("the plot lacks %q", text)
		}
	}
}

func TestCheckerFindsAMissingAndAForeignDelta(t *testing.T) {
	joined := numbered(1) + numbered(2)
	var follow checker
	for _, text := range []string{numbered(0), joined, "", numbered(3)} {
		if err := follow.take([]byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	if follow.next != 4 {
		t.Errorf("next is %d", follow.next)
	}
	for _, text := range []string{numbered(5), "x", numbered(4)[:10]} {
		if err := follow.take([]byte(text)); err == nil {
			t.Errorf("%q is taken for delta 4", text)
		}
	}
}

func TestHostReadsAFrameByItsHead(t *testing.T) {
	line := []byte(fmt.Sprintf(`{"type":"message_update","assistantMessageEvent":{"type":"text_delta","contentIndex":0,`+
		`"delta":"%s","partial":{"role":"assistant","content":[]}},"message":{}}`, numbered(7)))
	if !is(line, "message_update") || is(line, "message") || is(line, "text_delta") {
		t.Error("wrong type")
	}
	if diff := cmp.Diff(numbered(7), string(deltaOf(line))); diff != "" {
		t.Error(diff)
	}
	if delta := deltaOf([]byte(`{"type":"message_update","assistantMessageEvent":{"type":"text_end","content":"x"}}`)); delta != nil {
		t.Errorf("delta %q", delta)
	}
}
