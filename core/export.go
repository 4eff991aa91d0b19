package core

import (
	"cmp"
	"context"

	"veyyon.dev/veyyon/core/export"
	"veyyon.dev/veyyon/core/fault"
)

// errInMemory has a fixed text (facts/rpc 5.30).
var errInMemory = fault.New(fault.Invalid, "Cannot export in-memory session to HTML")

// ExportHTML takes a look at the session in front as it is now. write makes a
// page of it and may run anywhere; it returns the path as it was given, relative
// to the working directory of the process, or that of a page named after the
// session when it was empty. A session in memory has the code fault.Invalid, what
// the file system refuses fault.IO.
func (a *Agent) ExportHTML(ctx context.Context, path string) (write func(context.Context) (string, error), err error) {
	front := a.hub.Front()
	if front.Path() == "" {
		return nil, errInMemory
	}
	snapshot, file, err := front.Apart(ctx)
	if err != nil {
		return nil, err
	}
	path = cmp.Or(path, export.FileName(snapshot.Path()))
	return func(ctx context.Context) (string, error) {
		defer func() { _ = file.Close() }() // read only
		page := export.Session(snapshot)
		if a.opts.Discreet != nil {
			page = export.Discreet(page, a.opts.Discreet())
		}
		if err := export.File(ctx, path, snapshot.Path(), page); err != nil {
			return "", fault.Wrap(fault.IO, err)
		}
		return path, nil
	}, nil
}
