package arena_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/arena"
	"github.com/stowage-go/stowage/format"
	trace "github.com/stowage-go/stowage/format/arena"
	"github.com/stowage-go/stowage/internal/testkit/built"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/mutate"
	"github.com/stowage-go/stowage/model"
)

// Idea: stowage_arena_core.c plans a trace by itself. Its lanes, times and kept allocations must be those of Go's Fold,
// and each of its plans must pass the verifier.

// A coreCase is a trace to plan in C, and how.
type coreCase struct {
	text  []byte
	fold  trace.FoldOptions
	nodes int
}

// inC has the C program plan traces. A plan is nil if the trace was refused; why is then the reason.
func inC(t testing.TB, cases []coreCase) (plans [][]trace.Plan, why []string) {
	t.Helper()
	if _, err := exec.LookPath("cc"); err != nil {
		t.Skip("there is no C compiler for stowage_arena.c")
	}
	number := map[bool]int{true: 1}
	var in bytes.Buffer
	for _, c := range cases {
		fmt.Fprintln(&in, len(c.text), c.fold.Alignment, c.fold.Guard, c.nodes, number[c.fold.All], number[c.fold.Apart])
		in.Write(c.text)
	}
	cmd := exec.Command(filepath.Join(checked(t), "test"), "plan")
	cmd.Stdin = &in
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v after %d bytes: %.2000s\n%s", err, len(out), out[max(0, len(out)-2000):], err.(*exec.ExitError).Stderr)
	}
	plans, why = make([][]trace.Plan, len(cases)), make([]string, len(cases))
	for k := range cases {
		head, rest, _ := bytes.Cut(out, []byte("\n"))
		var kind string
		var n int
		must.Get(fmt.Sscan(string(head), &kind, &n))(t, "case %d: %q", k, head)
		if out = rest[n:]; kind == "plan" {
			plans[k] = must.Get(trace.ReadPlans(bytes.NewReader(rest[:n]), ""))(t, "case %d", k)
		} else {
			why[k] = string(rest[:n])
		}
	}
	return plans, why
}

// written returns the text of a trace.
func written(t testing.TB, r *trace.Trace) []byte {
	var b bytes.Buffer
	must.Do(t, trace.WriteTrace(&b, r))
	return b.Bytes()
}

// lives is all of a plan but what a planner decides.
func lives(plans []trace.Plan) string {
	var b strings.Builder
	for _, p := range plans {
		fmt.Fprintln(&b, p.Name, p.Guard, p.Period)
		for _, l := range p.Lanes {
			fmt.Fprintln(&b, l.Thread, l.Scopes)
			for _, a := range l.Allocations {
				fmt.Fprintln(&b, a.Size, a.Alignment, a.Stream, a.Lower, a.Upper)
			}
		}
	}
	return b.String()
}

// spread gives the allocations of a trace threads, and its steps names and scopes; the same ones at the same place of
// most steps.
func spread(r *rand.Rand, t *trace.Trace) {
	threads, place := r.IntN(4)+1, 0
	t.Names = []string{"", "a", "b"}
	named := r.IntN(2) == 0
	var events []trace.Event
	level := int32(0)
	for _, e := range t.Events {
		thread := int32(place % threads)
		switch {
		case e.Kind == trace.Begin:
			place, level = 0, 1
			if named {
				e.N = r.Int64N(3)
			}
		case e.Kind == trace.End:
			level = 0
		case e.Kind == trace.Alloc:
			e.Thread, place = thread, place+1
			if r.IntN(40) == 0 {
				e.Thread = r.Int32N(4)
			}
			if place%3 == 2 {
				level++
				events = append(events, trace.Event{Kind: trace.Begin, Level: level, Thread: r.Int32N(5), N: r.Int64N(3)})
			}
		case e.Kind == trace.Free && level > 1 && place%4 == 1:
			level -= r.Int32N(level-1) + 1
			events = append(events, trace.Event{Kind: trace.End, Level: level + 1, Thread: thread})
		}
		events = append(events, e)
	}
	t.Events = events
}

