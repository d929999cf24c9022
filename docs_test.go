package stowage_test

import (
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stowage-go/stowage"
)

// Idea: the documents are run. A fenced block "console" is a transcript: each
// line after "$ " is given to sh in a folder of the document's own, which has
// the examples and the files of the fenced blocks "csv NAME" and "json NAME"
// above it, and what is printed on both outputs must be what follows, times and
// node counts aside. Flags, links and Go code are looked up.
//
// go test . -run TestDocs -update rewrites the transcripts that have changed.

var update = flag.Bool("update", false, "rewrite the transcripts in the documents")

// documents returns every Markdown file of the project.
func documents(t *testing.T) []string {
	t.Helper()
	var paths []string
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && path != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata" || d.Name() == "bin") {
			return filepath.SkipDir
		}
		if filepath.Ext(path) == ".md" {
			paths = append(paths, path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, must := range []string{"README.md", filepath.Join("docs", "GUIDE.md"), filepath.Join("docs", "architecture.md")} {
		if !slices.Contains(paths, must) {
			t.Errorf("there is no %s", must)
		}
	}
	return paths
}

// A block is a fenced block of a document, or where info is "-", text between
// two. Its lines are lines[from:to] of the document, without the fences.
type block struct {
	info     string
	from, to int
}

func blocksOf(lines []string) []block {
	var all []block
	at, info := 0, "-"
	for i, line := range lines {
		if !strings.HasPrefix(line, "```") {
			continue
		}
		all = append(all, block{info, at, i})
		at = i + 1
		if info != "-" {
			info = "-"
		} else {
			info = strings.TrimSpace(line[3:])
		}
	}
	return append(all, block{info, at, len(lines)})
}

func read(t *testing.T, path string) []string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(string(text), "\n")
}

// built holds the command for all tests, once one has asked for it.
var built struct {
	once sync.Once
	dir  string
	err  error
}

func TestMain(m *testing.M) {
	code := m.Run()
	if built.dir != "" {
		os.RemoveAll(built.dir)
	}
	os.Exit(code)
}

// command builds the command and returns the folder that it is in.
func command(t *testing.T) string {
	t.Helper()
	built.once.Do(func() {
		if built.dir, built.err = os.MkdirTemp("", "stowage-docs-"); built.err != nil {
			return
		}
		name := "stowage"
		if runtime.GOOS == "windows" {
			name += ".exe"
		}
		out, err := exec.Command("go", "build", "-o", filepath.Join(built.dir, name), "./cmd/stowage").CombinedOutput()
		if err != nil {
			built.err = fmt.Errorf("%w\n%s", err, out)
		}
	})
	if built.err != nil {
		t.Fatal(built.err)
	}
	return built.dir
}

