package main

import (
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Idea: a mutant is the program with one change. A test that still passes does not hold what was changed. The changes
// make a search unsound or weaker: a bound is off by one, a condition is negated, && and || are swapped, a minimum
// becomes a maximum.
//
// Invariant: each change compiles, as it keeps all types.
//
// Complexity: one pass over the syntax of a package.
//
// Source: mutation testing (DeMillo, Lipton and Sayward 1978).

// A source is a file and its syntax.
type source struct {
	path string
	text []byte
	set  *token.FileSet
	tree *ast.File
}

func (f *source) at(p token.Pos) int { return f.set.Position(p).Offset }

// A site is a place in a file with a change that is made there.
type site struct {
	in       *source
	node     ast.Node // the comparison, condition or call
	line     int
	column   int // byte of the line
	from     int // byte of the file
	old, new string
	why      string
}

func (s *site) String() string {
	return fmt.Sprintf("%s:%d:%d: %s in place of %s (%s)", s.in.path, s.line, s.column, s.new, s.old, s.why)
}

// turned has the operators that take the place of others.
var turned = map[token.Token][]struct {
	by  token.Token
	why string
}{
	token.LSS:  {{token.LEQ, "off by one"}, {token.GEQ, "turned"}},
	token.LEQ:  {{token.LSS, "off by one"}, {token.GTR, "turned"}},
	token.GTR:  {{token.GEQ, "off by one"}, {token.LEQ, "turned"}},
	token.GEQ:  {{token.GTR, "off by one"}, {token.LSS, "turned"}},
	token.EQL:  {{token.NEQ, "turned"}},
	token.NEQ:  {{token.EQL, "turned"}},
	token.LAND: {{token.LOR, "joined otherwise"}},
	token.LOR:  {{token.LAND, "joined otherwise"}},
}

// sitesOf lists the changes of a package's files, without its tests and those of other systems.
func sitesOf(folder string) (all []site, err error) {
	names, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	for _, x := range names {
		if !strings.HasSuffix(x.Name(), ".go") || strings.HasSuffix(x.Name(), "_test.go") || x.Name() == "invariants.go" {
			continue
		}
		if ok, err := build.Default.MatchFile(folder, x.Name()); err != nil || !ok {
			continue
		}
		in, err := sitesIn(filepath.Join(folder, x.Name()))
		if err != nil {
			return nil, err
		}
		all = append(all, in...)
	}
	return all, nil
}

// sitesIn lists the changes of a file.
func sitesIn(path string) (all []site, err error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	in := &source{path: path, text: text, set: token.NewFileSet()}
	in.tree, err = parser.ParseFile(in.set, path, text, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	add := func(n ast.Node, at token.Pos, old, by, why string) {
		x := in.set.Position(at)
		all = append(all, site{in, n, x.Line, x.Column, x.Offset, old, by, why})
	}
	ast.Inspect(in.tree, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GenDecl:
			return n.Tok != token.CONST // a constant cannot ask which change is on
		case *ast.IfStmt:
			// What is checked only if invariants are on is no part of a search.
			if mentions(n.Cond, "Enabled") {
				return false
			}
		case *ast.BinaryExpr:
			for _, x := range turned[n.Op] {
				if isNil(n.X) || isNil(n.Y) {
					continue // a nil that is used crashes, which any test sees
				}
				add(n, n.OpPos, n.Op.String(), x.by.String(), x.why)
			}
		case *ast.CallExpr:
			if id, ok := n.Fun.(*ast.Ident); ok && (id.Name == "min" || id.Name == "max") {
				other := map[string]string{"min": "max", "max": "min"}[id.Name]
				add(n, id.Pos(), id.Name, other, "the other end")
			}
		}
		return true
	})
	slices.SortStableFunc(all, func(a, b site) int { return a.from - b.from })
	return all, nil
}

func isNil(x ast.Expr) bool {
	id, ok := x.(*ast.Ident)
	return ok && id.Name == "nil"
}

// mentions reports whether an expression has a selector of this name.
func mentions(x ast.Expr, name string) (found bool) {
	ast.Inspect(x, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok && s.Sel.Name == name {
			found = true
		}
		return !found
	})
	return found
}
