//go:build !race

package grep

// slowdown is how many times slower a program is without the race detector.
const slowdown = 1
