package transcript

import "slices"

// HeardRules lists the rules that the model has been told on the path to the
// leaf, each once.
func (l *Log) HeardRules() (names []string) {
	for _, e := range pathTo(l.Leaf()) {
		if e.Type != typeRuleInjection {
			continue
		}
		if b, ok := l.Body(e).(*RuleInjection); ok {
			for _, name := range b.InjectedRules {
				if !slices.Contains(names, name) {
					names = append(names, name)
				}
			}
		}
	}
	return names
}
