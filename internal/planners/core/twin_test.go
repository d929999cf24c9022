package core

import (
	"bufio"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/internal/gen"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/testkit/built"
	"github.com/stowage-go/stowage/internal/testkit/drawn"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/oracle"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
	"github.com/stowage-go/stowage/internal/testkit/processor"
	"github.com/stowage-go/stowage/internal/testkit/public"
	"github.com/stowage-go/stowage/internal/verify"
	"github.com/stowage-go/stowage/model"
)

func TestMain(m *testing.M) { built.Main(m) }

// The C file, compiled in several ways. A sanitizer ends the program at its first complaint.
var (
	fast      = driver("-O2")
	heuristic = driver("-O2", "-DSTOWAGE_CORE_LEVEL=1")
	searching = driver("-O2", "-DSTOWAGE_CORE_LEVEL=2")
	checked   = driver("-O1", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")
	fuzzer    = driver("-O1", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-DFUZZER")
	narrow    = driver("-O1", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-DFUZZER",
		"-DSTOWAGE_CORE_SIZE32")
)

const source = "../../../core"

func driver(flags ...string) func(testing.TB) string {
	return built.Folder(func(dir string) error {
		args := append([]string{"-std=c99", "-Wall", "-Wextra", "-Werror"}, flags...)
		args = append(args, "-I"+source, "-o", filepath.Join(dir, "driver"), "testdata/driver.c", source+"/stowage_core.c")
		return built.Run(nil, "cc", args...)
	})
}

func needCC(t testing.TB) {
	t.Helper()
	if _, err := exec.LookPath("cc"); err != nil || runtime.GOOS == "windows" {
		t.Skip("there is no C compiler for stowage_core.c")
	}
}

// A twin is the C file as a program that answers line by line.
type twin struct {
	t   testing.TB
	in  *bufio.Writer
	out *bufio.Reader
}

func start(t testing.TB, build func(testing.TB) string, args ...string) *twin {
	t.Helper()
	needCC(t)
	cmd := exec.Command(filepath.Join(build(t), "driver"), args...)
	cmd.Env = append(os.Environ(), "ASAN_OPTIONS=detect_leaks=0")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	})
	return &twin{t, bufio.NewWriter(in), bufio.NewReaderSize(out, 1<<16)}
}

// ask returns the line that the C file answers, without its end.
func (w *twin) ask(text string, capacity, nodes int64) string {
	w.t.Helper()
	fmt.Fprintf(w.in, "%d %d %s\n", capacity, nodes, text)
	w.in.Flush()
	line, err := w.out.ReadString('\n')
	if err != nil {
		w.t.Fatal(err)
	}
	return strings.TrimSuffix(line, "\n")
}

// lowered writes a problem as the driver reads it. A window is a linked buffer, behind all others, that lives in a gap
// of its buffer. ok is false if C cannot say it: a buffer that is never whole, or a time beyond 32 bits.
func lowered(p *model.Problem) (text string, ok bool) {
	var buffers, links, gaps strings.Builder
	n, linkCount, gapCount := len(p.Buffers), 0, 0
	var extra strings.Builder
	for i := range p.Buffers {
		b := &p.Buffers[i]
		lower, upper := b.Lower, b.Upper
		var free []model.Gap // merged, and not at the ends
		whole := b.Lower
		for k := range b.Gaps {
			g := b.Gaps[k]
			if w := g.Window; w != nil {
				fmt.Fprintf(&extra, " %d %d %d 1 -1", g.Lower, g.Upper, w.Upper-w.Lower)
				fmt.Fprintf(&links, " %d %d %d", n+linkCount, i, w.Lower)
				linkCount++
			}
			if g.Lower == whole && len(free) > 0 {
				free[len(free)-1].Upper = g.Upper
			} else if g.Lower == lower {
				lower = g.Upper
			} else {
				free = append(free, model.Gap{Lower: g.Lower, Upper: g.Upper})
			}
			whole = g.Upper
		}
		if len(free) > 0 && free[len(free)-1].Upper == upper {
			upper = free[len(free)-1].Lower
			free = free[:len(free)-1]
		}
		if lower >= upper || b.Lower < -1<<31 || b.Upper >= 1<<31 {
			return "", false
		}
		for _, g := range free {
			fmt.Fprintf(&gaps, " %d %d %d", i, g.Lower, g.Upper)
			gapCount++
		}
		fixed := int64(-1)
		if b.Fixed != nil {
			fixed = *b.Fixed
		}
		fmt.Fprintf(&buffers, " %d %d %d %d %d", lower, upper, b.Size, b.Alignment, fixed)
	}
	return fmt.Sprintf("%d%s%s %d%s %d%s", n+linkCount, buffers.String(), extra.String(), linkCount, links.String(), gapCount,
		gaps.String()), true
}

