package setting

import (
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stowage-go/stowage/format/times"
	"github.com/stowage-go/stowage/internal/figures"
	_ "github.com/stowage-go/stowage/internal/greedy"
	_ "github.com/stowage-go/stowage/internal/merge"
	_ "github.com/stowage-go/stowage/internal/planners/sweep"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
	_ "github.com/stowage-go/stowage/plan/all"
)

// Idea: C, C++, Python, JavaScript and the viewer declare the options of a run, and the words
// and numbers of its outcome, in their own files. These tests read those files and hold them
// against All, plan.Stop, model.Status and figures.Figures, so a new option, reason or key
// that one language lacks, or misspells, fails here by its name.

// source returns a file of the repository.
func source(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", filepath.FromSlash(path)))
	if err != nil {
		t.Fatal(err)
	}
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

// named returns the names of the settings for which there is a text, with that text.
func named(text func(*Setting) string) (names []string) {
	for k := range All {
		if name := text(&All[k]); name != "" {
			names = append(names, name)
		}
	}
	return names
}

// numeric returns the settings that are numbers, which have a number in C.
func numeric(s *Setting) string {
	switch s.Kind {
	case Size, Switch, Time, Count, Bits:
		return s.Name
	}
	return ""
}

// called is the name of a setting in Python and JavaScript: set is a word of theirs.
func called(s *Setting) string {
	if s.Name == "set" {
		return "params"
	}
	return s.Name
}

// TestBindingsOptionsC checks the options by number of stowage.h and of the solver.
func TestBindingsOptionsC(t *testing.T) {
	enum := part(t, "capi/stowage.h", "/* Options by number.", "};")
	numbers := found(`STOWAGE_([A-Z_]+ = \d+)`, enum)
	at := 0
	want := named(func(s *Setting) string {
		name := strings.ToUpper(numeric(s))
		if name == "" {
			return ""
		}
		if s.Kind == Time {
			name += "_NS"
		}
		at++
		return name + " = " + strconv.Itoa(at)
	})
	same(t, "stowage.h", numbers, want)
	keys := found(`(?m)^\t"(\w+)":`, part(t, "capi/options.go", "var byNumber = ", "\n}\n"))
	same(t, "capi/options.go", keys, named(numeric))
}

// TestBindingsOptionsCXX checks the fields of the options in stowage.hpp, and that its set
// passes each of them to the library: the numbers by number, the others by name.
func TestBindingsOptionsCXX(t *testing.T) {
	const file = "capi/stowage.hpp"
	types := map[Kind]string{
		Text: "std::string", Size: "int64_t", Time: "std::chrono::nanoseconds", Count: "int64_t", Bits: "uint64_t", Switch: "bool",
		Names: "std::vector<std::string>", Pairs: "std::map<std::string, std::string>",
	}
	fields := found(`(?m)^  (\S[^;{=]* \w+)(?:\{\}| = \w+);`, part(t, file, "struct options {", "\n};"))
	same(t, file, sorted(fields), sorted(named(func(s *Setting) string { return types[s.Kind] + " " + s.Name })))

	set := part(t, file, "solver &set(const options &o) {", "\n  }\n")
	same(t, "numbers of set in "+file, found(`STOWAGE_(\w+), `, set), named(func(s *Setting) string {
		if s.Kind == Time {
			return strings.ToUpper(s.Name) + "_NS"
		}
		return strings.ToUpper(numeric(s))
	}))
	same(t, "names of set in "+file, found(`\\"(\w+)\\": `, set), named(func(s *Setting) string {
		if numeric(s) != "" {
			return ""
		}
		return s.Name
	}))
	used := sorted(found(`\bo\.(\w+)\b`, set))
	same(t, "fields that set reads in "+file, slices.Compact(used), sorted(named(func(s *Setting) string { return s.Name })))
}

// TestBindingsOptionsPython checks the numbers of the options and the tuple of all options.
func TestBindingsOptionsPython(t *testing.T) {
	const file = "python/stowage/_library.py"
	numbers := found(`(?m)^(CAPACITY, .*) = range\(1, 7\)$`, source(t, file))
	want := named(func(s *Setting) string { return strings.ToUpper(numeric(s)) })
	same(t, file, numbers, []string{strings.Join(want, ", ")})
	types := map[Kind]string{
		Text: "str", Size: "int", Time: "float", Count: "int", Bits: "int", Switch: "bool",
		Names: "Sequence[str]", Pairs: "Mapping[str, Any]",
	}
	fields := found(`(?m)^    (\w+: [^=]+) =`, part(t, file, "class Options(NamedTuple):", "NO_OPTIONS"))
	declared := named(func(s *Setting) string { return called(s) + ": " + types[s.Kind] })
	same(t, file, sorted(fields), sorted(append(declared, "start: Any")))
}

// TestBindingsOptionsJavaScript checks the options of the package for npm: the names that
// it accepts, their types, and what the bridge to Go reads. WebAssembly has one thread, so
// workers is no option there.
func TestBindingsOptionsJavaScript(t *testing.T) {
	types := map[Kind]string{
		Text: "string", Size: "Size", Time: "Time", Count: "Whole", Bits: "Whole", Switch: "boolean",
		Names: "string | Iterable<string>", Pairs: "Record<string, string | number>",
	}
	there := func(text func(*Setting) string) []string {
		return named(func(s *Setting) string {
			if s.Name == "workers" {
				return ""
			}
			return text(s)
		})
	}
	names := found(`"(\w+)"`, part(t, "npm/src/options.js", "export const OPTIONS = [", "];"))
	same(t, "OPTIONS", sorted(names), sorted(append(there(called), "timeoutMs", "start", "onProgress", "bigint", "ends")))

	fields := found(`(?m)^  (\w+\?: [^;]+);`, part(t, "npm/src/index.d.ts", "interface SolveOptions extends CallOptions {", "\n}"))
	want := append(there(func(s *Setting) string { return called(s) + "?: " + types[s.Kind] }),
		"timeoutMs?: number", "start?: ArrayLike<Whole>", "onProgress?: (progress: Progress) => void", "bigint?: false", "ends?: Ends")
	same(t, "SolveOptions", sorted(fields), sorted(want))

	explain := found(`"(\w+)"`, part(t, "npm/src/options.js", "export const EXPLAIN = [", "];"))
	fields = found(`(?m)^  (\w+)\?: `, part(t, "npm/src/index.d.ts", "interface ExplainOptions extends CallOptions {", "\n}"))
	same(t, "EXPLAIN", sorted(explain), sorted(append(fields, "bigint")))

	read := found(`v\.Get\("(\w+)"\)`, part(t, "npm/wasm/bridge/search.go", ") Options() plan.Options {", "\n}"))
	want = append(there(func(s *Setting) string {
		if s.Kind == Time {
			return s.Name + "Ms" // options.js has made milliseconds of both
		}
		return called(s)
	}), "start")
	same(t, "search.go", sorted(read), sorted(want))
}

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
	program := source(t, "npm/wasm/files/main.go") + source(t, "npm/wasm/files/model.go") + source(t, "npm/wasm/bridge/search.go")
	options := found(`Get\("options"\)\.Get\("(\w+)"\)`, program)
	options = append(options, found(`v\.Get\("(\w+)"\)`, part(t, "npm/wasm/bridge/search.go", ") Options() plan.Options {", "\n}"))...)
	input := found(`c\.Input\.Get\("(\w+)"\)`, program)
	operations := found(`"(\w+)": +\w+`, part(t, "npm/wasm/files/main.go", "bridge.Serve(", "\n"))

	missing("option", found(`(?m)^ {10}(\w+):`, part(t, page, "        options: {", "        },")), options)
	missing("key of a file", found(`(?m)^ {8}(\w+):`, part(t, page, "const input = {", "      };")), input)
	missing("key of a model", found(`(?m)^ {6}(\w+):`, part(t, page, "  #leftOpen() {", "\n  }")), input)
	missing("operation", found(`"(\w+)"`, strings.Join(found(`planner\.call\((.*?), (?:input|\{)`, text), " ")), append(operations, "tflite"))
	asks, worker := source(t, "render/html/viewer/planner.js"), source(t, "npm/src/serve.js")
	same(t, "messages of planner.js", sorted(found(`\{ type: "(\w+)"`, asks)), sorted(found(`case "(\w+)":`, worker)))
	known := found(`(?m)^(?:.*post\(|  +)\{? ?type: "(\w+)"`, worker)
	missing("answer in planner.js", found(`type === "(\w+)"`, asks), known)

	ends := found(`"?([a-z-]+)"?: "`, part(t, page, "const ENDS = {", "};"))
	same(t, "ends of "+page, ends, []string{string(times.Inclusive), string(times.HalfOpen)})
	planners := found(`"([a-z-]+)"`, part(t, page, "const PLANNERS = [", "];"))
	same(t, page, sorted(planners), plan.Names())
	list := part(t, "capi/stowage.h", "The planners are ", ".\n")
	same(t, "stowage.h", found(`([a-z]+(?:-[a-z]+)?)(?:,| and|$)`, list), plan.Names())
	stops := found(`(?m)^  (\w+): `, part(t, page, "const STOPPED = {", "};"))
	same(t, page, sorted(stops), sorted(found(`(?m)^\tStop\w+ +Stop = "(\w+)"`, source(t, "plan/result.go"))))
}

