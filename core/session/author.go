package session

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"veyyon.dev/veyyon/core/compaction"
	"veyyon.dev/veyyon/core/fault"
	"veyyon.dev/veyyon/core/message"
	"veyyon.dev/veyyon/core/model"
	"veyyon.dev/veyyon/core/model/registry"
	"veyyon.dev/veyyon/core/secret"
)

// author asks models for texts about the conversation, on the goroutine of a
// writing. It holds copies only of what the loop owns.
type author struct {
	models     Models
	candidates []*model.Model // tried in this order
	limits     compaction.Limits
	ratio      float64 // tokens there really are for each that we estimate
	retry      Retry
	retries    bool
	secrets    func() []string
	cacheKey   string
}

// errWroteNothing means that a model had nothing to say.
var errWroteNothing = errors.New("wrote nothing")

// cutOffText ends a text that is not complete, for whoever goes on from it.
const cutOffText = "\n\n[This text was cut off at its limit.]"

func (st *state) author(ratio float64) author {
	a := author{
		models: st.s.opts.Models, limits: st.s.opts.Compaction.Limits, ratio: ratio,
		retry: st.s.opts.Retry, retries: st.choice.AutoRetry, cacheKey: st.cacheKey(),
		secrets: st.s.opts.Secrets,
	}
	own := st.choice.Model
	if chosen := st.s.opts.Compaction.Model; chosen != nil && a.models.HasKey(chosen) && (own == nil || chosen.Ref() != own.Ref()) {
		a.candidates = append(a.candidates, chosen)
	}
	if own != nil {
		a.candidates = append(a.candidates, own)
	}
	return a
}

// summarise writes the summary of a plan. There are two requests when the cut
// goes through a turn.
func (a author) summarise(ctx context.Context, p *planned) (text written, err error) {
	wishes, history, prefix := a.discreet(p.wishes), p.Previous, ""
	if len(p.History) > 0 {
		history, err = a.write(ctx, func(r compaction.Room) compaction.Request { return p.Summary(wishes, r) })
	}
	if err == nil && len(p.Prefix) > 0 {
		prefix, err = a.write(ctx, func(r compaction.Room) compaction.Request { return p.Turn(wishes, r) })
	}
	if err != nil {
		return written{}, err
	}
	files := compaction.Touched(p.details, p.Removed())
	return written{compaction.Join(history, prefix, files), files}, nil
}

// discreet are the wishes with what hides the secrets of this moment.
func (a author) discreet(w compaction.Wishes) compaction.Wishes {
	var secrets []string
	if a.secrets != nil {
		secrets = a.secrets()
	}
	w.Hide = secret.Cautious(secrets)
	return w
}

// write asks one candidate after the other until one has written.
func (a author) write(ctx context.Context, request func(compaction.Room) compaction.Request) (text string, err error) {
	err = errNoModelToCompact
	for _, m := range a.candidates {
		text, err = a.writeWith(ctx, m, request)
		if err == nil || ctx.Err() != nil {
			break
		}
	}
	return text, err
}

// maxNarrower is how often a request that was too large is halved and asked
// again; after that its error stands.
const maxNarrower = 2

// writeWith asks one model. Passing failures are waited out as for answers of a
// run; silence is not, since the next candidate may be quicker.
func (a author) writeWith(ctx context.Context, m *model.Model, request func(compaction.Room) compaction.Request) (string, error) {
	room := compaction.Room{Window: m.ContextWindow, Reserve: a.limits.Reserve(m.ContextWindow), Answer: m.MaxTokens, Ratio: a.ratio}
	for attempt, narrower := 0, 0; ; {
		text, err := a.ask(ctx, m, request(room))
		var failure *model.Error
		if err == nil || !errors.As(err, &failure) {
			return text, err
		}
		if failure.Class&model.ClassOverflow != 0 && narrower < maxNarrower {
			narrower++
			room.Ratio = 2 * max(1, room.Ratio)
			continue
		}
		attempt++
		delay := backoff(attempt, a.retry.BaseDelayMs, failure)
		limit := time.Duration(a.retry.MaxDelayMs) * time.Millisecond
		if !a.retries || attempt > a.retry.Max || !failure.Retryable() || failure.Class&model.ClassTimeout != 0 || limit > 0 && delay > limit {
			return "", err
		}
		if err := sleep(ctx, delay); err != nil {
			return "", err
		}
	}
}

// ask makes one request. Errors of the provider are *model.Error.
func (a author) ask(ctx context.Context, m *model.Model, r compaction.Request) (string, error) {
	provider, err := a.models.Provider(m)
	if err != nil {
		return "", err
	}
	key, err := a.models.Key(ctx, m)
	if err != nil {
		return "", err
	}
	draft := model.NewDraft(m, model.DraftOptions{})
	err = provider.Stream(ctx, &model.Request{
		Model: m, System: []string{r.System}, Thinking: registry.Effective(m, model.LevelOff), Key: key, CacheKey: a.cacheKey,
		Messages: []message.Message{message.NewUser(r.Prompt, nil)}, NoTools: true, MaxTokens: r.MaxTokens,
	}, draft)
	if err != nil {
		return "", err
	}
	answer := draft.Finish()
	text := strings.TrimSpace(r.Bound(answer.Content.Text()))
	switch {
	case text == "":
		return "", fault.Wrap(fault.Provider, fmt.Errorf("%s %w", m.Ref(), errWroteNothing))
	case answer.StopReason == message.StopLength:
		text += cutOffText
	}
	return text, nil
}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
