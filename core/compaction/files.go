package compaction

import (
	"encoding/json"
	"slices"
	"strings"

	"veyyon.dev/veyyon/core/file/patch"
	"veyyon.dev/veyyon/core/message"
)

// maxFiles bounds each list; the files that were touched first are left out.
const maxFiles = 200

// Files are the paths that the tools of a conversation read and changed, in the
// order they were last touched. A file that was changed is not among those read.
type Files struct {
	Read     []string `json:"readFiles"`
	Modified []string `json:"modifiedFiles"`
}

// Touched adds what these messages did to the lists of the compaction before,
// whose details may be empty or foreign.
func Touched(before json.RawMessage, messages []message.Message) Files {
	files := Files{}
	if len(before) > 0 && json.Unmarshal(before, &files) != nil {
		files = Files{}
	}
	for _, m := range messages {
		a, ok := m.(*message.Assistant)
		if !ok {
			continue
		}
		for _, call := range a.Content.ToolCalls() {
			files.touch(call)
		}
	}
	files.Read = slices.DeleteFunc(files.Read, func(path string) bool { return slices.Contains(files.Modified, path) })
	files.Read, files.Modified = newest(files.Read), newest(files.Modified)
	return files
}

func (f *Files) touch(call *message.ToolCall) {
	list := &f.Read
	switch call.Name {
	case "read":
	case "write", "edit":
		list = &f.Modified
	default:
		return
	}
	var args struct {
		Path  string `json:"path"`
		Input string `json:"input"` // of edit, where it goes by patches
	}
	if json.Unmarshal(call.Arguments, &args) != nil {
		return
	}
	for _, path := range append(patch.Paths(args.Input), args.Path) {
		if path == "" || strings.ContainsAny(path, "\n\r") {
			continue
		}
		if at := slices.Index(*list, path); at >= 0 {
			*list = slices.Delete(*list, at, at+1)
		}
		*list = append(*list, path)
	}
}

func newest(paths []string) []string {
	return append([]string{}, paths[max(0, len(paths)-maxFiles):]...)
}

// Details is how a transcript keeps the lists; nil when both are empty.
func (f Files) Details() json.RawMessage {
	if len(f.Read)+len(f.Modified) == 0 {
		return nil
	}
	raw, err := message.Marshal(f)
	if err != nil {
		return nil // unreachable: strings always encode
	}
	return raw
}

// The lists at the end of a summary begin with one of these.
const (
	readMark     = "\n\n<read-files>\n"
	modifiedMark = "\n\n<modified-files>\n"
)

func (f Files) text() string {
	text := ""
	if len(f.Read) > 0 {
		text += readMark + strings.Join(f.Read, "\n") + "\n</read-files>"
	}
	if len(f.Modified) > 0 {
		text += modifiedMark + strings.Join(f.Modified, "\n") + "\n</modified-files>"
	}
	return text
}

// withoutFiles takes the lists off a summary: they are made anew.
func withoutFiles(summary string) string {
	for _, mark := range []string{readMark, modifiedMark} {
		if at := strings.LastIndex(summary, mark); at >= 0 {
			summary = summary[:at]
		}
	}
	return summary
}
