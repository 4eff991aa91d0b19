package read

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"veyyon.dev/veyyon/core/message"
	"veyyon.dev/veyyon/core/tool"
)

// readURL reads an artifact, a page or one of the host's resources.
func (r *reader) readURL(ctx context.Context, call tool.Call, scheme, url string) (tool.Output, error) {
	pages := scheme == "http" || scheme == "https"
	base, sel, err := split(url, func(url string) bool { return pages && isHost(url) })
	if err != nil {
		return tool.Output{}, err
	}
	switch {
	case scheme == "artifact":
		return r.readArtifact(ctx, call, base, sel)
	case scheme == "skill":
		return r.readSkill(ctx, call, base, sel)
	case scheme == "local" && r.opts.Local != nil:
		return r.readLocal(ctx, call, base, sel)
	case scheme == "mcp" && r.opts.Server != nil:
		return r.readServer(ctx, url)
	case pages:
		return r.readWeb(ctx, base, sel)
	}
	if r.opts.URIs == nil {
		return tool.Output{}, unknownScheme(scheme)
	}
	known, ok := r.opts.URIs.Scheme(scheme)
	if !ok {
		return tool.Output{}, unknownScheme(scheme)
	}
	resource, err := r.opts.URIs.Read(ctx, base)
	if err != nil {
		return tool.Output{}, err
	}
	// Line numbers are for edits, and nobody can edit what never changes.
	sel.Raw = sel.Raw || resource.Immutable || known.Immutable
	details := Details{URL: base, ContentType: resource.ContentType, Notes: resource.Notes}
	return r.readText(ctx, strings.NewReader(resource.Content), sel, "uri", details)
}

// readSkill reads a file of a skill. What that says is relative to where it is.
func (r *reader) readSkill(ctx context.Context, call tool.Call, url string, sel selector) (tool.Output, error) {
	if r.opts.Skill == nil {
		return tool.Output{}, unknownScheme("skill")
	}
	path, err := r.opts.Skill(call.Dir, url)
	if err != nil {
		return tool.Output{}, err
	}
	out, err := r.readPath(ctx, source{path: path}, sel, Details{URL: url})
	if err == nil {
		out.Content = append(message.Blocks{message.NewText(fmt.Sprintf("[%s is %s]\n", url, path))}, out.Content...)
	}
	return out, err
}

// readLocal reads a file of the session's own.
func (r *reader) readLocal(ctx context.Context, call tool.Call, url string, sel selector) (tool.Output, error) {
	path, err := r.opts.Local(call.Session, url)
	if err != nil {
		return tool.Output{}, err
	}
	return r.readPath(ctx, source{path: path}, sel, Details{URL: url})
}

// readServer reads a resource of an MCP server. Its URL is all behind the server's
// name, so that no selector of lines is looked for.
func (r *reader) readServer(ctx context.Context, url string) (tool.Output, error) {
	text, err := r.opts.Server(ctx, url)
	if err != nil {
		return tool.Output{}, err
	}
	return r.readText(ctx, strings.NewReader(text), selector{Raw: true}, "uri", Details{URL: url})
}

func unknownScheme(scheme string) error {
	return fmt.Errorf("nothing is registered that reads %s:// URLs", scheme)
}

func (r *reader) readArtifact(ctx context.Context, call tool.Call, url string, sel selector) (tool.Output, error) {
	n, err := strconv.Atoi(strings.TrimPrefix(url, "artifact://"))
	if err != nil {
		return tool.Output{}, fmt.Errorf("%s does not name an artifact; its form is artifact://<number>", url)
	}
	if r.opts.Artifact != nil {
		if path, ok := r.opts.Artifact(call.Session, n); ok {
			return r.readPath(ctx, source{path: path}, sel, Details{URL: url})
		}
	}
	return tool.Output{}, fmt.Errorf("this session has no artifact %d", n)
}
