package slash

import (
	"context"
	"fmt"

	"veyyon.dev/veyyon/core/compaction"
)

func contextUse(ctx context.Context, t Target, _ string) (Effect, error) {
	state, err := t.State(ctx)
	if err != nil {
		return Effect{}, err
	}
	use := state.ContextUsage
	if use == nil {
		return say("No model is currently selected.")
	}
	prompt, tools := 0, 0
	for _, block := range state.SystemPrompt {
		prompt += compaction.TextTokens(len(block))
	}
	for _, d := range state.DumpTools {
		tools += compaction.TextTokens(len(d.Name) + len(d.Description) + len(d.Parameters))
	}
	return say(fmt.Sprintf("Context window: %d tokens (%.1f%% used)\nSystem prompt: about %d\nTools: about %d\nMessages: about %d",
		use.ContextWindow, use.Percent, prompt, tools, max(0, use.Tokens-prompt-tools)))
}

func fresh(ctx context.Context, t Target, _ string) (Effect, error) {
	if err := t.Fresh(ctx); err != nil {
		return say(err.Error())
	}
	return say("Fresh provider session started (1 provider state(s) pruned).")
}

func force(ctx context.Context, t Target, args string) (Effect, error) {
	tool, prompt := word(args)
	if tool == "" {
		return say("Usage: /force:<tool-name> [prompt]")
	}
	if err := t.Force(ctx, tool); err != nil {
		return say(err.Error())
	}
	return Effect{Output: "Next turn forced to use " + tool + ".", Prompt: prompt}, nil
}

// compact counts as compacting from now on; a model writes the summary behind the
// answer. A mode that other programs know before the focus makes no difference.
func compact(ctx context.Context, t Target, args string) (Effect, error) {
	if mode, focus := word(args); mode == "soft" || mode == "remote" {
		args = focus
	}
	run, err := t.Compact(ctx, args)
	if err != nil {
		return compactionFailed(err), nil
	}
	return Effect{Later: func(ctx context.Context) Effect {
		result, err := run(ctx)
		if err != nil {
			return compactionFailed(err)
		}
		before, after := result.TokensBefore, result.TokensAfter
		return Effect{Output: fmt.Sprintf("Compaction complete. Tokens: %d -> %d (saved %d).", before, after, max(0, before-after))}
	}}, nil
}

func compactionFailed(err error) Effect { return Effect{Output: "Compaction failed: " + err.Error()} }
