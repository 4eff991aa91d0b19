package secret

import (
	"strings"
	"testing"
)

func TestKeysInCallsAndFilesAreHiddenAsTheyAreWrittenThere(t *testing.T) {
	hide := Cautious([]string{`can"ary/4711`})
	if got := hide(`{"a":"can\"ary/4711"} https://h/?k=can%22ary%2F4711`); got != `{"a":"[redacted]"} https://h/?k=[redacted]` {
		t.Error(got)
	}
}

func TestWhatLooksLikeAKeyIsHiddenAndWordsStay(t *testing.T) {
	hide := Cautious(nil)
	const word = "AbCdEfGhIjKlMnOpQrStUvWxYz0123456789"
	for _, key := range []string{
		"sk-" + word, "ghp_" + word, "github_pat_" + word, "glpat-" + word, "AKIA" + strings.ToUpper(word[:16]), "AIza" + word[:35], "xoxb-" + word,
		"-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----", "-----BEGIN PRIVATE KEY-----\nabc",
	} {
		if got := hide("a=" + key); got != "a="+Hidden {
			t.Errorf("%s became %s", key, got)
		}
		if got := hide(key + " and " + key); got != Hidden+" and "+Hidden && got != Hidden { // the last is not ended
			t.Errorf("%s twice became %s", key, got)
		}
	}
	const plain = "task-some-long-name-in-kebab-case AKIA sk-short xghp_" + word + " AKIA" + "ABCDEFGHIJKLMNOPQ"
	if got := hide(plain); got != plain {
		t.Error(got)
	}
}

func BenchmarkCautious(b *testing.B) {
	hide := Cautious([]string{"sk-ant-canary-0123456789", "another/key+0123456789", "third-key-0123456789"})
	text := strings.Repeat("func (st *state) author(ratio float64) author { return task-disk } // 0x3f #12, high enough\n", 1<<20/92)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		hide(text)
	}
}
