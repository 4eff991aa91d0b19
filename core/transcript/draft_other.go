//go:build !linux

package transcript

// draftFile makes a file beside path, which publish moves there.
func draftFile(_, path string) (*draft, error) { return namedDraft(path) }
