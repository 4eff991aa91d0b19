package session

import "veyyon.dev/veyyon/core/approval"

// Gate stands before the session's tools; nil lets all of them run.
func (s *Session) Gate() *approval.Gate { return s.place.Load().Gate }
