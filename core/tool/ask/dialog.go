package ask

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"veyyon.dev/veyyon/core/host"
)

// What dialogs show beside the options.
const (
	labelOther  = "Other (type your own)"
	labelDone   = "✓ Done selecting"
	recommended = " (Recommended)"
)

var errTimeout = errors.New("the question was not answered in time")

// put asks one question. Of several options it is asked again after each choice,
// which chooses or gives up the option, until the person is done.
//
// Protocol: "Extension UI Sub-Protocol"; facts/platform 11.1.
func (a *asker) put(ctx context.Context, q Question, title string) (Answer, error) {
	answer := Answer{ID: q.ID, Question: q.Question, Options: []string{}, Multi: q.Multi, SelectedOptions: []string{}}
	for _, option := range q.Options {
		answer.Options = append(answer.Options, option.Label)
	}
	for {
		value, err := a.choose(ctx, heading(title, answer), q.choices(answer))
		if errors.Is(err, errTimeout) {
			return q.unanswered(answer), nil
		}
		if err != nil {
			return Answer{}, err
		}
		known := slices.Contains(answer.Options, value)
		if !known && !q.Multi {
			value = strings.TrimSuffix(value, recommended)
			known = slices.Contains(answer.Options, value)
		}
		switch {
		case value == labelOther:
			text, err := a.ui.Ask(ctx, host.Editor{Title: title})
			if err == nil && !text.Given {
				err = ErrInputCancelled
			}
			answer.CustomInput = &text.Value
			return answer, err
		case value == labelDone && len(answer.SelectedOptions) > 0:
			return answer, nil
		case !known:
			answer.CustomInput = &value // a host that lets people type right away
			return answer, nil
		case !q.Multi:
			answer.SelectedOptions = []string{value}
			return answer, nil
		}
		answer.toggle(value)
	}
}

// choose shows one dialog. It returns errTimeout when nobody answers in time.
func (a *asker) choose(ctx context.Context, title string, choices []string) (string, error) {
	answer, err := a.ui.Ask(ctx, host.Select{Title: title, Options: choices, Timeout: a.timeout})
	switch {
	case err != nil:
		return "", err
	case answer.TimedOut:
		return "", errTimeout
	case !answer.Given:
		return "", ErrCancelled
	}
	return answer.Value, nil
}

func heading(title string, answer Answer) string {
	if n := len(answer.SelectedOptions); n > 0 {
		return fmt.Sprintf("(%d selected) %s", n, title)
	}
	return title
}

func (q Question) choices(answer Answer) []string {
	choices := slices.Clone(answer.Options)
	if i := q.recommendation(); i >= 0 && !q.Multi {
		choices[i] += recommended
	}
	if len(answer.SelectedOptions) > 0 {
		choices = append(choices, labelDone)
	}
	return append(choices, labelOther)
}

// recommendation is the position of the recommended option, or -1.
func (q Question) recommendation() int {
	if q.Recommended == nil || *q.Recommended < 0 || *q.Recommended >= len(q.Options) {
		return -1
	}
	return *q.Recommended
}

// unanswered is the answer when time is up: what was chosen until then, or else
// the recommended option, or the first.
func (q Question) unanswered(answer Answer) Answer {
	answer.TimedOut = true
	if len(answer.SelectedOptions) == 0 && len(answer.Options) > 0 {
		answer.SelectedOptions = []string{answer.Options[max(0, q.recommendation())]}
	}
	return answer
}

func (a *Answer) toggle(label string) {
	if i := slices.Index(a.SelectedOptions, label); i >= 0 {
		a.SelectedOptions = slices.Delete(a.SelectedOptions, i, i+1)
		return
	}
	a.SelectedOptions = append(a.SelectedOptions, label)
}
