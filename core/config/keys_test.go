package config

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestEverySettingIsReadSomewhere looks for readers of each key in the source
// of the whole module.
func TestEverySettingIsReadSomewhere(t *testing.T) {
	read := map[string]bool{}
	mention := regexp.MustCompile(`\bconfig\.([A-Z]\w*)(?:\.Of\(|\.Given\(|[,)}])`)
	here := regexp.MustCompile(`\b([A-Z]\w*)\.Of\(`)
	for _, room := range []string{"core", "cmd", "router"} {
		err := filepath.WalkDir(filepath.Join("..", "..", room), func(path string, d fs.DirEntry, err error) error {
			if err != nil || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
				return err
			}
			source, err := os.ReadFile(path)
			wanted := mention
			if filepath.Base(filepath.Dir(path)) == "config" {
				wanted = here
			}
			for _, found := range wanted.FindAllSubmatch(source, -1) {
				read[string(found[1])] = true
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	names := keyNames(t)
	if len(names) != len(table) {
		t.Fatalf("%d variables for %d keys", len(names), len(table))
	}
	for i, name := range names {
		if !read[name] && len(table[i].enum) != 1 {
			t.Errorf("%s (%s): nothing reads it", name, table[i].name)
		}
	}
}

// keyNames are the variables of keys.go in their order, which is that of table.
func keyNames(t *testing.T) (names []string) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "keys.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if spec, ok := n.(*ast.ValueSpec); ok {
			names = append(names, spec.Names[0].Name)
		}
		return true
	})
	return names
}
