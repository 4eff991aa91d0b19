package command

import (
	"regexp"
	"strings"
	"sync"

	"mvdan.cc/sh/v3/syntax"
)

var (
	ownName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-z_][a-z0-9_]*$`) })
	number  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[0-9]+$`) })
	numbers = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\{[0-9]+\.\.[0-9]+\}$`) })
)

// quietEnv are variables that only change what programs print.
var quietEnv = map[string]bool{
	"LANG": true, "TZ": true, "NO_COLOR": true, "CLICOLOR": true, "FORCE_COLOR": true, "CI": true, "COLUMNS": true, "LINES": true,
	"CGO_ENABLED": true, "GOOS": true, "GOARCH": true, "PYTHONUNBUFFERED": true, "PYTHONDONTWRITEBYTECODE": true,
	"LC_ALL": true, "LC_CTYPE": true, "LC_COLLATE": true, "LC_MESSAGES": true, "LC_NUMERIC": true, "LC_TIME": true,
}

// loudEnv are variables by which programs, or bash, run something else.
var loudEnv = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(PATH|BASH_ENV|ENV|IFS|SHELLOPTS|BASHOPTS|PS4|PROMPT_COMMAND|SHELL|LD_.*|DYLD_.*|GIT_.*|.*PAGER|.*EDITOR|VISUAL|LESSOPEN|LESSCLOSE|BASH_FUNC.*|` +
		`HOME|XDG_CONFIG_.*|.*_WRAPPER|.*_COMMAND|.*_RSH|.*ASKPASS|BROWSER|TAR_OPTIONS|.*MAKEFLAGS|.*FLAGS|CC|CXX|LD|AR|RUSTC|NODE_OPTIONS|PERL5.*|PYTHON.*|RUBY.*|` +
		`JAVA_TOOL_OPTIONS|npm_config_.*|CARGO_.*|DEBIAN_FRONTEND|RIPGREP_CONFIG_PATH)$`)
})

// Quiet tells whether a variable of this name in the environment changes what a
// line runs in no way.
func Quiet(name string) bool { return quietEnv[name] }

// environment notes a variable that programs get.
func (r *reader) environment(name string) {
	r.tainted[name] = true
	if Quiet(name) {
		return
	}
	if loudEnv().MatchString(name) {
		r.line.Hidden = true
	}
	r.doubt("it sets %s for a program", name)
}

// assign reads an assignment to a variable of the shell.
func (r *reader) assign(a *syntax.Assign) {
	r.value(a)
	r.sets(a.Name.Value)
}

// sets notes that a variable of the shell gets a value. Those in capitals may be
// the shell's own, or belong to the environment.
func (r *reader) sets(name string) {
	if ownName().MatchString(name) && !strings.HasSuffix(name, "_proxy") {
		return
	}
	if loudEnv().MatchString(name) {
		r.line.Hidden = true
	}
	r.doubt("it sets %s", name)
}

// value reads what is assigned.
func (r *reader) value(a *syntax.Assign) {
	if a.Index != nil {
		r.arithmetic(a.Index)
	}
	if a.Value != nil {
		r.word(a.Value)
	}
	if a.Array == nil {
		return
	}
	for _, e := range a.Array.Elems {
		if e.Index != nil {
			r.arithmetic(e.Index)
		}
		if e.Value != nil {
			r.word(e.Value)
		}
	}
}

// taint finds the variables that something else than numbers is assigned to.
// What stands in others comes from outside and is no work of who wrote the line.
func (r *reader) taint(file *syntax.File) {
	syntax.Walk(file, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Assign:
			if n.Name != nil {
				name := n.Name.Value
				r.tainted[name] = r.tainted[name] || n.Array != nil || n.Value != nil && !numeric(n.Value)
			}
		case *syntax.WordIter:
			for _, w := range n.Items {
				if !numeric(w) && !numbers().MatchString(w.Lit()) {
					r.tainted[n.Name.Value] = true
				}
			}
			if len(n.Items) == 0 {
				r.tainted[n.Name.Value] = true
			}
		case *syntax.ParamExp:
			if n.Param != nil && n.Exp != nil && (n.Exp.Op == syntax.AssignUnset || n.Exp.Op == syntax.AssignUnsetOrNull) {
				r.tainted[n.Param.Value] = true
			}
		case *syntax.CallExpr: // read and others that set what they name
			for _, w := range n.Args {
				if name := w.Lit(); ownName().MatchString(name) {
					r.tainted[name] = true
				}
			}
		}
		return true
	})
}

// numeric tells whether a value is a number, whatever happens.
func numeric(w *syntax.Word) bool {
	if len(w.Parts) != 1 {
		return false
	}
	return numeral(w.Parts[0]) || lastJob(w.Parts[0]) || number().MatchString(w.Lit())
}

// counts tells whether a part of a word is a variable that the line gives numbers
// only.
func (r *reader) counts(part syntax.WordPart) bool {
	p, ok := part.(*syntax.ParamExp)
	if !ok || p.Param == nil || !p.Short {
		return false
	}
	tainted, assigned := r.tainted[p.Param.Value]
	return assigned && !tainted
}

// arithmetic reads an expression. bash takes the value of a variable in it for an
// expression too, in which substitutions run.
func (r *reader) arithmetic(x syntax.ArithmExpr) {
	switch x := x.(type) {
	case nil:
	case *syntax.BinaryArithm:
		r.arithmetic(x.X)
		r.arithmetic(x.Y)
		if w, ok := x.X.(*syntax.Word); ok && assigns(x.Op) {
			r.sets(w.Lit())
		}
	case *syntax.UnaryArithm:
		r.arithmetic(x.X)
	case *syntax.ParenArithm:
		r.arithmetic(x.X)
	case *syntax.Word:
		r.word(x)
		if !r.plainNumber(x) {
			r.blind("arithmetic with what is no number can run commands")
		}
	default:
		r.blind("it has unknown arithmetic")
	}
}

func assigns(op syntax.BinAritOperator) bool {
	text := op.String()
	return strings.HasSuffix(text, "=") && text != "==" && text != "!=" && text != "<=" && text != ">="
}

// plainNumber tells whether a word of an expression is a number or a variable
// that holds one.
func (r *reader) plainNumber(w *syntax.Word) bool {
	parts := w.Parts
	if len(parts) == 1 {
		if q, ok := parts[0].(*syntax.DblQuoted); ok && !q.Dollar {
			parts = q.Parts
		}
	}
	if len(parts) != 1 {
		return false
	}
	switch p := parts[0].(type) {
	case *syntax.Lit:
		return number().MatchString(p.Value) || ownName().MatchString(p.Value) && !r.tainted[p.Value]
	case *syntax.ArithmExp:
		return true
	case *syntax.ParamExp:
		if p.Param == nil || p.Excl || p.Index != nil || p.Exp != nil || p.Repl != nil || p.Slice != nil || p.Names != 0 {
			return false
		}
		name := p.Param.Value
		return p.Length || name == "#" || name == "?" || name == "$" || ownName().MatchString(name) && !r.tainted[name]
	}
	return false
}
