package session

import (
	"context"

	"veyyon.dev/veyyon/core/fault"
)

// Force lets the next answer call this tool. One that the model is not offered
// has the code fault.NotFound.
func (s *Session) Force(ctx context.Context, name string) error {
	return try(ctx, s, func(st *state) error {
		for _, spec := range st.s.opts.Tools().Offered() {
			if spec.Name == name {
				st.forced = name
				return nil
			}
		}
		return fault.Newf(fault.NotFound, "Unknown tool: %s. Use /tools to list those that can be used.", name)
	})
}

// unforce leaves the choice to the model again, once it has been told which tool
// to call. A retry is told the same; a later run is not, when all of them failed.
func (st *state) unforce() {
	if st.run.forced {
		st.run.forced, st.forced = false, ""
	}
}
