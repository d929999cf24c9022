package house_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// Idea: a figure has one home, the page into which a recorded run or a test writes it. Every other page has it between
// two comments that name it:
//
//	the arenas of <!--fact tflm.smaller-->12 of 51<!--/--> models
//
// The figure is computed here from its home, so a page that was not rewritten fails.
//
//	go test ./internal/house -run TestDocsFacts -update      # rewrites the pages

// A fact is a figure in words, as pages other than its home show it.
type fact struct {
	name string
	home string // a document, relative to the root
	of   func(page string) (string, error)
}

// facts are all figures that stand in several places.
var facts = slices.Concat([]fact{
	{"tflm.models", "lab/bench/tflm/README.md", found(`(\d+) models ran, `)},
	{"tflm.smaller", "lab/bench/tflm/README.md", foundAs("%s of %s", `; (\d+) in a smaller arena`, `(\d+) models ran, `)},
	{"tflm.in-place", "lab/bench/tflm/README.md", inPlace},
	{"tflm.below", "lab/bench/tflm/README.md", found(`(\d+ of \d+ models) have a plan below the load`)},
	{"strips.smaller", "lab/bench/strips/README.md", foundAs("%s of %s", `models, (\d+) of which strips`, `(\d+) models, \d+ of which strips`)},
	{"strips.convolution", "lab/bench/strips/README.md", foundAs("%s convolution models the median is %s%%", `Over the (\d+) convolution`, `arena is ([\d.]+)% of`)},
	{"strips.time", "lab/bench/strips/README.md", found(`median of the time is ([\d.]+) `)},
	{"executorch.smaller", "python/bench/README.md", executorchSmaller},
	{"challenging.stowage", "lab/bench/results/README.md", span("bench:challenging", 2, 1, "ms")},
	{"challenging.minimalloc", "lab/bench/results/README.md", span("bench:challenging", 3, 1000, "s")},
	{"rss.loop.plain", "lab/bench/torch/README.md", rss("loop", 1, 1)},
	{"rss.loop.arena", "lab/bench/torch/README.md", rss("loop", 2, 1)},
	{"rss.gpt2.plain", "lab/bench/torch/README.md", rss("gpt2", 1, 1)},
	{"rss.gpt2.arena", "lab/bench/torch/README.md", rss("gpt2", 2, 1)},
	{"rss.cpu", "lab/bench/torch/README.md", cpuOfLoop},
	{"rss.checkpoint.plain", "lab/bench/torch/README.md", rss("gpt2-checkpoint", 1, 1)},
	{"rss.checkpoint.arena", "lab/bench/torch/README.md", rss("gpt2-checkpoint", 2, 1)},
	{"rss.whole", "lab/bench/torch/README.md", found(`whole peak at most 1.03 of plain's \| (\d+ of \d+)`)},
	{"rss.file", "lab/bench/torch/README.md", found(`whole peak from a file at most 0.97 \| (\d+ of \d+)`)},
	{"rss.time", "lab/bench/torch/README.md", found(`fixed shapes: processor time at most 1.03 \| (\d+ of \d+)`)},
	{"rss.fall.itself", "lab/bench/torch/README.md", found(`fall of the process itself[^|]*\| (\d+ of \d+)`)},
	{"rss.fall.plain", "lab/bench/torch/README.md", found(`beside medians of \*plain\*[^|]*\| (\d+ of \d+)`)},
	{"varied.served", "lab/bench/torch/README.md", found(`bert-varied \| \d+ \| ([\d.]+%)`)},
	{"mlir.models", "lab/bench/results/README.md", overLoad("bench:compare", "mlir", 3)},
	{"call.20", "docs/planners/auto.md", callOf("20")},
	{"call.100", "docs/planners/auto.md", callOf("100")},
	{"size.library", "docs/measured.md", megabytes(`verify \| ([\d,]+) kB`)},
	{"size.minimalloc", "docs/measured.md", found(`MiniMalloc \(C\+\+\), as its paper has it \| ([\d,]+ kB)`)},
	{"size.c", "docs/measured.md", megabytes(`libstowage.so` + "`" + `, the library for C \| ([\d,]+) kB`)},
	{"size.command", "docs/measured.md", megabytes("`stowage`" + `, the command \| ([\d,]+) kB`)},
	{"size.sweep", "docs/measured.md", megabytes("`stowage-sweep`" + ` \| ([\d,]+) kB`)},
	{"torch.malloc", "lab/bench/torch/README.md", mallocRange},
}, arenas("lab/bench/tflm/README.md", "tflm", "embedding_model", 5), arenas("python/bench/README.md", "bench:executorch", "inception_v3", 2))

