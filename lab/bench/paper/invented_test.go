package main

import (
	"context"
	"fmt"
	"html"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/internal/comparison"
	"github.com/stowage-go/stowage/internal/gen"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
	"github.com/stowage-go/stowage/lab/bench/internal/telamalloc"
	"github.com/stowage-go/stowage/lab/learn"
)

// Idea: the whole report is made from results that are made up, in worlds that differ in who
// wins: Stowage, nobody, the others, and none that ran to an end. Then a reader who knows
// nothing of how sentences are made, claims below, holds each sentence and each verdict
// against the tables of the page.

// A world says how long a planner takes and how high it plans.
type world struct {
	name    string
	seconds map[string]float64 // of planners; others take 0.1 s
	solves  map[string]bool    // false are the planners that come to no end; others do
	height  map[string]float64 // over the load; others are at 1.3
	facts   float64            // by how much ours is better than the paper, in facts that are no run
	loads   map[string]int64   // by the digest of the problem
}

func worlds() []world {
	return []world{
		{"ours", map[string]float64{"exact": 1e-5, "auto": 1e-5, "tela": 1e-3, "milp": 2, "tela-learned": 5e-4}, map[string]bool{"csp": false, "meta-csp": false}, map[string]float64{"exact": 1, "boxing": 1.1}, 100, nil},
		{"ties", nil, nil, map[string]float64{"exact": 1.3}, 1, nil},
		{"theirs", map[string]float64{"exact": 0.2, "tela": 0.1, "milp": 1e-5, "auto": 0.3, "tela-learned": 0.9, minimalloc: 1e-4}, map[string]bool{"exact": false, "tela": false}, map[string]float64{"exact": 1.5, "boxing": 1.4}, 0.01, nil},
		{"nothing", nil, map[string]bool{"exact": false, "tela": false, "auto": false, "milp": false, "cp": false, "csp": false, "meta-csp": false, cpSAT: false, cpSATBoxes: false, minimalloc: false, "tela-learned": false}, map[string]float64{"exact": 1}, 0.5, nil},
	}
}

func (w *world) lasts(planner string) float64 {
	if s, ok := w.seconds[planner]; ok {
		return s
	}
	return 0.1
}

func (w *world) run(_ context.Context, in *comparison.Instance, r *comparison.Run) {
	if solves, ok := w.solves[r.Planner]; ok && !solves {
		r.Status, r.Seconds = stowage.Unknown.String(), r.Timeout
		return
	}
	r.Status, r.Height, r.Seconds = stowage.Feasible.String(), in.Load, w.lasts(r.Planner)
}

