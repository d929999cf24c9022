package house_test

import (
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/must"
)

// packageDoc parses a package of this module without its tests.
func packageDoc(t *testing.T, fset *token.FileSet, dir string) *doc.Package {
	t.Helper()
	names := must.Get(filepath.Glob(filepath.Join(dir, "*.go")))(t)
	var files []*ast.File
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f := must.Get(parser.ParseFile(fset, name, nil, parser.ParseComments))(t)
		files = append(files, f)
	}
	return must.Get(doc.NewFromFiles(fset, files, "github.com/stowage-go/stowage/"+filepath.ToSlash(dir)))(t)
}

// TestTypes: the comment of each alias in the root begins like its type's comment, and links to the rest.
func TestTypes(t *testing.T) {
	fset := token.NewFileSet()
	of := map[string]string{}
	for _, dir := range []string{"model", "plan"} {
		for _, typ := range packageDoc(t, fset, dir).Types {
			of[dir+"."+typ.Name], _, _ = strings.Cut(typ.Doc, "\n\n")
		}
	}
	text := strings.ReplaceAll(strings.Join(read(t, "types.go"), "\n"), "\n// ", " ")
	seen := 0
	for from, doc := range of {
		name := regexp.MustCompile(`\ntype \w+ = ` + regexp.QuoteMeta(from) + `\n`)
		if !name.MatchString(text) {
			continue // users need it rarely
		}
		want := strings.Join(strings.Fields(doc), " ") + " [" + from + "] has its fields and methods.\ntype "
		if !strings.Contains(text, want) {
			t.Errorf("the comment of the alias of %s is not %q", from, want)
		}
		seen++
	}
	if seen < 40 {
		t.Errorf("%d aliases: are all found?", seen)
	}
}

// TestPublicTypes walks the exported names of all packages that a user can import. Their parameters and results have
// types that a user can import, too.
func TestPublicTypes(t *testing.T) {
	seen := 0
	for _, dir := range publicPackages(t) {
		fset := token.NewFileSet()
		names := must.Get(filepath.Glob(filepath.Join(dir, "*.go")))(t)
		for _, name := range names {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			f := must.Get(parser.ParseFile(fset, name, nil, 0))(t)
			if !ast.FileExports(f) {
				continue
			}
			hidden := map[string]string{} // local name → path
			for _, i := range f.Imports {
				path := strings.Trim(i.Path.Value, `"`)
				if slices.Contains(strings.Split(path, "/"), "internal") {
					local := filepath.Base(path)
					if i.Name != nil {
						local = i.Name.Name
					}
					hidden[local] = path
				}
			}
			ast.Inspect(f, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.BlockStmt:
					return false // a body may use what it likes
				case *ast.ValueSpec:
					if n.Type == nil {
						return false // a value of a type that has a name elsewhere
					}
				case *ast.FuncDecl:
					if n.Recv != nil && !ast.IsExported(receiver(n.Recv.List[0].Type)) {
						return false // of a type that nobody outside can name
					}
					seen++
				case *ast.SelectorExpr:
					if x, ok := n.X.(*ast.Ident); ok && hidden[x.Name] != "" {
						t.Errorf("%s: an exported name is about %s.%s of %s, which nobody can import",
							fset.Position(n.Pos()), x.Name, n.Sel.Name, hidden[x.Name])
					}
				}
				return true
			})
		}
	}
	if seen < 50 {
		t.Errorf("%d exported functions: are all packages walked?", seen)
	}
}

// publicPackages returns the folders of packages, in all modules, that are neither internal nor commands. The
// packages of sweep are parts of a command. Tests alone are no package.
func publicPackages(t *testing.T) []string {
	t.Helper()
	var dirs []string
	err := filepath.WalkDir(".", func(path string, d os.DirEntry, err error) error {
		switch name := d.Name(); {
		case err != nil:
			return err
		case d.IsDir() && path != "." && (name == "internal" || name == "testdata" || name == "cmd" || name == "bench" ||
			name == "lab" || name == "sweep" || strings.HasPrefix(name, ".")):
			return filepath.SkipDir
		case !d.IsDir() && strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") &&
			!slices.Contains(dirs, filepath.Dir(path)):
			dirs = append(dirs, filepath.Dir(path))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return dirs
}

// TestDocumented: every exported name of the public packages has a comment, fields of structs included.
func TestDocumented(t *testing.T) {
	for _, dir := range publicPackages(t) {
		fset := token.NewFileSet()
		p := packageDoc(t, fset, dir)
		missing := func(what string) { t.Errorf("%s: %s has no comment", dir, what) }
		if p.Doc == "" {
			missing("the package")
		}
		values := func(all []*doc.Value) {
			for _, v := range all {
				if v.Doc == "" {
					missing(strings.Join(v.Names, ", "))
				}
			}
		}
		functions := func(of string, all []*doc.Func) {
			for _, f := range all {
				if f.Doc == "" {
					missing(of + f.Name)
				}
			}
		}
		values(p.Consts)
		values(p.Vars)
		functions("", p.Funcs)
		for _, typ := range p.Types {
			if typ.Doc == "" {
				missing(typ.Name)
			}
			values(typ.Consts)
			values(typ.Vars)
			functions("", typ.Funcs)
			functions(typ.Name+".", typ.Methods)
			for _, spec := range typ.Decl.Specs {
				s, ok := spec.(*ast.TypeSpec).Type.(*ast.StructType)
				if !ok {
					continue
				}
				for _, f := range s.Fields.List {
					if f.Doc == nil && f.Comment == nil && len(f.Names) > 0 && f.Names[0].IsExported() {
						missing(typ.Name + "." + f.Names[0].Name)
					}
				}
			}
		}
	}
}

// receiver returns the name of a method's type.
func receiver(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return receiver(e.X)
	case *ast.IndexExpr:
		return receiver(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}

// TestPackageExample: the planner in the package's comment is the one that the examples run.
func TestPackageExample(t *testing.T) {
	comment := must.Get(os.ReadFile("stowage.go"))(t)
	code := must.Get(os.ReadFile("example_test.go"))(t)
	_, from, found := strings.Cut(string(comment), "//\tfunc (stacker) Plan(")
	body, _, ended := strings.Cut(from, "\n//\t}\n")
	if !found || !ended {
		t.Fatal("the package's comment has no planner")
	}
	if body = strings.ReplaceAll("func (stacker) Plan("+body+"\n}\n", "\n//\t",
		"\n"); !strings.Contains(string(code), body) {
		t.Errorf("example_test.go does not have\n%s", body)
	}
}
