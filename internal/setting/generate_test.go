package setting

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stowage-go/stowage/internal/figures"
	"github.com/stowage-go/stowage/internal/testkit/golden"
)

// Idea: a region of a file begins with a comment "generated: NAME" and ends with a comment "end of NAME". What is
// between them is written from the declarations. `go generate ./internal/setting` writes all regions, and the test
// compares them.
//
// Invariant: each region below stands once in its file, and a file has no other region.

// A region is a part of a file, and the lines that belong there, without their indentation.
type region struct {
	file, name, indent string
	lines              []string
}

func regions() []region {
	const api, library, plans = "python/stowage/_api.py", "python/stowage/_library.py", "python/stowage/_plan.py"
	const header, wrapper = "bindings/c/stowage.h", "bindings/c/stowage.hpp"
	const types, files = "bindings/js/src/index.d.ts", "bindings/js/src/files.d.ts"
	explained := without(here(), "minimize", "without", "params")
	searches := slices.Concat(options(), []keyword{start, progress})
	return []region{
		{header, "statuses", "  ", numbersC(statuses)},
		{header, "stops", "  ", numbersC(stops)},
		{header, "options", "  ", optionsC()},
		{wrapper, "status", "  ", wordsCXX(statuses)},
		{wrapper, "stop", "  ", wordsCXX(stops)},
		{wrapper, "rules", "  ", rulesCXX()},
		{wrapper, "options", "  ", optionsCXX()},
		{wrapper, "set", "    ", setCXX()},
		{api, "solve", "    ", arguments(byPlace, columns, python(rules), searches)},
		{api, "plan", "    ", arguments(nil, options(), []keyword{startOr, progress, ignore}, open)},
		{api, "size", "    ", arguments(nil, options("capacity", "minimize"), []keyword{ignore}, open)},
		{api, "solve_many", "    ", arguments(nil, []keyword{atOnce}, options(), []keyword{ends})},
		{"python/stowage/_problem.py", "Problem", "        ", arguments(byPlace, columns, python(rules), []keyword{
			{name: "capacity", python: "Size = 0"}, {name: "name", python: `str = ""`},
		})},
		{library, "numbers", "", numbersPython()},
		{library, "options", "    ", optionsPython()},
		{plans, "words", "", []string{
			"Status = Literal[" + quoted(names(statuses)) + "]",
			"Stopped = Literal[" + quoted(names(stops)) + "]",
			"Ended = Literal[" + quoted(endings()) + "]",
		}},
		{types, "rules", "  ", fields(rules)},
		{types, "status", "", []string{
			`/** What is known of a plan. "optimal" and "infeasible" are proofs. */`,
			"export type Status = " + strings.Join(quotes(names(statuses)), " | ") + ";",
		}},
		{types, "options", "  ", fields([]keyword{ends}, here(), []keyword{start})},
		{types, "ended", "  ", []string{
			"/** Why the run ended: with a proof, with a plan that fits, done (a heuristic came to its end), or by a limit. */",
			"ended: " + strings.Join(quotes(endings()), " | ") + ";",
		}},
		{types, "explain", "  ", fields([]keyword{ends, smallest}, explained)},
		{files, "open", "  ", fields(open)},
		{"bindings/js/src/options.js", "options", "", []string{
			list("OPTIONS", true, slices.Concat([]keyword{ends}, here(), []keyword{start}), "onProgress", "bigint"),
			"", "/** The options of an explanation. */",
			list("EXPLAIN", true, slices.Concat([]keyword{ends, smallest}, explained), "bigint"),
			"", "/** What a file may leave open. */", list("LEFT_OPEN", false, open, "beside"),
		}},
		{"bindings/js/src/rules.js", "rules", "", []string{list("RULES", false, rules)}},
	}
}

