package session

import (
	"context"
	"errors"
	"path/filepath"
	"slices"

	"veyyon.dev/veyyon/core/event"
	"veyyon.dev/veyyon/core/tool"
)

// PlanFile is where a plan is written, as models name it.
const PlanFile = localScheme + "PLAN.md"

const localScheme = "local://"

// planText is what the model is told while it plans.
const planText = `# Plan mode

You plan, and change nothing: tools that change files or run commands are refused, but for files under ` + localScheme + `.
Look around, ask about what is open, and write the plan to ` + PlanFile + ` with the write tool: Markdown, one heading that names the work, the steps in order, the files each step touches, and how the result is checked.
When the plan is ready, call resolve with action "apply" and extra.title. The person then approves it, and you carry it out, or wants it refined.`

// SetPlanning switches plan mode on or off, and tells the host. In it only tools
// that read may run, and those that write files under local://.
//
// Protocol: "Modes".
func (s *Session) SetPlanning(ctx context.Context, on bool) error {
	return s.do(ctx, func(st *state) { st.setPlanning(on, false) })
}

func (st *state) setPlanning(on, approved bool) {
	st.planning = on
	if gate := st.s.Gate(); gate != nil {
		gate.SetPlanning(on)
	}
	st.emit(event.PlanMode{On: on, Approved: approved})
}

// Planning tells whether plan mode is on.
func (s *Session) Planning(ctx context.Context) (bool, error) {
	return ask(ctx, s, func(st *state) bool { return st.planning })
}

// ErrNotPlanning means that there is no plan to approve.
//
//lint:ignore ST1005 the text is fixed (facts/acp 11)
var ErrNotPlanning = errors.New("Plan mode is not active.")

// A Plan is plan mode as the tool sees it that hands in the plan.
type Plan struct{ view toolView }

// PlanOf is that of the session a tool works for; ok is false for one that is none
// of this package.
func PlanOf(of tool.Session) (p Plan, ok bool) {
	v, ok := of.(toolView)
	return Plan{v}, ok
}

// On tells whether it is on.
func (p Plan) On() bool {
	on, err := p.view.s.Planning(p.view.life)
	return err == nil && on
}

// Approved switches it off, as the person has approved the plan.
func (p Plan) Approved() error {
	return p.view.s.do(p.view.life, func(st *state) { st.setPlanning(false, true) })
}

// Local is the file that a local:// URL names, in the folder of the session a tool
// works for. The session may have none, and no URL leads out of it.
func Local(of tool.Session, url string) (path string, err error) {
	v, ok := of.(toolView)
	if !ok || v.s.Folder() == "" {
		return "", errors.New("this session keeps no files of its own")
	}
	name := filepath.FromSlash(url[min(len(localScheme), len(url)):])
	if !filepath.IsLocal(name) {
		return "", errors.New(url + " does not name a file of the session; its form is local://NAME")
	}
	return filepath.Join(v.s.Folder(), "local", name), nil
}

// instructions are the blocks of the system prompt of the next request.
func (st *state) instructions() []string {
	if !st.planning {
		return st.system
	}
	return append(slices.Clip(st.system), planText)
}

// tools are those of the next request: resolve only hands in plans.
func (st *state) tools() tool.Set {
	tools := st.s.opts.Tools()
	if st.planning {
		return tools.Without(func(spec tool.Spec) bool {
			return spec.Tier != tool.TierRead && spec.Name != "write"
		})
	}
	return tools.Without(func(spec tool.Spec) bool { return spec.Name == "resolve" })
}
