// Package export writes a session as one page of HTML that stands on its own:
// no script, nothing loaded from elsewhere, and nothing in it that a message,
// a tool or a file could make run.
//
// Three things keep it inert: html/template escapes all that it places, the few
// parts of a page that are built here (Markdown, highlighted code, diffs) escape
// every piece of text themselves, and a policy in the page's head forbids the
// browser everything but the page's own style and images in it.
package export

import (
	"bufio"
	"context"
	"fmt"
	"io"

	"veyyon.dev/veyyon/core/message"
	"veyyon.dev/veyyon/core/transcript"
)

// A Session is what is exported: the tree of a transcript as it was at one
// moment, as transcript.Snapshot is. Body may read the disk; it is asked for one
// entry at a time, twice for each, and what it returned is not kept.
type Session interface {
	Header() transcript.Header
	Title() (string, transcript.TitleSource)
	Entries() []*transcript.Entry
	Leaf() *transcript.Entry
	Body(*transcript.Entry) (transcript.Body, error)
}

// bufferSize is how much of the page is written at once, in bytes.
const bufferSize = 64 << 10

// Page writes the session to w. Besides an index of the entries it holds one
// entry at a time in memory. It returns the cause of ctx once that has ended,
// and the first error of s or w; then a part of the page may have been written.
func Page(ctx context.Context, w io.Writer, s Session) error {
	o, err := survey(ctx, s)
	if err != nil {
		return err
	}
	p := &page{ctx: ctx, out: bufio.NewWriterSize(w, bufferSize), session: s, outline: o}
	p.put("head", headOf(s, o))
	for _, branch := range o.branches[nil] {
		p.branch(branch)
	}
	for _, e := range o.path {
		p.entry(e)
		for _, branch := range o.branches[e] {
			p.branch(branch)
		}
	}
	p.put("foot", o.tally)
	if p.err != nil {
		return p.err
	}
	if err := p.out.Flush(); err != nil {
		return fmt.Errorf("writing the page: %w", err)
	}
	return nil
}

// page is a page being written.
type page struct {
	ctx     context.Context // of this one call of Page
	out     *bufio.Writer
	session Session
	outline *outline
	err     error // the first; nothing is written after it

	anchors int          // articles so far, for their names
	prompts int          // the person's messages on the path so far, for theirs
	aside   bool         // what is written now is on a branch
	speaker message.Role // of the last article
}

// put writes a template.
func (p *page) put(name string, data any) {
	if p.err != nil {
		return
	}
	if p.ctx.Err() != nil {
		p.err = context.Cause(p.ctx)
		return
	}
	if err := templates().ExecuteTemplate(p.out, name, data); err != nil {
		p.err = fmt.Errorf("writing the page: %w", err)
	}
}

// body is what an entry says; nil once the page has failed.
func (p *page) body(e *transcript.Entry) transcript.Body {
	if p.err != nil {
		return nil
	}
	body, err := p.session.Body(e)
	if err != nil {
		p.err = fmt.Errorf("reading the session: %w", err)
	}
	return body
}
