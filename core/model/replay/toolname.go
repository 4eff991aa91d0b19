package replay

import (
	"fmt"
	"hash/fnv"
	"strings"

	"veyyon.dev/veyyon/core/model"
)

// maxToolName is the longest name of a tool that all providers take, in bytes.
const maxToolName = 64

// ToolName is the name under which a provider hears of a tool. Hosts may name
// theirs as they like, and models call tools that do not exist; one name that a
// provider does not take would make it refuse every request of the session. Such
// a name loses what is not allowed, and gets a mark that keeps it apart from
// others.
func ToolName(name string) string {
	if takenByAll(name) {
		return name
	}
	mark := fnv.New32a()
	_, _ = mark.Write([]byte(name)) // a hash takes everything
	legal := strings.Map(func(r rune) rune {
		if allowed(r) {
			return r
		}
		return '_'
	}, name)
	return fmt.Sprintf("t_%.50s_%08x", legal, mark.Sum32())
}

// CalledTool returns the tool's own name for one that ToolName made of it.
func CalledTool(req *model.Request, name string) string {
	for _, tool := range req.Tools {
		if tool.Name != name && ToolName(tool.Name) == name {
			return tool.Name
		}
	}
	return name
}

func takenByAll(name string) bool {
	if name == "" || len(name) > maxToolName || !allowed(rune(name[0])) || name[0] == '-' || name[0] <= '9' {
		return false
	}
	return strings.IndexFunc(name, func(r rune) bool { return !allowed(r) }) < 0
}

func allowed(r rune) bool {
	return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '_' || r == '-'
}