// same asks both, and fails the test at the first difference. It returns what Go answered.
func (w *twin) same(p *model.Problem, level int, capacity, nodes int64) (c *call, status model.Status, planned bool) {
	w.t.Helper()
	text, ok := lowered(p)
	q, small := gather(p)
	if !ok || !small {
		return nil, model.Unknown, false
	}
	watch := run.Endless(w.t.Context())
	c = &call{p: q, r: budget{watch: watch, left: nodes}, level: level, capacity: capacity, report: func() {}}
	if nodes == 0 {
		c.level = 1
	}
	status = c.plan()
	word := map[model.Status]int{model.Optimal: 0, model.Feasible: 1, model.Unknown: 2, model.Infeasible: 3}[status]
	want := fmt.Sprintf("%d %d %d %d", word, c.height, c.bound, c.r.spent)
	var offsets []int64
	if c.height > 0 {
		offsets = q.offsets(p)
		for _, at := range offsets {
			want += " " + strconv.FormatInt(at, 10)
		}
		if report := verify.CheckHeight(p, offsets, 0, model.HeightOf(p, offsets)); !report.OK() {
			w.t.Fatalf("%s: %s", p.Name, report.Violations[0].Message)
		}
	}
	got := w.ask(text, capacity, nodes)
	if links := len(strings.Fields(got)) - len(strings.Fields(want)); links > 0 { // the offsets of windows
		got = strings.Join(strings.Fields(got)[:len(strings.Fields(want))], " ")
	}
	if got != want {
		w.t.Fatalf("%s, level %d, capacity %d, nodes %d:\nC  %.300s\nGo %.300s", p.Name, level, capacity, nodes, got, want)
	}
	return c, status, c.height > 0
}

// TestTwinTiny compares both on problems of a few buffers, and both with brute force.
func TestTwinTiny(t *testing.T) {
	w := start(t, checked)
	tiny(t, w, 0, plantest.Share(200_000, 4_000, uint64(1_000)))
}

// TestBruteForce holds the C file against brute force on very many problems.
func TestBruteForce(t *testing.T) {
	w := start(t, fast)
	tiny(t, w, 1<<32, plantest.Share(1_000_000, 2_000, uint64(500)))
}

func tiny(t *testing.T, w *twin, from, count uint64) {
	decided, refused := 0, 0
	for seed := from; seed < from+count; seed++ {
		p := drawn.Tiny(seed)
		height, _, ok := oracle.MinHeight(p)
		c, status, _ := w.same(p, 3, 0, 100_000)
		if c == nil {
			continue
		}
		loose := c.p.loose
		switch {
		case !ok && status != model.Infeasible && !(loose && status == model.Unknown):
			t.Fatalf("seed %d: %v, but fixed offsets collide", seed, status)
		case !ok:
			continue
		case status == model.Infeasible || c.bound > height || c.height > 0 && c.height < height:
			t.Fatalf("seed %d: %v, height %d, bound %d; the least is %d", seed, status, c.height, c.bound, height)
		case !loose && (status != model.Optimal || c.height != height):
			t.Fatalf("seed %d: %v, height %d; the least is %d", seed, status, c.height, height)
		}
		decided++
		for _, capacity := range []int64{height, height - 1} {
			if capacity < 1 {
				continue
			}
			c, status, _ := w.same(p, 3, capacity, 100_000)
			fits := capacity == height
			switch {
			case fits && status == model.Infeasible, !fits && status != model.Infeasible && status != model.Unknown,
				!loose && (status == model.Unknown || fits != (status != model.Infeasible)):
				t.Fatalf("seed %d, capacity %d: %v, height %d; the least is %d", seed, capacity, status, c.height, height)
			case status == model.Infeasible:
				refused++
			}
		}
	}
	if uint64(decided) < count/2 || uint64(refused) < count/4 {
		t.Errorf("%d decided, %d refused of %d: the cases are lopsided", decided, refused, count)
	}
}

