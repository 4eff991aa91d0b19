package secret

import (
	"encoding/base64"
	"encoding/json"
	"html"
	"net/url"
	"strings"
	"testing"
)

func TestAKeyIsFoundHoweverItIsWritten(t *testing.T) {
	const key = `canary/+=&<"'x y`
	raw, err := json.Marshal(map[string]string{"said": "you sent " + key + "!"})
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{
		key, string(raw), `{"said":"canary\/+=&<\"'x y"}`, `{"said":"canary/+=&<\"'x y"}`, strings.ReplaceAll(string(raw), "/", `\/`), url.QueryEscape(key), strings.ToLower(url.QueryEscape(key)),
		"/v1/" + url.PathEscape(key) + "/x", html.EscapeString(key), key + key,
		base64.StdEncoding.EncodeToString([]byte(key)), base64.URLEncoding.EncodeToString([]byte("ab" + key + "cd")),
	} {
		if said := Hide(text, []string{"canary", "x", key}); strings.Contains(said, "canary") || strings.Contains(said, "FuYXJ") || strings.Contains(said, "jYW5hcn") || strings.Contains(said, "x y") || !strings.Contains(said, Hidden) {
			t.Errorf("%s became %s", text, said)
		}
	}
	if said := Hide("a placeholder x stays, and none is one", []string{"x", "none "[:3]}); said != "a placeholder x stays, and none is one" {
		t.Error(said)
	}
}

func TestNamesInURLsAreTakenOut(t *testing.T) {
	for text, want := range map[string]string{
		`x: invalid proxy address "http://me:p@s/s@host:1": parse "http://me:p@s/s@host:1": invalid port ":p@s" after host`: "x: invalid proxy address",
		`proxyconnect "http://me:pass@host:1": x`: `proxyconnect "http://host:1": x`,
		"see https://host/a@b and me@host":        "see https://host/a@b and me@host",
		"postgres://me@host/x":                    "postgres://host/x",
	} {
		if said := Hide(text, nil); said != want {
			t.Error(said)
		}
	}
}
