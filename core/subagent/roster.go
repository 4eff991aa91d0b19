package subagent

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"veyyon.dev/veyyon/core/event"
	"veyyon.dev/veyyon/core/session"
)

// maxEnded is how many agents that have ended a roster remembers, the latest; the
// transcripts of older ones cannot be read over the protocol any more.
const maxEnded = 256

// roster lists the agents below one session at the top. A mutex owns it.
type roster struct {
	folder string // where their transcripts are, "" in memory

	mu    sync.Mutex
	taken map[string]bool // ids, also of those that have ended
	next  int             // index of the next agent
	alive map[string]*tracker
	ended []record // the oldest first
	away  bool     // the session is without its host
}

// record is the transcript of an agent.
type record struct{ id, path string }

func newRoster(folder string) *roster {
	return &roster{folder: folder, taken: map[string]bool{}, alive: map[string]*tracker{}}
}

// claim returns an id that no agent of the session has had: the name, made fit
// for a file, below the id of the one that starts it, with a number when it is
// taken.
func (r *roster) claim(parent, name string) (id string, index int) {
	name = fit(name)
	if parent != "" {
		name = parent + "." + name
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	id = name
	for n := 2; r.taken[id] || r.folder != "" && exists(filepath.Join(r.folder, id+".jsonl")); n++ {
		id = name + "-" + strconv.Itoa(n)
	}
	r.taken[id] = true
	index = r.next
	r.next++
	return id, index
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// maxName bounds a name, in bytes.
const maxName = 48

// fit makes a name fit for a file: letters, digits, - and _ of ASCII.
func fit(name string) string {
	name = strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '-', r == '_':
			return r
		case r == ' ', r == '.', r == '/':
			return '-'
		}
		return -1
	}, name)
	name = strings.Trim(name[:min(len(name), maxName)], "-")
	return cmp.Or(name, randomName())
}

// enter puts an agent on the list. Its host knows of it, unless it is away.
func (r *roster) enter(t *tracker) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.alive[t.life.ID], t.known = t, !r.away
}

// knows tells whether the host has heard that the agent has started.
func (r *roster) knows(t *tracker) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return t.known
}

// Leave follows a session into the background: its host forgets the agents below
// it.
func (t *Team) Leave(top *session.Session) {
	r := t.roster(top)
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.away = true
	for _, tracked := range r.alive {
		tracked.known = false
	}
}

// Return follows a session back to its host, which is told of the agents that run
// as if they had just started: so it hears of no agent that it does not know.
func (t *Team) Return(ctx context.Context, top *session.Session) {
	r := t.roster(top)
	if r == nil {
		return
	}
	r.mu.Lock() // an agent that ends waits for this, so that its end comes behind
	defer r.mu.Unlock()
	r.away = false
	started := []event.Event{}
	for _, tracked := range r.alive {
		tracked.known = true
		started = append(started, event.SubagentLifecycle{Payload: tracked.life})
	}
	slices.SortFunc(started, func(a, b event.Event) int {
		return cmp.Compare(a.(event.SubagentLifecycle).Payload.Index, b.(event.SubagentLifecycle).Payload.Index)
	})
	if t.tells(LevelProgress) && len(started) > 0 {
		_ = top.Tell(ctx, started...) // an ended session has no host
	}
}

func (r *roster) leave(t *tracker) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.alive, t.life.ID)
	r.ended = append(r.ended, record{t.life.ID, t.life.SessionFile})
	r.ended = slices.Delete(r.ended, 0, max(0, len(r.ended)-maxEnded))
}

// transcript is the file of an agent, of that id or with that path; ok is false
// when there is none.
func (r *roster) transcript(id, path string) (string, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	fits := func(f record) bool { return f.path != "" && (id != "" && f.id == id || id == "" && f.path == path) }
	for _, t := range r.alive {
		if f := (record{t.life.ID, t.life.SessionFile}); fits(f) {
			return f.path, true
		}
	}
	if i := slices.IndexFunc(r.ended, fits); i >= 0 {
		return r.ended[i].path, true
	}
	return "", false
}

// Snapshot is an agent that runs, as hosts are told (facts/rpc 6.12). LastUpdate
// is in milliseconds since the epoch.
type Snapshot struct {
	ID               string               `json:"id"`
	Index            int                  `json:"index"`
	Agent            string               `json:"agent"`
	AgentSource      event.AgentSource    `json:"agentSource"`
	Description      string               `json:"description,omitempty"`
	Status           event.AgentStatus    `json:"status"`
	Task             string               `json:"task,omitempty"`
	Assignment       string               `json:"assignment,omitempty"`
	SessionFile      string               `json:"sessionFile,omitempty"`
	LastUpdate       int64                `json:"lastUpdate"`
	Progress         *event.AgentProgress `json:"progress,omitempty"`
	ParentToolCallID string               `json:"parentToolCallId,omitempty"`
}

// Running lists the agents below a session that run, in the order they began.
func (t *Team) Running(top *session.Session) []Snapshot {
	list := []Snapshot{}
	r := t.roster(top)
	if r == nil {
		return list
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, tracked := range r.alive {
		list = append(list, tracked.snapshot(time.Now()))
	}
	slices.SortFunc(list, func(a, b Snapshot) int { return cmp.Or(cmp.Compare(a.Index, b.Index), cmp.Compare(a.ID, b.ID)) })
	return list
}

// Transcript is the file of an agent below a session, one that runs or is among
// the last that ended; by its id, or by the file itself when id is "". ok is false
// when it is none.
func (t *Team) Transcript(top *session.Session, id, path string) (found string, ok bool) {
	r := t.roster(top)
	if r == nil {
		return "", false
	}
	return r.transcript(id, path)
}

func (t *Team) roster(top *session.Session) *roster {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.rosters[top]
}
