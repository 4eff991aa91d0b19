package read

import (
	"encoding/json"
	"io"
	"strings"

	"veyyon.dev/veyyon/core/file"
	"veyyon.dev/veyyon/core/file/patch"
	"veyyon.dev/veyyon/core/message"
	"veyyon.dev/veyyon/core/tool"
)

// maxTagged is how large a file may be to be named with its version, in bytes: a
// larger one cannot be edited.
const maxTagged = 32 << 20

// tagged puts the line that names the file and its version above its text, where
// models change lines by their numbers.
func (r *reader) tagged(out tool.Output, err error, dir, path string, sel selector) (tool.Output, error) {
	var details Details
	if err != nil || !r.opts.Tags || sel.Raw || out.IsError || json.Unmarshal(out.Details, &details) != nil || details.Kind != "file" {
		return out, err
	}
	name := file.Display(dir, path)
	f, info, openErr := file.Open(path)
	if openErr != nil || strings.ContainsAny(name, "]#\n") {
		return out, nil // it has just been read, or cannot be named
	}
	defer func() { _ = f.Close() }() // read only
	if info.Size() > maxTagged {
		return out, nil
	}
	raw, readErr := io.ReadAll(f)
	if _, wide := file.UTF16(raw); readErr != nil || wide {
		return out, nil
	}
	head := message.NewText(patch.Header(name, patch.Tag(raw)) + "\n" + out.Content.Text())
	out.Content = message.Blocks{head}
	return out, nil
}
