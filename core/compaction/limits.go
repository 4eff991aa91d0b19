package compaction

// defaultReserve is what is kept free when the settings name nothing, in tokens.
const defaultReserve = 16_384

// Limits are the settings compaction.* that count tokens.
type Limits struct {
	ThresholdTokens  int // 0 or less: not set
	ThresholdPercent int // of the window; 0 or less: not set
	ReserveTokens    int // 0 or less: not set
	KeepRecent       int // what is kept as it is
}

// Threshold is how many tokens a context of this window (in tokens) may hold
// before it is compacted; 0 means that it never is.
func (l Limits) Threshold(window int) int {
	switch {
	case window <= 0:
		return 0
	case l.ThresholdTokens > 0:
		return min(max(window-1, 1), l.ThresholdTokens)
	case l.ThresholdPercent > 0:
		return max(1, window*min(l.ThresholdPercent, 99)/100)
	default:
		return max(1, window-l.Reserve(window))
	}
}

// Reserve is the part of the window that is left to answers, in tokens. A
// window of 0 is one that is not known.
func (l Limits) Reserve(window int) int {
	reserve := l.ReserveTokens
	if reserve <= 0 {
		reserve = defaultReserve
	}
	if window <= 0 {
		return reserve
	}
	share := window * 15 / 100
	if reserve = max(share, reserve); reserve >= window {
		return max(1, share) // what was asked for leaves no room for the conversation
	}
	return reserve
}

// Keep is how many tokens of recent messages stay, by our estimate. ratio is
// how many tokens a provider counts for each that we estimate; the window of a
// small model bounds what stays to half of what may be there at all.
func (l Limits) Keep(window int, ratio float64) int {
	keep := max(1, l.KeepRecent)
	if threshold := l.Threshold(window); threshold > 0 {
		keep = max(1, min(keep, threshold/2))
	}
	if ratio > 1 {
		keep = max(1, int(float64(keep)/ratio))
	}
	return keep
}
