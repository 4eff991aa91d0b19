package session

import (
	"context"
	"encoding/json"

	"veyyon.dev/veyyon/core/message"
	"veyyon.dev/veyyon/core/tool"
	"veyyon.dev/veyyon/core/transcript"
)

// SetTodos replaces the todo list. It is not part of the transcript.
func (s *Session) SetTodos(ctx context.Context, phases []tool.Phase) error {
	return s.do(ctx, func(st *state) { st.todos = phases })
}

// todosOf reads the list that a todo tool's result holds.
func todosOf(m message.Message) ([]tool.Phase, bool) {
	r, ok := m.(*message.ToolResult)
	if !ok || r.ToolName != "todo" || r.IsError || len(r.Details) == 0 {
		return nil, false
	}
	var details struct {
		Phases []tool.Phase `json:"phases"`
	}
	if json.Unmarshal(r.Details, &details) != nil || details.Phases == nil {
		return nil, false
	}
	return details.Phases, true
}

// loadTodos takes over the list as it was when the session was last compacted: the
// results that made it may not be in the context any more. A compaction that
// another program made keeps no list; then the path is searched.
func (st *state) loadTodos() {
	last := st.log().LastCompaction()
	if last == nil {
		return
	}
	var kept preservedData
	if json.Unmarshal(last.PreserveData, &kept) == nil && kept.Todos != nil {
		st.todos = kept.Todos
		return
	}
	for e := st.log().Leaf(); e != nil; e = e.Parent {
		if e.Role != message.RoleToolResult {
			continue // without reading it
		}
		if body, ok := st.log().Body(e).(*transcript.Message); ok {
			if phases, ok := todosOf(body.Message); ok {
				st.todos = phases
				return
			}
		}
	}
}

// toolView is what tools may ask of their session.
type toolView struct {
	s    *Session
	life context.Context // the session's: it bounds the wait for the loop
}

func (v toolView) Todos() []tool.Phase {
	phases, err := ask(v.life, v.s, func(st *state) []tool.Phase { return st.todos })
	if err != nil {
		return []tool.Phase{} // the session has ended; the tool's result is not read any more
	}
	return phases
}

func (v toolView) SetTodos(phases []tool.Phase) {
	_ = v.s.SetTodos(v.life, phases) // as above
}

func (v toolView) SaveArtifact(kind string, text []byte) (int, bool) {
	folder, err := ask(v.life, v.s, func(st *state) string { return st.artifacts() })
	if err != nil || folder == "" {
		return 0, false
	}
	return v.s.saveArtifact(folder, kind, text)
}
