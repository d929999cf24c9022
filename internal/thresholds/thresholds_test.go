package thresholds_test

import (
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/must"
)

const (
	module = "github.com/stowage-go/stowage"
	root   = "../.."
	home   = "internal/thresholds"
)

// product returns the files of the root package and of all packages of this module that it
// imports, by folder. Test files are left out.
func product(t *testing.T) map[string][]*ast.File {
	t.Helper()
	packages := map[string][]*ast.File{}
	for open := []string{"."}; len(open) > 0; {
		folder := open[0]
		open = open[1:]
		if packages[folder] != nil {
			continue
		}
		names := must.Get(filepath.Glob(filepath.Join(root, folder, "*.go")))(t)
		for _, name := range names {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			f := must.Get(parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments))(t)
			packages[folder] = append(packages[folder], f)
			for _, i := range f.Imports {
				path, _ := strconv.Unquote(i.Path.Value)
				if sub, ok := strings.CutPrefix(path, module+"/"); ok {
					open = append(open, sub)
				}
			}
		}
	}
	if len(packages) < 12 || packages[home] == nil {
		t.Fatalf("only %d packages, or none is %s", len(packages), home)
	}
	return packages
}

// declared returns the names of the package-level constants of a file.
func declared(f *ast.File) (names []string) {
	for _, d := range f.Decls {
		if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.CONST {
			for _, s := range g.Specs {
				for _, name := range s.(*ast.ValueSpec).Names {
					names = append(names, name.Name)
				}
			}
		}
	}
	return names
}

// numbers calls see for every package-level constant of a file that is a number by itself,
// such as 1 << 14. Constants that are made from others are left out.
func numbers(f *ast.File, see func(name, value string)) {
	for _, d := range f.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.CONST {
			continue
		}
		for _, s := range g.Specs {
			v := s.(*ast.ValueSpec)
			for k, expression := range v.Values {
				got, err := types.Eval(token.NewFileSet(), nil, token.NoPos, types.ExprString(expression))
				if err == nil && got.Value != nil && got.Value.Kind() != constant.String && got.Value.Kind() != constant.Bool {
					see(v.Names[k].Name, got.Value.ExactString())
				}
			}
		}
	}
}

// clashes returns what is wrong with the constants of some packages: one name with two
// values, or a name of this package in another one.
func clashes(packages map[string][]*ast.File) (faults []string) {
	values, where, homes := map[string]string{}, map[string]string{}, map[string]bool{}
	for _, f := range packages[home] {
		for _, name := range declared(f) {
			homes[strings.ToLower(name)] = true
		}
	}
	for folder, files := range packages {
		for _, f := range files {
			numbers(f, func(name, value string) {
				if known, ok := values[name]; ok && known != value {
					faults = append(faults, name+" is "+known+" in "+where[name]+" and "+value+" in "+folder)
				}
				values[name], where[name] = value, folder
				if folder != home && homes[strings.ToLower(name)] {
					faults = append(faults, folder+" has a "+name+" of its own: use thresholds'")
				}
			})
		}
	}
	return faults
}

// TestOneValue allows a name of a constant one value in all packages of the product.
func TestOneValue(t *testing.T) {
	for _, fault := range clashes(product(t)) {
		t.Error(fault)
	}
}

// TestClashes checks that TestOneValue would see both faults.
func TestClashes(t *testing.T) {
	parse := func(text string) []*ast.File {
		f := must.Get(parser.ParseFile(token.NewFileSet(), "", text, 0))(t)
		return []*ast.File{f}
	}
	packages := map[string][]*ast.File{
		home: parse("package thresholds\nconst MergeMost = 1 << 14"),
		"a":  parse("package a\nconst many, mergeMost = 1 << 14, 1 << 14"),
		"b":  parse("package b\nconst many = 4"),
	}
	if faults := clashes(packages); len(faults) != 2 {
		t.Errorf("want two faults: %q", faults)
	}
	packages["b"] = parse("package b\nconst many = 16384")
	if faults := clashes(packages); len(faults) != 1 {
		t.Errorf("want one fault: %q", faults)
	}
}

// TestEachInUse: every constant of this package is described and used.
func TestEachInUse(t *testing.T) {
	packages := product(t)
	used := map[string]bool{}
	for _, files := range packages {
		for _, f := range files {
			ast.Inspect(f, func(n ast.Node) bool {
				if s, ok := n.(*ast.SelectorExpr); ok {
					if x, ok := s.X.(*ast.Ident); ok && x.Name == "thresholds" {
						used[s.Sel.Name] = true
					}
				}
				return true
			})
		}
	}
	text := must.Get(os.ReadFile("thresholds.go"))(t)
	for _, f := range packages[home] {
		for _, name := range declared(f) {
			if !used[name] {
				t.Errorf("nothing uses %s", name)
			}
			if !strings.Contains(string(text), "// "+name+" is ") && !strings.Contains(string(text), "// "+name+": ") {
				t.Errorf("%s has no comment that says what it is", name)
			}
		}
	}
}
