package slash

import (
	"context"
	"fmt"
)

func move(ctx context.Context, t Target, args string) (Effect, error) {
	if args == "" {
		return say("Usage: /move <path>")
	}
	dir, _, err := t.Move(ctx, args)
	if err != nil {
		return say(err.Error())
	}
	return Effect{Output: "Moved to " + dir + ".", Title: true, Config: true}, nil
}

func cwd(ctx context.Context, t Target, args string) (Effect, error) {
	before := t.Dir()
	if args == "" {
		return say(before + "\n/cwd <path> changes it for this session.")
	}
	dir, moved, err := t.Move(ctx, args)
	switch {
	case err != nil:
		return say(err.Error())
	case !moved:
		return say("cwd unchanged: " + dir)
	}
	return Effect{Output: fmt.Sprintf("cwd set: %s → %s", before, dir), Title: true}, nil
}
