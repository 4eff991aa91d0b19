package subagent

import "math/rand/v2"

var (
	adjectives = []string{
		"Able", "Brisk", "Calm", "Clear", "Deft", "Eager", "Fair", "Firm", "Fresh", "Gentle", "Keen", "Kind", "Lively", "Lucid", "Merry",
		"Neat", "Patient", "Plain", "Quick", "Quiet", "Ready", "Sharp", "Steady", "Sure", "Swift", "Tidy", "Warm", "Wise",
	}
	nouns = []string{
		"Badger", "Beaver", "Crane", "Dolphin", "Eagle", "Falcon", "Finch", "Fox", "Hare", "Heron", "Ibex", "Jay", "Kite", "Lark", "Lynx",
		"Marten", "Otter", "Owl", "Panda", "Raven", "Robin", "Seal", "Stork", "Swan", "Tern", "Vole", "Wolf", "Wren",
	}
)

// randomName is what an agent is called that nobody has named.
func randomName() string {
	return adjectives[rand.IntN(len(adjectives))] + nouns[rand.IntN(len(nouns))]
}
