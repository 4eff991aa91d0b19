package session

import (
	"context"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"veyyon.dev/veyyon/core/job"
	"veyyon.dev/veyyon/core/message"
	"veyyon.dev/veyyon/core/tool"
)

// The bounds of a job's result that is delivered by itself, in bytes: of a
// longer one than resultLimit the beginning is told, and the whole is kept as an
// artifact (facts/agent 7.5).
const (
	resultLimit = 12_000
	resultHead  = 4_000
)

// Of is the session that a tool works for; ok is false when it is none of this
// package.
func Of(of tool.Session) (s *Session, ok bool) {
	v, ok := of.(toolView)
	return v.s, ok
}

// Board holds the background jobs of the session a tool works for; ok is false
// for one that runs none.
func Board(of tool.Session) (b *job.Board, ok bool) {
	s, ok := Of(of)
	if !ok || s.opts.MaxJobs == 0 {
		return nil, false
	}
	return s.board, true
}

// Jobs lists the background jobs, those too that have ended a short while ago.
func (s *Session) Jobs() []job.Job { return s.board.List() }

// Park lets what background jobs give wait for the next prompt, and begins no run
// by itself before: for a host that can show a run only as a prompt's.
func (s *Session) Park(ctx context.Context) error {
	return s.do(ctx, func(st *state) { st.parked = true })
}

// jobsWillWake tells whether a background job will go on with the conversation
// by itself. After an abort, and at a limit, its result waits for the next
// prompt.
func (st *state) jobsWillWake() bool {
	return !st.parked && st.limit() == "" && (st.s.board.Running() > 0 || st.s.board.Free() > 0)
}

// Delivered is the details of a message that delivers results of jobs.
type Delivered struct {
	Jobs  []DeliveredJob `json:"jobs"`
	Usage *message.Usage `json:"usage,omitempty"` // of all of them
}

// DeliveredJob is a job whose result has been delivered.
type DeliveredJob struct {
	JobID      string `json:"jobId"`
	Type       string `json:"type"` // bash or task
	Label      string `json:"label"`
	DurationMs int64  `json:"durationMs"`
}

// jobResults takes the results that are free, as one message or none.
func (st *state) jobResults() []message.Message {
	jobs := st.s.board.ClaimFree()
	if len(jobs) == 0 {
		return nil
	}
	details, texts := Delivered{}, make([]string, len(jobs))
	for i, j := range jobs {
		details.Jobs = append(details.Jobs, DeliveredJob{JobID: j.ID, Type: string(j.Kind), Label: j.Label, DurationMs: j.Duration.Milliseconds()})
		details.Usage = addUsage(details.Usage, j.Result.Usage)
		texts[i] = fmt.Sprintf("Background job %s (%s) %s after %s:\n%s", j.ID, j.Label, j.Status, j.Duration.Round(time.Millisecond), st.bounded(j))
	}
	raw, _ := message.Marshal(details) // plain fields always encode
	return []message.Message{&message.Custom{
		Role: message.RoleCustom, CustomType: "async-result", Content: message.Blocks{message.NewText(strings.Join(texts, "\n\n"))},
		Display: true, Details: raw, Attribution: "agent", Timestamp: message.Now(),
	}}
}

// bounded is the result's text, or its beginning and where to find the whole.
func (st *state) bounded(j job.Job) string {
	text := j.Result.Text
	if len(text) <= resultLimit {
		return text
	}
	end := resultHead
	for !utf8.RuneStart(text[end]) {
		end--
	}
	notice := fmt.Sprintf("[The first %d of %d bytes", end, len(text))
	if folder := st.artifacts(); folder != "" {
		if n, ok := st.s.saveArtifact(folder, string(j.Kind), []byte(text)); ok {
			notice += fmt.Sprintf("; read artifact://%d for the whole", n)
		}
	}
	return text[:end] + "\n\n" + notice + "]"
}

// addUsage is the sum of two usages, nil when both are.
func addUsage(a, b *message.Usage) *message.Usage {
	if a == nil || b == nil {
		if a == nil {
			return b
		}
		return a
	}
	sum := a.Plus(*b)
	return &sum
}

// keepResults records the results that nobody will ask for any more, since the
// session ends.
func (st *state) keepResults() {
	for _, m := range st.jobResults() {
		st.record(m)
	}
}
