package host

import "context"

// Files is the host's part in text files: an editor has texts that are not saved
// yet, and wants to see what is written. Either function is nil when the host
// takes no such part, and then the disk is all there is. Both are safe for
// concurrent use; paths are absolute.
//
// Protocol: facts/acp 9.1.
type Files struct {
	// Read is the whole text of a file as the host has it. Whoever gets an error
	// reads the disk instead.
	Read func(ctx context.Context, path string) (string, error)
	// Write makes content the text of a file, which need not exist. After an
	// error that is not the host's own nobody knows whether it was written; the
	// disk is not written in its place.
	Write func(ctx context.Context, path, content string) error
}
