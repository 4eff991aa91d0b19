// Package secret takes secrets out of texts.
package secret

import (
	"encoding/json"
	"html"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// Hidden is what stands where a secret was.
const Hidden = "[redacted]"

// MinKey is the length in bytes from which on a key is looked for in messages; a
// shorter one is a placeholder and would tear words apart.
const MinKey = 4

// Hide takes keys out of a message of somebody who was sent them, however they
// are written there: as they are, as in JSON, in a URL or in a page; and the
// names and passwords of URLs.
func Hide(text string, keys []string) string {
	var all []string
	for _, key := range keys {
		if len(key) >= MinKey {
			all = append(all, spellings(key)...)
		}
	}
	slices.SortFunc(all, func(a, b string) int { return len(b) - len(a) }) // one may be a part of another
	for _, spelling := range all {
		text = strings.ReplaceAll(text, spelling, Hidden)
	}
	return userinfo.ReplaceAllString(text, "$1")
}

// userinfo is the name and the password in a URL.
var userinfo = regexp.MustCompile(`([A-Za-z][A-Za-z0-9+.-]*://)[^/\s"'<>@]+@`)

// spellings are the ways to write a text that messages have.
func spellings(key string) []string {
	inJSON, _ := json.Marshal(key) // texts always encode
	quoted := string(inJSON[1 : len(inJSON)-1])
	inURL, inPath := url.QueryEscape(key), url.PathEscape(key)
	all := []string{
		key, quoted, strings.ReplaceAll(quoted, "/", `\/`), inURL, inPath, lowerHex(inURL), lowerHex(inPath), html.EscapeString(key),
	}
	slices.Sort(all)
	return slices.Compact(all)
}

var escape = regexp.MustCompile(`%[0-9A-F]{2}`)

func lowerHex(text string) string { return escape.ReplaceAllStringFunc(text, strings.ToLower) }
