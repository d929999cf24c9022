package main

import (
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stowage-go/stowage/internal/comparison"
	"github.com/stowage-go/stowage/internal/testkit/must"
)

// TestVerdict has each rule on both sides of its threshold.
func TestVerdict(t *testing.T) {
	for _, c := range []struct {
		claim claim
		found found
		want  string
	}{
		{claim{}, found{value: 3, n: 9}, ""},
		{claim{figure: 10, better: more}, found{value: 15, n: 5}, level},
		{claim{figure: 10, better: more}, found{value: 15.1, n: 5}, ahead},
		{claim{figure: 10, better: more}, found{value: 6.6, n: 5}, behind},
		{claim{figure: 10, better: less}, found{value: 6.6, n: 5}, ahead},
		{claim{figure: 10}, found{value: 100, n: 5}, unlike},
		{claim{figure: 10}, found{value: 100, n: 4}, tooFew},
		{claim{figure: 10, better: whole}, found{value: 100, n: 4}, unlike},
		{claim{figure: 0.1, better: less | ceiling}, found{value: 0.001, n: 5}, level},
		{claim{figure: 0.1, better: less | ceiling}, found{value: 0.2, n: 5}, behind},
		{claim{figure: 0.8, better: more}, found{value: 0.85, n: 20, share: true}, level},
		{claim{figure: 0.8, better: more}, found{value: 0.86, n: 20, share: true}, ahead},
		{claim{figure: 0.8, better: more}, found{value: 0.74, n: 20, share: true}, behind},
		{claim{figure: 0.8, better: more}, found{value: 0.74, n: 19, share: true}, tooFew},
		{claim{figure: none, better: more}, found{value: 0, n: 20, share: true}, level},
		{claim{figure: 10}, found{value: math.NaN(), n: 9}, notRun},
		{claim{figure: 10}, found{value: math.Inf(1), n: 9}, notRun},
		{claim{figure: 10}, found{value: 0, n: 9}, notRun},
		{claim{figure: 10}, found{}, notRun},
	} {
		if got := c.claim.verdict(c.found); got != c.want {
			t.Errorf("%+v of %+v: %q, want %q", c.claim, c.found, got, c.want)
		}
	}
}

// made is a run of a problem.
func made(problem, planner, status string, seconds float64) comparison.Run {
	return comparison.Run{Problem: problem, Name: problem, Planner: planner, Status: status, Seconds: seconds, Timeout: 2}
}

var runs = []comparison.Run{
	made("synthetic-20-seed-1", "exact", "feasible", 0.1),
	made("synthetic-20-seed-1", "tela", "feasible", 0.2),
	made("synthetic-60-seed-1", "exact", "feasible", 1),
	made("synthetic-60-seed-1", "tela", "unknown", 2),
	made("synthetic-60-seed-2", "exact", "infeasible", 0.5),
	made("synthetic-60-seed-2", "tela", "infeasible", 0.51),
	made("synthetic-60-seed-2", "milp", "refused", 0),
	made("other", "exact", "feasible", 1),
	made("synthetic-20-seed-1", "nobody", "feasible", 1),
}

func TestMeasures(t *testing.T) {
	s := section{
		problems: regexp.MustCompile("^synthetic-"),
		limit:    2,
		planners: []string{"tela", "exact", "milp", "csp"},
	}
	c := s.sample(runs, false)
	if len(c.Instances) != 3 || strings.Join(c.Planners, " ") != "tela exact milp" {
		t.Fatalf("%d problems, planners %v", len(c.Instances), c.Planners)
	}
	paper := map[string]float64{"synthetic-20-seed-1": 400}
	for _, q := range []struct {
		name    string
		measure measure
		value   float64
		n       int
	}{
		{"ratio", ratio("tela", "exact"), math.Sqrt(2 * 1.02), 2},
		{"ratio the other way", ratio("exact", "tela"), 1 / math.Sqrt(2*1.02), 2},
		{"ratio to one that solves nothing", ratio("tela", "milp"), 0, 0},
		{"ratio to one that did not run", ratio("tela", "csp"), 0, 0},
		{"solved", solved("tela", always), 2.0 / 3, 3},
		{"solved in time", solved("tela", 0.2), 1.0 / 3, 3},
		{"solved by one that ran on one", solved("milp", always), 0, 1},
		{"slowest", slowest("exact"), 1, 3},
		{"fastest, and a tie", fastest("exact", ""), 2.0 / 3, 3},
		{"fastest, others left out", fastest("exact", "tela"), 1, 1},
		{"gain", gain("tela", paper), 2, 1},
	} {
		if f := q.measure(c); math.Abs(f.value-q.value) > 1e-9 || f.n != q.n || f.text == "" {
			t.Errorf("%s: %+v, want %g of %d", q.name, f, q.value, q.n)
		}
	}
	if all := s.sample(runs, true); len(all.Instances) != 4 {
		t.Errorf("%d problems of a file of the section's own", len(all.Instances))
	}
}

