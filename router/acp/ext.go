package acp

import (
	"context"

	"veyyon.dev/veyyon/core/transcript"
	wire "veyyon.dev/veyyon/frames/acp"
	"veyyon.dev/veyyon/router"
)

// The extension methods. Protocol: "Extension methods"; facts/acp 13.

// allSessions lists the stored sessions, the last changed first.
func (s *Server) allSessions(dir string) (all []transcript.Summary, err error) {
	for cursor := ""; ; {
		page, err := s.page(dir, cursor, transcript.MaxPage)
		if err != nil {
			return nil, err
		}
		all = append(all, page.Sessions...)
		if cursor = page.Next; cursor == "" {
			return all, nil
		}
	}
}

// sessionList answers a method that lists sessions.
type sessionList struct {
	Sessions []wire.StoredSession `json:"sessions"`
	Total    *int                 `json:"total,omitempty"`
}

func (s *Server) listAll(_ context.Context, l wire.Limit) (router.Answer, error) {
	all, err := s.allSessions("")
	if err != nil {
		return router.Answer{}, err
	}
	total := len(all)
	return router.Answer{Data: sessionList{shown(all[:min(l.N, total)]), &total}}, nil
}

func (s *Server) chats(_ context.Context, l wire.Limit) (router.Answer, error) {
	all, err := s.allSessions(l.CWD)
	if err != nil {
		return router.Answer{}, err
	}
	return router.Answer{Data: sessionList{Sessions: shown(all[:min(l.N, len(all))])}}, nil
}

// project is the sessions of one directory. LastActivityAt is in milliseconds
// since the epoch.
type project struct {
	CWD            string `json:"cwd"`
	SessionCount   int    `json:"sessionCount"`
	LastActivityAt int64  `json:"lastActivityAt"`
	LastTitle      string `json:"lastTitle"`
}

type projectList struct {
	Projects      []*project `json:"projects"`
	TotalSessions int        `json:"totalSessions"`
}

// projects sorts the stored sessions by directory. They come newest first, and so
// do the directories.
func (s *Server) projects(context.Context, struct{}) (router.Answer, error) {
	all, err := s.allSessions("")
	if err != nil {
		return router.Answer{}, err
	}
	list := projectList{Projects: []*project{}, TotalSessions: len(all)}
	known := map[string]*project{}
	for _, one := range all {
		if one.CWD == "" {
			continue
		}
		p := known[one.CWD]
		if p == nil {
			p = &project{CWD: one.CWD, LastActivityAt: one.Modified.UnixMilli(), LastTitle: one.Title}
			known[one.CWD] = p
			list.Projects = append(list.Projects, p)
		}
		p.SessionCount++
	}
	return router.Answer{Data: list}, nil
}

// usage lists what providers say of the use of an account: none does so yet.
func (s *Server) usage(context.Context, struct{}) (router.Answer, error) {
	return router.Answer{Data: map[string]any{"reports": []any{}}}, nil
}

// extensions lists the extensions that are loaded: there are none yet.
func (s *Server) extensions(context.Context, struct{}) (router.Answer, error) {
	return router.Answer{Data: map[string]any{"extensions": []any{}}}, nil
}

// toggle switches a provider of extensions on or off for this process.
func (s *Server) toggle(_ context.Context, t wire.Toggle) (router.Answer, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.disabled[t.ProviderID] = !t.Enabled
	return router.Answer{Data: map[string]bool{"enabled": t.Enabled}}, nil
}

// speech lists the models for speech that clients of the family know.
func (s *Server) speech(context.Context, struct{}) (router.Answer, error) {
	return router.Answer{Data: speechCatalog()}, nil
}
