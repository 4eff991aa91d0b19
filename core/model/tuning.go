package model

import "context"

// Tuning is what settings say of every request. What is nil or empty is left to
// the provider, and so is what its dialect, or the model, has no word for.
type Tuning struct {
	Temperature, TopP, MinP            *float64
	TopK                               *int
	PresencePenalty, RepetitionPenalty *float64
	Verbosity                          string        // low, medium or high
	Budgets                            map[Level]int // tokens of thinking, where thinking goes by a budget
	Tier                               string        // auto, default, flex, scale or priority: how OpenAI's own models are served
	NoImages                           bool          // sends a text in the place of each image
}

// Tuned is a provider whose requests have this tuning.
func Tuned(p Provider, t *Tuning) Provider { return tuned{p, t} }

type tuned struct {
	Provider
	tuning *Tuning
}

func (t tuned) Stream(ctx context.Context, req *Request, draft *Draft) error {
	with := *req // the caller's stays as it is
	with.Tuning = t.tuning
	return t.Provider.Stream(ctx, &with, draft)
}

var noTuning Tuning

// Tuned is the tuning of the request, never nil.
func (r *Request) Tuned() *Tuning {
	if r.Tuning == nil {
		return &noTuning
	}
	return r.Tuning
}