// TestBindingsFigures checks that every language has who found the plan, who proved it and why
// the run ended, by the words of --stats.
func TestBindingsFigures(t *testing.T) {
	var keys, words []string
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
			{"capi/stowage.h", "STOWAGE_API const char *stowage_" + key + "(const stowage_solver *);"},
			{"capi/stowage.hpp", "  std::string " + key + ";"},
			{"capi/stowage.hpp", "p." + key + " = stowage_" + key + "(get())"},
			{"python/stowage/_library.py", "lib.stowage_" + key + "(handle).decode()"},
			{"python/stowage/_api.py", `figures["` + key + `"]`},
			{"python/stowage/_plan.py", "    " + key + ": "},
			{"npm/wasm/bridge/search.go", `"` + camel + `": `},
			{"npm/src/columns.js", "    " + camel + ",\n"},
			{"npm/src/index.d.ts", "  " + camel + ": "},
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
	for _, w := range []string{figures.Proof, figures.Fits, figures.Done} {
		words = append(words, strconv.Quote(w))
	}
	words = append(words, found(`(?m)^\tStop\w+ +Stop = ("\w+")`, source(t, "plan/result.go"))...)
	same(t, "_plan.py", found(`(?m)^Ended = Literal\[(.*)\]$`, source(t, "python/stowage/_plan.py")), []string{strings.Join(words, ", ")})
	same(t, "index.d.ts", found(`(?m)^  ended: (.*);$`, source(t, "npm/src/index.d.ts")), []string{strings.Join(words, " | ")})
	same(t, "stowage.h", found(`("\w+")`, part(t, "capi/stowage.h", "stowage_ended      why", "*/")), append(words, `""`)[:len(words)])
}

