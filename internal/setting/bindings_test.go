package setting

import (
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stowage-go/stowage/format/times"
	"github.com/stowage-go/stowage/internal/figures"
	_ "github.com/stowage-go/stowage/internal/greedy"
	_ "github.com/stowage-go/stowage/internal/merge"
	_ "github.com/stowage-go/stowage/internal/planners/sweep"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
	_ "github.com/stowage-go/stowage/plan/all"
)

// Idea: what generate_test.go does not write, these tests read from the files of C, Python, JavaScript and the viewer,
// and hold it against All, plan.Stop, model.Status and figures.Figures. So a new option, reason or key that one
// language lacks, or misspells, fails here by its name.

// source returns a file of the repository.
func source(t *testing.T, path string) string {
	t.Helper()
	text := must.Get(os.ReadFile(filepath.Join("..", "..", filepath.FromSlash(path))))(t)
	return string(text)
}

// part returns what is between two texts of a file, the first of each.
func part(t *testing.T, path, from, to string) string {
	t.Helper()
	_, text, ok := strings.Cut(source(t, path), from)
	text, _, end := strings.Cut(text, to)
	if !ok || !end {
		t.Fatalf("%s has nothing from %q to %q", path, from, to)
	}
	return text
}

// found returns what the group of a pattern has at each place.
func found(pattern, text string) (all []string) {
	for _, m := range regexp.MustCompile(pattern).FindAllStringSubmatch(text, -1) {
		all = append(all, m[1])
	}
	return all
}

// same tells of a list that is not as declared, and what it lacks or has of its own.
func same(t *testing.T, what string, got, want []string) {
	t.Helper()
	if slices.Equal(got, want) {
		return
	}
	lacks := slices.DeleteFunc(slices.Clone(want), func(s string) bool { return slices.Contains(got, s) })
	extra := slices.DeleteFunc(slices.Clone(got), func(s string) bool { return slices.Contains(want, s) })
	t.Errorf("%s lacks %q and has %q of its own: %q, and declared are %q", what, lacks, extra, got, want)
}

// sorted returns a sorted copy.
func sorted(list []string) []string { return slices.Sorted(slices.Values(list)) }

// TestBindingsViewer checks what the page that plans asks of the program for files: the
// operations, the keys of their input and of the options, and the planners.
func TestBindingsViewer(t *testing.T) {
	const page = "render/html/viewer/drop.js"
	missing := func(what string, got, known []string) {
		for _, name := range got {
			if !slices.Contains(known, name) {
				t.Errorf("%s: %s has %q, and known are %q", page, what, name, known)
			}
		}
		if len(got) == 0 {
			t.Errorf("%s: there is no %s", page, what)
		}
	}
	text := source(t, page)
	program := source(t, "bindings/js/wasm/files/main.go") + source(t, "bindings/js/wasm/files/model.go") + source(t,
		"bindings/js/wasm/bridge/search.go")
	options := found(`Get\("options"\)\.Get\("(\w+)"\)`, program)
	options = append(options, found(`v\.Get\("(\w+)"\)`,
		part(t, "bindings/js/wasm/bridge/search.go", ") Options() plan.Options {", "\n}"))...)
	input := found(`c\.Input\.Get\("(\w+)"\)`, program)
	operations := found(`"(\w+)": +\w+`, part(t, "bindings/js/wasm/files/main.go", "bridge.Serve(", "})"))

	missing("option", found(`(?m)^ {10}(\w+):`, part(t, page, "        options: {", "        },")), options)
	missing("key of a file", found(`(?m)^ {8}(\w+):`, part(t, page, "const input = {", "      };")), input)
	missing("key of a model", found(`(?m)^ {6}(\w+):`, part(t, page, "  #leftOpen() {", "\n  }")), input)
	missing("operation", found(`"(\w+)"`, strings.Join(found(`planner\.call\((.*?), (?:input|\{)`, text), " ")),
		append(operations, "tflite"))
	asks, worker := source(t, "render/html/viewer/planner.js"), source(t, "bindings/js/src/serve.js")
	same(t, "messages of planner.js", sorted(found(`\{ type: "(\w+)"`, asks)), sorted(found(`case "(\w+)":`, worker)))
	known := found(`(?m)^(?:.*post\(|  +)\{? ?type: "(\w+)"`, worker)
	missing("answer in planner.js", found(`type === "(\w+)"`, asks), known)

	ends := found(`"?([a-z-]+)"?: "`, part(t, page, "const ENDS = {", "};"))
	same(t, "ends of "+page, ends, []string{string(times.Inclusive), string(times.HalfOpen)})
	planners := found(`"([a-z-]+)"`, part(t, page, "const PLANNERS = [", "];"))
	same(t, page, sorted(planners), plan.Names())
	list := part(t, "bindings/c/stowage.h", "The planners are ", ".\n")
	same(t, "stowage.h", found(`([a-z]+(?:-[a-z]+)?)(?:,| and|$)`, list), plan.Names())
	stops := found(`(?m)^  (\w+): `, part(t, page, "const STOPPED = {", "};"))
	same(t, page, sorted(stops), sorted(found(`(?m)^\tStop\w+ +Stop = "(\w+)"`, source(t, "plan/result.go"))))
}

