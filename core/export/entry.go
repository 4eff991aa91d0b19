package export

import (
	"fmt"
	"strconv"
	"time"

	"veyyon.dev/veyyon/core/message"
	"veyyon.dev/veyyon/core/tally"
	"veyyon.dev/veyyon/core/transcript"
)

// article is what stands around an entry.
type article struct {
	Class  string // of the kind of entry, ours
	Anchor string
	Who    string
	Same   bool // the same speaker as before
	Tags   []string
	Label  string
	Time   time.Time
}

// open begins an article; what the caller puts then stands in it until close.
func (p *page) open(e *transcript.Entry, role message.Role, who string, tags ...string) {
	p.anchors++
	anchor := "m" + strconv.Itoa(p.anchors)
	if role == message.RoleUser && !p.aside {
		p.prompts++
		anchor = "p" + strconv.Itoa(p.prompts) // as the contents name it
	}
	p.put("open", article{
		Class: string(role), Anchor: anchor, Who: clean(who), Same: role == p.speaker && role == message.RoleAssistant,
		Tags: tags, Label: clean(p.outline.labels[e.ID]), Time: e.Time,
	})
	p.speaker = role
}

func (p *page) close() { p.put("close", nil) }

// entry writes one entry of the tree.
func (p *page) entry(e *transcript.Entry) {
	if p.outline.paired[e] {
		return
	}
	switch b := p.body(e).(type) {
	case *transcript.Message:
		p.message(e, b.Message)
	case *transcript.CustomMessage:
		p.custom(e, b.CustomType, b.Content, b.Display)
	case *transcript.Compaction:
		p.compacted(b.Summary, b.TokensBefore)
	case *transcript.BranchSummary:
		p.put("summary", summary{Class: "fork", Head: "Summary of a branch that was left", Text: markdown(b.Summary)})
	case *transcript.SubagentSpawn:
		p.subagent(b)
	case *transcript.SessionInit:
		p.put("setup", folded{Head: "The task and the instructions this agent began with", Text: clean(b.Task + "\n\n" + b.SystemPrompt)})
	case *transcript.ModelChange:
		if p.anchors > 0 { // before that it only says what the first answer says too
			p.put("note", "Model: "+clean(b.Model))
		}
	case *transcript.TitleChange:
		p.put("note", "Renamed: "+clean(b.Title))
	}
}

// branch writes a branch that leads away from the path, folded.
func (p *page) branch(entries []*transcript.Entry) {
	shown := 0
	for _, e := range entries {
		if !p.outline.paired[e] {
			shown++
		}
	}
	if shown == 0 {
		return
	}
	speaker := p.speaker
	p.aside = true
	p.put("branch", countOf(shown, "message"))
	p.speaker = message.RoleOther
	for i, e := range entries {
		if i > 0 && e.Parent != entries[i-1] && !p.outline.paired[e] {
			p.put("note", "Another way from an earlier message")
		}
		p.entry(e)
	}
	p.put("unbranch", nil)
	p.aside, p.speaker = false, speaker
}

func (p *page) message(e *transcript.Entry, m message.Message) {
	switch m := m.(type) {
	case *message.User:
		p.user(e, m)
	case *message.Developer:
		p.folded(e, message.RoleDeveloper, "Instructions", m.Content)
	case *message.Assistant:
		p.answer(e, m)
	case *message.ToolResult:
		p.open(e, message.RoleToolResult, "Result")
		p.result(m)
		p.close()
	case *message.BashExecution:
		p.command(e, m)
	case *message.Custom:
		p.custom(e, m.CustomType, m.Content, m.Display)
	case *message.CompactionSummary:
		p.compacted(m.Summary, m.TokensBefore)
	case *message.BranchSummary:
		p.put("summary", summary{Class: "fork", Head: "Summary of a branch that was left", Text: markdown(m.Summary)})
	case *message.Unknown:
		p.open(e, message.RoleOther, "Other")
		p.put("folded", folded{Head: "An entry of an unknown kind", Text: clean(string(m.Raw))})
		p.close()
	}
}

func (p *page) user(e *transcript.Entry, m *message.User) {
	who, tags := "You", []string(nil)
	if m.Synthetic || m.Attribution == "agent" {
		who = "Program"
	}
	if m.Steering {
		tags = append(tags, "steering")
	}
	p.open(e, message.RoleUser, who, tags...)
	p.plain(m.Content)
	p.close()
}

// plain shows content as it was written: a person's text is no Markdown.
func (p *page) plain(content message.Blocks) {
	for _, block := range content {
		switch b := block.(type) {
		case *message.Text:
			if b.Text != "" {
				p.put("plain", clean(b.Text))
			}
		case *message.Image:
			p.put("image", pictureOf(b))
		case *message.UnknownBlock:
			p.put("folded", folded{Head: "A block of an unknown kind", Text: clean(string(b.Raw))})
		}
	}
}

func (p *page) custom(e *transcript.Entry, kind string, content message.Blocks, display bool) {
	if !display {
		p.folded(e, message.RoleCustom, kind, content)
		return
	}
	p.open(e, message.RoleCustom, kind)
	for _, block := range content {
		if text, ok := block.(*message.Text); ok {
			p.put("prose", markdown(text.Text))
			continue
		}
		p.plain(message.Blocks{block})
	}
	p.close()
}

// folded is content that the person need not have seen.
func (p *page) folded(e *transcript.Entry, role message.Role, who string, content message.Blocks) {
	p.open(e, role, who)
	text := clean(content.Join("\n"))
	p.put("folded", folded{Head: firstWords(text, maxPrompt), Text: text})
	for _, block := range content {
		if image, ok := block.(*message.Image); ok {
			p.put("image", pictureOf(image))
		}
	}
	p.close()
}

// subagent says how one ended. Its conversation is in a file of its own, which
// has a page of its own when it is exported.
func (p *page) subagent(b *transcript.SubagentSpawn) {
	text := fmt.Sprintf("Subagent %s (%s) %s after %s", b.AgentID, b.AgentName, b.Status, tally.Took(time.Duration(b.DurationMS)*time.Millisecond))
	if b.Error != "" {
		text += ": " + firstWords(b.Error, maxGist)
	}
	if b.SessionFile != "" {
		text += ". Its session: " + b.SessionFile
	}
	p.put("note", clean(text))
}

// folded is text behind a line that opens it.
type folded struct{ Head, Text string }

func (p *page) compacted(text string, before int) {
	head := "The conversation was compacted here"
	if before > 0 {
		head += fmt.Sprintf(", from %s tokens", tally.Commas(before))
	}
	p.put("summary", summary{Class: "compaction", Head: head, Text: markdown(text)})
	p.speaker = message.RoleOther
}

// command is one that the host ran itself.
func (p *page) command(e *transcript.Entry, m *message.BashExecution) {
	var tags []string
	switch {
	case m.Cancelled:
		tags = append(tags, "cancelled")
	case m.ExitCode != nil && *m.ExitCode != 0:
		tags = append(tags, fmt.Sprintf("exit %d", *m.ExitCode))
	}
	if m.ExcludeFromContext {
		tags = append(tags, "not shown to the model")
	}
	p.open(e, message.RoleBashExecution, "Shell", tags...)
	p.put("code", highlight(m.Command, "bash"))
	p.put("output", fold(m.Output))
	p.close()
}
