package house_test

import (
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stowage-go/stowage/internal/laboratory"
	"github.com/stowage-go/stowage/internal/testkit/built"
	"github.com/stowage-go/stowage/internal/testkit/must"
)

var (
	codeSpan    = regexp.MustCompile("`([^`]+)`")
	invocation  = regexp.MustCompile(`(?:^|[\s|/])(?:stowage(?:-lab)?|minimalloc)\s+([^|>;#]*)`)
	flagWord    = regexp.MustCompile(`^--?[a-z][a-z_-]*`)
	helpCommand = regexp.MustCompile(`(?m)^  (\w+) `)
	helpGroups  = regexp.MustCompile(`(?m)^(?:Commands|For experts|Help and setup):\n(?:  .*\n)+`)
	helpNames   = regexp.MustCompile(`(?m)^  --[a-z_-]+(?:,\s+--[a-z_-]+)+$`) // flags that another help describes
	helpFlag    = regexp.MustCompile(`(?m)^ +(?:(-[a-z]), |    )?(--[a-z][a-z_-]*)`)
)

// TestDocsFlags looks up every command and flag that the documents name in the
// command's own help.
func TestDocsFlags(t *testing.T) {
	bin := built.Command(t)
	help := map[string][]string{} // flags by command
	var union []string
	out := must.Get(exec.Command(bin, "--help-all").Output())(t)
	// list adds the commands that a help names, and those below them.
	var list func(above []string, text string)
	list = func(above []string, text string) {
		var commands string // in groups; the first is called Commands
		for _, part := range helpGroups.FindAllString(text, -1) {
			commands += part
		}
		for _, m := range helpCommand.FindAllStringSubmatch(commands, -1) {
			words := append(slices.Clone(above), m[1])
			out := must.Get(exec.Command(bin, append(words, "--help-all")...).Output())(t, "%v --help", words)
			name := strings.Join(words, " ")
			for _, m := range helpFlag.FindAllStringSubmatch(string(out), -1) {
				help[name] = append(help[name], m[1:]...)
			}
			for _, line := range helpNames.FindAllString(string(out), -1) {
				help[name] = append(help[name], strings.Fields(strings.ReplaceAll(line, ",", " "))...)
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
		if archived(path) {
			continue
		}
		lines := read(t, path)
		check := func(at int, text string) {
			words := strings.Fields(text)
			if len(words) > 0 && flagWord.MatchString(words[0]) {
				// A flag alone: some command must have it.
				f := flagWord.FindString(words[0])
				if strings.HasPrefix(f, "--") && !slices.Contains(union, f) && f != "--help-all" {
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
				if args[0] == "sweep" && strings.Contains(m[0], "stowage-lab") {
					continue
				}
				flags, ok := help[args[0]]
				if !ok && strings.Contains(args[0], ".") { // stowage FILE takes the flags of solve or of plan
					flags, ok = slices.Concat(help["solve"], help["plan"]), true
				}
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
	link    = regexp.MustCompile(`(?:\]\(|<img src=")([^)"\s]+)[)"]`)
	notSlug = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
)

// TestDocsLinks follows every link to a file or to a heading, and every picture.
func TestDocsLinks(t *testing.T) {
	id := regexp.MustCompile(` id="([^"]+)"`)
	headings := func(path string) []string {
		var slugs []string
		if strings.HasSuffix(path, ".html") {
			for _, line := range read(t, path) {
				for _, m := range id.FindAllStringSubmatch(line, -1) {
					slugs = append(slugs, m[1])
				}
			}
			return slugs
		}
		for _, line := range prose(t, path) {
			if title := strings.TrimLeft(line, "#"); title != line && strings.HasPrefix(title, " ") {
				slug := notSlug.ReplaceAllString(strings.ToLower(strings.TrimSpace(title)), "")
				slugs = append(slugs, strings.ReplaceAll(slug, " ", "-"))
			}
		}
		return slugs
	}
	followed := 0
	for _, path := range documents(t) {
		for i, line := range prose(t, path) {
			for _, m := range link.FindAllStringSubmatch(line, -1) {
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
	if followed < 20 {
		t.Errorf("only %d links in all documents", followed)
	}
}

// A described planner is a planner in the output of `stowage planners --json`.
type described struct {
	Name       string
	Techniques []struct{ Name string }
	Params     []struct{ Name, Default string }
}

// planners returns what the command says of its planners, by their names.
func planners(t *testing.T) map[string]described {
	t.Helper()
	out := must.Get(exec.Command(built.Laboratory(t), "planners", "--json").Output())(t)
	var list []described
	must.Do(t, json.Unmarshal(out, &list))
	byName := map[string]described{}
	for _, d := range list {
		byName[d.Name] = d
	}
	return byName
}

// archived reports whether a document is a record of a former version, with that version's commands.
func archived(path string) bool { return strings.HasPrefix(filepath.ToSlash(path), "docs/lab/") }

// has reports whether the planner has a technique, or with a default a parameter, of
// this name.
func (d described) has(technique, param string) bool {
	for _, x := range d.Techniques {
		if x.Name == technique {
			return true
		}
	}
	for _, x := range d.Params {
		if x.Name == param {
			return true
		}
	}
	return false
}

var planning = regexp.MustCompile(`--(planners?|without|set)[ =]([^\s` + "`" + `|]+)`)

// TestDocsPlanners looks up the values of --planner, --planners, --without and --set in the documents: planners,
// their techniques, their parameters. Without --planner any planner's are right.
func TestDocsPlanners(t *testing.T) {
	all := planners(t)
	checked := 0
	for _, path := range documents(t) {
		if archived(path) {
			continue
		}
		for i, line := range read(t, path) {
			line, _, _ = strings.Cut(line, "<!--")
			inLab := strings.Contains(line, "stowage-lab") || strings.Contains(line, "lab/bench")
			var asked []described
			matches := planning.FindAllStringSubmatch(line, -1)
			for _, m := range matches {
				if !strings.HasPrefix(m[1], "planner") {
					continue
				}
				for _, word := range strings.Split(strings.TrimRight(m[2], ",.;:)'"), ",") {
					name, _, _ := strings.Cut(strings.Trim(word, "'"), ":") // as lab/bench/agree has them
					if name == "" || name != strings.ToLower(name) || name == "all" || name == "stack" ||
						strings.ContainsAny(name, "*…") {
						continue // a placeholder, or what is no planner's name
					}
					d, ok := all[name]
					if !ok {
						t.Errorf("%s:%d: there is no planner %q", path, i+1, name)
						continue
					}
					if laboratory.Has(name) && !inLab {
						t.Errorf("%s:%d: %s is in stowage-lab", path, i+1, name)
					}
					asked = append(asked, d)
					checked++
				}
			}
			if len(asked) == 0 {
				asked = slices.Collect(maps.Values(all))
			}
			for _, m := range matches {
				for _, word := range strings.Split(strings.TrimRight(m[2], ",.;:)]'"), ",") {
					key, _, isParam := strings.Cut(word, "=")
					if key == "" || key == "each" || key != strings.ToLower(key) || // each: of a sweep, all techniques
						m[1] == "set" && !isParam || strings.HasPrefix(m[1], "planner") {
						continue
					}
					checked++
					if !slices.ContainsFunc(asked, func(d described) bool {
						return m[1] == "without" && d.has(key, "") || m[1] == "set" && d.has("", key)
					}) {
						t.Errorf("%s:%d: no planner that is asked there has %s for --%s", path, i+1, key, m[1])
					}
				}
			}
		}
	}
	if checked < 50 {
		t.Errorf("only %d planners, techniques and parameters in all documents", checked)
	}
}

// TestDocsTables compares the tables in docs/planners, and those of the laboratory's planners in lab, with the planners' own
// lists. Every planner is on a page. Every
// technique and parameter in a table exists, with the right default. A table of techniques or parameters has all of
// them.
func TestDocsTables(t *testing.T) {
	all := planners(t)
	family := map[string][]string{"rectpack": {"csp", "meta-csp", "cp"}}
	pages, err := filepath.Glob("docs/planners/*.md")
	if err != nil || len(pages) == 0 {
		t.Fatal(pages, err)
	}
	for _, folder := range []string{"milp", "baseline/rectpack", "baseline/framework"} {
		pages = append(pages, filepath.FromSlash("lab/"+folder+"/README.md"))
	}
	var text strings.Builder
	rows := 0
	for _, page := range pages {
		lines := read(t, page)
		text.WriteString(strings.Join(lines, "\n"))
		base := strings.TrimSuffix(filepath.Base(page), ".md")
		if base == "README" {
			base = filepath.Base(filepath.Dir(page))
		}
		var of []described
		for _, name := range append(family[base], base) {
			if d, ok := all[name]; ok {
				of = append(of, d)
			}
		}
		kind, told := "", map[string]map[string]bool{}
		for i, line := range lines {
			cells := strings.Split(strings.Trim(line, "|"), "|")
			for j := range cells {
				cells[j] = strings.TrimSpace(cells[j])
			}
			switch {
			case !strings.HasPrefix(line, "|"):
				kind = ""
				continue
			case kind == "" && len(of) > 0 && (cells[0] == "technique" || cells[0] == "parameter"):
				if kind = cells[0]; told[kind] == nil {
					told[kind] = map[string]bool{}
				}
				continue
			case kind == "" || strings.HasPrefix(cells[0], "-"):
				continue
			}
			for _, m := range codeSpan.FindAllStringSubmatch(cells[0], -1) {
				rows++
				told[kind][m[1]] = true
				if !slices.ContainsFunc(of, func(d described) bool {
					return kind == "technique" && d.has(m[1], "") || kind == "parameter" && d.has("", m[1])
				}) {
					t.Errorf("%s:%d: %s is no %s of %s", page, i+1, m[1], kind, base)
				}
				if kind == "parameter" && len(of) == 1 {
					for _, p := range of[0].Params {
						if p.Name == m[1] && p.Default != strings.Trim(cells[1], "`") {
							t.Errorf("%s:%d: the default of %s is %s", page, i+1, p.Name, p.Default)
						}
					}
				}
			}
		}
		if len(of) != 1 {
			continue
		}
		for _, x := range of[0].Techniques {
			if told["technique"] != nil && !told["technique"][x.Name] {
				t.Errorf("%s does not say what the technique %s is", page, x.Name)
			}
		}
		for _, x := range of[0].Params {
			if told["parameter"] != nil && !told["parameter"][x.Name] {
				t.Errorf("%s does not say what the parameter %s is", page, x.Name)
			}
		}
	}
	if rows < 50 {
		t.Errorf("only %d techniques and parameters in the tables", rows)
	}
	for name := range all {
		if !strings.Contains(text.String(), "`"+name+"`") {
			t.Errorf("no page of the planners names %s", name)
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
	examples := trim(read(t, "example_test.go")) + trim(read(t, filepath.FromSlash("examples/plan/main.go")))
	for _, folder := range []string{"session", "session/repack"} {
		examples += trim(read(t, filepath.Join(filepath.FromSlash(folder), "example_test.go")))
	}
	found := 0
	for _, path := range documents(t) {
		lines := read(t, path)
		for _, b := range blocksOf(lines) {
			if b.info != "go" {
				continue
			}
			found++
			if !strings.Contains(examples, trim(lines[b.from:b.to])) {
				t.Errorf("%s:%d: neither examples/plan nor an example_test.go of the root, session or session/repack has such lines", path, b.from+1)
			}
		}
	}
	if found == 0 {
		t.Error("no Go block in any document")
	}
}

// TestDocsPaths looks for every path in code spans of the documents: paths that begin with a folder of this
// repository, and names of Go files.
func TestDocsPaths(t *testing.T) {
	top := map[string]bool{}
	sources := map[string]bool{}
	must.Do(t, filepath.WalkDir(".", func(path string, d os.DirEntry, err error) error {
		if d == nil || d.IsDir() && path != "." && strings.HasPrefix(d.Name(), ".") {
			return filepath.SkipDir
		}
		if d.IsDir() && !strings.Contains(filepath.ToSlash(path), "/") {
			top[path] = true
		}
		sources[d.Name()] = true
		return err
	}))
	delete(top, "bin")       // what make build leaves
	made := "lab/bench/out/" // what programs of bench leave
	// Packages of former versions, which the list of changes names.
	gone := []string{
		"planner/baselines", "planner/milp", "research/learn", "lab/learn", "lab/learn/cmd", "lab/bench/late", "lab/bench/idealloc",
		"lab/bench/ortools/decide.py",
	}
	file := regexp.MustCompile(`^[a-z0-9_]+\.go$`)
	tag := regexp.MustCompile(`/v[0-9.]+$`) // a version of a module
	found := 0
	for _, path := range documents(t) {
		for i, line := range prose(t, path) {
			for _, m := range codeSpan.FindAllStringSubmatch(line, -1) {
				for _, word := range strings.Fields(m[1]) {
					word = strings.TrimSuffix(strings.TrimPrefix(word, "./"), "/...")
					first, rest, deep := strings.Cut(word, "/")
					switch {
					case file.MatchString(word):
						if found++; !sources[word] {
							t.Errorf("%s:%d: no file is named %s", path, i+1, word)
						}
					case (path == "CHANGELOG.md" || archived(path)) && slices.Contains(gone, word):
					case deep && top[first] && rest != "" && !strings.HasPrefix(word, made) &&
						!strings.ContainsAny(word, "*{}=,…") && !tag.MatchString(word):
						if found++; missing(word) && missing(filepath.Join(filepath.Dir(path), filepath.FromSlash(word))) {
							t.Errorf("%s:%d: there is no %s", path, i+1, word)
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
