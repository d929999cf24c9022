package stowage_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/internal/built"
)

var (
	codeSpan    = regexp.MustCompile("`([^`]+)`")
	invocation  = regexp.MustCompile(`(?:^|[\s|/])(?:stowage|minimalloc)\s+([^|>;#]*)`)
	flagWord    = regexp.MustCompile(`^--?[a-z][a-z_-]*`)
	helpCommand = regexp.MustCompile(`(?m)^  (\w+) `)
	helpFlag    = regexp.MustCompile(`(?m)^ +(?:(-[a-z]), |    )?(--[a-z][a-z_-]*)`)
)

// TestDocsFlags looks up every command and flag that the documents name in the
// command's own help.
func TestDocsFlags(t *testing.T) {
	bin := built.Command(t)
	help := map[string][]string{} // flags by command
	var union []string
	out, err := exec.Command(bin, "--help").Output()
	if err != nil {
		t.Fatal(err)
	}
	// list adds the commands that a help names, and those below them.
	var list func(above []string, text string)
	list = func(above []string, text string) {
		_, text, _ = strings.Cut(text, "Commands:\n")
		text, _, _ = strings.Cut(text, "\n\n")
		for _, m := range helpCommand.FindAllStringSubmatch(text, -1) {
			words := append(slices.Clone(above), m[1])
			out, err := exec.Command(bin, append(words, "--help")...).Output()
			if err != nil {
				t.Fatalf("%v --help: %v", words, err)
			}
			name := strings.Join(words, " ")
			for _, m := range helpFlag.FindAllStringSubmatch(string(out), -1) {
				help[name] = append(help[name], m[1:]...)
			}
			union = append(union, help[name]...)
			list(words, string(out))
		}
	}
	list(nil, string(out))
	if len(help["solve"]) < 10 {
		t.Fatalf("the flags of solve are %v", help["solve"])
	}
	checked := 0
	for _, path := range documents(t) {
		lines := read(t, path)
		check := func(at int, text string) {
			words := strings.Fields(text)
			if len(words) > 0 && flagWord.MatchString(words[0]) {
				// A flag alone: some command must have it.
				if f := flagWord.FindString(words[0]); strings.HasPrefix(f, "--") && !slices.Contains(union, f) {
					t.Errorf("%s:%d: no command has the flag %s", path, at+1, f)
				}
				checked++
				return
			}
			for _, m := range invocation.FindAllStringSubmatch(text, -1) {
				args := strings.Fields(m[1])
				if strings.Contains(m[0], "minimalloc ") && !strings.Contains(m[0], "stowage") {
					args = append([]string{"minimalloc"}, args...)
				}
				if len(args) == 0 || args[0] != strings.ToLower(args[0]) || strings.HasPrefix(args[0], "-") {
					continue // prose, or stowage --help
				}
				flags, ok := help[args[0]]
				if !ok {
					t.Errorf("%s:%d: stowage has no command %q", path, at+1, args[0])
					continue
				}
				if len(args) > 1 {
					if below, ok := help[args[0]+" "+args[1]]; ok {
						flags = below
					}
				}
				for _, word := range args[1:] {
					f := flagWord.FindString(word)
					if f == "" || slices.Contains(flags, f) {
						continue
					}
					if args[0] == "minimalloc" && slices.Contains(flags, "--"+strings.TrimPrefix(f, "--no")) {
						continue
					}
					t.Errorf("%s:%d: %s has no flag %s", path, at+1, args[0], f)
				}
				checked++
			}
		}
		for _, b := range blocksOf(lines) {
			for i := b.from; i < b.to; i++ {
				switch {
				case b.info == "sh", b.info == "console" && strings.HasPrefix(lines[i], "$ "):
					check(i, strings.TrimPrefix(lines[i], "$ "))
				case b.info == "-":
					for _, m := range codeSpan.FindAllStringSubmatch(lines[i], -1) {
						check(i, m[1])
					}
				}
			}
		}
	}
	if checked < 20 {
		t.Errorf("only %d commands and flags in all documents", checked)
	}
}

var (
	link    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	notSlug = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
)

