package house_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// Idea: a program's imports decide which planners it has, never what a planner does. So no package sets a variable of
// another, and no init calls a function that does: an import may only add an entry to a registry. And no code is
// there to save bytes: a pragma against inlining has a benchmark beside it, and no struct has a field that makes it
// incomparable.
//
// The tests read the source without types: a call is followed if it names a function of this or of an imported
// package. Calls of methods are not followed.

// A room is a package by what its files declare, tests aside.
type room struct {
	folder    string
	files     []*ast.File
	functions map[string]*ast.FuncDecl // without methods and init
	variables map[string]bool          // of the package
	tests     map[string]bool          // functions in _test.go files
}

// newRoom parses the files of a folder. sources has their texts, by name; a file without a text is read.
func newRoom(t *testing.T, fset *token.FileSet, folder string, names []string, sources map[string]string) *room {
	t.Helper()
	r := &room{
		folder: folder, functions: map[string]*ast.FuncDecl{}, variables: map[string]bool{}, tests: map[string]bool{},
	}
	for _, name := range names {
		text, ok := sources[name]
		if !ok {
			text = strings.Join(read(t, name), "\n")
		}
		file, err := parser.ParseFile(fset, name, text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		r.add(file, strings.HasSuffix(name, "_test.go"))
	}
	return r
}

// add enters what a file declares.
func (r *room) add(file *ast.File, test bool) {
	if !test {
		r.files = append(r.files, file)
	}
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if test {
				r.tests[d.Name.Name] = true
			} else if d.Recv == nil && d.Name.Name != "init" {
				r.functions[d.Name.Name] = d
			}
		case *ast.GenDecl:
			if test || d.Tok != token.VAR {
				continue
			}
			for _, s := range d.Specs {
				for _, name := range s.(*ast.ValueSpec).Names {
					r.variables[name.Name] = true
				}
			}
		}
	}
}

// imports returns the folders of ours that a file imports, by the name that it calls them.
func imports(file *ast.File) map[string]string {
	all := map[string]string{}
	for _, spec := range file.Imports {
		name, _ := strconv.Unquote(spec.Path.Value)
		folder, ours := strings.CutPrefix(name, module)
		if !ours {
			continue
		}
		if folder = strings.TrimPrefix(folder, "/"); folder == "" {
			folder = "."
		}
		if spec.Name != nil {
			all[spec.Name.Name] = folder
		} else {
			all[path.Base(name)] = folder
		}
	}
	return all
}

// A house is all packages, with what their code does when a program starts.
type house struct {
	rooms map[string]*room
	file  map[*ast.FuncDecl]*ast.File
	fset  *token.FileSet
}

// newHouse parses the packages of some folders.
func newHouse(t *testing.T, folders map[string][]string, sources map[string]string) *house {
	t.Helper()
	h := &house{map[string]*room{}, map[*ast.FuncDecl]*ast.File{}, token.NewFileSet()}
	for folder, names := range folders {
		r := newRoom(t, h.fset, folder, names, sources)
		h.rooms[folder] = r
		for _, file := range r.files {
			for _, d := range file.Decls {
				if f, ok := d.(*ast.FuncDecl); ok {
					h.file[f] = file
				}
			}
		}
	}
	return h
}

// outside has the folders that are not part of the product, nor is anything below them.
var outside = []string{"bench", "lab", "research"}

// product returns the house as it is, without what is outside.
func product(t *testing.T) *house {
	t.Helper()
	folders := goFolders(t)
	maps.DeleteFunc(folders, func(folder string, _ []string) bool {
		first, _, _ := strings.Cut(folder, "/")
		return slices.Contains(outside, first)
	})
	return newHouse(t, folders, nil)
}

// starts calls f for all code of a package that runs when a program starts: its init functions, and the values of its
// variables.
func (h *house) starts(r *room, f func(file *ast.File, code ast.Node)) {
	for _, file := range r.files {
		for _, d := range file.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Recv == nil && d.Name.Name == "init" {
					f(file, d)
				}
			case *ast.GenDecl:
				if d.Tok == token.VAR {
					f(file, d)
				}
			}
		}
	}
}