func TestTables(t *testing.T) {
	s := section{planners: []string{"exact", "tela"}}
	c := s.sample(runs[:6], true)
	for _, one := range []struct{ got, want string }{
		{byProblem(c).Markdown(), `| ms, limit 2 s | exact | tela |
| --- | ---:| ---:|
| synthetic-20-seed-1 | 100 | 200 |
| synthetic-60-seed-1 | 1,000 | > 2,000 |
| synthetic-60-seed-2 | 500 (infeasible) | 510 (infeasible) |
| solved, of 3 | 3 | 2 |
| median ratio to tela | 0.70 | 1.00 |
`},
		{bySize(c).Markdown(), `| buffers, limit 2 s | exact solved | ms | tela solved | ms |
| --- | ---:| ---:| ---:| ---:|
| 20 | 100% | 100 | 100% | 200 |
| 60 | 100% | 750 | 50% | 1,255 |
| all | 100% | 500 | 67% | 510 |
| problems run | 3 |  | 3 |  |
`},
	} {
		if one.got != one.want {
			t.Errorf("got\n%s\nwant\n%s", one.got, one.want)
		}
	}
	if got := byTime(c).Markdown(); !strings.Contains(got, "| 500 ms | 66.7% | 33.3% |") ||
		!strings.Contains(got, "| inputs run | 3 | 3 |") ||
		strings.Contains(got, "10 s") {
		t.Error(got)
	}
}

// TestKept: every section has kept runs and a specification. The page has each kind of verdict. The table in a
// document is the program's.
func TestKept(t *testing.T) {
	results := filepath.Join("..", "results")
	all := must.Get(readRuns(filepath.Join(results, "paper.jsonl.gz")))(t)
	var parts []part
	for _, s := range sections {
		parts = append(parts, part{s, s.sample(all, false)})
		if len(parts[len(parts)-1].runs.Instances) == 0 {
			t.Errorf("%s: no runs are kept", s.id)
		}
		if _, err := os.Stat(filepath.Join("..", "..", "..", "sweep", "specs", s.spec)); err != nil {
			t.Errorf("%s: %v", s.id, err)
		}
	}
	var page strings.Builder
	must.Do(t, write(&page, parts))
	for _, want := range []string{
		"1,449×, on the 19 that both solve <span class=\"ahead\">(ahead)",
		"883 of 1020 (87%) <span class=\"as-in-the-paper\">",
		"1.06×, on the 20 that both solve <span class=\"behind\">", "0 of 19 (0%) <span class=\"too-few-to-tell\">", "<svg",
		"487×, of 11",
	} {
		if !strings.Contains(page.String(), want) {
			t.Errorf("the page has no %q", want)
		}
	}
	document := must.Get(os.ReadFile(filepath.Join("..", "..", "milp", "README.md")))(t)
	if table := parts[0].markdown(); !strings.Contains(
		string(document),
		"<!-- bench:paper-minimalloc-figure-8 -->\n"+table+"<!-- /",
	) {
		t.Errorf("lab/milp/README.md has another table than\n%s", table)
	}
}

func TestBadRuns(t *testing.T) {
	for name, text := range map[string]string{
		"a.jsonl": "{\"planner\":\"exact\"}\n{", "b.jsonl": "{\"nobody\":1}\n", "c.jsonl.gz": "x",
	} {
		path := filepath.Join(t.TempDir(), name)
		must.Do(t, os.WriteFile(path, []byte(text), 0o666))
		if _, err := readRuns(path); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
