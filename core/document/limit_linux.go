package document

import (
	"fmt"
	"runtime/debug"

	"golang.org/x/sys/unix"
)

// limitProcess bounds the process of a conversion, also for when nobody is left
// to kill it.
func limitProcess() error {
	debug.SetMemoryLimit(maxMemory / 2) // collect garbage hard before that is the end
	seconds := uint64(convertTimeout.Seconds())
	for what, most := range map[int]uint64{unix.RLIMIT_DATA: maxMemory, unix.RLIMIT_CPU: seconds, unix.RLIMIT_CORE: 0} {
		if err := unix.Setrlimit(what, &unix.Rlimit{Cur: most, Max: most}); err != nil {
			return fmt.Errorf("bounding the conversion: %w", err)
		}
	}
	return nil
}
