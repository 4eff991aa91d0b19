package compaction

import "testing"

func TestKeysInCallsAndFilesAreHiddenAsTheyAreWrittenThere(t *testing.T) {
	hide := Hider([]string{`can"ary/4711`})
	if got := hide(`{"a":"can\"ary/4711"} https://h/?k=can%22ary%2F4711`); got != `{"a":"[redacted]"} https://h/?k=[redacted]` {
		t.Error(got)
	}
}
