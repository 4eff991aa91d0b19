package main

import (
	"fmt"
	"strings"
)

// hint is what to say of a word that is no command but reads like one; ok is
// false when it does not.
//
// Source: facts/platform 1.2.
func hint(word string) (text string, ok bool) {
	if word == "" {
		return "", false
	}
	allowed := 1 // slips
	if len(word) > 5 {
		allowed = 2
	}
	for _, name := range commandNames {
		if strings.HasPrefix(name, word) || distance(word, name) <= allowed {
			return fmt.Sprintf("`veyyon %s` is not a command. Did you mean `veyyon %s`?", word, name), true
		}
	}
	return "", false
}

// distance is the number of bytes to insert, delete or replace to make b of a.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replaced := diagonal
			if a[i] != b[j] {
				replaced++
			}
			diagonal = row[j+1]
			row[j+1] = min(replaced, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
