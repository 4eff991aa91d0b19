package main

import (
	"cmp"
	"reflect"
	"strings"
	"unicode"
)

// quick reads a command line of nothing but launch flags, each in full and with
// its value as the next word, as hosts write it. ok is false for any other;
// then kong decides, also about what is wrong with it.
//
// It is there for the time until ready: building kong's picture of all flags
// takes half a millisecond of three (measured). A test compares it with kong.
func quick(args []string) (flags *launchFlags, ok bool) {
	flags = &launchFlags{}
	for len(args) > 0 {
		name, long := strings.CutPrefix(args[0], "--")
		if !long {
			return nil, false
		}
		rest := take(flagNamed(flags, name), args[1:])
		if rest == nil {
			return nil, false
		}
		args = rest
	}
	return flags, true
}

// flagNamed points to the flag of that name; nil when there is none.
func flagNamed(flags *launchFlags, name string) any {
	all := reflect.ValueOf(flags).Elem()
	for i := range all.NumField() {
		field := all.Type().Field(i)
		if cmp.Or(field.Tag.Get("name"), kebab(field.Name)) == name {
			return all.Field(i).Addr().Interface()
		}
	}
	return nil
}

// kebab turns the name of a field into that of its flag, as kong does:
// SessionDir is session-dir.
func kebab(field string) string {
	var b strings.Builder
	for i, r := range field {
		if unicode.IsUpper(r) && i > 0 {
			b.WriteByte('-')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

// take gives a flag its value and returns the words after that; nil when it
// cannot.
func take(flag any, words []string) []string {
	if on, ok := flag.(*bool); ok {
		*on = true
		return words
	}
	if len(words) == 0 || strings.HasPrefix(words[0], "-") {
		return nil
	}
	switch flag := flag.(type) {
	case *string:
		*flag = words[0]
	case *prose:
		*flag = prose(words[0])
	case **string:
		*flag = &words[0]
	case *[]string:
		*flag = append(*flag, words[0])
	default:
		return nil
	}
	return words[1:]
}
