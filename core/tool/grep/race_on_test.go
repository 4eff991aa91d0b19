//go:build race

package grep

// slowdown is how many times slower a program is under the race detector.
const slowdown = 5
