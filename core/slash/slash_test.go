package slash

import "testing"

func TestOnlyWhatBeginsWithACommandsNameCallsIt(t *testing.T) {
	for prompt, want := range map[string]bool{
		"/model": true, " /models \n": true, "/model:x/y": true, "/thinking\tlow": true, "/effort": true,
		"": false, "/": false, "model": false, "/modelling": false, "/ model": false, "/Model": false, "say /model": false,
	} {
		if got := Lookup(prompt) != nil; got != want {
			t.Errorf("%q calls a command: %t", prompt, got)
		}
	}
}

func TestEveryNameIsListedOnceAndCallsItsCommand(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range List() {
		for _, name := range append([]string{c.Name}, c.Aliases...) {
			if seen[name] || Lookup("/"+name) == nil {
				t.Errorf("%s is no name of one command", name)
			}
			seen[name] = true
		}
	}
}