// TestBindingsFigures checks that every language has who found the plan, who proved it and why
// the run ended, by the words of --stats.
func TestBindingsFigures(t *testing.T) {
	var keys []string
	fields := reflect.TypeFor[figures.Figures]()
	for k := range fields.NumField() {
		key, _, _ := strings.Cut(fields.Field(k).Tag.Get("json"), ",")
		if slices.Contains([]string{"FoundBy", "ProvedBy", "Ended"}, fields.Field(k).Name) {
			keys = append(keys, key)
		}
	}
	for _, key := range keys {
		camel := strings.ReplaceAll(key, "_b", "B")
		for _, c := range []struct{ file, text string }{
			{"bindings/c/stowage.h", "STOWAGE_API const char *stowage_" + key + "(const stowage_solver *);"},
			{"bindings/c/stowage.hpp", "  std::string " + key + ";"},
			{"bindings/c/stowage.hpp", "p." + key + " = stowage_" + key + "(get())"},
			{"python/stowage/_library.py", "lib.stowage_" + key + "(handle).decode()"},
			{"python/stowage/_api.py", `figures["` + key + `"]`},
			{"python/stowage/_plan.py", "    " + key + ": "},
			{"bindings/js/wasm/bridge/search.go", `"` + camel + `": `},
			{"bindings/js/src/columns.js", "    " + camel + ",\n"},
			{"bindings/js/src/index.d.ts", "  " + camel + ": "},
			{"docs/GUIDE.md", "| `" + key + "` | "},
			{"docs/c.md", "`stowage_" + key + "`"},
			{"docs/python.md", "`plan." + key + "`"},
			{"docs/javascript.md", "`" + camel + "`"},
		} {
			if !strings.Contains(source(t, c.file), c.text) {
				t.Errorf("%s lacks %q", c.file, c.text)
			}
		}
	}
	words := quotes(endings())
	same(t, "stowage.h", found(`("\w+")`, part(t, "bindings/c/stowage.h", "stowage_ended      why", "*/")), words)
}

// TestBindingsStops checks that stops has all reasons of package plan, and the sentences that say them.
func TestBindingsStops(t *testing.T) {
	words := quotes(names(stops))
	same(t, "plan/result.go", found(`(?m)^\t\w+ +Stop = ("\w*")`, source(t, "plan/result.go")), words)
	sentences := part(t, "python/stowage/_plan.py", "_STOPS = {", "}")
	same(t, "sentences of _plan.py", found(`(?m)^    ("\w+"): "`, sentences), words[1:])
	phrases := part(t, "cmd/stowage/command/summary.go", "func ending(", "\n}\n")
	same(t, "cmd/stowage", sorted(found(`plan\.((?:Stop\w+|Finished))\b`, phrases)),
		sorted(found(`(?m)^\t(\w+) +Stop = `, source(t, "plan/result.go"))))
	same(t, "index.d.ts", found(`Why the run ended without an answer: (.*)\. \*/`,
		source(t, "bindings/js/src/index.d.ts")),
		[]string{strings.Join(words, ", ")})
}

// TestBindingsStatuses checks that a status has the number of its place, which C and Python rely on.
func TestBindingsStatuses(t *testing.T) {
	for k, w := range statuses {
		if got := model.Status(k).String(); got != w.name {
			t.Errorf("status %d is %s, and declared is %s", k, got, w.name)
		}
	}
}

// TestBindingsReaders checks the options that C takes by number, and those that the bridge to WebAssembly reads:
// milliseconds stand for times there, as options.js has made them.
func TestBindingsReaders(t *testing.T) {
	var numbers, read []string
	for _, s := range settings() {
		if numbered(s) {
			numbers = append(numbers, s.Name)
		}
	}
	keys := found(`(?m)^\t"(\w+)":`, part(t, "bindings/c/options.go", "var byNumber = ", "\n}\n"))
	same(t, "bindings/c/options.go", keys, numbers)
	for _, k := range without(here(), "timeout") {
		read = append(read, camel(k.name))
	}
	const file = "bindings/js/wasm/bridge/search.go"
	got := found(`v\.Get\("(\w+)"\)`, part(t, file, ") Options() plan.Options {", "\n}"))
	same(t, file, sorted(got), sorted(append(read, "start")))
}
