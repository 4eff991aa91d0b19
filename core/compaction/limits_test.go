package compaction

import "testing"

func TestTheThresholdFollowsTheSettings(t *testing.T) {
	for _, c := range []struct {
		limits Limits
		window int
		want   int
	}{
		{Limits{ThresholdTokens: -1, ThresholdPercent: -1, ReserveTokens: -1}, 0, 0},
		{Limits{}, 200_000, 170_000},
		{Limits{}, 100_000, 100_000 - 16_384},
		{Limits{ReserveTokens: 50_000}, 100_000, 50_000},
		{Limits{ReserveTokens: 50_000}, 40_000, 34_000},
		{Limits{}, 8_000, 6_800},
		{Limits{ThresholdPercent: 50}, 100_001, 50_000},
		{Limits{ThresholdPercent: 500}, 1000, 990},
		{Limits{ThresholdTokens: 70, ThresholdPercent: 50}, 1000, 70},
		{Limits{ThresholdTokens: 7000}, 1000, 999},
		{Limits{}, 1, 1},
	} {
		if got := c.limits.Threshold(c.window); got != c.want {
			t.Errorf("%+v with a window of %d: %d, want %d", c.limits, c.window, got, c.want)
		}
	}
}

func TestWhatIsKeptFitsSmallWindowsAndBadEstimates(t *testing.T) {
	limits := Limits{KeepRecent: 20_000}
	for _, c := range []struct {
		window int
		ratio  float64
		want   int
	}{{0, 1, 20_000}, {128_000, 1, 20_000}, {128_000, 0.5, 20_000}, {128_000, 2.5, 8_000}, {8_000, 1, 3_400}, {1, 9, 1}} {
		if got := limits.Keep(c.window, c.ratio); got != c.want {
			t.Errorf("window %d, ratio %v: %d, want %d", c.window, c.ratio, got, c.want)
		}
	}
}
