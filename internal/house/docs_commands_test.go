package house_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Idea: figures in the documents have the command beside them that makes them again. The command is not run here, but
// its parts are looked up: targets of make, programs and their flags, tests for -run and -bench. Commands of stowage
// itself: internal/house/docs_lookup_test.go.

var (
	goRun      = regexp.MustCompile(`go run \./([a-z/]+)([^|#;>)]*)`)
	goTest     = regexp.MustCompile(`go test ([^|#;>)]*)`)
	makeTarget = regexp.MustCompile(`^make ([a-z]+)`)
	target     = regexp.MustCompile(`(?m)^([a-z]+):`)
	dashed     = regexp.MustCompile(`^-([a-z][a-z-]*)`)
	testFunc   = regexp.MustCompile(`(?m)^func ((?:Test|Benchmark|Example|Fuzz)\w*)`)
	ofGoTest   = []string{
		"v", "run", "bench", "benchtime", "short", "tags", "race", "count", "cpu", "fuzz", "fuzztime", "timeout", "update",
	}
	quotedWords = strings.NewReplacer("'", "", `"`, "", `\`, " ")
)

// commandsOf returns the commands in the document, each as one line: code spans, which may go over lines, and the
// lines of fenced blocks that are no output.
func commandsOf(lines []string) []string {
	var all []string
	for _, b := range blocksOf(lines) {
		text := strings.Join(lines[b.from:b.to], "\n")
		switch b.info {
		case "-":
			for _, paragraph := range strings.Split(text, "\n\n") {
				for _, m := range codeSpan.FindAllStringSubmatch(strings.ReplaceAll(paragraph, "\n", " "), -1) {
					all = append(all, m[1])
				}
			}
		case "sh", "":
			all = append(all, strings.Split(strings.ReplaceAll(text, "\\\n", " "), "\n")...)
		}
	}
	return all
}

// source returns the Go source of a folder, or of the folders below it for "DIR/...": only tests, or all but tests.
func source(t *testing.T, folder string, tests bool) string {
	t.Helper()
	folder, deep := strings.CutSuffix(folder, "/...")
	var s strings.Builder
	err := filepath.WalkDir(filepath.FromSlash(folder), func(path string, d os.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir():
			if path != filepath.FromSlash(folder) && !deep {
				return filepath.SkipDir
			}
		case strings.HasSuffix(path, ".go") && strings.HasSuffix(path, "_test.go") == tests:
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			s.Write(text)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	return s.String()
}

// TestDocsCommands looks up what the documents have of make, go run and go test.
func TestDocsCommands(t *testing.T) {
	makefile := strings.Join(read(t, "Makefile"), "\n")
	var targets []string
	for _, m := range target.FindAllStringSubmatch(makefile, -1) {
		targets = append(targets, m[1])
	}
	shared := source(t, "lab/bench/internal/...", false) + source(t, "internal/comparison", false)
	made, ran, tested := 0, 0, 0
	for _, path := range documents(t) {
		for _, text := range commandsOf(read(t, path)) {
			if m := makeTarget.FindStringSubmatch(text); m != nil {
				if made++; !slices.Contains(targets, m[1]) {
					t.Errorf("%s: the Makefile has no target %s", path, m[1])
				}
			}
			for _, m := range goRun.FindAllStringSubmatch(text, -1) {
				if !strings.HasPrefix(m[1], "lab/bench/") {
					continue
				}
				if _, err := os.Stat(m[1]); err != nil && path == "CHANGELOG.md" {
					continue // a program of a former version
				}
				ran++
				text := source(t, m[1], false)
				if text == "" {
					t.Errorf("%s: there is no program ./%s", path, m[1])
					continue
				}
				words := strings.Fields(quotedWords.Replace(m[2]))
				for i, word := range words {
					f := dashed.FindStringSubmatch(word)
					if f == nil {
						continue
					}
					if name := `"` + f[1] + `"`; !strings.Contains(text, name) && !strings.Contains(shared, name) {
						t.Errorf("%s: ./%s has no flag -%s", path, m[1], f[1])
					}
					if f[1] == "section" && i+1 < len(words) && !strings.Contains(text, `"`+strings.TrimRight(words[i+1], ",.")+`"`) {
						t.Errorf("%s: ./%s has no section %s", path, m[1], words[i+1])
					}
				}
			}
			for _, m := range goTest.FindAllStringSubmatch(text, -1) {
				words := strings.Fields(quotedWords.Replace(m[1]))
				tests := ""
				for _, word := range words {
					if strings.HasPrefix(word, ".") {
						tests += source(t, strings.TrimPrefix(word, "./"), true)
					}
				}
				if tests == "" {
					continue // words of a sentence
				}
				tested++
				for i, word := range words {
					f := dashed.FindStringSubmatch(word)
					switch {
					case f == nil:
					case (f[1] == "run" || f[1] == "bench") && i+1 < len(words):
						pattern, err := regexp.Compile(strings.Split(words[i+1], "/")[0])
						if err != nil {
							t.Errorf("%s: %s: %v", path, text, err)
						} else if words[i+1] != "^$" &&
							!slices.ContainsFunc(testFunc.FindAllStringSubmatch(tests, -1),
								func(m []string) bool { return pattern.MatchString(m[1]) }) {
							t.Errorf("%s: %s: no test is called so", path, text)
						}
					case !slices.Contains(ofGoTest, f[1]) && !strings.Contains(tests, `"`+f[1]+`"`):
						t.Errorf("%s: %s: the tests have no flag -%s", path, text, f[1])
					}
				}
			}
		}
	}
	if made < 10 || ran < 20 || tested < 10 {
		t.Errorf("only %d targets, %d programs and %d tests in all documents", made, ran, tested)
	}
}

// TestDocsMeasured checks that measured figures stand beside their command, or a link to it: in the section of the
// marked block, or in the one before it.
func TestDocsMeasured(t *testing.T) {
	marker := regexp.MustCompile(`^<!-- (bench:[a-z0-9-]+|tflm[a-z-]*) -->$`)
	command := regexp.MustCompile(`go run \./lab/bench/|make bench|python3? (?:python|lab)/bench/|` +
		`go test \./\S+ -run \S+ -update|#how-it-was-measured`)
	found := 0
	for _, path := range documents(t) {
		lines := read(t, path)
		for i, line := range lines {
			if !marker.MatchString(line) {
				continue
			}
			found++
			from, to, headings := i, i, 0
			for ; from > 0 && headings < 2; from-- {
				if strings.HasPrefix(lines[from], "## ") {
					headings++
				}
			}
			for to < len(lines) && !strings.HasPrefix(lines[to], "## ") {
				to++
			}
			if !command.MatchString(strings.ReplaceAll(strings.Join(lines[from:to], " "), "  ", " ")) {
				t.Errorf("%s:%d: no command beside %s", path, i+1, line)
			}
		}
	}
	if found < 15 {
		t.Errorf("only %d measured blocks in all documents", found)
	}
}
