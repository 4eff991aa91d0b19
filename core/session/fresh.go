package session

import (
	"cmp"
	"context"
	"fmt"

	"veyyon.dev/veyyon/core/fault"
	"veyyon.dev/veyyon/core/model"
)

// Fresh leaves behind what providers remember of the session: the next request is
// made anew and goes by another name. While a run goes on the code of its error
// is fault.Busy.
func (s *Session) Fresh(ctx context.Context) error {
	return try(ctx, s, func(st *state) error {
		if st.streaming() {
			return fault.New(fault.Busy, "Wait for the current response to finish or abort it before refreshing provider state.")
		}
		st.fresh++
		st.memo = &model.Memo{}
		return nil
	})
}

// cacheKey is what providers know the session by.
func (st *state) cacheKey() string {
	key := cmp.Or(st.s.opts.CacheKey, st.log().ID())
	if st.fresh > 0 {
		key += fmt.Sprintf("-%d", st.fresh+1)
	}
	return key
}
