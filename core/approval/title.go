package approval

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxShown is how many characters of a value the dialog shows; of a longer one
// the middle is left out, so that neither end can hide.
const maxShown = 2000

// title is what the dialog says (facts/platform 7.4). What could pass itself off
// as a line of ours comes last.
func (g *Gate) title(c Call, d Decision) string {
	lines := []string{"Allow tool: " + c.Tool}
	line := func(name, value string) {
		if value != "" {
			lines = append(lines, name+": "+visible(shortened(value)))
		}
	}
	line("Agent", g.agent)
	line("Reason", d.Reason)
	if c.Tool == shellTool {
		var args shellArguments
		_ = json.Unmarshal(c.Args, &args) // they fit the schema
		line("Directory", args.Cwd)
		for _, name := range slices.Sorted(maps.Keys(args.Env)) {
			line("Environment", name+"="+args.Env[name])
		}
		line("Command", args.Command)
		return strings.Join(lines, "\n")
	}
	if paths := c.paths(); len(paths) > 0 {
		line("File", paths[0])
	} else if args := string(c.Args); args != "{}" {
		line("Arguments", args)
	}
	return strings.Join(lines, "\n")
}

func shortened(text string) string {
	runes := []rune(text)
	if len(runes) <= maxShown {
		return text
	}
	half := maxShown / 2
	return fmt.Sprintf("%s[…%dch elided…]%s", string(runes[:half]), len(runes)-maxShown, string(runes[len(runes)-half:]))
}

// visible shows the characters that would change how a text looks.
func visible(text string) string {
	var b strings.Builder
	for _, c := range text {
		if c != '\n' && c != '\t' && c != ' ' && (unicode.IsControl(c) || unicode.In(c, unicode.Cf, unicode.Zs, unicode.Zl, unicode.Zp) || c == utf8.RuneError) {
			fmt.Fprintf(&b, "<%U>", c)
			continue
		}
		b.WriteRune(c)
	}
	return b.String()
}