// named returns the package and the name of a package-level expression: a name of this package or a qualified one.
// For x.y.z[i] it is the name of x.
func (h *house) named(r *room, file *ast.File, e ast.Expr) (folder, name string) {
	for {
		switch x := e.(type) {
		case *ast.Ident:
			return r.folder, x.Name
		case *ast.SelectorExpr:
			if left, ok := x.X.(*ast.Ident); ok {
				if folder, ok := imports(file)[left.Name]; ok {
					return folder, x.Sel.Name
				}
			}
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		case *ast.StarExpr:
			e = x.X
		case *ast.ParenExpr:
			e = x.X
		default:
			return "", ""
		}
	}
}

// sets calls f for each variable of a package that code replaces or alters. Adding an entry to a list or a map does
// not count.
func (h *house) sets(r *room, file *ast.File, code ast.Node, f func(folder, name string, at token.Pos)) {
	local := locals(code)
	ast.Inspect(code, func(n ast.Node) bool {
		a, ok := n.(*ast.AssignStmt)
		if !ok || a.Tok == token.DEFINE {
			return true
		}
		for k, left := range a.Lhs {
			folder, name := h.named(r, file, left)
			if other := h.rooms[folder]; other == nil || !other.variables[name] || folder == r.folder && local[name] {
				continue
			}
			if _, entry := left.(*ast.IndexExpr); entry || len(a.Rhs) == len(a.Lhs) &&
				h.appends(r, file, a.Rhs[k], folder, name) {
				continue
			}
			f(folder, name, a.Pos())
		}
		return true
	})
}

// appends reports whether an expression appends to the variable.
func (h *house) appends(r *room, file *ast.File, e ast.Expr, folder, name string) bool {
	call, ok := e.(*ast.CallExpr)
	if !ok || len(call.Args) == 0 {
		return false
	}
	f, ok := call.Fun.(*ast.Ident)
	if !ok || f.Name != "append" {
		return false
	}
	ofFolder, ofName := h.named(r, file, call.Args[0])
	return ofFolder == folder && ofName == name
}

// locals returns the names that code declares for itself.
func locals(code ast.Node) map[string]bool {
	names := map[string]bool{}
	ast.Inspect(code, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			if n.Tok == token.DEFINE {
				for _, e := range n.Lhs {
					if name, ok := e.(*ast.Ident); ok {
						names[name.Name] = true
					}
				}
			}
		case *ast.Field:
			for _, name := range n.Names {
				names[name.Name] = true
			}
		case *ast.DeclStmt:
			if d, ok := n.Decl.(*ast.GenDecl); ok {
				for _, s := range d.Specs {
					if s, ok := s.(*ast.ValueSpec); ok {
						for _, name := range s.Names {
							names[name.Name] = true
						}
					}
				}
			}
		}
		return true
	})
	return names
}

// hooks returns a sentence for each variable that another package sets, and for each that
// the start of another package has set by a call.
func (h *house) hooks() []string {
	found := map[string]bool{}
	for _, folder := range slices.Sorted(maps.Keys(h.rooms)) {
		r := h.rooms[folder]
		for _, file := range r.files {
			h.sets(r, file, file, func(of, name string, at token.Pos) {
				if of != folder {
					found[h.fset.Position(at).String()+": "+folder+" sets "+of+"."+name] = true
				}
			})
		}
		seen := map[*ast.FuncDecl]bool{}
		var follow func(in *room, file *ast.File, code ast.Node)
		follow = func(in *room, file *ast.File, code ast.Node) {
			if in != r {
				h.sets(in, file, code, func(of, name string, at token.Pos) {
					found[h.fset.Position(at).String()+": an import of "+folder+" sets "+of+"."+name] = true
				})
			}
			ast.Inspect(code, func(n ast.Node) bool {
				if call, ok := n.(*ast.CallExpr); ok {
					of, name := h.named(in, file, call.Fun)
					if callee := h.rooms[of]; callee != nil {
						if f := callee.functions[name]; f != nil && f.Body != nil && !seen[f] {
							seen[f] = true
							follow(callee, h.file[f], f)
						}
					}
				}
				return true
			})
		}
		h.starts(r, func(file *ast.File, code ast.Node) { follow(r, file, code) })
	}
	return slices.Sorted(maps.Keys(found))
}

