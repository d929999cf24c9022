package setting

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// Idea: C, Python and JavaScript declare the options of a run, and the words and numbers of
// its outcome, in their own files. These tests read those files and hold them against All,
// plan.Stop and model.Status, so a new option or reason that one language lacks fails here.

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

// same tells of a list that is not as declared.
func same(t *testing.T, what string, got, want []string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s: %q, and declared are %q", what, got, want)
	}
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
	names := found(`"(\w+)"`, part(t, "npm/src/columns.js", "export const OPTIONS = [", "];"))
	same(t, "OPTIONS", sorted(names), sorted(append(there(called), "timeoutMs", "start", "onProgress", "bigint")))

	fields := found(`(?m)^  (\w+\?: [^;]+);`, part(t, "npm/src/index.d.ts", "interface SolveOptions extends CallOptions {", "\n}"))
	want := append(there(func(s *Setting) string { return called(s) + "?: " + types[s.Kind] }),
		"timeoutMs?: number", "start?: ArrayLike<Whole>", "onProgress?: (progress: Progress) => void", "bigint?: false")
	same(t, "SolveOptions", sorted(fields), sorted(want))

	explain := found(`"(\w+)"`, part(t, "npm/src/columns.js", "export const EXPLAIN = [", "];"))
	fields = found(`(?m)^  (\w+)\?: `, part(t, "npm/src/index.d.ts", "interface ExplainOptions extends CallOptions {", "\n}"))
	same(t, "EXPLAIN", sorted(explain), sorted(append(fields, "bigint")))

	read := found(`v\.Get\("(\w+)"\)`, part(t, "npm/wasm/bridge/search.go", ") Options() plan.Options {", "\n}"))
	want = append(there(func(s *Setting) string {
		if s.Kind == Time {
			return s.Name + "Ms" // columns.js has made milliseconds of both
		}
		return called(s)
	}), "start")
	same(t, "search.go", sorted(read), sorted(want))
}

// TestBindingsStops checks the reasons for the end of a run, by number in C and by word in
// Python and TypeScript.
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
	phrases := part(t, "cmd/stowage/solve.go", "func ending(", "\n}\n")
	same(t, "cmd/stowage", sorted(found(`plan\.((?:Stop\w+|Finished))\b`, phrases)),
		sorted(found(`(?m)^\t(\w+) +Stop = `, source(t, "plan/result.go"))))
	same(t, "index.d.ts", found(`Why the run ended without an answer: (.*)\. \*/`, source(t, "npm/src/index.d.ts")), []string{list})
	same(t, "stowage.h", found(`STOWAGE_(\w+ = \d)`, part(t, "capi/stowage.h", "/* Why a run ended", "};")),
		[]string{"FINISHED = 0", "STOP_TIMEOUT = 1", "STOP_NODES = 2", "STOP_CANCELLED = 3", "STOP_EFFORT = 4"})
}

// TestBindingsStatuses checks the words of the outcomes and their numbers in C.
func TestBindingsStatuses(t *testing.T) {
	var words, numbers []string
	for k, s := range []model.Status{model.Unknown, model.Feasible, model.Optimal, model.Infeasible} {
		words = append(words, strconv.Quote(s.String()))
		numbers = append(numbers, strings.ToUpper(s.String())+" = "+strconv.Itoa(k))
	}
	list := strings.Join(words, ", ")
	same(t, "_library.py", found(`(?m)^STATUSES: .* = \((.*)\)$`, source(t, "python/stowage/_library.py")), []string{list})
	same(t, "stowage.h", found(`(?m)^  STOWAGE_((?:UNKNOWN|FEASIBLE|OPTIMAL|INFEASIBLE) = \d)`, source(t, "capi/stowage.h")), numbers)
}
