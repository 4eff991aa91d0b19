package slash

import "context"

// yolo switches the questions about tool calls off and on (facts/platform 5.2).
func yolo(ctx context.Context, t Target, args string) (Effect, error) {
	on := t.Bypassed(ctx)
	switch args {
	case "status":
		if on {
			return Effect{Output: "Full permission bypass is on."}, nil
		}
		return Effect{Output: "Full permission bypass is off."}, nil
	case "on":
		on = true
	case "off":
		on = false
	case "":
		on = !on
	default:
		return Effect{Output: "Usage: /yolo [on|off|status]"}, nil
	}
	t.SetBypass(ctx, on)
	if on {
		return Effect{
			Output: "Full permission bypass ON. Every approval prompt is off for this session (explicit deny and plan mode still block).", Config: true,
		}, nil
	}
	return Effect{Output: "Full permission bypass off. Approval prompts are back on.", Config: true}, nil
}
