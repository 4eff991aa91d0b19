package slash

import (
	"strings"
	"testing"

	"veyyon.dev/veyyon/core/message"
)

func TestADumpShowsTheEndOfALongConversation(t *testing.T) {
	long := strings.Repeat("ä", maxDump/4)
	var messages []message.Message
	for range 3 {
		messages = append(messages, message.NewUser(long, nil))
	}
	messages = append(messages, message.NewUser("the end", nil))
	text := dumped(messages)
	if len(text) > maxDump+200 || !strings.HasPrefix(text, "[What is before this is left out; /export writes all.]\n\nä") || !strings.HasSuffix(text, "\n\n## User\n\nthe end") {
		t.Error(len(text), text[:100])
	}
}
