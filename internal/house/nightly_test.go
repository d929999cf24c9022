package house_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"strings"
	"testing"
)

// Idea: a test that leaves a commit for the night is easily forgotten. So docs/testing.md has a row for each, with what
// every commit still holds, and the rows are compared with the calls of plantest.Nightly and plantest.AtNight.

// TestNightlyListed compares the table of docs/testing.md with the tests that run, or run in full, at night only.
func TestNightlyListed(t *testing.T) {
	left := map[string]bool{} // "folder test": whether the table has it
	for folder, files := range goFolders(t) {
		for _, file := range files {
			if !strings.HasSuffix(file, "_test.go") || folder == "internal/testkit/plantest" {
				continue
			}
			parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range parsed.Decls {
				if f, ok := d.(*ast.FuncDecl); ok && atNight(f) {
					left[folder+" "+f.Name.Name] = false
				}
			}
		}
	}
	rows := 0
	row := regexp.MustCompile("^\\| `([^`]+)` \\| (`Test[^|]+) \\| ([^|]+) \\|$")
	for i, line := range read(t, "docs/testing.md") {
		m := row.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		rows++
		for _, name := range regexp.MustCompile("Test\\w+").FindAllString(m[2], -1) {
			key := m[1] + " " + name
			if twice, ok := left[key]; !ok || twice {
				t.Errorf("docs/testing.md:%d: %s is no test of the night, or stands there twice", i+1, key)
			}
			left[key] = true
		}
	}
	for key, listed := range left {
		if !listed {
			t.Errorf("docs/testing.md does not say what is left of %s at each commit", key)
		}
	}
	if rows < 10 || len(left) < 20 {
		t.Errorf("%d rows, %d tests: are all found?", rows, len(left))
	}
	ci, makefile := strings.Join(read(t, ".ci/run"), "\n"), strings.Join(read(t, "Makefile"), "\n")
	for _, call := range []string{"\trun -k nightly\n", "\trun test\n", "\trun forms\n"} {
		if !strings.Contains(ci, call) {
			t.Errorf(".ci/run does not have %q", call)
		}
	}
	if !strings.Contains(makefile, "\nnightly: export STOWAGE_CASES := night\n") ||
		!strings.Contains(makefile, "\nnightly: test forms invariants agree fuzz mutants ") {
		t.Error("make nightly does not run all there is")
	}
}

// atNight reports whether a function asks for the night.
func atNight(f *ast.FuncDecl) (asks bool) {
	ast.Inspect(f, func(n ast.Node) bool {
		if call, ok := n.(*ast.SelectorExpr); ok {
			pkg, ok := call.X.(*ast.Ident)
			asks = asks || ok && pkg.Name == "plantest" && (call.Sel.Name == "Nightly" || call.Sel.Name == "AtNight")
		}
		return true
	})
	return asks
}
