package message

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// FuzzBlocksAreReadTheSameInOnePass compares the quick way with block by block.
func FuzzBlocksAreReadTheSameInOnePass(f *testing.F) {
	f.Add([]byte(`[{"type":"text","text":"a","textSignature":"s"},{"type":"image","data":"AA==","mimeType":"image/png","detail":"low"}]`))
	f.Add([]byte(`[{"type":"thinking","thinking":"t","thinkingSignature":"s","itemId":"i"},{"type":"redactedThinking","data":"d"}]`))
	f.Add([]byte(`[{"type":"toolCall","id":"1","name":"n","arguments":{"a": 1},"thoughtSignature":"s"},{"type":"toolCall","arguments":null}]`))
	f.Add([]byte(`[{"type":"text","text":5},{"type":"other"},null]`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		quick, ok := decodeKnown(raw)
		if !ok {
			return
		}
		var items []json.RawMessage
		if err := json.Unmarshal(raw, &items); err != nil {
			t.Fatal(err)
		}
		slow := make(Blocks, 0, len(items))
		for _, item := range items {
			block, err := decodeBlock(item)
			if err != nil {
				t.Fatal(err)
			}
			slow = append(slow, block)
		}
		if diff := cmp.Diff(slow, quick); diff != "" {
			t.Fatal(diff)
		}
	})
}

func TestMessageOfAnUnknownRoleIsKept(t *testing.T) {
	raw := `{"role":"fileMention","files":[]}`
	m, err := Decode([]byte(raw))
	if unknown, ok := m.(*Unknown); err != nil || !ok || string(unknown.Raw) != raw {
		t.Fatalf("%#v, %v", m, err)
	}
	for _, bad := range []string{`{"role":"fileMention"`, `{"role":"user"`, `{"role":"user","content":5}`, `[]`, ``} {
		if m, err := Decode([]byte(bad)); err == nil {
			t.Errorf("%s became %#v", bad, m)
		}
	}
}
