package export

import (
	"strings"
	"sync"
)

// A language is what highlight knows of one.
type language struct {
	lines   []string    // what begins a comment that ends with the line
	blocks  [][2]string // what comments stand between
	strings []quote     // the longer ones first
	words   map[string]bool
	anyCase bool // words are known in upper case too
	keys    bool // a word or a string before a colon or an equals sign is a name
	markup  bool // it has tags
	diff    bool
}

// A quote is what strings stand between.
type quote struct {
	open, close string
	raw         bool // a backslash in it is one
	many        bool // it may have several lines
}

// end is where the string at the beginning of text ends. One that is not closed
// ends with its line, or with the text.
func (q quote) end(text string) int {
	for i := len(q.open); i < len(text); i++ {
		switch {
		case text[i] == '\\' && !q.raw && i+1 < len(text):
			i++
		case text[i] == '\n' && !q.many:
			return i
		case strings.HasPrefix(text[i:], q.close):
			return i + len(q.close)
		}
	}
	return len(text)
}

var (
	double     = quote{open: `"`, close: `"`}
	single     = quote{open: `'`, close: `'`}
	backtick   = quote{open: "`", close: "`", many: true}
	rawTick    = quote{open: "`", close: "`", raw: true, many: true}
	tripleD    = quote{open: `"""`, close: `"""`, many: true}
	tripleS    = quote{open: `'''`, close: `'''`, many: true}
	shellS     = quote{open: `'`, close: `'`, raw: true, many: true}
	shellD     = quote{open: `"`, close: `"`, many: true}
	slashStar  = [][2]string{{"/*", "*/"}}
	slashes    = []string{"//"}
	hash       = []string{"#"}
	curlyWords = "if else for while do switch case default break continue return try catch finally throw new this super class interface enum extends implements import export package public private protected static final abstract void int long short byte char float double bool boolean true false null const var in instanceof struct union typedef sizeof unsigned signed extern volatile goto namespace using template typename virtual override operator delete nullptr auto async await yield let function typeof of from as type readonly declare undefined keyof is fun val when object companion data sealed suspend string decimal record get set func guard self nil protocol extension init where throws defer"
)

// languages are known by their names and by the extensions of their files. They
// are made for the first page, not for every start of the program.
var languages = sync.OnceValue(func() map[string]*language {
	return known(map[string]*language{
		"go golang": {
			lines: slashes, blocks: slashStar, strings: []quote{double, rawTick, single},
			words: wordsOf("break case chan const continue default defer else fallthrough for func go goto if import interface map package range return select struct switch type var true false nil iota any bool byte error float32 float64 int int8 int16 int32 int64 rune string uint uint8 uint16 uint32 uint64 uintptr"),
		},
		"python py python3": {
			lines: hash, strings: []quote{tripleD, tripleS, double, single},
			words: wordsOf("and as assert async await break class continue def del elif else except finally for from global if import in is lambda match nonlocal not or pass raise return try while with yield True False None self"),
		},
		"rust rs": {
			lines: slashes, blocks: slashStar, strings: []quote{{open: `"`, close: `"`, many: true}},
			words: wordsOf("as async await break const continue crate dyn else enum extern false fn for if impl in let loop match mod move mut pub ref return self Self static struct super trait true type unsafe use where while bool char f32 f64 i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize str String Option Result Some None Ok Err"),
		},
		"javascript js jsx mjs cjs typescript ts tsx c h cpp c++ cc hpp cxx java kotlin kt csharp cs c# swift scala dart proto": {
			lines: slashes, blocks: slashStar, strings: []quote{backtick, double, single}, words: wordsOf(curlyWords),
		},
		"php": {
			lines: []string{"//", "#"}, blocks: slashStar, strings: []quote{double, single},
			words: wordsOf(curlyWords + " echo array foreach endif endforeach namespace use fn isset unset"),
		},
		"ruby rb": {
			lines: hash, strings: []quote{double, single},
			words: wordsOf("alias and begin break case class def do else elsif end ensure false for if in module next nil not or redo rescue retry return self super then true undef unless until when while yield require attr_reader attr_accessor"),
		},
		"bash sh shell zsh console makefile make dockerfile docker fish": {
			lines: hash, strings: []quote{shellD, shellS},
			words: wordsOf("if then else elif fi for while until do done case esac in function select return exit export local readonly set unset cd echo eval exec source trap shift FROM RUN COPY ADD CMD ENTRYPOINT WORKDIR ENV ARG EXPOSE USER"),
		},
		"sql": {
			lines: []string{"--"}, blocks: slashStar, strings: []quote{{open: `'`, close: `'`, raw: true, many: true}, double}, anyCase: true,
			words: wordsOf("select from where and or not in is null insert into values update set delete create table index view drop alter add column primary key foreign references unique default join left right inner outer full on as order by group having limit offset union all distinct case when then else end exists between like begin commit rollback with returning integer text varchar boolean"),
		},
		"lua": {
			lines: []string{"--"}, blocks: [][2]string{{"--[[", "]]"}}, strings: []quote{double, single},
			words: wordsOf("and break do else elseif end false for function goto if in local nil not or repeat return then true until while"),
		},
		"json jsonc json5 jsonl": {
			lines: slashes, blocks: slashStar, strings: []quote{double}, keys: true, words: wordsOf("true false null"),
		},
		"yaml yml": {
			lines: hash, strings: []quote{double, single}, keys: true, words: wordsOf("true false null yes no on off"),
		},
		"toml ini cfg conf properties env": {
			lines: []string{"#", ";"}, strings: []quote{tripleD, double, single}, keys: true, words: wordsOf("true false"),
		},
		"css scss less": {
			blocks: slashStar, strings: []quote{double, single}, keys: true, words: wordsOf("important"),
		},
		"html xml svg vue svelte xhtml": {
			blocks: [][2]string{{"<!--", "-->"}}, strings: []quote{double}, markup: true, words: map[string]bool{},
		},
		"diff patch": {diff: true},
	})
})

func known(by map[string]*language) map[string]*language {
	all := map[string]*language{}
	for names, l := range by {
		for _, name := range strings.Fields(names) {
			all[name] = l
		}
	}
	return all
}

func wordsOf(list string) map[string]bool {
	words := map[string]bool{}
	for _, word := range strings.Fields(list) {
		words[word] = true
	}
	return words
}
