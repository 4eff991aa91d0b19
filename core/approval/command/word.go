package command

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// A Word is what is known of a word of a line before it runs.
type Word struct {
	// Text is the whole word when it is Known, or else how it begins.
	Text  string
	Known bool
	// Many says that there may be any number of words in its place, which begin
	// alike; Split, that there may be any words.
	Many, Split bool

	number  bool // it is a number, or nothing
	fetches bool // a substitution in it asks the network
}

// words reads the words of a command.
func (r *reader) words(list []*syntax.Word) []Word {
	words := make([]Word, len(list))
	for i, w := range list {
		words[i] = r.word(w)
	}
	return words
}

// word reads a word, and the commands in it.
func (r *reader) word(w *syntax.Word) Word {
	if w == nil {
		return Word{Known: true}
	}
	b := builder{r: r, word: Word{Known: true}, lone: w.Lit(), braces: braces(w)}
	b.parts(w.Parts, false)
	b.word.number = len(w.Parts) == 1 && (numeral(w.Parts[0]) || lastJob(w.Parts[0]) || r.counts(w.Parts[0]))
	return b.word
}

// A builder puts together what is known of a word.
type builder struct {
	r    *reader
	word Word
	lone string // the word as it stands, when nothing in it is quoted or expanded
	last byte   // what stands before
	// braces says that { may begin alternatives, such as {a,b}.
	braces bool
}

func braces(w *syntax.Word) bool {
	var plain strings.Builder
	for _, part := range w.Parts {
		if lit, ok := part.(*syntax.Lit); ok {
			plain.WriteString(lit.Value)
		}
	}
	text := plain.String()
	return strings.Contains(text, ",") || strings.Contains(text, "..")
}

func (b *builder) parts(parts []syntax.WordPart, quoted bool) {
	for _, part := range parts {
		switch p := part.(type) {
		case *syntax.Lit:
			b.literal(p.Value, quoted)
		case *syntax.SglQuoted:
			if p.Dollar {
				b.unknown()
				continue
			}
			b.text(p.Value)
		case *syntax.DblQuoted:
			if p.Dollar {
				b.unknown()
			}
			b.parts(p.Parts, true)
		case *syntax.ParamExp:
			b.parameter(p, quoted)
		case *syntax.CmdSubst:
			b.substitution(p.Stmts, quoted)
			if p.Backquotes && strings.ContainsRune(b.r.text[p.Pos().Offset():p.End().Offset()], '\\') {
				b.r.blind("it has backslashes between backquotes")
			}
			if p.TempFile || p.ReplyVar {
				b.r.blind("it has an unknown substitution")
			}
		case *syntax.ProcSubst:
			b.substitution(p.Stmts, true)
		case *syntax.ArithmExp:
			b.r.arithmetic(p.X)
			b.unknown()
		default:
			b.r.doubt("it has an unknown expansion")
			b.word.Split = true
			b.unknown()
		}
	}
}

// text adds what stands there as it is.
func (b *builder) text(s string) {
	if b.word.Known {
		b.word.Text += s
	}
	if s != "" {
		b.last = s[len(s)-1]
	}
}

// unknown says that nothing is known from here on.
func (b *builder) unknown() {
	b.word.Known = false
	b.last = 'x'
}

// expansion adds the value of something.
func (b *builder) expansion(quoted bool) {
	if !quoted {
		b.word.Split = true
	}
	b.unknown()
}

// literal adds plain text: quoted by double quotes, or not at all.
func (b *builder) literal(s string, quoted bool) {
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case c == '\\' && i+1 == len(s):
			b.unknown()
		case c == '\\' && (!quoted || strings.IndexByte("$`\"\\\n", s[i+1]) >= 0):
			i++
			if s[i] != '\n' {
				b.text(s[i : i+1])
			}
		case !quoted && b.special(c, s[i+1:]):
			b.unknown()
		default:
			b.text(s[i : i+1])
		}
	}
}

