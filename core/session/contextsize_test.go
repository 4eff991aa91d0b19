package session

import (
	"testing"

	"veyyon.dev/veyyon/core/message"
)

func TestAnAnswerThatIsTakenOutCountsForNothing(t *testing.T) {
	answer := func(text string, input int, stop message.StopReason) *message.Assistant {
		return &message.Assistant{Content: message.Blocks{message.NewText(text)}, Usage: message.Usage{Input: input, Output: 5}, StopReason: stop, Timestamp: 2}
	}
	for name, out := range map[string]*message.Assistant{
		"counted by its provider": answer("", 100, message.StopStop),
		"failed":                  answer("half of it", 0, message.StopError),
	} {
		var size contextSize
		size.add(message.NewUser("a question", nil))
		size.add(answer("fine", 50, message.StopStop))
		size.add(message.NewUser("another", nil))
		want := size
		size.add(out)
		size.remove(out)
		if got := [4]int{size.counted, size.answered, size.since, size.all}; got != [4]int{want.counted, want.answered, want.since, want.all} {
			t.Errorf("%s: %v remain of %+v", name, got, want)
		}
	}
}
