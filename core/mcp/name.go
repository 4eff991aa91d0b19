package mcp

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// maxName is how long the name of a tool may be: providers refuse longer ones.
const maxName = 64

// toolName is what models call a tool of a server: legal for all providers, and
// not taken. The same servers give the same names in each run.
func toolName(server, tool string, taken func(string) bool) string {
	name := "mcp__" + legal(server, "server") + "__" + legal(strings.TrimPrefix(tool, server+"_"), "tool")
	if len(name) <= maxName && !taken(name) {
		return name
	}
	sum := sha256.Sum256([]byte(server + "\x00" + tool))
	mark := "_" + hex.EncodeToString(sum[:4])
	return name[:min(len(name), maxName-len(mark))] + mark
}

// legal leaves letters, digits, hyphens and underscores.
func legal(text, instead string) string {
	var b strings.Builder
	for _, c := range text {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '-':
			b.WriteRune(c)
		case !strings.HasSuffix(b.String(), "_"):
			b.WriteByte('_')
		}
	}
	if name := strings.Trim(b.String(), "_"); name != "" {
		return name
	}
	return instead
}