var (
	factMark = regexp.MustCompile(`<!--fact ([a-z0-9._-]+)-->(.*?)<!--/-->`)
	// factFirst is a mark at the beginning of a line.
	factFirst = regexp.MustCompile(`(?m)^[ \t]*<!--fact [a-z0-9._-]+-->`)
	kilo      = strings.NewReplacer(",", "")
)

// TestDocsFacts compares every marked figure of the documents with its home.
func TestDocsFacts(t *testing.T) {
	is := map[string]string{}
	for _, f := range facts {
		text, err := f.of(strings.Join(read(t, filepath.FromSlash(f.home)), "\n"))
		if err != nil {
			t.Errorf("%s: %s: %v", f.home, f.name, err)
		}
		if _, twice := is[f.name]; twice {
			t.Errorf("two facts are called %s", f.name)
		}
		is[f.name] = text
	}
	used := map[string]bool{}
	for _, path := range documents(t) {
		before := strings.Join(read(t, path), "\n")
		after := factMark.ReplaceAllStringFunc(before, func(mark string) string {
			m := factMark.FindStringSubmatch(mark)
			want, known := is[m[1]]
			used[m[1]] = true
			switch {
			case !known:
				t.Errorf("%s: no fact is called %s: %s has them", path, m[1], "internal/house/docs_facts_test.go")
			case m[2] != want && !*update:
				t.Errorf("%s: %s is %q, and its home says %q; rewrite it with go test ./internal/house -run TestDocsFacts -update",
					path, m[1], m[2], want)
			case known:
				return "<!--fact " + m[1] + "-->" + want + "<!--/-->"
			}
			return mark
		})
		if m := factFirst.FindString(before); m != "" {
			t.Errorf("%s: a line begins with %s: the site takes it for a block of HTML, and ends a list there", path, strings.TrimSpace(m))
		}
		if n, m := strings.Count(after, "<!--fact "), len(factMark.FindAllString(after, -1)); n != m {
			t.Errorf("%s: %d marks of facts, %d of them complete and on one line", path, n, m)
		}
		if *update && after != before {
			if err := os.WriteFile(path, []byte(after), 0o644); err != nil {
				t.Error(err)
			}
		}
	}
	for name := range is {
		if !used[name] {
			t.Errorf("no document has the fact %s", name)
		}
	}
}

// found returns what the pattern's group has in the page.
func found(pattern string) func(string) (string, error) {
	return foundAs("%s", pattern)
}

// foundAs puts the groups of several patterns into a format.
func foundAs(format string, patterns ...string) func(string) (string, error) {
	return func(page string) (string, error) {
		var words []interface{} // any is a variable of internal/house/layout_test.go
		for _, p := range patterns {
			m := regexp.MustCompile(p).FindStringSubmatch(page)
			if m == nil {
				return "", fmt.Errorf("nothing matches %s", p)
			}
			words = append(words, m[1])
		}
		return fmt.Sprintf(format, words...), nil
	}
}

// megabytes is found for a number of kB, in MB with two digits.
func megabytes(pattern string) func(string) (string, error) {
	return func(page string) (string, error) {
		text, err := found(pattern)(page)
		if err != nil {
			return "", err
		}
		n, err := number(text)
		return strconv.FormatFloat(math.Round(n/100)/10, 'f', 1, 64) + " MB", err
	}
}

// number reads the number at the beginning of a cell: "3.61 (3.23–4.77)", "1,205", "+41.3%".
func number(cell string) (float64, error) {
	word, _, _ := strings.Cut(kilo.Replace(strings.TrimSpace(cell)), " ")
	return strconv.ParseFloat(strings.TrimSuffix(strings.TrimPrefix(word, "+"), "%"), 64)
}

// rowsOf returns the rows of the first table of a marked block, as cells.
func rowsOf(page, block string) ([][]string, error) {
	_, text, begun := strings.Cut(page, "<!-- "+block+" -->\n")
	text, _, ended := strings.Cut(text, "<!-- /"+block+" -->")
	if !begun || !ended {
		return nil, fmt.Errorf("no block %s", block)
	}
	return tableOf(text)
}

// tableOf returns the rows of the first table of a text, without its head.
func tableOf(text string) (rows [][]string, err error) {
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "|") {
			if rows != nil {
				break
			}
			continue
		}
		var cells []string
		for _, cell := range strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|") {
			cells = append(cells, strings.TrimSpace(cell))
		}
		rows = append(rows, cells)
	}
	if len(rows) < 3 {
		return nil, fmt.Errorf("no table")
	}
	return rows[2:], nil
}

// arenas are the facts of a row of a table: the arena before planning, and the planned one in the next column.
func arenas(home, block, model string, column int) (all []fact) {
	cell := func(k int) func(string) (string, error) {
		return func(page string) (string, error) {
			rows, err := rowsOf(page, block)
			if err != nil {
				return "", err
			}
			for _, row := range rows {
				if row[0] == model {
					return grouped(row[column+k]), nil
				}
			}
			return "", fmt.Errorf("no row %s", model)
		}
	}
	return []fact{
		{model + ".before", home, cell(0)}, {model + ".planned", home, cell(1)},
	}
}

