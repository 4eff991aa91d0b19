package frontmatter

import "strings"

// plain reads a head that has nothing but lines of a key and a word or sentence,
// as most have; ok is false for any other, which takes YAML. The parser of that
// costs a process that has just begun milliseconds (measured: 6 for the heads of
// 50 skills).
func plain(head string) (meta Meta, ok bool) {
	meta = Meta{values: map[string]any{}, lines: map[string]int{}}
	line := 1
	for text := range strings.Lines(head) {
		line++
		key, value, found := strings.Cut(strings.TrimRight(text, "\r\n"), ": ")
		if !found || !isKey(key) || meta.lines[key] != 0 {
			return Meta{}, false
		}
		switch value = strings.Trim(value, " "); value {
		case "true", "false":
			meta.values[key] = value == "true"
		default:
			if text, quoted := unquoted(value); quoted {
				value = text
			} else if !isPlain(value) {
				return Meta{}, false
			}
			meta.values[key] = value
		}
		meta.lines[key] = line
	}
	return meta, len(meta.values) > 0
}

// unquoted is what stands between double quotes, if that means itself.
func unquoted(s string) (text string, ok bool) {
	text, begins := strings.CutPrefix(s, `"`)
	text, ends := strings.CutSuffix(text, `"`)
	return text, begins && ends && isShown(text) && !strings.ContainsAny(text, `"\\`)
}

func isKey(s string) bool {
	return s != "" && isLetter(s[0]) && !reserved(s) && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_") == ""
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// isPlain tells whether YAML takes the value for a text that means itself.
func isPlain(s string) bool {
	if s == "" || !isLetter(s[0]) || reserved(s) || strings.Contains(s, ": ") || strings.Contains(s, " #") || s[len(s)-1] == ':' {
		return false
	}
	return isShown(s)
}

func isShown(s string) bool {
	for _, r := range s {
		if r < ' ' || r > '~' {
			return false
		}
	}
	return true
}

// reserved tells whether some YAML takes a word for something else than text.
func reserved(s string) bool {
	switch strings.ToLower(s) {
	case "true", "false", "yes", "no", "on", "off", "y", "n", "null", "nan", "inf":
		return true
	}
	return false
}
