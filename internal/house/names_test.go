package house_test

import (
	"go/parser"
	"go/token"
	"path"
	"regexp"
	"strings"
	"testing"
)

// Idea: a comment that names a file sends the reader there. After a file has moved, the name leads nowhere. So a Go
// file that a comment names is in the folder of the comment, or it is written with the end of its path, as in
// canonical/search.go.

// fileName matches the name of a Go file, with or without folders. A pattern such as *_test.go is no name.
var fileName = regexp.MustCompile(`(^|[\s(,;:"'` + "`" + `])((?:[\w.-]+/)*[a-z0-9_]\w*\.go)\b`)

// dangling returns the files that a comment of a folder names although they are not there. all has each file with
// its path from the root.
func dangling(comment, folder string, all map[string]bool) (names []string) {
	for _, m := range fileName.FindAllStringSubmatch(comment, -1) {
		name := m[2]
		if strings.HasPrefix(name, "_") || all[path.Join(folder, name)] {
			continue
		}
		found := false
		for file := range all {
			found = found || strings.Contains(name, "/") && (file == name || strings.HasSuffix(file, "/"+name))
		}
		if !found {
			names = append(names, name)
		}
	}
	return names
}

// TestHouseFileNames: each file that a comment names is there.
func TestHouseFileNames(t *testing.T) {
	all := map[string]bool{}
	folders := goFolders(t)
	for _, files := range folders {
		for _, file := range files {
			all[path.Clean(strings.ReplaceAll(file, `\`, "/"))] = true
		}
	}
	named := 0
	for folder, files := range folders {
		for _, name := range files {
			fset := token.NewFileSet()
			file, err := parser.ParseFile(fset, name, strings.Join(read(t, name), "\n"),
				parser.ParseComments|parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			for _, group := range file.Comments {
				for _, c := range group.List {
					named += len(fileName.FindAllString(c.Text, -1))
					for _, gone := range dangling(c.Text, folder, all) {
						t.Errorf("%s: %s is not in %s: write it with its path", fset.Position(c.Pos()), gone, folder)
					}
				}
			}
		}
	}
	if named < 100 {
		t.Errorf("only %d names", named)
	}
}

// TestHouseFileNamesAreFound has names that are there and names that are not.
func TestHouseFileNamesAreFound(t *testing.T) {
	all := map[string]bool{"a/b/x.go": true, "a/b/y.go": true, "a/c/z.go": true}
	for comment, want := range map[string]string{
		"// as in x.go.":          "",
		"// as in z.go.":          "z.go",
		"// (z.go in a/c), y.go:": "z.go",
		"// c/z.go and a/c/z.go":  "",
		"// c/x.go":               "c/x.go",
		"// b.go\n":               "b.go",
		"// in *_test.go, _off.go, x.golden and https://example.org/x.gone": "",
	} {
		if got := strings.Join(dangling(comment, "a/b", all), " "); got != want {
			t.Errorf("%s: %q, want %q", comment, got, want)
		}
	}
}