// special tells whether an unquoted character makes something else of the word.
func (b *builder) special(c byte, rest string) bool {
	switch c {
	case '*', '?', '[':
		if b.lone == "[" {
			return false
		}
		b.word.Many = true
	case '{':
		if !b.braces {
			return false
		}
		b.word.Many = true
	case '~':
		if b.last != 0 && b.last != '=' && b.last != ':' {
			return false
		}
		if b.last == 0 && (b.lone == "~" || rest != "" && rest[0] == '/') {
			b.text("/") // the home directory is absolute
		}
	default:
		return false
	}
	return true
}

// substitution adds the output of commands.
func (b *builder) substitution(stmts []*syntax.Stmt, quoted bool) {
	before := len(b.r.line.Calls)
	b.r.statements(stmts)
	b.word.fetches = b.word.fetches || fetches(b.r.line.Calls[before:])
	b.expansion(quoted)
}

// parameter adds the value of a variable.
func (b *builder) parameter(p *syntax.ParamExp, quoted bool) {
	r := b.r
	name := ""
	if p.Param != nil {
		name = p.Param.Value
	}
	if p.Excl || p.Names != 0 || p.NestedParam != nil || p.Flags != nil || p.Width || p.IsSet || len(p.Modifiers) > 0 || name == "" {
		r.blind("the value of a variable says which variable is meant")
	}
	all := name == "@"
	switch index := p.Index.(type) {
	case nil:
	case *syntax.Word:
		if lit := index.Lit(); lit == "@" || lit == "*" {
			all = all || lit == "@"
			break
		}
		r.arithmetic(index)
	default:
		r.arithmetic(index)
	}
	if p.Slice != nil {
		r.arithmetic(p.Slice.Offset)
		r.arithmetic(p.Slice.Length)
	}
	if p.Repl != nil {
		all = b.inner(p.Repl.Orig, quoted) || all
		all = b.inner(p.Repl.With, quoted) || all
	}
	if p.Exp != nil {
		word := p.Exp.Word
		if p.Exp.Op == syntax.OtherParamOps {
			if word == nil || strings.IndexByte("QUuLE", (word.Lit() + "P")[0]) < 0 {
				r.blind("the value of a variable is expanded again")
			}
		} else {
			all = b.inner(word, quoted) || all
		}
		if p.Exp.Op == syntax.AssignUnset || p.Exp.Op == syntax.AssignUnsetOrNull {
			r.sets(name)
		}
	}
	if all && !p.Length {
		b.word.Split = true
	}
	b.expansion(quoted || numeral(p))
}

// numeral tells whether an expansion always comes to a number.
func numeral(part syntax.WordPart) bool {
	switch p := part.(type) {
	case *syntax.ArithmExp:
		return true
	case *syntax.ParamExp:
		simple := p.Param != nil && p.Index == nil && p.Exp == nil && p.Repl == nil && p.Slice == nil && !p.Excl && p.Names == 0
		return simple && (p.Length || strings.Contains("#?$", p.Param.Value))
	}
	return false
}

// lastJob tells whether an expansion is $!, a number or nothing.
func lastJob(part syntax.WordPart) bool {
	p, ok := part.(*syntax.ParamExp)
	return ok && p.Short && p.Param != nil && p.Param.Value == "!"
}

// inner reads a word within an expansion and tells whether it may come to
// several words although it is quoted. The parser does not know that between
// double quotes the single ones in it quote nothing, and that it may have process
// substitutions.
func (b *builder) inner(w *syntax.Word, quoted bool) bool {
	if w == nil {
		return false
	}
	for _, part := range w.Parts {
		switch p := part.(type) {
		case *syntax.SglQuoted:
			if quoted {
				b.r.blind("it has single quotes in an expansion between double ones")
			}
		case *syntax.Lit:
			if strings.Contains(p.Value, "<(") || strings.Contains(p.Value, ">(") {
				b.r.blind("it has a process substitution in an expansion")
			}
		}
	}
	nested := builder{r: b.r}
	nested.parts(w.Parts, true)
	b.word.fetches = b.word.fetches || nested.word.fetches
	return nested.word.Split
}
