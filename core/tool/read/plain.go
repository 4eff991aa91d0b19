package read

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"

	"veyyon.dev/veyyon/core/event"
	"veyyon.dev/veyyon/core/file"
	"veyyon.dev/veyyon/core/file/patch"
	"veyyon.dev/veyyon/core/message"
	"veyyon.dev/veyyon/core/tool"
)

// A source is a file to read.
type source struct {
	path  string // absolute
	texts file.Texts
	// name is how the text is headed, with its version, where models change lines
	// by their numbers; "" heads nothing.
	name string
}

// source is a file that was asked for by its path.
func (r *reader) source(call tool.Call, path string) source {
	s := source{path: path, texts: r.opts.Texts.For(call.Session)}
	if name := file.Display(call.Dir, path); r.opts.Tags && !strings.ContainsAny(name, "]#\n") {
		s.name = name
	}
	return s
}

// readPlain shows a file of plain text, which is in and has this size on the disk.
// It is read as far as it is shown, unless its version is told or the host may
// have another text of it.
func (r *reader) readPlain(ctx context.Context, from source, in io.Reader, size int64, sel selector, details Details) (tool.Output, error) {
	headed := from.name != "" && !sel.Raw
	var raw []byte
	if size <= file.MaxText && (headed || from.texts.Asks(from.path)) {
		all, err := io.ReadAll(io.LimitReader(in, file.MaxText+1))
		if err != nil {
			return tool.Output{}, fmt.Errorf("reading %s: %w", from.path, err)
		}
		if len(all) > file.MaxText { // it has grown
			in = io.MultiReader(bytes.NewReader(all), in)
		} else if raw, err = from.texts.Latest(ctx, from.path, all); err != nil {
			return tool.Output{}, err
		} else {
			in = bytes.NewReader(raw)
		}
	}
	out, err := r.readText(ctx, in, sel, "file", details)
	if err == nil && headed && raw != nil {
		head := message.NewText(patch.Header(from.name, patch.Tag(raw)) + "\n" + out.Content.Text())
		out.Content = message.Blocks{head}
	}
	return out, err
}

// at tells hosts what file an output is about, and where that begins.
func (s source) at(out tool.Output, sel selector) tool.Output {
	place := event.Location{Path: s.path}
	if len(sel.Ranges) > 0 {
		place.Line = sel.Ranges[0].From
	}
	out.Locations = []event.Location{place}
	return out
}
