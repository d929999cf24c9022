package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime/pprof"
	"slices"
	"strings"
	"time"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/bench/internal/picture"
	"github.com/stowage-go/stowage/internal/experiment"
	"github.com/stowage-go/stowage/internal/timeline"
)

// A split is where the time of tela goes, in shares.
type split struct {
	Engine, Selection, Backtracking, Preparing, Rest float64
	Samples                                          int
}

// engineShare is the profile of section 7.1.
func engineShare(ctx context.Context, e *env) (*content, error) {
	c := &content{verdict: notRun}
	if !e.tools {
		c.note("The profile wants go tool pprof, which was not asked for.")
		c.add("time in the engine", "upwards of 87%", notRun)
		return c, nil
	}
	nets, err := e.netsAt(ctx, c, 1.1)
	if err != nil {
		return c, err
	}
	problems, err := e.challenging(c)
	if err != nil {
		return c, err
	}
	hard := named(problems, "K")
	hard.Capacity = hard.LowerBound + hard.LowerBound*15/100
	hard.Name += "@1.15 of its load"
	var rows [][]string
	p := &picture.Rows{Title: "Where tela's time goes", X: picture.Axis{Title: "share of the time", Text: picture.Percent, Least: 0, Most: 1}, Series: []string{"engine", "selection", "backtracking", "preparing", "collector and the rest"}}
	for k, set := range [][]experiment.Instance{{hard}, nets} {
		name := hard.Name
		if k == 1 {
			name = "networks at 110%"
		}
		got, err := remember(ctx, e, fmt.Sprintf("profile of tela on %s at %s", name, e.revision), func(ctx context.Context) (split, error) {
			return profileOf(ctx, e, set)
		})
		if err != nil {
			return c, err
		}
		values := []float64{got.Engine, got.Selection, got.Backtracking, got.Preparing, got.Rest}
		row := []string{name}
		for _, v := range values {
			row = append(row, fmt.Sprintf("%.0f%%", 100*v))
		}
		rows = append(rows, append(row, fmt.Sprint(got.Samples)))
		p.Rows = append(p.Rows, picture.Row{Name: name, Values: values})
		c.add("time in the engine, "+name, "upwards of 87%", fmt.Sprintf("%.0f%%", 100*got.Engine))
		c.add("time in selecting blocks, "+name, "9%", fmt.Sprintf("%.0f%%", 100*got.Selection))
		if k == 0 {
			c.verdict = level
			if got.Engine < 0.7 {
				c.verdict = differs
			}
		}
	}
	c.pictures = append(c.pictures, p.HTML())
	c.tables = append(c.tables, experiment.NewTable([]string{"input", "engine", "selection", "backtracking", "preparing", "the rest", "samples"}, rows))
	c.differs = "Where there is something to search the engine takes most of the time, as in the paper. On easy networks a step is so cheap that sweeping the lifespans and building the pairs, which comes before the first step, takes a large part."
	return c, nil
}

// profileOf runs tela over and over under the profiler.
func profileOf(ctx context.Context, e *env, set []experiment.Instance) (split, error) {
	path := filepath.Join(e.dir, "tela.prof")
	f, err := os.Create(path)
	if err != nil {
		return split{}, err
	}
	defer f.Close()
	if err := pprof.StartCPUProfile(f); err != nil {
		return split{}, err
	}
	end := time.Now().Add(e.size.profile)
	for k := 0; time.Now().Before(end) && ctx.Err() == nil; k++ {
		in := set[k%len(set)]
		if _, err = stowage.Solve(ctx, in.Problem, stowage.Options{Planner: "tela", Capacity: in.Capacity, NodeLimit: 20_000}); err != nil {
			break
		}
	}
	pprof.StopCPUProfile()
	if err != nil {
		return split{}, err
	}
	text, err := exec.CommandContext(ctx, "go", "tool", "pprof", "-traces", path).Output()
	if err != nil {
		return split{}, fmt.Errorf("go tool pprof: %w", err)
	}
	return splitOf(string(text))
}

// traceTime is the first line of a stack in what go tool pprof -traces prints.
var traceTime = regexp.MustCompile(`^\s*([\d.]+)(ns|us|µs|ms|s|mins)\s+(\S.*)$`)

