package host

import "context"

// A Planner asks the person to approve a plan. Safe for concurrent use.
//
// Protocol: "Modes".
type Planner interface {
	// Approve shows the plan and waits for the person; approved is false for a
	// plan that is to be refined, also when the question was dismissed. The error
	// is the cause of ctx, and then the question is taken back; or ErrGone.
	Approve(ctx context.Context, p Plan) (approved bool, err error)
}

// Plan is what the person is shown.
type Plan struct {
	CallID string
	Title  string
	Text   string // Markdown
}
