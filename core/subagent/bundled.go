package subagent

import (
	"embed"
	"path"
	"sync"

	"veyyon.dev/veyyon/core/event"
	"veyyon.dev/veyyon/core/frontmatter"
)

//go:embed bundled/*.md
var files embed.FS

// quickBudget is the soft budget of requests of agents for small work.
const quickBudget = 100

// bundled are the definitions that come with the program; a test reads each.
var bundled = sync.OnceValue(func() (list []Definition) {
	entries, _ := files.ReadDir("bundled") // it is embedded
	for _, entry := range entries {
		text, _ := files.ReadFile(path.Join("bundled", entry.Name())) // as above
		meta, body, err := frontmatter.Split(text)
		if err != nil {
			continue
		}
		d, err := parse(meta, body)
		if err != nil {
			continue
		}
		d.Source = event.AgentBundled
		if d.Name == "scout" || d.Name == "sonic" {
			d.Requests = quickBudget
		}
		list = append(list, d)
	}
	return list
})
