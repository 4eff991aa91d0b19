package subagent

import (
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/semaphore"

	"veyyon.dev/veyyon/core/fault"
	"veyyon.dev/veyyon/core/model"
	"veyyon.dev/veyyon/core/session"
)

// Options say how agents are run.
type Options struct {
	UserDir string         // folder of the user's definitions, "" for none
	Agents  map[string]any // settings of single agents (agent.agents)
	// Resolve finds the model of a selector, "provider/id" or "@role", with a
	// level after a colon if it likes; ok is false when it cannot be used.
	Resolve func(selector string) (m *model.Model, level model.Level, ok bool)
	// Model is the selector for agents whose definition has none that can be used;
	// "" leaves them their parent's.
	Model string
	// Requests is the soft budget of agents whose definition has none; 0 for the
	// usual one. At it they are told, unless Silent, and at one and a half times
	// that they are stopped.
	Requests int
	Silent   bool
	Runtime  time.Duration // how long an agent may work; 0 is no limit
	// System writes what an agent with these tools is told of them, and of the place
	// it works in.
	System func(dir string, tools []string) string
	// Concurrency is how many model requests agents may have open at a time, all
	// together; 0 is no limit. An agent that waits for others holds none.
	Concurrency int
	// MaxBytes and MaxLines bound the report of an agent; 0 for the usual bound.
	MaxBytes, MaxLines int
	Depth              int      // how deep agents may start agents; negative is no limit
	Isolation          string   // "none", or how agents are kept apart from the working tree
	Merge              string   // patch or branch: how the work of an isolated one comes back
	Commits            string   // generic, or ai: agents write the messages for commits of their work
	Blobs              string   // folder of large images of transcripts
	Env                []string // of the git commands that make copies; without keys
}

// A Team runs the agents of one process. Safe for concurrent use.
type Team struct {
	opts  Options
	slots *semaphore.Weighted // nil for no limit
	level atomic.Int32        // a Level: what hosts are told

	merging sync.Mutex // held while the work of an isolated agent is brought back

	mu      sync.Mutex
	places  map[*session.Session]place   // of the agents that run
	rosters map[*session.Session]*roster // by the session at the top
}

// New returns a team without members.
func New(opts Options) *Team {
	t := &Team{opts: opts, places: map[*session.Session]place{}, rosters: map[*session.Session]*roster{}}
	if opts.Concurrency > 0 {
		t.slots = semaphore.NewWeighted(int64(opts.Concurrency))
	}
	return t
}

// Level is how much hosts are told of agents.
type Level int32

// The levels of set_subagent_subscription.
const (
	LevelOff      Level = iota
	LevelProgress       // that they start and end, and how far they have come
	LevelEvents         // and all that happens in their sessions
)

// Levels are the words for the levels.
var Levels = map[string]Level{"off": LevelOff, "progress": LevelProgress, "events": LevelEvents}

// Subscribe says how much hosts are told from now on.
func (t *Team) Subscribe(level Level) { t.level.Store(int32(level)) }

func (t *Team) tells(level Level) bool { return Level(t.level.Load()) >= level }

// place is where in the team a session stands.
type place struct {
	root   *session.Session // at the top, which has the host
	roster *roster
	id     string     // "" at the top
	depth  int        // 0 at the top
	self   Definition // whose agent it is; that at the top may start any
}

// place finds where a session stands.
func (t *Team) place(s *session.Session) place {
	t.mu.Lock()
	defer t.mu.Unlock()
	if p, ok := t.places[s]; ok {
		return p
	}
	r := t.rosters[s]
	if r == nil {
		t.forgetEnded()
		r = newRoster(s.Folder())
		t.rosters[s] = r
	}
	return place{root: s, roster: r, self: Definition{Spawns: []string{"*"}}}
}

// forgetEnded drops the rosters of sessions that have ended. With the lock.
func (t *Team) forgetEnded() {
	for s := range t.rosters {
		select {
		case <-s.Done():
			delete(t.rosters, s)
		default:
		}
	}
}

func (t *Team) enter(s *session.Session, p place) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.places[s] = p
}

func (t *Team) leave(s *session.Session) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.places, s)
}

// deeper tells whether an agent at this depth may start agents.
func (t *Team) deeper(depth int) bool { return t.opts.Depth < 0 || depth < t.opts.Depth }

// Agents are the definitions that hold in a folder.
func (t *Team) Agents(dir string) Agents { return t.opts.find(dir) }

// Isolates tells whether agents can be kept apart from the working tree.
func (t *Team) Isolates() bool { return t.opts.Isolation != "" && t.opts.Isolation != "none" }

// May tells whether an agent may be started for this session, now: not too deep,
// and one that it is allowed to start. The error is for the model.
func (t *Team) May(parent *session.Session, d Definition) error {
	at := t.place(parent)
	switch {
	case !t.deeper(at.depth):
		return fault.Newf(fault.Invalid, "Agents may be nested only %d deep (agent.maxNestedSpawnDepth)", t.opts.Depth)
	case !at.self.MayStart(d.Name):
		return fault.Newf(fault.Invalid, "The agent %s may not start %s", at.self.Name, d.Name)
	}
	return nil
}
