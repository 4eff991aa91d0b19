package transcript

import (
	"encoding/json"
	"strings"
	"testing"
)

func compareFields(t *testing.T, data []byte) {
	t.Helper()
	got := map[string]string{}
	whole := eachField(data, func(key, value []byte) {
		text := ""
		if json.Unmarshal([]byte(`"`+string(key)+`"`), &text) == nil {
			got[text] = string(value)
		}
	})
	var want map[string]json.RawMessage
	if json.Unmarshal(data, &want) != nil || want == nil {
		return
	}
	if !whole {
		t.Fatalf("%q is an object", data)
	}
	same(t, len(want), len(got))
	for key, value := range want {
		same(t, strings.TrimSpace(string(value)), got[key])
	}
}

func TestFieldsAreThoseOfTheObject(t *testing.T) {
	for _, text := range []string{
		`{}`, ` {"a":"b"} `, `{"a":"\\"}`, `{"a":"\\\"","b":{"a":["}","]"]}}`, `{"a":true,"b":false,"c":null,"d":1.5e-3}`, "{\"a\" :\t[ 1 , 2 ]\r\n}",
	} {
		compareFields(t, []byte(text))
	}
	for _, text := range []string{``, `x`, `{`, `{"`, `{"a`, `{"a"`, `{"a":`, `{"a":}`, `{"a":1`, `{"a":1,`, `{"a":1,}`, `{"a":{"b":1}`, `{"a":1}x`, `{"a":"b\"}`, `[]`} {
		if eachField([]byte(text), func(_, _ []byte) {}) {
			t.Errorf("%q is an object", text)
		}
	}
}
