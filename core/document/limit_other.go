//go:build !linux

package document

import "runtime/debug"

// limitProcess can only ask for thrift here; time is bounded by who started us.
func limitProcess() error {
	debug.SetMemoryLimit(maxMemory / 2)
	return nil
}