// fact makes up what is no run.
func (w *world) fact(key string, value any) bool {
	one := func(better, tie, worse int64) int64 {
		switch {
		case w.facts > 1:
			return better
		case w.facts < 1:
			return worse
		}
		return tie
	}
	switch v := value.(type) {
	case *telamalloc.Micro:
		for _, m := range telamalloc.Micros {
			if strings.Contains(key, m.Name+",") {
				v.Seconds, v.Steps = m.Paper/1000/w.facts, int64(m.Paper/m.PaperStep)
			}
		}
	case *planned:
		*v = planned{Seconds: 0.01 / w.facts}
		name, _, _ := strings.Cut(strings.TrimPrefix(key, "height by "), " ")
		if strings.HasPrefix(key, "exact on ") {
			name = "exact"
		}
		factor, ok := w.height[name]
		if !ok {
			factor = 1.3
		}
		for digest, load := range w.loads {
			if strings.Contains(key, " "+digest) {
				v.Height = int64(math.Round(float64(load) * factor))
			}
		}
	case *pruning:
		*v = pruning{With: 100, Without: one(200, 100, 100), SecondsWith: 0.01, SecondsWithout: 0.01 * w.facts}
	case *split:
		*v = split{Engine: 0.9, Selection: 0.1, Samples: 200}
		if w.facts < 1 {
			*v = split{Engine: 0.2, Selection: 0.1, Preparing: 0.7, Samples: 200}
		}
	case *telamalloc.Outcome:
		alone := !strings.Contains(key, "paper") && !strings.Contains(key, "tela")
		*v = telamalloc.Outcome{Solved: true, Steps: 100}
		if alone {
			v.Solved, v.Steps = w.facts <= 1, one(200, 100, 50)
		} else if w.facts < 1 {
			v.Solved = false
		}
	case *trial:
		*v = trial{Solved: true, Backtracks: one(10, 0, 10), Steps: 100}
		if strings.Contains(key, "tela-learned") {
			v.Backtracks = one(1, 0, 100)
		}
	case *duel:
		rules := learn.Outcome{Status: stowage.Feasible, Backtracks: 5000}
		v.Against = []learn.Comparison{{Rules: rules, Learned: rules}, {Rules: rules, Learned: rules}}
		v.Against[0].Learned.Backtracks = one(10, 5000, 50_000)
	case *score:
		*v = score{46, 4096, 2000 / w.facts}
	case *ranking:
		*v = ranking{Samples: 500, RMSE: 1, Spread: 2}
		for k, name := range []string{"lifetime", "contention", "level", "backtracks", "a", "b", "c", "d", "e", "f", "g", "same_phase"} {
			x := float64(12 - k)
			if w.facts < 1 {
				x = float64(k)
			}
			v.Weights = append(v.Weights, weight{name, x, true})
		}
	case *memory:
		return false // found quickly, and by the bounds of the problem
	case *float64: // figure 18
		*v = 0.5
		if !strings.Contains(key, "xla-heap") {
			*v *= map[int64]float64{0: 1, 1: 1.2, 2: 0.8}[one(1, 0, 2)]
		}
	case *string: // lab/bench/size
		*v = fmt.Sprintf("| Stowage exact | 1 kB | %.0f kB |\n", 250/w.facts)
	default:
		return false
	}
	return true
}

