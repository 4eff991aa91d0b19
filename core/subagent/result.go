package subagent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"time"

	"veyyon.dev/veyyon/core/file"
	"veyyon.dev/veyyon/core/session"
)

// The usual bounds of what an agent's report may hold: of a longer one the end is
// cut off. Its parent is shown no more than shownOutput of it, and where the rest
// is.
const (
	usualMaxBytes = 500_000
	usualMaxLines = 5000
	shownOutput   = 5000 // bytes
)

// result is how the agent ended; err is why it did not come to a yield.
func (w *Work) result(ctx context.Context, child *session.Session, err error) Result {
	p, _ := w.tracker.progress()
	usage, requests := w.tracker.spent()
	r := Result{
		Index: p.Index, ID: p.ID, Agent: p.Agent, AgentSource: p.AgentSource, Task: w.order.Task, DurationMs: time.Since(w.began).Milliseconds(),
		Tokens: usage.TotalTokens, Requests: requests, ContextTokens: p.ContextTokens, ContextWindow: p.ContextWindow,
		ModelOverride: p.ModelOverride, ResolvedModel: p.ResolvedModel, RetryFailure: p.RetryFailure,
	}
	if requests > 0 {
		r.Usage = &usage
	}
	done := w.yield.result()
	switch {
	case done != nil && done.Error != "":
		r.ExitCode, r.Error, r.Output = 1, done.Error, done.Text
	case done != nil:
		r.Output, r.Extracted = report(done), done.Data
	case err != nil && (ctx.Err() != nil || errors.Is(err, errBudget)):
		r.ExitCode, r.Aborted, r.AbortReason, r.Error, r.Output = 1, true, err.Error(), err.Error(), w.lastText(child)
	case err != nil:
		r.ExitCode, r.Error, r.Output = 1, err.Error(), w.lastText(child)
	default:
		r.ExitCode, r.Error, r.Output = 1, noYieldText, w.lastText(child)
	}
	r.Stderr = r.Error
	w.bound(&r)
	return r
}

// report is the text of a yield: what was said, then the data.
func report(done *yielded) string {
	if done.Data == nil {
		return done.Text
	}
	return strings.TrimSpace(done.Text + "\n\n" + string(done.Data))
}

// bound cuts a long output and keeps the whole beside the transcripts.
func (w *Work) bound(r *Result) {
	r.Output = strings.ToValidUTF8(r.Output, "\uFFFD")
	whole := cut(r.Output, cmp.Or(w.team.opts.MaxBytes, usualMaxBytes), cmp.Or(w.team.opts.MaxLines, usualMaxLines))
	r.Truncated = len(whole) < len(r.Output)
	if folder := w.parent.Folder(); folder != "" && whole != "" {
		path := filepath.Join(folder, r.ID+".md")
		if err := file.Put(path, []byte(whole), 0o600); err != nil {
			slog.Warn("keeping the report of an agent", "err", err)
		} else {
			r.OutputPath = path
		}
	}
	r.Output = whole
}

// cut keeps a report to its bounds.
func cut(text string, maxBytes, maxLines int) string {
	if len(text) > maxBytes {
		text = strings.ToValidUTF8(text[:maxBytes], "")
	}
	at := 0
	for range maxLines {
		next := strings.IndexByte(text[at:], '\n')
		if next < 0 {
			return text
		}
		at += next + 1
	}
	return text[:at]
}

// Shown is the result as the model reads it.
func (r Result) Shown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s (%s): %s", r.ID, r.Agent, r.Status())
	if r.Error != "" {
		fmt.Fprintf(&b, "\n%s", r.Error)
		if r.Output != "" {
			b.WriteString("\nIts last words, which may not be the whole of its work:")
		}
	}
	if r.Output != "" {
		text := r.Output
		if len(text) > shownOutput {
			text = strings.ToValidUTF8(text[:shownOutput], "") + "\n…"
			if r.OutputPath != "" {
				text += "\n[The whole is in " + r.OutputPath + "]"
			}
		}
		b.WriteString("\n\n" + text)
	}
	switch {
	case r.PatchPath != "" && r.ExitCode != 0:
		fmt.Fprintf(&b, "\n\n[What it had changed is not applied; it is in %s]", r.PatchPath)
	case r.PatchPath != "":
		fmt.Fprintf(&b, "\n\n[Its changes could not be brought back by themselves; they are in %s]", r.PatchPath)
	case r.BranchName != "":
		fmt.Fprintf(&b, "\n\n[Its changes are on the branch %s]", r.BranchName)
	}
	return b.String()
}