// TestCore: of drawn traces, C plans what Go folds; and of damaged ones it refuses what Go's reader refuses.
func TestCore(t *testing.T) {
	steps := must.Get(os.ReadFile("testdata/steps.trace"))(t)
	three := must.Get(os.ReadFile("testdata/three.trace"))(t)
	seeds := [][]byte{steps, three}
	var cases []coreCase
	for seed := range uint64(400) {
		random := rand.New(rand.NewPCG(seed, 47))
		r := drawn(random)
		if seed%2 == 1 {
			spread(random, r)
		}
		if seed%7 == 0 { // it ends somewhere
			r.Events = r.Events[:random.IntN(len(r.Events)+1)]
		}
		c := coreCase{text: written(t, r), nodes: 0}
		c.fold = trace.FoldOptions{
			Alignment: int64(seed%3) * 128, Guard: int64(seed%5) * 8, All: seed%4 > 1, Apart: seed%8 > 2,
		}
		cases = append(cases, c)
		if seed < 20 {
			seeds = append(seeds, c.text)
		}
	}
	honest := len(cases)
	mutate.Read(t, 2000, seeds, func(data []byte) error {
		data = bytes.Clone(data)
		if at := bytes.LastIndex(data, []byte("\nend ")) + 1; at > 0 { // with a last line that fits
			data = fmt.Appendf(data[:at:at], "end %d -\n", bytes.Count(data[:at], []byte("\n")))
		}
		o := trace.FoldOptions{All: len(cases)%2 == 0, Apart: len(cases)%3 == 0}
		cases = append(cases, coreCase{text: data, fold: o, nodes: -1})
		_, err := trace.ReadTrace(bytes.NewReader(data), "")
		return err
	})
	plans, why := inC(t, cases)
	kept, apart, higher, planned := 0, 0, 0, 0
	for k, c := range cases {
		r, err := trace.ReadTrace(bytes.NewReader(c.text), "")
		if err != nil {
			if !strings.HasPrefix(why[k], "the trace, line ") {
				t.Errorf("case %d: C plans, or says %q; Go says %v", k, why[k], err)
			}
			continue
		}
		want := trace.Fold(r, c.fold)
		if len(want) == 0 || plans[k] == nil {
			if len(want) != 0 || !strings.Contains(why[k], "a whole step") {
				t.Errorf("case %d: %d plans in Go; C says %q", k, len(want), why[k])
			}
			continue
		}
		planned++
		if lives(plans[k]) != lives(want) {
			t.Fatalf("case %d: C has\n%s\nGo has\n%s\nof\n%s", k, lives(plans[k]), lives(want), c.text)
		}
		for _, report := range must.Get(arena.Verify(plans[k]))(t, "case %d", k) {
			if !report.OK() {
				t.Fatalf("case %d: %v", k, report.Violations)
			}
		}
		for _, p := range plans[k] {
			if _, n := p.Count(); n > 0 {
				kept++
			}
		}
		if k >= honest {
			continue
		}
		if c.fold.Apart && len(want) > len(trace.Fold(r, trace.FoldOptions{All: c.fold.All})) {
			apart++
		}
		o := arena.Options{Alignment: c.fold.Alignment, Guard: c.fold.Guard, All: c.fold.All, Apart: c.fold.Apart}
		o.Solve = stowage.Options{NodeLimit: 20_000}
		best := must.Get(arena.Make(context.Background(), r, o))(t)[0]
		p := plans[k][0]
		if p.Height > best.Height {
			higher++
		}
		if p.Height < best.Bound || best.Height < p.Bound || p.Status == stowage.Optimal && p.Height > best.Height {
			t.Errorf("case %d: height %d, bound %d, %s; Go has %d, %d", k, p.Height, p.Bound, p.Status, best.Height, best.Bound)
		}
	}
	t.Logf("%d planned, %d with something kept, %d told apart, %d higher than Go's", planned, kept, apart, higher)
	if planned < 380 || kept < 100 || apart < 10 || higher > 0 {
		t.Errorf("%d planned, %d kept, %d apart, %d higher", planned, kept, apart, higher)
	}
}

// cycle is a trace of three steps whose lifespans are those of a recorded cycle. A buffer with a gap is freed in the
// next step.
func cycle(p *model.Problem) *trace.Trace {
	t := &trace.Trace{Names: []string{""}}
	of := map[[2]int]int64{} // step, buffer -> number of the allocation
	until := int64(0)
	for _, b := range p.Buffers {
		until = max(until, b.Upper)
	}
	number := int64(0)
	for step := range 3 {
		t.Events = append(t.Events, trace.Event{Kind: trace.Begin, Level: 1})
		for now := range until + 1 {
			for i, b := range p.Buffers {
				of1, end := [2]int{step, i}, b.Upper
				if len(b.Gaps) > 0 {
					of1, end = [2]int{step - 1, i}, b.Gaps[0].Lower
				}
				if n, live := of[of1]; live && end == now {
					t.Events = append(t.Events, trace.Event{Kind: trace.Free, N: n})
				}
			}
			for i, b := range p.Buffers {
				if len(b.Gaps) > 0 {
					b.Lower = b.Gaps[0].Upper
				}
				if b.Lower == now {
					t.Events = append(t.Events, trace.Event{Kind: trace.Alloc, N: b.Size, Shift: 6})
					of[[2]int{step, i}] = number
					number++
				}
			}
		}
		t.Events = append(t.Events, trace.Event{Kind: trace.End, Level: 1})
	}
	return t
}

// TestCoreRecorded: steps that PyTorch recorded are planned in process at the proven height that Go finds.
func TestCoreRecorded(t *testing.T) {
	unet := recorded(t, "unet.trace") // skips without data
	cases := []coreCase{{text: written(t, unet)}}
	for _, name := range []string{"gpt.csv", "unet.csv"} {
		p, _, err := format.ReadProblem(filepath.Join(os.Getenv("STOWAGE_DATA"), "arena", name))
		cases = append(cases, coreCase{text: written(t, cycle(must.Get(p, err)(t)))})
	}
	plans, why := inC(t, cases)
	for k, want := range []int64{23402500, 88478276, 23402500} {
		if len(plans[k]) != 1 || plans[k][0].Height != want || plans[k][0].Status != stowage.Optimal {
			t.Errorf("case %d: %d plans, %q; want one of height %d, proven", k, len(plans[k]), why[k], want)
		}
		if len(plans[k]) == 1 {
			t.Log(plans[k][0].Height, plans[k][0].Bound, plans[k][0].Status)
		}
	}
}

// TestCoreExample: the example serves all steps after those that it records, in a proven block.
func TestCoreExample(t *testing.T) {
	needCC(t)
	program := filepath.Join(t.TempDir(), "in_process")
	must.Do(t, built.Run(nil, "cc", "-std=c99", "-O1", "-Wall", "-Wextra", "-Werror", "-DSTOWAGE_ARENA_CORE", "-I.",
		"-I../core", "../examples/arena/in_process.c", "stowage_arena.c", "../core/stowage_core.c", "-lpthread", "-o", program))
	out := must.Get(exec.Command(program).Output())(t)
	want := "104 served, 26 not; a block of 128072 bytes, no plan has less than 128072\n"
	if string(out) != want {
		t.Errorf("%q, want %q", out, want)
	}
}