// folder makes public instances up: A to K, networks and one of idealloc's, each with a load of
// 1000, which is its capacity.
func folder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	write := func(name string, k int) {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		text := "id,lower,upper,size\n"
		for b := range 10 {
			text += fmt.Sprintf("b%d,0,%d,100\n", b, 5+(b*7+k)%5)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for k, name := range strings.Split("ABCDEFGHIJK", "") {
		write(filepath.Join("challenging", name+".1000.csv"), k)
	}
	for k, name := range []string{"pose_landmark_heavy", "n1", "n2", "n3", "n4", "n5"} {
		write(filepath.Join("models", name+".csv"), k)
	}
	write(filepath.Join("idealloc", "S_1.csv"), 1)
	return dir
}

// loads returns those of the problems whose heights are made up.
func loads(t *testing.T, data bool) map[string]int64 {
	t.Helper()
	e, of := &env{setup: setup{size: inventedSize}, data: data}, map[string]int64{}
	hard, err := e.challenging(&content{})
	if err != nil {
		t.Fatal(err)
	}
	growing, err := e.growthInputs(&content{})
	if err != nil {
		t.Fatal(err)
	}
	for _, in := range slices.Concat(hard, growing) {
		of[in.Digest] = in.Load
	}
	return of
}

// inventedSize is a report without limits on what is made up.
var inventedSize = func() size {
	z := tinySize
	z.budget, z.models, z.extended, z.each, z.step, z.all, z.windows = time.Hour, 0, 100, 3, 2, 3, 6
	z.limit, z.hour, z.largest, z.tries = 4*time.Second, 4*time.Second, 30_000, []int{1, 100}
	return z
}()

// TestInvented: in no world does a sentence or a verdict contradict the tables of its section.
func TestInvented(t *testing.T) {
	// Without public instances on a machine with time alone.
	for _, data := range []bool{true, false}[:plantest.Share(2, 1)] {
		for _, w := range worlds() {
			t.Run(fmt.Sprintf("%s, data %v", w.name, data), func(t *testing.T) {
				t.Setenv("STOWAGE_DATA", t.TempDir())
				if data {
					t.Setenv("STOWAGE_DATA", folder(t))
				}
				dir := t.TempDir()
				w.loads = loads(t, data)
				s := setup{
					size: inventedSize, root: filepath.Join("..", ".."), runs: filepath.Join(dir, "runs.jsonl"), out: filepath.Join(dir, "report.html"),
					jobs: 1, minimalloc: "made up", progress: io.Discard, begin: time.Now(), invent: &invention{w.run, w.fact},
				}
				if err := measure(t.Context(), s, sections()); err != nil {
					t.Fatal(err)
				}
				text, err := os.ReadFile(s.out)
				if err != nil {
					t.Fatal(err)
				}
				claimed := 0
				for _, section := range sections() {
					p := parse(t, string(text), section.id)
					claimed += p.claims(t)
				}
				// A world in which nothing ends says little; the others are full of claims.
				if w.name != "nothing" && claimed < 8 {
					t.Errorf("%d claims were held against tables", claimed)
				}
				for _, bad := range []string{"NaN", "Inf<", "Inf ", "%!"} {
					if strings.Contains(string(text), bad) {
						t.Errorf("the report has %q", bad)
					}
				}
			})
		}
	}
}

// A page is a section as a reader sees it.
type page struct {
	id     string
	says   string
	beside [][3]string // what, paper, here with its verdict
	tables [][][]string
}

var (
	tableOf = regexp.MustCompile(`(?s)<table>(.*?)</table>`)
	rowOf   = regexp.MustCompile(`(?s)<tr>(.*?)</tr>`)
	cellOf  = regexp.MustCompile(`(?s)<t[dh][^>]*>(.*?)</t[dh]>`)
	saysOf  = regexp.MustCompile(`(?s)<p class="says">(.*?)</p>`)
	tagOf   = regexp.MustCompile(`<[^>]*>`)
)

// parse reads a section of a report.
func parse(t *testing.T, text, id string) *page {
	t.Helper()
	_, part, found := strings.Cut(text, `<section id="`+id+`">`)
	if !found {
		t.Fatalf("%s is not in the report", id)
	}
	part, _, _ = strings.Cut(part, "</section>")
	p := &page{id: id}
	if m := saysOf.FindStringSubmatch(part); m != nil {
		p.says = html.UnescapeString(m[1])
	}
	for _, table := range tableOf.FindAllStringSubmatch(part, -1) {
		var rows [][]string
		for _, row := range rowOf.FindAllStringSubmatch(table[1], -1) {
			var cells []string
			for _, cell := range cellOf.FindAllStringSubmatch(row[1], -1) {
				cells = append(cells, html.UnescapeString(tagOf.ReplaceAllString(cell[1], "")))
			}
			rows = append(rows, cells)
		}
		if len(rows) > 0 && len(rows[0]) == 3 && rows[0][1] == "paper" && rows[0][2] == "here" {
			for _, row := range rows[1:] {
				p.beside = append(p.beside, [3]string(row))
			}
			continue
		}
		p.tables = append(p.tables, rows)
	}
	return p
}

// table returns the rows of the table whose first row begins so.
func (p *page) table(first string) [][]string {
	k := slices.IndexFunc(p.tables, func(rows [][]string) bool { return len(rows) > 0 && strings.HasPrefix(rows[0][0], first) })
	if k < 0 {
		return nil
	}
	return p.tables[k][1:]
}

// number reads the first figure of a text; ok is false without one. A limit and a dash are none.
func number(text string) (x float64, ok bool) {
	if strings.HasPrefix(text, ">") {
		return 0, false
	}
	m := regexp.MustCompile(`^[^\d]{0,9}(\d[\d,]*\.?\d*)`).FindStringSubmatch(text)
	if m == nil {
		return 0, false
	}
	x, err := strconv.ParseFloat(strings.ReplaceAll(m[1], ",", ""), 64)
	return x, err == nil
}

var (
	partOf    = regexp.MustCompile(`^([\d,]+) of ([\d,]+)`)
	percentOf = regexp.MustCompile(`^(\d+(?:\.\d+)?)%(?: of (\d+))?`)
	unitOf    = regexp.MustCompile(`^([\d.,]+)(×| ms| µs| kB)`)
	bothOf    = regexp.MustCompile(`on the (\d+) that both solve`)
)

// figureOf reads a share or a figure with a unit, and on how many things it stands; -1 if that
// is not said.
func figureOf(text string) (x float64, unit string, n int) {
	plain := func(s string) float64 {
		v, _ := strconv.ParseFloat(strings.ReplaceAll(s, ",", ""), 64)
		return v
	}
	if strings.Contains(text, "% to ") { // a range
		return 0, "", 0
	}
	text = strings.TrimPrefix(text, "about ")
	if m := partOf.FindStringSubmatch(text); m != nil && plain(m[2]) > 0 {
		return plain(m[1]) / plain(m[2]), "share", int(plain(m[2]))
	}
	if m := percentOf.FindStringSubmatch(text); m != nil {
		n := -1
		if m[2] != "" {
			n = int(plain(m[2]))
		}
		return plain(m[1]) / 100, "share", n
	}
	if m := unitOf.FindStringSubmatch(text); m != nil {
		n := -1
		if b := bothOf.FindStringSubmatch(text); b != nil {
			n = int(plain(b[1]))
		}
		return plain(m[1]), m[2], n
	}
	return 0, "", 0
}

// claims holds what the section says against its tables, and returns how many claims it
// found there.
func (p *page) claims(t *testing.T) (held int) {
	t.Helper()
	// whether holds a claim against what the tables come to.
	whether := func(claim string, true bool) {
		t.Helper()
		said := strings.Contains(p.says, claim)
		if said || true {
			held++
		}
		if said != true {
			t.Errorf("%s: %q is said: %v; by its tables: %v\nsays: %s\ntables: %v", p.id, claim, said, true, p.says, p.tables)
		}
	}
	for _, b := range p.beside {
		here, verdict := b[2], ""
		if at := strings.LastIndex(here, " ("); at >= 0 && slices.Contains([]string{ahead, level, behind, unlike, tooFew, differs, notRun}, strings.TrimSuffix(here[at+2:], ")")) {
			here, verdict = here[:at], strings.TrimSuffix(here[at+2:], ")")
		}
		ours, unit, n := figureOf(here)
		paper, its, _ := figureOf(b[1])
		if verdict == "" || unit == "" || unit != its {
			continue
		}
		held++
		close := unit == "share" && math.Abs(ours-paper) <= 0.0551 || unit != "share" && ours <= paper*1.51 && paper <= ours*1.51
		far := unit == "share" && math.Abs(ours-paper) >= 0.0449 || unit != "share" && (ours >= paper*1.49 || paper >= ours*1.49)
		few := unit == "share" && n >= 0 && n < 11 || unit == "×" && n >= 0 && n < 5
		switch {
		case verdict == level && (!close || few), verdict != level && verdict != differs && verdict != tooFew && (!far || few):
			t.Errorf("%s: %s: paper %s, here %s", p.id, b[0], b[1], b[2])
		}
	}
	columns := func(rows [][]string, a, b int) (low, same, high int) {
		for _, row := range rows {
			x, ok := number(row[a])
			y, too := number(row[b])
			if ok && too {
				switch {
				case x < y:
					low++
				case x > y:
					high++
				default:
					same++
				}
			}
		}
		return low, same, high
	}
	switch p.id {
	case "telamalloc-figure-3":
		rows := p.table("network")
		bfc, heuristic := 1.0, 1.0
		for _, row := range rows {
			a, _ := number(row[1])
			b, _ := number(row[2])
			c, _ := number(row[3])
			bfc, heuristic = bfc*a/c, heuristic*b/c
		}
		n := 1 / float64(max(len(rows), 1))
		bfc, heuristic = math.Pow(bfc, n), math.Pow(heuristic, n)
		whether("The order is the paper's", len(rows) >= 5 && bfc > heuristic && heuristic > 1.0005)
	case "telamalloc-table-1":
		few, same, many := columns(p.table("benchmark"), 5, 4)
		whether("less time than the paper's on all", few > 0 && same+many == 0)
		whether("more time than the paper's on all", many > 0 && same+few == 0)
	case "telamalloc-figure-14":
		rows := p.table("strategy")
		least, base := math.Inf(1), 0.0
		for k, row := range rows {
			x, _ := number(row[2])
			switch {
			case k == 1:
				base = x
			case k > 1:
				least = min(least, x)
			}
		}
		whether("fail least", base < least)
		whether("A strategy alone fails less", least < base)
	case "telamalloc-figure-15":
		rows := p.table("portion")
		idle := len(rows) > 0
		for _, row := range rows {
			idle = idle && row[2] == "0" && row[3] == "0"
		}
		whether("distinguish nothing", idle)
	case "telamalloc-figure-18":
		rows := p.table("network")
		alike := len(rows) > 0
		for _, row := range rows {
			alike = alike && row[1] == row[2] && row[2] == row[3]
		}
		whether("distinguish nothing", alike)
		if same := strings.HasPrefix(p.beside[0][2], "the same on all"); same != alike {
			t.Errorf("%s: %v, by its table: %v", p.id, p.beside[0], alike)
		}
	case "idealloc-figure-6":
		only, tied := 0, 0
		rows := p.table("problem")
		for _, row := range rows {
			exact, _ := number(row[1])
			boxing, _ := number(row[3])
			others := math.Inf(1)
			for _, cell := range row[4:] {
				if x, ok := number(cell); ok {
					others = min(others, x)
				}
			}
			switch {
			case exact < boxing && others >= boxing:
				only++
			case exact == boxing && others >= boxing:
				tied++
			}
		}
		whether("distinguish nothing", tied == len(rows))
		if tied < len(rows) {
			whether(fmt.Sprintf("On %d of %d it is lower than boxing and nothing else is; on %d boxing is as low", only, len(rows), tied), true)
		}
	case "idealloc-table-1":
		paper := map[string]float64{}
		for _, row := range p.table("buffers") {
			paper[row[0]], _ = number(row[2])
		}
		quicker, sizes := 0, map[string]bool{}
		for _, row := range p.table("problem") {
			x, ok := number(row[2])
			its, known := paper[row[1]]
			if !ok || !known || sizes[row[1]] {
				continue
			}
			sizes[row[1]] = true
			if x < its/1.05 {
				quicker++
			}
		}
		whether("at all 6 sizes", quicker == 6)
	case "minimalloc-figure-10":
		for _, row := range p.table("buffers") {
			if row[0] == "all" {
				whether("exact solves all", row[1] == "100%")
			}
		}
	case "minimalloc-table-2":
		for _, row := range p.table("ms") {
			if strings.HasPrefix(row[0], "solved, of") {
				n, _ := number(row[1])
				whether(fmt.Sprintf("exact solves %g of", n), true)
			}
		}
	case "minimalloc-table-3":
		rows := p.table("library")
		x, _ := number(regexp.MustCompile(`[\d,]+ kB$`).FindString(rows[0][len(rows[0])-1]))
		whether("times what MiniMalloc adds", x > 25*1.5)
	}
	return held
}

// The same figure has the same verdict wherever it stands.
func TestSameFigureSameVerdict(t *testing.T) {
	f := against{milp: ratio{1223, 18}}
	if judge(9, f.milp.x, f.milp.n, more) != ahead || f.milpVerdict() != ahead {
		t.Error("1,223× over 4.7× and 9× is ahead")
	}
	if f.milp.n = 4; f.milpVerdict() != tooFew || strings.Contains(sentences(f.say()), "1,223") {
		t.Errorf("four networks: %s, %s", f.milpVerdict(), sentences(f.say()))
	}
}

// A plan's neighbours in time and space have different colours.
func TestColours(t *testing.T) {
	for _, p := range []*stowage.Problem{gen.Wave(), gen.MiniMalloc(), gen.GoogLeNet()} {
		r, err := stowage.Minimize(t.Context(), p, stowage.Options{Planner: "first-fit"})
		if err != nil {
			t.Fatal(err)
		}
		looks := colours(p, r.Offsets)
		for i := range p.Buffers {
			for j := range i {
				a, b := &p.Buffers[i], &p.Buffers[j]
				touch := a.Lower <= b.Upper && b.Lower <= a.Upper && r.Offsets[i] <= r.Offsets[j]+b.Size && r.Offsets[j] <= r.Offsets[i]+a.Size
				if touch && looks[i] == looks[j] && len(p.Buffers) < 20 {
					t.Errorf("%s: %s and %s are of one colour", p.Name, a.ID, b.ID)
				}
			}
		}
		if p.Name == gen.Wave().Name && len(slices.Compact(slices.Sorted(slices.Values(looks)))) != len(looks) {
			t.Errorf("six buffers have %v", looks)
		}
	}
}
