package house_test

import (
	"flag"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stowage-go/stowage/internal/testkit/built"
	"github.com/stowage-go/stowage/internal/testkit/must"
)

// Idea: the documents are run. A fenced block "console" is a transcript: sh runs each line after "$ ", and must print
// the lines that follow, on both outputs, times and node counts aside. It runs in a folder for the document, which
// has the examples and the files of the fenced blocks "csv NAME" and "json NAME" above the transcript. Flags, links,
// paths, folders and Go code are looked up: internal/house/docs_lookup_test.go.
//
// go test ./internal/house -run TestDocs -update rewrites the transcripts that have changed.

var update = flag.Bool("update", false, "rewrite the transcripts in the documents")

// documents returns every Markdown file of the project.
func documents(t *testing.T) []string {
	t.Helper()
	var paths []string
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if hidden := strings.HasPrefix(d.Name(), ".") && d.Name() != ".github"; d.IsDir() && path != "." && (hidden || d.Name() == "testdata" || d.Name() == "bin") {
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
	for _, must := range []string{"README.md", filepath.Join("docs", "GUIDE.md"), filepath.Join("docs",
		"architecture.md")} {
		if !slices.Contains(paths, must) {
			t.Errorf("there is no %s", must)
		}
	}
	return paths
}

// A block is a fenced block of a document or, if info is "-", the text between two. Its lines are lines[from:to] of
// the document, without the fences.
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

// prose goes through the lines of a document that are outside of fenced blocks, by
// their index.
func prose(t *testing.T, path string) iter.Seq2[int, string] {
	t.Helper()
	lines := read(t, path)
	return func(yield func(int, string) bool) {
		for _, b := range blocksOf(lines) {
			for i := b.from; b.info == "-" && i < b.to; i++ {
				if !yield(i, lines[i]) {
					return
				}
			}
		}
	}
}

func read(t *testing.T, path string) []string {
	t.Helper()
	text := must.Get(os.ReadFile(path))(t)
	return strings.Split(string(text), "\n")
}

// TestMain runs the tests of this folder in the root of the repository.
func TestMain(m *testing.M) {
	if err := os.Chdir(filepath.Join("..", "..")); err != nil {
		panic(err)
	}
	built.Main(m)
}

// TestDocsTranscripts runs the commands of the documents.
func TestDocsTranscripts(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("there is no sh: that the transcripts are true is not checked")
	}
	bin := filepath.Dir(built.Command(t)) + string(os.PathListSeparator) + filepath.Dir(built.Laboratory(t))
	ran := 0
	for _, path := range documents(t) {
		lines := read(t, path)
		s := session{t: t, sh: sh, dir: t.TempDir(), path: bin + string(os.PathListSeparator) + os.Getenv("PATH")}
		must.Do(t, os.CopyFS(filepath.Join(s.dir, "examples"), os.DirFS("examples")))
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
				must.Do(t, os.WriteFile(filepath.Join(s.dir, name), []byte(strings.Join(body, "\n")+"\n"), 0o666))
			}
			out = append(out, body...)
		}
		ran += s.ran
		if *update && !slices.Equal(out, lines) {
			must.Do(t, os.WriteFile(path, []byte(strings.Join(out, "\n")), 0o666))
		}
	}
	if ran < 10 {
		t.Errorf("only %d commands in all documents", ran)
	}
}

// A session is a folder in which the commands of a document run in turn.
type session struct {
	t             *testing.T
	sh, dir, path string
	code, ran     int
}

// transcript runs the commands of a block and compares what they print. It returns the block with the right output.
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

// TestDocsPicture draws the README's picture with the README's first command. The picture is an img element, because
// GitHub heeds its width.
func TestDocsPicture(t *testing.T) {
	const picture, line = "docs/images/unet.svg",
		"go run ./cmd/stowage solve --capacity 80MiB -o plan.svg examples/unet.csv"
	readme := strings.Join(read(t, "README.md"), "\n")
	if !strings.Contains(readme, line) || !strings.Contains(readme, `<img src="`+picture+`" `) {
		t.Fatalf("README.md does not have %q and %s", line, picture)
	}
	out := filepath.Join(t.TempDir(), "plan.svg")
	args := strings.Fields(line)[3:]
	args[slices.Index(args, "plan.svg")] = out
	if text, err := exec.Command(built.Command(t), args...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	got := must.Get(os.ReadFile(out))(t)
	if *update {
		must.Do(t, os.WriteFile(picture, got, 0o666))
	}
	if want := strings.Join(read(t, picture), "\n"); want != string(got) {
		t.Errorf("%s is not what the command draws; rewrite it with -update", picture)
	}
}
