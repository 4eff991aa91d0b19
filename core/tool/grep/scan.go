package grep

import (
	"bytes"
	"context"
	"io"
	"regexp"
	"sort"
	"strings"
	"unicode/utf8"

	"veyyon.dev/veyyon/core/file"
)

const (
	maxFile   = 4 << 20   // bytes; a larger file is skipped
	maxAtOnce = 128 << 10 // bytes matched without a look at the context: a few milliseconds
	stride    = 1024      // lines, or runes of a longer text, between two looks at the context
)

// fileHits are the matches in one file.
type fileHits struct {
	content []byte
	starts  []int // where the lines begin
	matches []int // indexes of the lines that match, ascending
	more    bool  // there are more matches than were asked for
}

// line is a line without its end, as it may be shown.
func (h fileHits) line(i int) string {
	text, _ := file.Printable(lineOf(h.content, h.starts, i))
	return text
}

// pattern is a compiled search.
type pattern struct {
	re        *regexp.Regexp
	prefix    []byte // each match starts with it; empty when unknown
	multiline bool
}

// compile reads a pattern, which is never anything but a pattern, whatever it
// starts with.
func compile(text string, ignoreCase bool) (pattern, error) {
	flags := "m"
	if ignoreCase {
		flags = "mi"
	}
	re, err := regexp.Compile("(?" + flags + ")" + text)
	if err != nil {
		if _, bare := regexp.Compile(text); bare != nil {
			err = bare // it quotes the pattern without our flags
		}
		return pattern{}, err
	}
	prefix, _ := re.LiteralPrefix()
	multiline := strings.Contains(text, "\n") || strings.Contains(text, `\n`)
	return pattern{re: re, prefix: []byte(prefix), multiline: multiline}, nil
}

// scan searches one file for at most limit matching lines. Files that are not
// regular, too large or binary have no matches. The error is the cause of ctx.
func (p pattern) scan(ctx context.Context, path string, limit int) (fileHits, error) {
	if ctx.Err() != nil {
		return fileHits{}, context.Cause(ctx)
	}
	content, ok := load(path)
	if !ok {
		return fileHits{}, nil
	}
	find := p.byLine
	if p.multiline {
		find = p.across
		content = bytes.ReplaceAll(content, []byte("\r\n"), []byte("\n"))
	}
	if !bytes.Contains(content, p.prefix) {
		return fileHits{}, nil
	}
	starts := lineStarts(content)
	matches, err := find(ctx, content, starts, limit+1)
	if err != nil || len(matches) == 0 {
		return fileHits{}, err
	}
	more := len(matches) > limit
	return fileHits{content, starts, matches[:min(len(matches), limit)], more}, nil
}

func load(path string) (content []byte, ok bool) {
	f, info, err := file.Open(path)
	if err != nil || info.Size() > maxFile {
		if f != nil {
			_ = f.Close() // read only
		}
		return nil, false
	}
	defer func() { _ = f.Close() }() // read only
	content, err = io.ReadAll(io.LimitReader(f, maxFile))
	content = bytes.TrimPrefix(content, []byte(file.BOM))
	return content, err == nil && !file.Binary(content)
}

// byLine matches each line for itself.
func (p pattern) byLine(ctx context.Context, content []byte, starts []int, limit int) (matches []int, err error) {
	for i := range starts {
		if i%stride == 0 && ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		at, err := p.find(ctx, lineOf(content, starts, i))
		if err != nil {
			return nil, err
		}
		if at == nil {
			continue
		}
		if matches = append(matches, i); len(matches) == limit {
			break
		}
	}
	return matches, nil
}

// across matches the whole text, and goes on after the last line of each match.
func (p pattern) across(ctx context.Context, content []byte, starts []int, limit int) (matches []int, err error) {
	for next := 0; next < len(starts) && len(matches) < limit; {
		from := starts[next]
		at, err := p.find(ctx, content[from:])
		if at == nil || err != nil {
			return matches, err
		}
		first := lineIndex(starts, from+at[0])
		last := max(first, lineIndex(starts, max(from+at[0], from+at[1]-1)))
		for i := first; i <= last && len(matches) < limit; i++ {
			matches = append(matches, i)
		}
		next = last + 1
	}
	return matches, nil
}

// find is regexp.FindIndex that ends soon after ctx does, also in a long text.
func (p pattern) find(ctx context.Context, text []byte) ([]int, error) {
	if len(text) <= maxAtOnce {
		return p.re.FindIndex(text), nil
	}
	at := p.re.FindReaderIndex(&runes{ctx: ctx, text: text})
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return at, nil
}

// runes hands a text to the regexp engine, and pretends that it is over when ctx
// is: the engine takes no context.
type runes struct {
	ctx  context.Context // of the one search that reads from here
	text []byte
	read int
}

// ReadRune implements io.RuneReader.
func (r *runes) ReadRune() (c rune, size int, err error) {
	if len(r.text) == 0 || r.read%stride == 0 && r.ctx.Err() != nil {
		return 0, 0, io.EOF
	}
	c, size = utf8.DecodeRune(r.text)
	r.text = r.text[size:]
	r.read++
	return c, size, nil
}

func lineStarts(content []byte) []int {
	if len(content) == 0 {
		return nil
	}
	starts := []int{0}
	for i, b := range content[:len(content)-1] {
		if b == '\n' {
			starts = append(starts, i+1)
		}
	}
	return starts
}

// lineOf is a line without its end.
func lineOf(content []byte, starts []int, i int) []byte {
	end := len(content)
	if i+1 < len(starts) {
		end = starts[i+1]
	}
	return bytes.TrimSuffix(bytes.TrimSuffix(content[starts[i]:end], []byte("\n")), []byte("\r"))
}

// lineIndex is the line that holds an offset.
func lineIndex(starts []int, offset int) int {
	return sort.SearchInts(starts, offset+1) - 1
}