// splitOf reads what go tool pprof -traces prints: stacks, the innermost function first,
// with the time of each. The outermost function of ours that says what it is for counts.
func splitOf(text string) (s split, err error) {
	units := map[string]float64{"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "ms": 1e-3, "s": 1, "mins": 60}
	total := 0.0
	for stack := range strings.SplitSeq(text, "-----------+") {
		lines := strings.Split(stack, "\n")
		took := 0.0
		for k, line := range lines {
			m := traceTime.FindStringSubmatch(line)
			if m == nil {
				continue
			}
			v := 0.0
			if _, err := fmt.Sscanf(m[1], "%g", &v); err != nil {
				return s, fmt.Errorf("go tool pprof: %q", line)
			}
			took = v * units[m[2]]
			lines = lines[k:]
			break
		}
		if took == 0 {
			continue
		}
		total += took
		s.Samples++
		whole := strings.Join(lines, "\n")
		has := func(names ...string) bool {
			return slices.ContainsFunc(names, func(n string) bool { return strings.Contains(whole, n) })
		}
		switch {
		case has("internal/timeline.New", "pairwise.New", "pairwise.Encode"):
			s.Preparing += took
		case has("internal/pairwise."):
			s.Engine += took
		case has("candidates", "Candidates", ".choose", ".phase", ".gather"):
			s.Selection += took
		case has("baseline/tela."):
			s.Backtracking += took
		default:
			s.Rest += took
		}
	}
	if total == 0 {
		return s, errors.New("go tool pprof: no samples")
	}
	for _, x := range []*float64{&s.Engine, &s.Selection, &s.Backtracking, &s.Preparing, &s.Rest} {
		*x /= total
	}
	return s, nil
}

// repackers are the planners of figure 18: XLA's own best fit, TelaMalloc and ours.
var repackers = []string{"xla-heap", "tela", "auto"}

// repacking stands for figure 18. There is no TPU here, so what is measured is what
// decides the speed: how much of the traffic the fast memory takes. As section 2.3 has
// it, buffers are put into it one after another, those of the largest use first, and
// one stays out if the packing then does not fit.
func repacking(ctx context.Context, e *env) (*content, error) {
	c := &content{verdict: differs}
	nets, err := e.nets()
	if err != nil {
		return c, err
	}
	const share = 0.6 // of the load
	p := &picture.Rows{Title: "Share of the bytes × time that 60% of the load takes", X: picture.Axis{Title: "share", Text: picture.Percent}, Series: repackers}
	var rows [][]string
	var gains [2][]float64
	for _, in := range nets {
		if len(in.Problem.Buffers) > 450 && e.size.name != "full" {
			continue
		}
		capacity := int64(float64(in.Load) * share)
		row, values := []string{in.Name}, []float64{}
		for _, name := range repackers {
			got, err := remember(ctx, e, fmt.Sprintf("figure 18, %s on %s %s", name, in.Name, in.Digest), func(ctx context.Context) (float64, error) {
				return fill(ctx, in.Problem, name, capacity)
			})
			if err == errCut {
				break
			}
			if err != nil {
				return c, err
			}
			values = append(values, got)
			row = append(row, fmt.Sprintf("%.1f%%", 100*got))
		}
		if len(values) < len(repackers) {
			c.note("%s was not come to in the section's time.", in.Name)
			continue
		}
		for k := range gains {
			gains[k] = append(gains[k], values[k+1]/values[0])
		}
		rows = append(rows, row)
		p.Rows = append(p.Rows, picture.Row{Name: in.Name, Values: values})
	}
	if len(rows) == 0 {
		return c, errCut
	}
	best := func(k int) string {
		return fmt.Sprintf("up to %+.1f%% of the traffic, %+.1f%% in the mean", 100*(slices.Max(gains[k])-1), 100*(experiment.GeometricMean(gains[k])-1))
	}
	c.add("TelaMalloc in the place of best fit", "programs up to 7% faster", best(0))
	c.add("auto in the place of best fit", "not in the paper", best(1))
	c.pictures = append(c.pictures, p.HTML())
	t := experiment.NewTable(append([]string{"network"}, repackers...), rows)
	t.Title = "Bytes × time in fast memory, of all"
	c.tables = append(c.tables, t)
	c.differs = "This is no speed of programs: there is no TPU here, and a network's operators are not in these files. It is the share of the traffic that the fast memory takes, which that speed comes from; where a network is not bound by memory it is worth nothing, as the paper says."
	return c, nil
}

// fill puts buffers into a fast memory as long as a planner packs them, those with the
// most bytes × time for their own bytes first, and returns the share of the bytes ×
// time that is in.
func fill(ctx context.Context, p *stowage.Problem, planner string, capacity int64) (float64, error) {
	use := func(b *stowage.Buffer) float64 { return float64(b.Size) * float64(b.Upper-b.Lower) }
	list := slices.Clone(p.Buffers)
	slices.SortStableFunc(list, func(a, b stowage.Buffer) int { return cmp.Compare(use(&b), use(&a)) })
	in, all := 0.0, 0.0
	var kept stowage.Problem
	for i := range list {
		b := list[i]
		all += use(&b)
		if b.Size > capacity {
			continue
		}
		kept.Buffers = append(kept.Buffers, b)
		bound, err := stowage.LowerBound(&kept)
		if err != nil {
			return 0, err
		}
		ok := bound <= capacity
		if ok {
			r, err := stowage.Solve(ctx, &kept, stowage.Options{Planner: planner, Capacity: capacity, NodeLimit: 3000})
			if err != nil {
				return 0, err
			}
			ok = r.Status.HasPlan()
		}
		if ok {
			in += use(&b)
		} else {
			kept.Buffers = kept.Buffers[:len(kept.Buffers)-1]
		}
		if err := ctx.Err(); err != nil {
			return 0, err
		}
	}
	return in / math.Max(all, 1), nil
}

// overTime is figure 19.
func overTime(ctx context.Context, e *env) (*content, error) {
	c := &content{verdict: differs}
	in, err := e.largestNet()
	if err != nil {
		return c, err
	}
	l, err := e.leastOf(ctx, &in)
	if err != nil {
		return c, err
	}
	in = at(in, l.Height, 1.1)
	r, err := stowage.Solve(e.ctx, in.Problem, stowage.Options{Planner: "tela", Capacity: in.Capacity, Timeout: patience})
	if err != nil {
		return c, err
	}
	e.used[e.on] = true
	if r.Status.HasPlan() {
		c.pictures = append(c.pictures, planPicture(in.Name+", as tela plans it", in.Problem, r.Offsets, in.Capacity))
	}
	tl := timeline.New(in.Problem)
	curve := picture.Series{Name: "load", Step: true, Bare: true}
	high, phases, above := 0, 0, false
	for s := range tl.Starts {
		x := float64(tl.Load[s]) / float64(tl.MaxLoad)
		curve.Points = append(curve.Points, [2]float64{float64(tl.Starts[s]), x}, [2]float64{float64(tl.Ends[s]), x})
		if now := x >= 0.6; now {
			high++
			if !above {
				phases++
			}
			above = true
		} else {
			above = false
		}
	}
	p := &picture.Lines{
		Title: in.Name + ": the load over time", X: picture.Axis{Title: "logical time", Tight: true, Text: count}, Y: picture.Axis{Title: "load over its peak", Text: picture.Percent, Least: 0, Most: 1},
		Series: []picture.Series{curve}, Marks: []picture.Mark{{Name: "60%", At: 0.6}},
	}
	c.pictures = append(c.pictures, p.HTML())
	c.add("phases of high contention", "one at the beginning, then high and low in turn", fmt.Sprintf("%d stretches above 60%% of the peak", phases))
	c.add("buffers", "not in the text", fmt.Sprint(len(in.Problem.Buffers)))
	c.add("tela's plan at 110%", "solved", r.Status.String())
	c.tables = append(c.tables, experiment.NewTable([]string{"network", "buffers", "load", "sections", "of them above 60%", "stretches"}, [][]string{{
		in.Name, fmt.Sprint(len(in.Problem.Buffers)), experiment.Grouped(in.Load), fmt.Sprint(tl.Sections()), fmt.Sprint(high), fmt.Sprint(phases),
	}}))
	c.differs = "OpenPose's problem is not public; the nearest public network that is here stands for it. It has the same shape, a few high phases between low ones, and tela plans it at a step a buffer."
	return c, nil
}
