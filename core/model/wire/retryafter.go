package wire

import (
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
)

// retryAfter is how long the provider asks us to wait, 0 when it does not say.
// Headers come first; a reset time counts only when there is nothing better.
func retryAfter(header http.Header, said complaint) time.Duration {
	for _, wait := range []time.Duration{
		number(header.Get("Retry-After-Ms"), time.Millisecond),
		secondsOrDate(header.Get("Retry-After")),
		durationOf(said.delay),
		inWords(said.Message),
		number(header.Get("X-RateLimit-Reset-Ms"), time.Millisecond),
		secondsOrDate(header.Get("X-RateLimit-Reset")),
	} {
		if wait > 0 {
			return wait
		}
	}
	return 0
}

// epoch is the number of seconds from which on a reset is a point in time and
// no longer a wait.
const epoch = 1e9

func number(text string, unit time.Duration) time.Duration {
	n, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	switch seconds := n * unit.Seconds(); {
	case err != nil || !(seconds > 0) || seconds > 1e11:
		return 0
	case seconds >= epoch:
		return time.Until(time.Unix(0, int64(seconds*1e9)))
	default:
		return time.Duration(n * float64(unit))
	}
}

func secondsOrDate(text string) time.Duration {
	if wait := number(text, time.Second); wait != 0 {
		return wait
	}
	if at, err := http.ParseTime(text); err == nil {
		return time.Until(at)
	}
	return durationOf(text)
}

func durationOf(text string) time.Duration {
	wait, err := time.ParseDuration(text)
	if err != nil {
		return 0
	}
	return wait
}

// inWords finds "try again in 1.2s" (OpenAI) and "retry in 36.2s" (Google).
func inWords(message string) time.Duration {
	found := waitInWords().FindStringSubmatch(message)
	if found == nil {
		return 0
	}
	return durationOf(strings.TrimSuffix(found[1], "."))
}

var waitInWords = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)(?:try again|retry) in ([0-9.]+(?:ms|s|m|h)(?:[0-9.]+(?:ms|s|m))*)`)
})