// TestNoHooks: no package sets another's variables, at an import or later.
func TestNoHooks(t *testing.T) {
	h := product(t)
	if len(h.rooms) < 40 {
		t.Fatalf("only %d folders", len(h.rooms))
	}
	for _, hook := range h.hooks() {
		t.Error(hook)
	}
}

// TestHooksAreFound plants hooks of each kind, and registries.
func TestHooksAreFound(t *testing.T) {
	const kernel = `package kernel
		var Finish, finish func()
		var parts struct{ races func() }
		var list []func()
		var byName = map[string]func(){}
		var count int
		func SetFinish(f func()) { finish = f }
		func Whole() { whole() }
		func whole() { parts.races = Whole }
		func Register(name string, f func()) { list = append(list, f); byName[name] = f }
		func Reset() { count = 0 }
		func Local() { count := 1; count = 2; _ = count }
		func init() { count = 1; Reset() }`
	for _, tc := range []struct{ code, want string }{
		{`func init() { kernel.Finish = nil }`, "user sets kernel.Finish"},
		{`func Late() { kernel.Finish = nil }`, "user sets kernel.Finish"},
		{`func init() { kernel.SetFinish(nil) }`, "an import of user sets kernel.finish"},
		{`func init() { now() }; func now() { kernel.Whole() }`, "an import of user sets kernel.parts"},
		{`var _ = func() int { kernel.Whole(); return 0 }()`, "an import of user sets kernel.parts"},
		{`func init() { kernel.Register("", nil) }`, ""},
		{`func init() { kernel.Local() }`, ""},
		{`func Late() { kernel.Reset() }`, ""},
	} {
		folders := map[string][]string{"kernel": {"kernel.go"}, "user": {"user.go"}}
		user := "package user\nimport \"" + module + "/kernel\"\n" + tc.code
		found := newHouse(t, folders, map[string]string{"kernel.go": kernel, "user.go": user}).hooks()
		if tc.want == "" && len(found) > 0 || tc.want != "" &&
			(len(found) != 1 || !strings.HasSuffix(found[0], ": "+tc.want)) {
			t.Errorf("%s: %q, want %q", tc.code, found, tc.want)
		}
	}
}

var benchmark = regexp.MustCompile(`\bBenchmark[A-Z]\w*`)

// TestPragmas: the comment of a function with go:noinline names a benchmark of its package that shows the effect.
func TestPragmas(t *testing.T) {
	h := product(t)
	for _, r := range h.rooms {
		for _, file := range r.files {
			for _, group := range file.Comments {
				text := ""
				for _, c := range group.List {
					text += c.Text + "\n"
				}
				if !strings.Contains(text, "//go:noinline\n") {
					continue
				}
				if name := benchmark.FindString(text); name == "" || !r.tests[name] {
					t.Errorf("%s: go:noinline without a benchmark of its package in the comment (%q)",
						h.fset.Position(group.Pos()), name)
				}
			}
		}
	}
}

// TestComparable: no struct has a field only to make it incomparable.
func TestComparable(t *testing.T) {
	h := product(t)
	for _, r := range h.rooms {
		for _, file := range r.files {
			ast.Inspect(file, func(n ast.Node) bool {
				if f, ok := n.(*ast.Field); ok && len(f.Names) == 1 && f.Names[0].Name == "_" {
					if array, ok := f.Type.(*ast.ArrayType); ok {
						if _, ok := array.Elt.(*ast.FuncType); ok {
							t.Errorf("%s: a field that only makes a struct incomparable", h.fset.Position(f.Pos()))
						}
					}
				}
				return true
			})
		}
	}
}
