package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const module = "veyyon.dev/veyyon"

func TestArchTheHouseRulesHold(t *testing.T) {
	root := filepath.Join("..", "..")
	house := newHouse()
	err := fs.WalkDir(os.DirFS(root), ".", func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && name != "." && (strings.HasPrefix(entry.Name(), ".") || entry.Name() == "testdata"):
			return fs.SkipDir
		case !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		text, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			return err
		}
		return house.add(name, text)
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, fault := range slices.Concat(house.faults, house.undocumented(), house.stale()) {
		t.Error(fault)
	}
}

func TestArchViolationsAreFound(t *testing.T) {
	for name, c := range map[string]struct {
		path, text string
		want       []string
	}{
		"core looks up": {
			"core/tool/x/x.go", "package x\nimport _ \"veyyon.dev/veyyon/frames\"",
			[]string{"core/tool/x/x.go:2: core/tool/x must not import frames"},
		},
		"stages know a command": {
			"stages/x.go", "package stages\n\nimport (\n\t_ \"veyyon.dev/veyyon/core/event\"\n\t_ \"veyyon.dev/veyyon/stages/client\"\n\t_ \"veyyon.dev/veyyon/frames\"\n)",
			[]string{"stages/x.go:4: stages must not import core/event", "stages/x.go:5: stages must not import stages/client"},
		},
		"the client knows frames of a protocol": {
			"stages/client/x.go", "package client\nimport _ \"veyyon.dev/veyyon/frames/rpc\"",
			[]string{"stages/client/x.go:2: stages/client must not import frames/rpc"},
		},
		"frames know the agent": {
			"frames/rpc/x.go", "package rpc\nimport _ \"veyyon.dev/veyyon/core/session\"\nimport _ \"veyyon.dev/veyyon/core/event\"",
			[]string{"frames/rpc/x.go:2: frames/rpc must not import core/session"},
		},
		"a new room": {
			"attic/x.go", "package attic\nimport _ \"veyyon.dev/veyyon/frames\"",
			[]string{"attic/x.go:2: attic must not import frames"},
		},
		"a second door": {
			"frames/other.go", "package frames\nimport _ \"github.com/goccy/go-json\"",
			[]string{"frames/other.go:2: github.com/goccy/go-json may be imported in frames/json.go, core/model/wire/json.go only"},
		},
		"flags in the library": {
			"core/x/x.go", "package x\nimport _ \"github.com/alecthomas/kong\"\nimport _ \"log\"",
			[]string{"core/x/x.go:2: github.com/alecthomas/kong may be imported in cmd/..., bench/... only", "core/x/x.go:3: log may be imported nowhere"},
		},
		"prints": {
			"router/x.go", "package router\nfunc f() {\n\tfmt.Printf(``)\n\tprintln()\n\tw(os.Stdout)\n\tfmt.Fprintln(w)\n\tx.println()\n}",
			[]string{"router/x.go:3: fmt.Printf outside of a program", "router/x.go:4: println outside of a program", "router/x.go:5: os.Stdout outside of a program"},
		},
		"a program prints": {"cmd/x/x.go", "package main\nfunc f() { fmt.Println(os.Stdout) }", nil},
		"exits": {
			"cmd/x/x.go", "package main\nfunc main() { os.Exit(1) }\nfunc f() { os.Exit(1) }",
			[]string{"cmd/x/x.go:3: os.Exit outside of func main"},
		},
		"a library called main": {
			"core/x/x.go", "package x\nfunc main() { os.Exit(1) }",
			[]string{"core/x/x.go:2: os.Exit outside of func main"},
		},
		"channels": {
			"core/x/x.go", "package x\nvar a = make(chan int, 1)\nvar b = lane.Make()\nvar c = make([]chan int, 1)\nvar d = make(<-chan int)",
			[]string{"core/x/x.go:2: a channel is made in a file that is not in channelsIn", "core/x/x.go:3: a channel is made in a file that is not in channelsIn", "core/x/x.go:5: a channel is made in a file that is not in channelsIn"},
		},
		"goroutines": {
			"core/x/x.go", "package x\nfunc f() {\n\tgo f()\n}",
			[]string{"core/x/x.go:3: a goroutine is started in a file that is not in goroutinesIn"},
		},
		"a vague name": {
			"core/util/x.go", "package util",
			[]string{"core/util/x.go:1: util says nothing about what the package holds"},
		},
	} {
		house := newHouse()
		if err := house.add(c.path, []byte(c.text)); err != nil {
			t.Fatal(name, err)
		}
		if diff := cmp.Diff(c.want, house.faults); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestArchAPackageWithoutCommentAndAStaleRowAreFound(t *testing.T) {
	house := newHouse()
	for name, text := range map[string]string{
		"core/a/a.go": "package a", "core/a/b.go": "// Package a has one.\npackage a",
		"core/b/a.go": "package b", "stages/pipe.go": "package stages\nfunc f() { go f() }",
	} {
		if err := house.add(name, []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff([]string{"core/b: no file has a package comment", "stages: no file has a package comment"}, house.undocumented()); diff != "" {
		t.Error(diff)
	}
	stale := house.stale()
	if !slices.Contains(stale, "stages/pipe.go is in channelsIn, but makes none") ||
		slices.Contains(stale, "stages/pipe.go is in goroutinesIn, but starts none") {
		t.Error(stale)
	}
}

// A house is what was seen of the module's packages.
type house struct {
	files      *token.FileSet
	faults     []string
	documented map[string]bool // folders; false while no file with a comment was seen
	channels   map[string]bool // files
	goroutines map[string]bool
}

func newHouse() *house {
	return &house{files: token.NewFileSet(), documented: map[string]bool{}, channels: map[string]bool{}, goroutines: map[string]bool{}}
}

// A visit is to one file.
type visit struct {
	*house
	name, folder string
	program      bool // it may print
	inMain       bool // the visit is in the function that may exit
}

// add looks at one file; the error is that of parsing it.
func (h *house) add(name string, text []byte) error {
	file, err := parser.ParseFile(h.files, name, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	v := &visit{house: h, name: name, folder: path.Dir(name), program: among(path.Dir(name), programs)}
	h.documented[v.folder] = h.documented[v.folder] || file.Doc != nil
	if pkg := file.Name.Name; slices.Contains(vague, pkg) {
		v.fault(file.Name, "%s says nothing about what the package holds", pkg)
	}
	for _, spec := range file.Imports {
		v.imports(spec)
	}
	for _, decl := range file.Decls {
		f, ok := decl.(*ast.FuncDecl)
		v.inMain = ok && f.Recv == nil && f.Name.Name == "main" && file.Name.Name == "main"
		ast.Inspect(decl, v.look)
	}
	return nil
}

func (v *visit) fault(at ast.Node, format string, args ...any) {
	v.faults = append(v.faults, fmt.Sprintf("%s:%d: %s", v.name, v.files.Position(at.Pos()).Line, fmt.Sprintf(format, args...)))
}

func (v *visit) imports(spec *ast.ImportSpec) {
	name, _ := strconv.Unquote(spec.Path.Value) // the parser has accepted it
	if doors, guarded := onlyIn[name]; guarded && !among(v.name, doors) {
		if len(doors) == 0 {
			v.fault(spec, "%s may be imported nowhere", name)
			return
		}
		v.fault(spec, "%s may be imported in %s only", name, strings.Join(doors, ", "))
	}
	if room, ours := strings.CutPrefix(name, module+"/"); ours && !among(room, allowed(v.folder)) {
		v.fault(spec, "%s must not import %s", v.folder, room)
	}
}

func allowed(folder string) []string {
	for _, row := range mayImport {
		if among(folder, []string{row.who}) {
			return row.of
		}
	}
	return nil
}

// among tells whether a path is one of the patterns, or below one that ends in
// "...".
func among(name string, patterns []string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		prefix, open := strings.CutSuffix(pattern, "...")
		return name == pattern || open && strings.HasPrefix(name+"/", prefix)
	})
}

// look sees every node of a declaration.
func (v *visit) look(node ast.Node) bool {
	switch node := node.(type) {
	case *ast.GoStmt:
		v.goroutines[v.name] = true
		if goroutinesIn[v.name] == "" {
			v.fault(node, "a goroutine is started in a file that is not in goroutinesIn")
		}
	case *ast.SelectorExpr:
		v.selected(node)
	case *ast.CallExpr:
		v.called(node)
	}
	return true
}

func (v *visit) selected(node *ast.SelectorExpr) {
	of, ok := node.X.(*ast.Ident)
	if !ok {
		return
	}
	switch word := of.Name + "." + node.Sel.Name; {
	case word == "os.Exit" && !v.inMain:
		v.fault(node, "os.Exit outside of func main")
	case (word == "os.Stdout" || strings.HasPrefix(word, "fmt.Print")) && !v.program:
		v.fault(node, "%s outside of a program", word)
	}
}

func (v *visit) called(node *ast.CallExpr) {
	switch f := node.Fun.(type) {
	case *ast.Ident:
		if (f.Name == "print" || f.Name == "println") && !v.program {
			v.fault(node, "%s outside of a program", f.Name)
		}
		if f.Name == "make" && isChannel(node.Args[0]) {
			v.channel(node)
		}
	case *ast.SelectorExpr:
		if f.Sel.Name == "Make" && len(node.Args) == 0 { // of a Lane
			v.channel(node)
		}
	}
}

func isChannel(kind ast.Expr) bool {
	_, ok := kind.(*ast.ChanType)
	return ok
}

func (v *visit) channel(node ast.Node) {
	v.channels[v.name] = true
	if channelsIn[v.name] == "" {
		v.fault(node, "a channel is made in a file that is not in channelsIn")
	}
}

// undocumented lists the packages without a package comment.
func (h *house) undocumented() (faults []string) {
	for _, folder := range slices.Sorted(maps.Keys(h.documented)) {
		if !h.documented[folder] {
			faults = append(faults, folder+": no file has a package comment")
		}
	}
	return faults
}

// stale lists the rows of tables that nothing needs any more.
func (h *house) stale() (faults []string) {
	for _, name := range slices.Sorted(maps.Keys(channelsIn)) {
		if !h.channels[name] {
			faults = append(faults, name+" is in channelsIn, but makes none")
		}
	}
	for _, name := range slices.Sorted(maps.Keys(goroutinesIn)) {
		if !h.goroutines[name] {
			faults = append(faults, name+" is in goroutinesIn, but starts none")
		}
	}
	return faults
}
