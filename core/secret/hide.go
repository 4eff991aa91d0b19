// Package secret takes secrets out of texts.
package secret

import (
	"encoding/base64"
	"encoding/json"
	"html"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Hidden is what stands where a secret was.
const Hidden = "[redacted]"

// MinKey is the length in bytes from which on a key is looked for in messages; a
// shorter one is a placeholder and would tear words apart.
const MinKey = 4

// Hide takes keys out of a message of somebody who was sent them, however they
// are written there, and the names and passwords of URLs. Of the address of a
// proxy that cannot be read nothing stays: who is to say where its password ends?
func Hide(text string, keys []string) string {
	if before, _, found := strings.Cut(text, badProxy+` "`); found {
		text = before + badProxy
	}
	return userinfo().ReplaceAllString(Hider(keys, MinKey)(text), "$1")
}

// badProxy is how net/http begins to tell of a proxy whose address it cannot read.
const badProxy = "invalid proxy address"

// Hider returns what takes keys out of texts, however they are written there. A
// key of less than so many bytes is not looked for. Safe for concurrent use.
func Hider(keys []string, atLeast int) func(string) string {
	var all []string
	for _, key := range keys {
		if len(key) >= atLeast {
			all = append(all, Spellings(key)...)
		}
	}
	slices.SortFunc(all, func(a, b string) int { return len(b) - len(a) }) // one may be a part of another
	pairs := make([]string, 0, 2*len(all))
	for _, spelling := range all {
		pairs = append(pairs, spelling, Hidden)
	}
	return strings.NewReplacer(pairs...).Replace
}

// userinfo is the name and the password in a URL.
var userinfo = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`([A-Za-z][A-Za-z0-9+.-]*://)[^/\s"'<>@]+@`) })

// Spellings are the ways to write a key that others have, the key itself among
// them: as a part of a JSON string, a URL or a page, or of anything in base64.
func Spellings(key string) []string {
	inJSON, _ := json.Marshal(key) // texts always encode
	quoted := string(inJSON[1 : len(inJSON)-1])
	bare := htmlless.Replace(quoted) // as encoders do that do not think of pages
	inURL, inPath := url.QueryEscape(key), url.PathEscape(key)
	all := []string{
		key, quoted, bare, strings.ReplaceAll(quoted, "/", `\/`), strings.ReplaceAll(bare, "/", `\/`), inURL, inPath, lowerHex(inURL), lowerHex(inPath), html.EscapeString(key),
	}
	if len(key) >= minBase64 {
		all = append(all, inBase64(key)...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// htmlless takes back what encoding/json does for pages. What it escapes begins
// with one backslash, which is never the second of two.
var htmlless = strings.NewReplacer(`\\`, `\\`, `\u003c`, "<", `\u003e`, ">", `\u0026`, "&")

// minBase64 is the length in bytes from which on a key is looked for in base64
// too: what is certain of a shorter one would be found in other data.
const minBase64 = 8

// inBase64 is what is the same of the key whatever stands around it.
func inBase64(key string) (all []string) {
	for before := range 3 { // bytes of what comes before, beyond whole groups of three
		bits := 8 * (before + len(key))
		for _, coding := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
			whole := coding.EncodeToString([]byte("\x00\x00"[:before] + key))
			all = append(all, whole[(8*before+5)/6:bits/6])
		}
	}
	return all
}

var escape = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`%[0-9A-F]{2}`) })

func lowerHex(text string) string { return escape().ReplaceAllStringFunc(text, strings.ToLower) }