// TestBindingsStops checks the reasons for the end of a run, by number in C and C++ and by word
// in Python and TypeScript.
func TestBindingsStops(t *testing.T) {
	stops := []plan.Stop{plan.Finished, plan.StopTimeout, plan.StopNodes, plan.StopInterrupt, plan.StopEffort}
	var words []string
	for _, s := range stops {
		words = append(words, strconv.Quote(string(s)))
	}
	same(t, "plan/result.go", found(`(?m)^\t\w+ +Stop = ("\w*")`, source(t, "plan/result.go")), words)
	list := strings.Join(words, ", ")
	same(t, "_library.py", found(`(?m)^STOPS: .* = \((.*)\)$`, source(t, "python/stowage/_library.py")), []string{list})
	same(t, "_plan.py", found(`(?m)^Stopped = Literal\[(.*)\]$`, source(t, "python/stowage/_plan.py")), []string{list})
	sentences := part(t, "python/stowage/_plan.py", "_STOPS = {", "}")
	same(t, "sentences of _plan.py", found(`(?m)^    ("\w+"): "`, sentences), words[1:])
	phrases := part(t, "cmd/stowage/command/solve.go", "func ending(", "\n}\n")
	same(t, "cmd/stowage", sorted(found(`plan\.((?:Stop\w+|Finished))\b`, phrases)),
		sorted(found(`(?m)^\t(\w+) +Stop = `, source(t, "plan/result.go"))))
	same(t, "index.d.ts", found(`Why the run ended without an answer: (.*)\. \*/`, source(t, "npm/src/index.d.ts")), []string{list})
	same(t, "stowage.h", found(`STOWAGE_(\w+ = \d)`, part(t, "capi/stowage.h", "/* Why a run ended", "};")),
		[]string{"FINISHED = 0", "STOP_TIMEOUT = 1", "STOP_NODES = 2", "STOP_CANCELLED = 3", "STOP_EFFORT = 4"})
	same(t, "stowage.hpp", found(`(?m)^  (\w+ = STOWAGE_\w+)`, part(t, "capi/stowage.hpp", "enum class stop {", "};")), []string{
		"finished = STOWAGE_FINISHED", "timeout = STOWAGE_STOP_TIMEOUT", "nodes = STOWAGE_STOP_NODES",
		"cancelled = STOWAGE_STOP_CANCELLED", "effort = STOWAGE_STOP_EFFORT",
	})
}

// TestBindingsStatuses checks the words of the outcomes and their numbers in C.
func TestBindingsStatuses(t *testing.T) {
	var words, numbers, names []string
	for k, s := range []model.Status{model.Unknown, model.Feasible, model.Optimal, model.Infeasible} {
		words = append(words, strconv.Quote(s.String()))
		numbers = append(numbers, strings.ToUpper(s.String())+" = "+strconv.Itoa(k))
		names = append(names, s.String()+" = STOWAGE_"+strings.ToUpper(s.String()))
	}
	list := strings.Join(words, ", ")
	same(t, "_library.py", found(`(?m)^STATUSES: .* = \((.*)\)$`, source(t, "python/stowage/_library.py")), []string{list})
	same(t, "stowage.h", found(`(?m)^  STOWAGE_((?:UNKNOWN|FEASIBLE|OPTIMAL|INFEASIBLE) = \d)`, source(t, "capi/stowage.h")), numbers)
	same(t, "stowage.hpp", found(`(?m)^  (\w+ = STOWAGE_\w+)`, part(t, "capi/stowage.hpp", "enum class status {", "};")), names)
}