// TestDocsLinks follows every link to a file or to a heading.
func TestDocsLinks(t *testing.T) {
	headings := func(path string) []string {
		lines := read(t, path)
		var slugs []string
		for _, b := range blocksOf(lines) {
			if b.info != "-" {
				continue
			}
			for _, line := range lines[b.from:b.to] {
				if title := strings.TrimLeft(line, "#"); title != line && strings.HasPrefix(title, " ") {
					slug := notSlug.ReplaceAllString(strings.ToLower(strings.TrimSpace(title)), "")
					slugs = append(slugs, strings.ReplaceAll(slug, " ", "-"))
				}
			}
		}
		return slugs
	}
	followed := 0
	for _, path := range documents(t) {
		lines := read(t, path)
		for _, b := range blocksOf(lines) {
			if b.info != "-" {
				continue
			}
			for i := b.from; i < b.to; i++ {
				for _, m := range link.FindAllStringSubmatch(lines[i], -1) {
					target, anchor, _ := strings.Cut(m[1], "#")
					if strings.Contains(target, ":") {
						continue // elsewhere
					}
					followed++
					file := path
					if target != "" {
						file = filepath.Join(filepath.Dir(path), filepath.FromSlash(target))
					}
					if _, err := os.Stat(file); err != nil {
						t.Errorf("%s:%d: %v", path, i+1, err)
					} else if anchor != "" && !slices.Contains(headings(file), anchor) {
						t.Errorf("%s:%d: %s has no heading #%s", path, i+1, file, anchor)
					}
				}
			}
		}
	}
	if followed < 20 {
		t.Errorf("only %d links in all documents", followed)
	}
}

// TestDocsTechniques checks that the page of the exact planner has every technique
// of it.
func TestDocsTechniques(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("docs", "planners", "exact.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, planner := range stowage.Planners() {
		for _, technique := range planner.Techniques {
			if planner.Name == "exact" && !strings.Contains(string(page), "| `"+technique.Name+"` |") {
				t.Errorf("docs/planners/exact.md does not say what %s is", technique.Name)
			}
		}
	}
}

// TestDocsGo looks for every Go block in the examples, which are compiled and
// run.
func TestDocsGo(t *testing.T) {
	trim := func(lines []string) string {
		var s strings.Builder
		for _, line := range lines {
			s.WriteString(strings.TrimSpace(line) + "\n")
		}
		return s.String()
	}
	examples := trim(read(t, "example_test.go"))
	found := 0
	for _, path := range documents(t) {
		lines := read(t, path)
		for _, b := range blocksOf(lines) {
			if b.info != "go" {
				continue
			}
			found++
			if !strings.Contains(examples, trim(lines[b.from:b.to])) {
				t.Errorf("%s:%d: example_test.go has no such lines", path, b.from+1)
			}
		}
	}
	if found == 0 {
		t.Error("no Go block in any document")
	}
}

// TestDocsPaths looks for every path that the documents have as code: one that begins
// with a folder of this repository, and the name of a Go file.
func TestDocsPaths(t *testing.T) {
	top := map[string]bool{}
	sources := map[string]bool{}
	err := filepath.WalkDir(".", func(path string, d os.DirEntry, err error) error {
		if d == nil || d.IsDir() && path != "." && strings.HasPrefix(d.Name(), ".") {
			return filepath.SkipDir
		}
		if d.IsDir() && !strings.Contains(filepath.ToSlash(path), "/") {
			top[path] = true
		}
		sources[d.Name()] = true
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	delete(top, "bin")   // what make build leaves
	made := "bench/out/" // what programs of bench leave
	file := regexp.MustCompile(`^[a-z0-9_]+\.go$`)
	tag := regexp.MustCompile(`/v[0-9.]+$`) // a version of a module
	found := 0
	for _, path := range documents(t) {
		lines := read(t, path)
		for _, b := range blocksOf(lines) {
			if b.info != "-" {
				continue
			}
			for i := b.from; i < b.to; i++ {
				for _, m := range codeSpan.FindAllStringSubmatch(lines[i], -1) {
					for _, word := range strings.Fields(m[1]) {
						word = strings.TrimSuffix(strings.TrimPrefix(word, "./"), "/...")
						first, rest, deep := strings.Cut(word, "/")
						switch {
						case file.MatchString(word):
							if found++; !sources[word] {
								t.Errorf("%s:%d: no file is named %s", path, i+1, word)
							}
						case deep && top[first] && rest != "" && !strings.HasPrefix(word, made) && !strings.ContainsAny(word, "*{}=,…") && !tag.MatchString(word):
							if found++; missing(word) && missing(filepath.Join(filepath.Dir(path), filepath.FromSlash(word))) {
								t.Errorf("%s:%d: there is no %s", path, i+1, word)
							}
						}
					}
				}
			}
		}
	}
	if found < 50 {
		t.Errorf("only %d paths in all documents", found)
	}
}

func missing(path string) bool {
	_, err := os.Stat(filepath.FromSlash(path))
	return err != nil
}
