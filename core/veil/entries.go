package veil

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"strings"

	"veyyon.dev/veyyon/core/model/datafile"
)

// An Entry is one secret, or an expression that finds some.
type Entry struct {
	Content string
	expr    *regexp.Regexp      // of Content, nil for a secret itself
	stand   func(string) string // what stands in the place of one; nil for a placeholder
}

// Plain are secrets that are known from elsewhere; shorter ones than are looked
// for are left out.
func Plain(texts []string) (entries []Entry) {
	for _, text := range texts {
		if len(text) >= minSecret {
			entries = append(entries, Entry{Content: text})
		}
	}
	return entries
}

// Read reads files secrets.yml, the profile's before the project's: of entries
// with the same content the last counts. A missing file is none. Each error tells
// of an entry, or a file, that is passed over, without what stands there.
func Read(paths ...string) (entries []Entry, errs []error) {
	at := map[string]int{}
	for _, path := range paths {
		list, err := list(path)
		if err != nil {
			errs = append(errs, fmt.Errorf("secrets are not read: %w", err))
			continue
		}
		for i, item := range list {
			e, problem := entry(item)
			if problem != "" {
				errs = append(errs, fmt.Errorf("%s[%d]: %s", path, i, problem))
				continue
			}
			if known, ok := at[e.Content]; ok {
				entries[known] = e
				continue
			}
			at[e.Content] = len(entries)
			entries = append(entries, e)
		}
	}
	return entries, errs
}

// maxFile bounds a file secrets.yml, in bytes; a larger one is refused. Each
// secret takes some ten times its entry's size in memory.
const maxFile = 1 << 20

func list(path string) (items []any, err error) {
	if info, err := os.Stat(path); err == nil && info.Size() > maxFile {
		return nil, fmt.Errorf("%s is larger than %d KiB", path, maxFile>>10)
	}
	file, err := datafile.Read(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return items, file.Decode(&items)
}

// entry makes an entry of what stands in a file, or says what is wrong with it.
func entry(item any) (e Entry, problem string) {
	text, ok := item.(map[string]any)
	if !ok {
		return e, "must be a mapping"
	}
	for _, key := range []string{"type", "content", "mode", "replacement", "flags"} {
		value, given := text[key]
		if _, ok := value.(string); given && !ok {
			return e, key + " must be text"
		}
	}
	word := func(key string) string {
		value, _ := text[key].(string) // seen above
		return value
	}
	kind := word("type")
	e.Content = word("content")
	switch {
	case kind != "plain" && kind != "regex":
		return e, `type must be "plain" or "regex"`
	case e.Content == "":
		return e, "content must not be empty"
	}
	replacement := word("replacement")
	switch word("mode") {
	case "replace":
		e.stand = stars
		if replacement != "" {
			e.stand = func(string) string { return replacement }
		}
	case "", "obfuscate":
	default:
		return e, `mode must be "obfuscate" or "replace"`
	}
	switch {
	case kind == "regex":
		e.expr, problem = expression(e.Content, word("flags"))
	case e.stand == nil && len(e.Content) < minSecret:
		problem = fmt.Sprintf("content is shorter than %d bytes and is ignored", minSecret)
	}
	return e, problem
}

// expression compiles what people write for JavaScript: a pattern, or /pattern/flags.
func expression(pattern, flags string) (expr *regexp.Regexp, problem string) {
	if end := strings.LastIndexByte(pattern, '/'); end > 0 && pattern[0] == '/' && strings.Trim(pattern[end+1:], "dgimsuvy") == "" {
		pattern, flags = pattern[1:end], flags+pattern[end+1:]
	}
	meant := "" // g, and those that change nothing here, are left out
	for _, flag := range flags {
		switch {
		case strings.ContainsRune("ims", flag):
			meant += string(flag)
		case !strings.ContainsRune("dguvy", flag):
			return nil, "flags must be some of dgimsuvy"
		}
	}
	if meant != "" {
		pattern = "(?" + meant + ")" + pattern
	}
	expr, err := regexp.Compile(pattern)
	if err != nil {
		return nil, "content is no expression that can be used here"
	}
	return expr, ""
}
