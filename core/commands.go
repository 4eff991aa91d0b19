package core

import (
	"context"
	"slices"
	"strings"

	"veyyon.dev/veyyon/core/event"
	"veyyon.dev/veyyon/core/fault"
	"veyyon.dev/veyyon/core/mcp"
	"veyyon.dev/veyyon/core/message"
	"veyyon.dev/veyyon/core/session"
	"veyyon.dev/veyyon/core/skill"
	"veyyon.dev/veyyon/core/slash"
	"veyyon.dev/veyyon/core/template"
)

// Prompt runs a slash command, or gives the prompt to the session.
//
// Protocol: "prompt payload"; the order is that of facts/platform 5.1.
func (a *Agent) Prompt(ctx context.Context, p session.Prompt) (session.Accepted, error) {
	offer := a.announceCommands(a.hub.Front().Dir(), false)
	if called, words, err := offer.skills.Called(p.Text); called != nil || err != nil {
		return a.callSkill(ctx, p, called, words, err)
	}
	if run := slash.Lookup(p.Text); run != nil {
		return a.slash(ctx, p, run)
	}
	if fetch := a.opts.Servers.Called(p.Text); fetch != nil {
		return a.callPrompt(p, fetch), nil
	}
	p, err := a.expanded(p, (*template.Set).Expand)
	if err != nil {
		return a.stayLocal(event.CommandOutput{Text: err.Error()}), nil
	}
	return a.say(ctx, p)
}

// expanded is the prompt with what its text becomes, if that calls a template.
func (a *Agent) expanded(p session.Prompt, expand func(*template.Set, string) (string, bool, error)) (session.Prompt, error) {
	if !strings.HasPrefix(strings.TrimSpace(p.Text), "/") {
		return p, nil
	}
	text, ok, err := expand(a.offer(a.hub.Front().Dir()).templates, p.Text)
	if err != nil {
		return p, fault.Newf(fault.Invalid, "The command cannot be used: %v", err)
	}
	if ok {
		p.Text = text
	}
	return p, nil
}

// say gives the prompt to the session.
func (a *Agent) say(ctx context.Context, p session.Prompt) (session.Accepted, error) {
	accepted, err := moving(ctx, a, func(front *session.Session) (session.Accepted, error) { return front.Prompt(ctx, p) })
	return a.gated(accepted), err
}

// callSkill says what a skill says, unless err tells why it cannot.
func (a *Agent) callSkill(ctx context.Context, p session.Prompt, s *skill.Skill, words string, err error) (session.Accepted, error) {
	text := ""
	if err == nil {
		text, err = s.Prompt(words)
	}
	if err != nil {
		return a.stayLocal(event.CommandOutput{Text: "The skill cannot be used: " + err.Error()}), nil
	}
	details, _ := message.Marshal(calledSkill{s.Name, s.Path, words}) // texts always encode
	p.Message = &message.Custom{
		Role: message.RoleCustom, CustomType: session.SkillPrompt, Content: message.NewUser(text, p.Images).Content,
		Display: true, Details: details, Attribution: "user", Timestamp: message.Now(),
	}
	if p.Behavior == "" {
		p.Behavior = "steer"
	}
	accepted, err := a.say(ctx, p)
	invoked := true
	accepted.AgentInvoked = &invoked
	return accepted, err
}

// calledSkill is the details of a message that calls a skill.
type calledSkill struct {
	Name string `json:"name"`
	Path string `json:"path"`
	Args string `json:"args,omitempty"`
}

// An offer is where the slash commands beside the builtin ones come from. As
// long as it equals itself, so do they.
type offer struct {
	skills    *skill.Set
	templates *template.Set
	prompts   string // of servers
}

func (a *Agent) offer(dir string) offer {
	o := offer{skill.None, template.None, promptNames(a.opts.Servers)}
	if a.opts.Skills != nil && a.opts.SkillCommands {
		o.skills = a.opts.Skills.Load(dir)
	}
	if a.opts.Templates != nil {
		o.templates = a.opts.Templates.Load(dir)
	}
	return o
}

// announceCommands tells the host which slash commands a session in dir has, if
// it does not know them or anew is asked for.
func (a *Agent) announceCommands(dir string, anew bool) offer {
	now := a.offer(dir)
	if before := a.listed.Swap(&now); anew || before == nil || *before != now {
		a.opts.Emit(event.AvailableCommands{Commands: now.commands(a.opts.Servers)})
	}
	return now
}

// Commands lists the slash commands of the session in front.
func (a *Agent) Commands(context.Context) ([]event.Command, error) {
	return a.announceCommands(a.hub.Front().Dir(), false).commands(a.opts.Servers), nil
}

// commands is the list in the order of facts/platform 5.3; of two of one name
// the first counts.
func (o offer) commands(servers *mcp.Set) []event.Command {
	list := slash.List()
	for _, s := range o.skills.Skills {
		list = append(list, event.Command{
			Name: "skill:" + s.Name, Description: s.Description, Input: &event.CommandHint{Hint: "arguments"}, Source: "skill",
		})
	}
	list = append(list, promptCommands(servers)...)
	for _, t := range o.templates.Commands.Templates {
		if slices.ContainsFunc(list, func(c event.Command) bool { return c.Name == t.Name || slices.Contains(c.Aliases, t.Name) }) {
			continue
		}
		c := event.Command{Name: t.Name, Description: t.Description, Source: "file"}
		if t.Hint != "" {
			c.Input = &event.CommandHint{Hint: t.Hint}
		}
		list = append(list, c)
	}
	return list
}