// TestDeclared compares each region with the declarations; with -update it writes them.
func TestDeclared(t *testing.T) {
	whole, marks := map[string]string{}, map[string]int{}
	for _, r := range regions() {
		if whole[r.file] == "" {
			whole[r.file] = source(t, r.file)
		}
		from, to := "generated: "+r.name, "end of "+r.name
		marks[r.file]++
		lines := strings.Split(whole[r.file], "\n")
		at := func(mark string) int {
			return slices.IndexFunc(lines, func(line string) bool {
				return strings.TrimRight(strings.TrimLeft(line, " #/*"), " */") == mark
			})
		}
		first, last := at(from), at(to)
		if first < 0 || last < first {
			t.Fatalf("%s has no region from %q to %q", r.file, from, to)
		}
		var now []string
		for _, line := range strings.Split(strings.Join(r.lines, "\n"), "\n") {
			if line != "" {
				line = r.indent + line
			}
			now = append(now, line)
		}
		whole[r.file] = strings.Join(slices.Concat(lines[:first+1], now, lines[last:]), "\n")
	}
	for file, text := range whole {
		if n := strings.Count(text, " generated: "); n != marks[file] {
			t.Errorf("%s has %d regions, and %d are declared", file, n, marks[file])
		}
		golden.File(t, filepath.Join("..", "..", filepath.FromSlash(file)), []byte(text))
	}
}

// ---- C and C++

// commented writes declarations with comments, all comments in one column.
func commented(rows [][2]string, comment func(string) string) (lines []string) {
	width := 0
	for _, r := range rows {
		if r[1] != "" {
			width = max(width, len(r[0]))
		}
	}
	for _, r := range rows {
		line := r[0]
		if r[1] != "" {
			line = fmt.Sprintf("%-*s %s", width, line, comment(r[1]))
		}
		lines = append(lines, line)
	}
	return lines
}

func block(text string) string { return "/* " + text + " */" }
func slash(text string) string { return "// " + text }

func numbersC(words []word) []string {
	var rows [][2]string
	for k, w := range words {
		rows = append(rows, [2]string{fmt.Sprintf("STOWAGE_%s = %d,", w.c, k), w.doc})
	}
	return commented(rows, block)
}

func optionsC() []string {
	var rows [][2]string
	for _, s := range settings() {
		if numbered(s) {
			doc := s.Doc
			if c := forms[s.Kind].c; c != "" {
				doc = fmt.Sprintf(c, doc)
			}
			rows = append(rows, [2]string{fmt.Sprintf("STOWAGE_%s = %d,", upper(s), len(rows)+1), doc})
		}
	}
	return commented(rows, block)
}

func wordsCXX(words []word) []string {
	var rows [][2]string
	for _, w := range words {
		name := w.name
		if name == "" || name == "interrupt" { // C++ says it otherwise
			name = strings.ToLower(strings.TrimPrefix(w.c, "STOP_"))
		}
		rows = append(rows, [2]string{name + " = STOWAGE_" + w.c + ",", w.doc})
	}
	return commented(rows, slash)
}

func optionsCXX() []string {
	var rows [][2]string
	for _, s := range settings() {
		rows = append(rows, [2]string{forms[s.Kind].cxx + " " + s.Name + forms[s.Kind].zero + ";", s.Doc})
	}
	return commented(rows, slash)
}

// rulesCXX writes what is said of a rule above its fields: lines would be too long.
func rulesCXX() (lines []string) {
	for _, r := range rules {
		lines = append(append(lines, "// "+r.doc), r.cxx...)
	}
	return lines
}

// setCXX passes the options to the library: numbers by number, the others by name.
func setCXX() (lines []string) {
	var json []string
	for _, s := range settings() {
		value := "o." + s.Name
		switch s.Kind {
		case Text, Names, Pairs:
			json = append(json, fmt.Sprintf(`\"%s\": " + json_of(%s)`, s.Name, value))
			continue
		case Switch:
			value += " ? 1 : 0"
		case Time:
			value += ".count()"
		case Bits:
			value = "signed_bits(" + value + ")"
		}
		lines = append(lines, fmt.Sprintf("check(stowage_set(get(), STOWAGE_%s, %s));", upper(s), value))
	}
	return append([]string{`set_json("{` + strings.Join(json, ` + ", `) + ` + "}");`}, lines...)
}

// ---- Python

