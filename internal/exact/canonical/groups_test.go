package canonical

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/must"
)

// TestGroups compares the table in the comment of Kernel with the files: for each group, its home declares it, and
// the files that the table names are those that mention it.
func TestGroups(t *testing.T) {
	files := map[string]*ast.File{}
	paths := must.Get(filepath.Glob("*.go"))(t)
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") || strings.HasPrefix(path, "invariants") {
			continue // they look at everything
		}
		f := must.Get(parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments))(t)
		files[strings.TrimSuffix(path, ".go")] = f
	}
	fields, homes := map[string][]*ast.Field{}, map[string]string{}
	table := ""
	for name, f := range files {
		ast.Inspect(f, func(n ast.Node) bool {
			d, ok := n.(*ast.GenDecl)
			if !ok {
				return true
			}
			for _, s := range d.Specs {
				s, ok := s.(*ast.TypeSpec)
				if !ok {
					continue
				}
				homes[s.Name.Name] = name
				if of, ok := s.Type.(*ast.StructType); ok {
					fields[s.Name.Name] = of.Fields.List
				}
				if s.Name.Name == "Kernel" {
					table = d.Doc.Text()
				}
			}
			return false
		})
	}
	groupOf, home := map[string]string{}, map[string]string{} // by field, by group
	for _, f := range fields["Kernel"] {
		if len(f.Names) > 0 {
			groupOf[f.Names[0].Name] = f.Names[0].Name
			if id, ok := f.Type.(*ast.Ident); ok {
				home[f.Names[0].Name] = homes[id.Name]
			}
			continue
		}
		group := f.Type.(*ast.Ident).Name
		groupOf[group], home[group] = group, homes[group]
		for _, inner := range fields[group] {
			for _, name := range inner.Names {
				groupOf[name.Name] = group
			}
		}
	}
	mentions := map[string]map[string]bool{}
	for file, f := range files {
		ast.Inspect(f, func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok {
				if x, ok := s.X.(*ast.Ident); ok && x.Name == "k" && groupOf[s.Sel.Name] != "" {
					group := groupOf[s.Sel.Name]
					if mentions[group] == nil {
						mentions[group] = map[string]bool{}
					}
					mentions[group][file] = true
				}
			}
			return true
		})
	}
	rows := 0
	for line := range strings.Lines(table) {
		cells := strings.Split(line, "|")
		if len(cells) != 4 || strings.TrimSpace(cells[0]) == "group" {
			continue
		}
		rows++
		group, at := strings.TrimSpace(cells[0]), strings.TrimSpace(cells[1])
		if home[group] != "" && home[group] != at {
			t.Errorf("%s is at home in %s.go, not in %s.go", group, home[group], at)
		}
		want := mentions[group]
		delete(want, at)
		delete(want, "kernel") // it makes and empties all groups
		if strings.Contains(cells[3], "most") {
			continue
		}
		got := strings.FieldsFunc(cells[2]+cells[3], func(c rune) bool { return c == ',' || c == ' ' || c == '\n' })
		got = slices.DeleteFunc(got, func(file string) bool { return file == "kernel" })
		slices.Sort(got)
		if wanted := slices.Sorted(maps.Keys(want)); !slices.Equal(got, wanted) {
			t.Errorf("%s is used by %v besides its home, and the table says %v", group, wanted, got)
		}
	}
	if rows != len(mentions)-2 { // all but sw and limits
		t.Errorf("the table has %d groups, want %d", rows, len(mentions)-2)
	}
}
