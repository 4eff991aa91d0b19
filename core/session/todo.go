package session

import (
	"context"
	"encoding/json"

	"veyyon.dev/veyyon/core/message"
	"veyyon.dev/veyyon/core/tool"
	"veyyon.dev/veyyon/core/transcript"
)

// SetTodos replaces the todo list. Only the next compaction puts it into the
// transcript (facts/agent 6.2).
func (s *Session) SetTodos(ctx context.Context, phases []tool.Phase) error {
	return s.do(ctx, func(st *state) { st.todos = phases })
}

// EditTodos lets a person change the todo list, which the transcript keeps. An
// error of edit leaves it as it is.
func (s *Session) EditTodos(ctx context.Context, edit func([]tool.Phase) ([]tool.Phase, error)) error {
	return try(ctx, s, func(st *state) error {
		phases, err := edit(st.todos)
		if err != nil {
			return err
		}
		st.todos = phases
		st.keepTodos()
		return nil
	})
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

// todoEdit is the type of the entry that keeps a list which no call of the tool
// made (facts/agent 6.2).
const todoEdit = "user_todo_edit"

// keepTodos notes the list of this moment in the transcript.
func (st *state) keepTodos() {
	st.wrote(st.log().Append(&transcript.Custom{CustomType: todoEdit, Data: preserved(st.todos)}))
}

// loadTodos takes over the newest list on the path to the leaf: the one that a
// call of the tool made, that was edited, or that a compaction kept, since the
// results before it may not be in the context any more. A compaction that
// another program made keeps none. It follows the loading of the messages.
func (st *state) loadTodos() {
	said := make(map[*transcript.Entry]message.Message, len(st.loaded)) // need not be read again
	for i, e := range st.loaded {
		said[e] = st.messages[i]
	}
	for e := st.log().Leaf(); e != nil; e = e.Parent {
		phases, ok := []tool.Phase(nil), false
		switch {
		case e.Role == message.RoleToolResult && said[e] != nil:
			phases, ok = todosOf(said[e])
		case e.Role == message.RoleToolResult || e.Type == "custom" || e.Type == "compaction":
			phases, ok = todosIn(st.log().Body(e))
		}
		if ok {
			st.todos = phases
			return
		}
	}
}

// todosIn is the list that an entry keeps.
func todosIn(body transcript.Body) ([]tool.Phase, bool) {
	var kept json.RawMessage
	switch body := body.(type) {
	case *transcript.Message:
		return todosOf(body.Message)
	case *transcript.Custom:
		if body.CustomType == todoEdit {
			kept = body.Data
		}
	case *transcript.Compaction:
		kept = body.PreserveData
	}
	var data preservedData
	if json.Unmarshal(kept, &data) != nil || data.Todos == nil {
		return nil, false
	}
	return data.Todos, true
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
