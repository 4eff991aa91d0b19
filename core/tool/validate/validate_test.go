package validate

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"veyyon.dev/veyyon/core/model"
)

const schema = `{
  "type": "object",
  "properties": {
    "path": {"type": "string"},
    "limit": {"type": "integer", "minimum": 1},
    "ratio": {"type": "number"},
    "all": {"type": "boolean"},
    "mode": {"type": "string", "enum": ["fast", "slow"]},
    "paths": {"type": "array", "items": {"type": "string"}},
    "options": {"type": "object", "properties": {"n": {"type": "integer"}}},
    "edits": {"type": "array", "items": {"type": "object", "properties": {"old": {"type": "string"}, "all": {"type": "boolean"}}, "required": ["old"]}},
    "either": {"anyOf": [{"type": "integer"}, {"type": "null"}]}
  },
  "required": ["path"],
  "additionalProperties": false
}`

func TestValidArgumentsAreNotTouched(t *testing.T) {
	for _, args := range []string{
		`{"path":"a"}`, ` { "path" : "<\u00e9>", "limit": 10000000000000001 } `, `{"path":"a","either":null,"ratio":1}`,
	} {
		got, err := Check(json.RawMessage(schema), "t", json.RawMessage(args))
		if err != nil || string(got) != args {
			t.Errorf("%s: %s, %v", args, got, err)
		}
	}
}

func TestSlipsAreRepaired(t *testing.T) {
	for args, want := range map[string]string{
		`{"path":"a","limit":"12"}`:                               `{"limit":12,"path":"a"}`,
		`{"path":"a","limit":" 10000000000000001 "}`:              `{"limit":10000000000000001,"path":"a"}`,
		`{"path":"<&>","ratio":"0.5"}`:                            `{"path":"<&>","ratio":0.5}`,
		`{"path":"a","all":"true"}`:                               `{"all":true,"path":"a"}`,
		`{"path":7}`:                                              `{"path":"7"}`,
		`{"path":"a","paths":"b"}`:                                `{"path":"a","paths":["b"]}`,
		`{"path":"a","paths":"[\"b\",\"c\"]"}`:                    `{"path":"a","paths":["b","c"]}`,
		`{"path":"a","options":"{\"n\":\"3\"}"}`:                  `{"options":{"n":3},"path":"a"}`,
		`{"path":"a","edits":"[{\"old\":\"x\",\"all\":\"no\"}]"}`: ``,
		`{"path":"a","edits":[{"old":"x","all":"false"}]}`:        `{"edits":[{"all":false,"old":"x"}],"path":"a"}`,
		`{"path":"a","either":"5"}`:                               `{"either":5,"path":"a"}`,
		`{"path":"a","limit":null}`:                               `{"path":"a"}`,
		`{"path":null}`:                                           ``,
		`{"path":"a","limit":"many"}`:                             ``,
	} {
		got, err := Check(json.RawMessage(schema), "t", json.RawMessage(args))
		if want == "" && err == nil || want != "" && string(got) != want {
			t.Errorf("%s: %s, %v; want %s", args, got, err, want)
		}
	}
}

func TestErrorsSayWhatAndWhere(t *testing.T) {
	for args, want := range map[string]string{
		`{}`:                           `path is required and missing`,
		`{"path":{"not":"text"}}`:      `path must be a string, not an object`,
		`{"path":"a","mode":"warp"}`:   `mode must be one of "fast", "slow", not "warp"`,
		`{"path":"a","mode":"<w>"}`:    `mode must be one of "fast", "slow", not "<w>"`,
		`{"path":"a","limit":0}`:       `minimum`,
		`{"path":"a","limit":1.5}`:     `limit must be an integer, not a number`,
		`{"path":"a","speed":1}`:       `speed is not a known property; known are all, edits,`,
		`{"path":"a","edits":[{},{}]}`: "\n- edits[0].old is required and missing\n- edits[1].old is required and missing",
		`[]`:                           `the arguments must be one JSON object`,
		`{"path":`:                     `the arguments must be one JSON object`,
		`{"path":"a"} {}`:              `the arguments must be one JSON object`,
	} {
		_, err := Check(json.RawMessage(schema), "t", json.RawMessage(args))
		if err == nil || !strings.HasPrefix(err.Error(), `Validation failed for tool "t":`) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", args, err, want)
		}
	}
}

func TestUnparsedArgumentsAreQuotedInShort(t *testing.T) {
	raw := `{"path": ` + strings.Repeat("é", 5000)
	args, err := json.Marshal(map[string]string{model.ParseErrorKey: "the arguments are not one JSON object", model.RawArgumentsKey: raw})
	if err != nil {
		t.Fatal(err)
	}
	_, err = Check(json.RawMessage(`not a schema`), "t", args)
	if err == nil || !strings.Contains(err.Error(), "not one JSON object; received: ") || len(err.Error()) > 400 {
		t.Errorf("error is %v", err)
	}
}

func TestSchemasThatDoNotCompileCheckNothing(t *testing.T) {
	for _, bad := range []string{``, `null`, `[]`, `{"type":5}`, `{"$ref":"#/nowhere"}`, `{"pattern":"("}`} {
		if got, err := Check(json.RawMessage(bad), "t", json.RawMessage(`{"a":1}`)); err != nil || string(got) != `{"a":1}` {
			t.Errorf("%q: %s, %v", bad, got, err)
		}
	}
}

func TestOtherDialectsAreChecked(t *testing.T) {
	for _, dialect := range []string{"http://json-schema.org/draft-07/schema#", "http://json-schema.org/draft-04/schema#", "https://json-schema.org/draft/2019-09/schema"} {
		text := fmt.Sprintf(`{"$schema":%q,"type":"object","required":["a"]}`, dialect)
		if _, err := Check(json.RawMessage(text), "t", json.RawMessage(`{}`)); err == nil {
			t.Errorf("%s is not checked", dialect)
		}
	}
}

func TestTheCacheIsBounded(t *testing.T) {
	for i := range 3 * maxCompiled {
		_, _ = Check(json.RawMessage(fmt.Sprintf(`{"title":"%d"}`, i)), "t", json.RawMessage(`{}`))
	}
	if n := len(cache.byID); n > maxCompiled {
		t.Errorf("%d schemas are kept", n)
	}
}

func FuzzCheck(f *testing.F) {
	f.Add(schema, `{"path":"a","limit":"1"}`)
	f.Add(`{"anyOf":[{"type":"array","items":{"type":"string"}}]}`, `{"x":[1]}`)
	f.Fuzz(func(t *testing.T, schema, args string) {
		got, err := Check(json.RawMessage(schema), "t", json.RawMessage(args))
		if err == nil && !json.Valid(got) {
			t.Errorf("%q is not JSON", got)
		}
	})
}
