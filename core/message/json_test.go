package message

import "testing"

func TestMarkupIsWrittenAsItIs(t *testing.T) {
	raw, err := Marshal(&User{Role: RoleUser, Content: Blocks{NewText("<a> & \u2028")}})
	const want = `{"role":"user","content":[{"type":"text","text":"<a> & \u2028"}],"timestamp":0}`
	if err != nil || string(raw) != want {
		t.Errorf("%s, %v", raw, err)
	}
}