// arguments writes the arguments of a call: those by place, then those by name alone.
func arguments(byPlace []keyword, byName ...[]keyword) (lines []string) {
	all := []string{}
	for _, k := range byPlace {
		all = append(all, k.name+": "+k.python+",")
	}
	all = append(all, "*,")
	for _, k := range slices.Concat(byName...) {
		all = append(all, k.name+": "+k.python+",")
	}
	return filled(all, 140)
}

// filled puts as many texts into a line as it has room for.
func filled(texts []string, width int) (lines []string) {
	for _, text := range texts {
		if last := len(lines) - 1; last >= 0 && len(lines[last])+1+len(text) <= width {
			lines[last] += " " + text
		} else {
			lines = append(lines, text)
		}
	}
	return lines
}

func numbersPython() []string {
	var upper []string
	for _, s := range settings() {
		if numbered(s) {
			upper = append(upper, strings.ToUpper(s.Name))
		}
	}
	return []string{
		fmt.Sprintf("%s = range(1, %d)", strings.Join(upper, ", "), len(upper)+1),
		"STATUSES: tuple[Status, ...] = (" + quoted(names(statuses)) + ")",
		"STOPS: tuple[Stopped, ...] = (" + quoted(names(stops)) + ")",
	}
}

func optionsPython() (lines []string) {
	for _, s := range settings() {
		lines = append(lines, called(s)+": "+forms[s.Kind].field+" = "+forms[s.Kind].none)
	}
	return append(lines, "start: Any = None")
}

// python returns the keywords that Python has.
func python(all []keyword) []keyword {
	return slices.DeleteFunc(slices.Clone(all), func(k keyword) bool { return k.python == "" })
}

// ---- JavaScript and TypeScript

// here are the options of a search in JavaScript. WebAssembly has one thread, so workers is none.
func here() (all []keyword) {
	for _, k := range options("workers") {
		all = append(all, k)
		if k.name == "timeout" {
			const doc = "the same in milliseconds; give one of the two"
			all = append(all, keyword{name: "timeout_ms", doc: doc, typescript: "number"})
		}
	}
	return all
}

// camel is a name as JavaScript has it.
func camel(name string) string {
	parts := strings.Split(name, "_")
	for k := 1; k < len(parts); k++ {
		parts[k] = strings.ToUpper(parts[k][:1]) + parts[k][1:]
	}
	return strings.Join(parts, "")
}

func fields(all ...[]keyword) (lines []string) {
	for _, k := range slices.Concat(all...) {
		doc := k.rows + k.doc
		lines = append(lines, "/** "+strings.ToUpper(doc[:1])+doc[1:]+". */", camel(k.name)+"?: "+k.typescript+";")
	}
	return lines
}

// list writes a list of names; a list of options begins with those that every call has.
func list(name string, exported bool, all []keyword, more ...string) string {
	items := []string{}
	export := ""
	if exported {
		export, items = "export ", []string{"...COMMON,"}
	}
	for _, k := range all {
		items = append(items, strconv.Quote(camel(k.name))+",")
	}
	for _, name := range more {
		items = append(items, strconv.Quote(name)+",")
	}
	if line := strings.TrimSuffix(strings.Join(items, " "), ","); len(export+"const "+name+" = ["+line+"];") <= 120 {
		return export + "const " + name + " = [" + line + "];"
	}
	// Prettier would give each name a line.
	return "// prettier-ignore\n" + export + "const " + name + " = [\n  " + strings.Join(filled(items, 118), "\n  ") + "\n];"
}

// ---- Lists

func without(all []keyword, but ...string) []keyword {
	return slices.DeleteFunc(slices.Clone(all), func(k keyword) bool { return slices.Contains(but, k.name) })
}

func names(words []word) (all []string) {
	for _, w := range words {
		all = append(all, w.name)
	}
	return all
}

// endings are the words of why a run ended.
func endings() []string {
	return append([]string{figures.Proof, figures.Fits, figures.Done}, names(stops)[1:]...)
}

func quotes(texts []string) (all []string) {
	for _, text := range texts {
		all = append(all, strconv.Quote(text))
	}
	return all
}

func quoted(texts []string) string { return strings.Join(quotes(texts), ", ") }