// TestTwinWide compares both on problems with all features, with alignments, gaps and windows, at several limits.
func TestTwinWide(t *testing.T) {
	w, low := start(t, checked), start(t, searching)
	for seed := range plantest.Share(60_000, 600, uint64(200)) {
		for _, p := range []*model.Problem{drawn.Wide(seed), drawn.Awkward(seed)} {
			c, _, _ := w.same(p, 3, 0, int64(seed%7)*100)
			low.same(p, 2, 0, int64(seed%5)*100)
			if c != nil && c.height > 0 {
				w.same(p, 3, max(c.height-int64(seed%4), 1), 500)
				low.same(p, 2, max(c.height-1, 1), 300)
			}
		}
	}
}

// TestTwinGenerated compares both on the problems of all generators, of some and of some hundreds of buffers.
func TestTwinGenerated(t *testing.T) {
	w, low, lowest := start(t, fast), start(t, searching), start(t, heuristic)
	planned := 0
	for _, kind := range gen.Kinds() {
		for k := range plantest.Share(60, 2) {
			n := []int{60, 300, 30, 100, 1000, 150}[k%6]
			p, err := gen.Generate(kind.Name, gen.Options{Buffers: n, Seed: uint64(k)})
			if err != nil {
				p, err = gen.Generate(kind.Name, gen.Options{})
			}
			if err != nil || p.Rules != nil || len(p.Buffers) > 1000 {
				continue
			}
			c, _, ok := w.same(p, 3, 0, 300)
			if !ok {
				continue
			}
			planned++
			w.same(p, 3, (c.height+c.bound)/2, 300)
			low.same(p, 2, (c.height+c.bound)/2, 100)
			w.same(p, 3, 0, 0)
			if int(c.p.n) == len(c.p.pieces) { // level 1 takes no gaps
				lowest.same(p, 1, 0, 0)
			}
		}
	}
	if planned < 20 {
		t.Errorf("only %d problems were planned", planned)
	}
}

// TestTwinChallenging compares both on the eleven problems of google/minimalloc, which C must fit into their capacity,
// and, without one, plan at their load. J takes more nodes, at night.
func TestTwinChallenging(t *testing.T) {
	w := start(t, fast)
	for _, name := range "ABCDEFGHIJK" {
		p, err := public.Load("challenging/" + string(name) + ".1048576.csv")
		if err != nil {
			t.Skip("the public instances are not here: challenging")
		}
		if c, status, _ := w.same(p, 3, 1<<20, 100_000); !status.HasPlan() {
			t.Errorf("%c: %v, height %d", name, status, c.height)
		}
		nodes := int64(3_000)
		if name == 'J' && plantest.AtNight() {
			nodes = 50_000
		}
		if c, status, _ := w.same(p, 3, 0, nodes); status != model.Optimal && (name != 'J' || plantest.AtNight()) {
			t.Errorf("%c: %v, height %d, bound %d", name, status, c.height, c.bound)
		}
	}
}

// BenchmarkBesideAuto reports the processor time of the C file on A to K at their capacity, as shares of that of auto with
// one worker: the geometric mean, and the largest. Both are the fastest of five calls.
func BenchmarkBesideAuto(b *testing.B) {
	w := start(b, fast, "-t")
	var sum, most, count float64
	for b.Loop() {
		for _, name := range "ABCDEFGHIJK" {
			p, err := public.Load("challenging/" + string(name) + ".1048576.csv")
			if err != nil {
				b.Skip("the public instances are not here: challenging")
			}
			best := time.Hour
			for range 5 {
				best = min(best, processor.Of(func() {
					must.Get(stowage.Solve(b.Context(), p, stowage.Options{Capacity: 1 << 20, Workers: 1}))(b)
				}))
			}
			text, _ := lowered(p)
			micros := must.Get(strconv.ParseFloat(strings.Fields(w.ask(text, 1<<20, 100_000))[0], 64))(b)
			ratio := micros * 1e3 / float64(best)
			sum, most, count = sum+math.Log(ratio), max(most, ratio), count+1
		}
	}
	b.ReportMetric(math.Exp(sum/count), "of-auto")
	b.ReportMetric(most, "of-auto-most")
}

// TestFuzz calls the C file with hostile numbers, tiny workspaces, calls to cancel, and views that outlive their buffers,
// and checks what it says by its checker.
func TestFuzz(t *testing.T) {
	needCC(t)
	for _, build := range []func(testing.TB) string{fuzzer, narrow} {
		count := plantest.Share(10_000_000, 2_000, 800)
		out, err := exec.Command(filepath.Join(build(t), "driver"), "1", strconv.Itoa(count)).CombinedOutput()
		if err != nil || string(out) != "ok\n" {
			t.Errorf("%v\n%s", err, out)
		}
	}
}