// grouped puts commas into a whole number.
func grouped(text string) string {
	if _, err := strconv.Atoi(text); err != nil {
		return text
	}
	for k := len(text) - 3; k > 0; k -= 3 {
		text = text[:k] + "," + text[k:]
	}
	return text
}

// inPlace says how many models get a smaller arena if results lie over operands than by a plan without overlaps.
func inPlace(page string) (string, error) {
	rows, err := rowsOf(page, "tflm")
	if err != nil {
		return "", err
	}
	const planned, after, saved = 6, 8, 9
	fewer, least, most := 0, 100.0, 0.0
	for _, row := range rows {
		if row[after] == row[planned] {
			continue
		}
		share, err := number(row[saved])
		if err != nil {
			return "", err
		}
		fewer, least, most = fewer+1, min(least, share), max(most, share)
	}
	return fmt.Sprintf("%d of %d models lose %.0f to %.0f%%", fewer, len(rows), least, most), nil
}

func executorchSmaller(page string) (string, error) {
	rows, err := rowsOf(page, "bench:executorch")
	if err != nil {
		return "", err
	}
	n := 0
	for _, row := range rows {
		if row[4] != "0.0%" {
			n++
		}
	}
	return fmt.Sprintf("%d of %d", n, len(rows)), nil
}

// span returns the least and the greatest value of a column, each with one digit.
func span(block string, column int, unit float64, name string) func(string) (string, error) {
	return func(page string) (string, error) {
		rows, err := rowsOf(page, block)
		if err != nil {
			return "", err
		}
		least, most := math.Inf(1), 0.0
		for _, row := range rows {
			n, err := number(row[column])
			if err != nil {
				return "", err
			}
			least, most = min(least, n/unit), max(most, n/unit)
		}
		return fmt.Sprintf("%s to %s %s", digit(least), digit(most), name), nil
	}
}

// overLoad says how far a planner is above the load, from the mean in a column of its row.
func overLoad(block, planner string, column int) func(string) (string, error) {
	return func(page string) (string, error) {
		rows, err := rowsOf(page, block)
		if err != nil {
			return "", err
		}
		at := slices.IndexFunc(rows, func(row []string) bool { return row[0] == planner })
		if at < 0 {
			return "", fmt.Errorf("no row %s", planner)
		}
		mean, err := number(rows[at][column])
		return fmt.Sprintf("%.0f%% more on average", 100*(mean-1)), err
	}
}

// rss reads a number of a program's row in the table of resident memory: which says which of the numbers in a cell, of
// the whole run or of steady steps.
func rss(program string, cell, which int) func(string) (string, error) {
	return func(page string) (string, error) {
		rows, err := rowsOf(page, "bench:rss")
		if err != nil {
			return "", err
		}
		at := slices.IndexFunc(rows, func(row []string) bool { return row[0] == program })
		if at < 0 {
			return "", fmt.Errorf("no row of %s", program)
		}
		return strings.TrimSpace(strings.Split(rows[at][cell], "/")[which]), nil
	}
}

// cpuOfLoop is the processor time of the README's program with the arena, of that without.
func cpuOfLoop(page string) (string, error) {
	text, err := rss("loop", 8, 0)(page)
	if err != nil {
		return "", err
	}
	n, err := number(text)
	return fmt.Sprintf("%.0f%%", 100*n), err
}

// digit rounds a number to one digit that is not 0.
func digit(x float64) string {
	rounded, _ := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 1, 64), 64)
	return strconv.FormatFloat(rounded, 'f', -1, 64)
}

// callOf is the time of a call of Solve on so many buffers, with a capacity of 1.2 times the load.
func callOf(buffers string) func(string) (string, error) {
	return func(page string) (string, error) {
		m := regexp.MustCompile(`(?m)^\| ` + buffers + ` \| 1\.2 × load \| ([\d.,]+) \|`).FindStringSubmatch(page)
		if m == nil {
			return "", fmt.Errorf("no row of %s buffers", buffers)
		}
		n, err := number(m[1])
		return fmt.Sprintf("%.0f µs", n), err
	}
}

// mallocRange says how much more malloc took than the plans of PyTorch's programs.
func mallocRange(page string) (string, error) {
	_, text, _ := strings.Cut(page, "## Bytes")
	rows, err := tableOf(text)
	if err != nil {
		return "", err
	}
	least, most := math.Inf(1), 0.0
	for _, row := range rows {
		n, err := number(row[4])
		if err != nil {
			return "", err
		}
		least, most = min(least, n), max(most, n)
	}
	return fmt.Sprintf("%.0f to %.0f%%", least, most), nil
}
