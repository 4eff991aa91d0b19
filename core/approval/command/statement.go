package command

import (
	"path"
	"regexp"
	"strings"
	"sync"

	"mvdan.cc/sh/v3/syntax"
)

func (r *reader) statements(list []*syntax.Stmt) {
	for _, s := range list {
		r.statement(s)
	}
}

func (r *reader) statement(s *syntax.Stmt) {
	if s == nil {
		return
	}
	if s.Coprocess || s.Disown {
		r.blind("it is no line of bash")
	}
	for _, redirect := range s.Redirs {
		r.redirect(redirect)
	}
	switch c := s.Cmd.(type) {
	case nil:
	case *syntax.CallExpr:
		r.simple(c)
	case *syntax.BinaryCmd:
		r.binary(c)
	case *syntax.Subshell:
		r.statements(c.Stmts)
	case *syntax.Block:
		r.statements(c.Stmts)
	case *syntax.IfClause:
		for ; c != nil; c = c.Else {
			r.statements(c.Cond)
			r.statements(c.Then)
		}
	case *syntax.WhileClause:
		r.statements(c.Cond)
		r.statements(c.Do)
	case *syntax.ForClause:
		r.loop(c)
	case *syntax.CaseClause:
		r.word(c.Word)
		for _, item := range c.Items {
			r.words(item.Patterns)
			r.statements(item.Stmts)
		}
	case *syntax.TestClause:
		r.test(c.X)
	case *syntax.ArithmCmd:
		r.arithmetic(c.X)
	case *syntax.LetClause:
		for _, x := range c.Exprs {
			r.arithmetic(x)
		}
	case *syntax.DeclClause:
		r.declaration(c)
	case *syntax.TimeClause:
		r.statement(c.Stmt)
	case *syntax.FuncDecl:
		r.function(c)
	case *syntax.CoprocClause:
		r.doubt("it begins a coprocess")
		r.statement(c.Stmt)
	default:
		r.blind("it has an unknown construct")
	}
}

// simple reads a simple command.
func (r *reader) simple(c *syntax.CallExpr) {
	for _, a := range c.Assigns {
		if len(c.Args) == 0 {
			r.assign(a)
			continue
		}
		r.value(a)
		if a.Name.Value != "IFS" || c.Args[0].Lit() != "read" { // where it only splits what is read
			r.environment(a.Name.Value)
		}
	}
	if len(c.Args) > 0 {
		r.call(r.words(c.Args), false)
	}
}

// binary reads two commands that are joined.
func (r *reader) binary(c *syntax.BinaryCmd) {
	start := len(r.line.Calls)
	r.statement(c.X)
	middle := len(r.line.Calls)
	r.statement(c.Y)
	if c.Op != syntax.Pipe && c.Op != syntax.PipeAll {
		return
	}
	if fetches(r.line.Calls[start:middle]) && interprets(r.line.Calls[middle:]) {
		r.line.Critical = true
	}
}

func (r *reader) loop(c *syntax.ForClause) {
	if c.Select {
		r.blind("it asks for a choice")
	}
	switch l := c.Loop.(type) {
	case *syntax.WordIter:
		r.sets(l.Name.Value)
		r.words(l.Items)
	case *syntax.CStyleLoop:
		r.arithmetic(l.Init)
		r.arithmetic(l.Cond)
		r.arithmetic(l.Post)
	}
	r.statements(c.Do)
}

func (r *reader) function(c *syntax.FuncDecl) {
	r.doubt("it defines a function")
	before := len(r.line.Calls)
	r.statement(c.Body)
	if c.Name == nil {
		return
	}
	for _, call := range r.line.Calls[before:] {
		if call.name() == c.Name.Value && bombs(c.Body) {
			r.line.Critical = true
		}
	}
}

// bombs tells whether a function that calls itself may do so without end: it
// pipes or goes on beside itself.
func bombs(body *syntax.Stmt) (found bool) {
	syntax.Walk(body, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Stmt:
			found = found || n.Background
		case *syntax.BinaryCmd:
			found = found || n.Op == syntax.Pipe
		}
		return !found
	})
	return found
}

func (r *reader) test(x syntax.TestExpr) {
	switch x := x.(type) {
	case *syntax.Word:
		r.word(x)
	case *syntax.ParenTest:
		r.test(x.X)
	case *syntax.UnaryTest:
		if x.Op == syntax.TsVarSet || x.Op == syntax.TsRefVar {
			r.blind("the value of a variable says which variable is meant")
		}
		r.test(x.X)
	case *syntax.BinaryTest:
		switch x.Op {
		case syntax.TsEql, syntax.TsNeq, syntax.TsLeq, syntax.TsGeq, syntax.TsLss, syntax.TsGtr:
			for _, side := range []syntax.TestExpr{x.X, x.Y} {
				if w, ok := side.(*syntax.Word); ok {
					r.arithmetic(w)
				} else {
					r.blind("it compares what is no word")
				}
			}
			return
		}
		r.test(x.X)
		r.test(x.Y)
	}
}

func (r *reader) declaration(c *syntax.DeclClause) {
	exports := c.Variant.Value == "export"
	if c.Variant.Value == "nameref" {
		r.blind("a variable stands for another")
	}
	for _, a := range c.Args {
		switch {
		case a.Name == nil:
			flags := r.word(a.Value)
			exports = exports || strings.Contains(flags.Text, "x")
			if !flags.Known || strings.Trim(flags.Text, "-rxaAgI") != "" {
				r.blind("it declares a variable in a way that can run commands")
			}
		case exports:
			r.value(a)
			r.environment(a.Name.Value)
		default:
			r.assign(a)
		}
	}
	if len(c.Args) == 0 {
		r.doubt("it lists variables")
	}
}

// fileDescriptor is what may stand behind >& and <& without naming a file.
var fileDescriptor = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^([0-9]+-?|-)$`) })

func (r *reader) redirect(d *syntax.Redirect) {
	if d.N != nil && strings.HasPrefix(d.N.Value, "{") {
		r.doubt("a redirection sets a variable")
	}
	target := r.word(d.Word)
	switch d.Op {
	case syntax.Hdoc, syntax.DashHdoc:
		if d.Hdoc != nil {
			document := builder{r: r}
			document.parts(d.Hdoc.Parts, true)
		}
		return
	case syntax.WordHdoc:
		return
	case syntax.RdrIn:
		if clean := path.Clean(target.Text); !target.Known && !strings.HasPrefix(target.Text, "./") || strings.HasPrefix(clean, "/dev/tcp") || strings.HasPrefix(clean, "/dev/udp") {
			r.doubt("it may read from the network")
		}
		return
	case syntax.DplIn, syntax.DplOut:
		if target.Known && fileDescriptor().MatchString(target.Text) {
			return
		}
	}
	if target.Known && target.Text == "/dev/null" {
		return
	}
	r.doubt("it writes to %s", target.shown())
	r.line.Critical = r.line.Critical || precious(target.Text)
}

// shown is the word for people.
func (w Word) shown() string {
	if w.Known {
		return w.Text
	}
	return w.Text + "…"
}