// TestDocsTranscripts runs the commands of the documents.
func TestDocsTranscripts(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("there is no sh: that the transcripts are true is not checked")
	}
	bin := command(t)
	ran := 0
	for _, path := range documents(t) {
		lines := read(t, path)
		s := session{t: t, sh: sh, dir: t.TempDir(), path: bin + string(os.PathListSeparator) + os.Getenv("PATH")}
		if err := os.CopyFS(filepath.Join(s.dir, "examples"), os.DirFS("examples")); err != nil {
			t.Fatal(err)
		}
		var out []string
		for _, b := range blocksOf(lines) {
			if b.from > 0 {
				out = append(out, lines[b.from-1]) // the fence
			}
			body := lines[b.from:b.to]
			language, name, _ := strings.Cut(b.info, " ")
			switch {
			case language == "console":
				body = s.transcript(fmt.Sprintf("%s:%d", path, b.from+1), body)
			case name != "":
				if err := os.WriteFile(filepath.Join(s.dir, name), []byte(strings.Join(body, "\n")+"\n"), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			out = append(out, body...)
		}
		ran += s.ran
		if *update && !slices.Equal(out, lines) {
			if err := os.WriteFile(path, []byte(strings.Join(out, "\n")), 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
	if ran < 10 {
		t.Errorf("only %d commands in all documents", ran)
	}
}

// A session is a folder in which the commands of a document run one after the
// other.
type session struct {
	t             *testing.T
	sh, dir, path string
	code, ran     int
}

// transcript runs the commands of a block and compares what they print. It
// returns the block as it should be.
func (s *session) transcript(where string, lines []string) []string {
	var got []string
	for i := 0; i < len(lines); {
		line, ok := strings.CutPrefix(lines[i], "$ ")
		if !ok {
			s.t.Errorf("%s: the transcript does not start with a command", where)
			return lines
		}
		end := i + 1
		for end < len(lines) && !strings.HasPrefix(lines[end], "$ ") {
			end++
		}
		printed, want := s.run(line), lines[i+1:end]
		got = append(got, lines[i])
		if a, b := mask(want), mask(printed); slices.Equal(a, b) {
			got = append(got, want...)
		} else {
			got = append(got, printed...)
			if !*update {
				s.t.Errorf("%s: $ %s\n(-document +command)\n%s", where, line, cmp.Diff(a, b))
			}
		}
		i = end
	}
	return got
}

// run gives a line to the shell; $? is the exit code of the line before.
func (s *session) run(line string) []string {
	s.ran++
	cmd := exec.Command(s.sh, "-c", fmt.Sprintf("(exit %d)\n%s", s.code, line))
	cmd.Dir = s.dir
	cmd.Env = append(os.Environ(), "PATH="+s.path)
	out, err := cmd.CombinedOutput()
	if s.code = cmd.ProcessState.ExitCode(); err != nil && s.code < 0 {
		s.t.Fatalf("%s: %v", line, err)
	}
	text := strings.TrimRight(string(out), "\n")
	if text == "" {
		return nil
	}
	return strings.Split(text, "\n")
}

// What differs from run to run, or with every change to a search.
var masks = []struct {
	pattern *regexp.Regexp
	with    string
}{
	{regexp.MustCompile(`\d+\.\d{3} s\b`), "T s"},
	{regexp.MustCompile(`Elapsed time \d+\.\d{3}s`), "Elapsed time Ts"},
	{regexp.MustCompile(`"seconds": [0-9.e-]+`), `"seconds": T`},
	{regexp.MustCompile(`\b\d+ nodes`), "N nodes"},
	{regexp.MustCompile(`"(nodes|backtracks)": \d+`), `"$1": N`},
}

func mask(lines []string) []string {
	var masked []string
	for _, line := range lines {
		for _, m := range masks {
			line = m.pattern.ReplaceAllString(line, m.with)
		}
		masked = append(masked, strings.TrimRight(line, " "))
	}
	return masked
}

// TestDocsPicture draws the README's picture with the README's first command.
func TestDocsPicture(t *testing.T) {
	const picture, line = "docs/images/unet.svg", "go run ./cmd/stowage solve --capacity 80MiB -o plan.svg examples/unet.csv"
	readme := strings.Join(read(t, "README.md"), "\n")
	if !strings.Contains(readme, line) || !strings.Contains(readme, "]("+picture+")") {
		t.Fatalf("README.md does not have %q and %s", line, picture)
	}
	out := filepath.Join(t.TempDir(), "plan.svg")
	args := strings.Fields(line)[3:]
	args[slices.Index(args, "plan.svg")] = out
	if text, err := exec.Command(filepath.Join(command(t), "stowage"), args...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	got, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(picture, got, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if want := strings.Join(read(t, picture), "\n"); want != string(got) {
		t.Errorf("%s is not what the command draws; rewrite it with -update", picture)
	}
}

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
	bin := filepath.Join(command(t), "stowage")
	help := map[string][]string{} // flags by command
	var union []string
	out, err := exec.Command(bin, "--help").Output()
	if err != nil {
		t.Fatal(err)
	}
	_, list, _ := strings.Cut(string(out), "Commands:\n")
	list, _, _ = strings.Cut(list, "\n\n")
	for _, m := range helpCommand.FindAllStringSubmatch(list, -1) {
		name := m[1]
		out, err := exec.Command(bin, name, "--help").Output()
		if err != nil {
			t.Fatalf("%s --help: %v", name, err)
		}
		for _, m := range helpFlag.FindAllStringSubmatch(string(out), -1) {
			help[name] = append(help[name], m[1:]...)
		}
		union = append(union, help[name]...)
	}
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

// TestDocsLayout holds docs/architecture.md against the folders: each that has
// Go code in it, or a folder that it is in, is named there. And the page of the
// exact planner has every technique of it.
func TestDocsLayout(t *testing.T) {
	named := map[string]bool{} // in the first cell of a row
	for _, line := range read(t, filepath.Join("docs", "architecture.md")) {
		if cells := strings.Split(line, "|"); len(cells) > 2 {
			for _, m := range codeSpan.FindAllStringSubmatch(cells[1], -1) {
				named[m[1]] = true
			}
		}
	}
	sources, err := filepath.Glob("*/*.go")
	for pattern := "*/*/*.go"; err == nil && len(pattern) < 20; pattern = "*/" + pattern {
		var more []string
		more, err = filepath.Glob(pattern)
		sources = append(sources, more...)
	}
	if err != nil || len(sources) < 50 {
		t.Fatalf("%d Go files, %v", len(sources), err)
	}
	missing := map[string]bool{}
	for _, source := range sources {
		folder := filepath.ToSlash(filepath.Dir(source))
		found := false
		for at := folder; at != "."; at = path.Dir(at) {
			found = found || named[at]
		}
		if !found && !missing[folder] {
			missing[folder] = true
			t.Errorf("docs/architecture.md does not say what is in %s", folder)
		}
	}
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
