package template

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// maxText bounds what a template becomes, in bytes; more is an error.
const maxText = 256 << 10

// places are where arguments are put: $1, a part of them as $@[2] or $@[2:3],
// and all of them.
var places = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\$(?:([1-9]\d*)|@\[(\d+)(?::(\d+))?\]|ARGUMENTS|@)|\{\{ *(?:args|ARGUMENTS|arguments) *\}\}`)
})

// fill puts the words behind a name into a text. What they hold is not looked at
// again. A text without a place for them has them below it.
func fill(text, words string) (string, error) {
	args := parse(words)
	found := places().FindAllStringSubmatchIndex(text, -1)
	var b strings.Builder
	end := 0
	for _, at := range found {
		b.WriteString(text[end:at[0]])
		b.WriteString(chosen(args, func(i int) (number int, ok bool) {
			if at[2*i] < 0 {
				return 0, false
			}
			return count(text[at[2*i]:at[2*i+1]]), true
		}))
		if end = at[1]; b.Len() > maxText {
			break
		}
	}
	b.WriteString(text[end:])
	if words = strings.TrimSpace(words); len(found) == 0 && words != "" {
		b.WriteString("\n\n" + words)
	}
	if b.Len() > maxText {
		return "", fmt.Errorf("with these arguments it has more than %d KiB", maxText>>10)
	}
	return b.String(), nil
}

// chosen is what stands in a place: group 1 is the number of an argument, group 2
// that of the first and group 3 how many.
func chosen(args []string, group func(int) (int, bool)) string {
	if n, ok := group(1); ok {
		if n > len(args) {
			return ""
		}
		return args[n-1]
	}
	if from, ok := group(2); ok {
		args = args[min(max(from-1, 0), len(args)):]
	}
	if most, ok := group(3); ok {
		args = args[:min(most, len(args))]
	}
	return strings.Join(args, " ")
}

// count reads digits; a number beyond all arguments is one as good as another.
func count(digits string) int {
	n, err := strconv.Atoi(digits)
	if err != nil {
		return 1 << 30
	}
	return n
}
