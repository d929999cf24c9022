package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"math"
	"runtime/pprof"
	"slices"
	"strings"
	"time"

	"github.com/google/pprof/profile"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/internal/comparison"
	"github.com/stowage-go/stowage/internal/picture"
	"github.com/stowage-go/stowage/internal/testkit/processor"
	"github.com/stowage-go/stowage/internal/timeline"
)

// A split is where the time of tela goes, in shares.
type split struct {
	Engine, Selection, Backtracking, Preparing, Rest float64
	Samples                                          int
}

// engineShare is the profile of section 7.1.
func engineShare(ctx context.Context, e *env) (*content, error) {
	c := &content{}
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
	var all []profiled
	p := &picture.Rows{Title: "Where tela's time goes", X: picture.Axis{Title: "share of the time", Text: picture.Percent, Least: 0, Most: 1}, Series: []string{"engine", "selection", "backtracking", "preparing", "collector and the rest"}}
	for k, set := range [][]comparison.Instance{{hard}, nets} {
		name := hard.Name
		if k == 1 {
			name = "networks at 110%"
		}
		// It takes a fixed time, which is set aside for it, and is never cut.
		got, err := remember(e.ctx, e, fmt.Sprintf("profile of tela on %s at %s", name, e.revision), func(ctx context.Context) (split, error) {
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
		one := profiled{name, got}
		all = append(all, one)
		c.judge("time in the engine, "+name, "upwards of 87%", percent(got.Engine), one.verdict())
		c.add("time in selecting blocks, "+name, "9%", percent(got.Selection))
	}
	c.pictures = append(c.pictures, p.HTML())
	c.tables = append(c.tables, comparison.NewTable([]string{"input", "engine", "selection", "backtracking", "preparing", "the rest", "samples"}, rows))
	c.say(sayProfile(all)...)
	c.about = "Preparing is to sweep the lifespans and to build the pairs, before the first step."
	return c, nil
}

// patienceOf is how many times its length a profile may last by the clock: on a busy
// machine the processor is another's most of the time.
const patienceOf = 5

// profileOf runs tela over and over under the profiler, until it has had the processor for
// the time of a profile.
func profileOf(ctx context.Context, e *env, set []comparison.Instance) (split, error) {
	var text bytes.Buffer
	if err := pprof.StartCPUProfile(&text); err != nil {
		return split{}, err
	}
	began, used := time.Now(), processor.Used()
	var err error
	for k := 0; processor.Used()-used < e.size.profile && time.Since(began) < patienceOf*e.size.profile && ctx.Err() == nil; k++ {
		in := set[k%len(set)]
		if _, err = stowage.Solve(ctx, in.Problem, stowage.Options{Planner: "tela", Capacity: in.Capacity, NodeLimit: 20_000}); err != nil {
			break
		}
	}
	pprof.StopCPUProfile()
	if err != nil {
		return split{}, err
	}
	parsed, err := profile.Parse(&text)
	if err != nil {
		return split{}, fmt.Errorf("the profile: %w", err)
	}
	return splitOf(parsed), nil
}

// splitOf says where the time of a profile goes, by the functions of ours that say what
// they are for. No samples are a split of zeros.
func splitOf(p *profile.Profile) (s split) {
	total := 0.0
	for _, sample := range p.Sample {
		// The first value of a profile of the processor counts samples, the last is time.
		took := float64(sample.Value[len(sample.Value)-1])
		total += took
		s.Samples += int(sample.Value[0])
		var names []string
		for _, at := range sample.Location {
			for _, line := range at.Line {
				if line.Function != nil {
					names = append(names, line.Function.Name)
				}
			}
		}
		whole := strings.Join(names, "\n")
		has := func(names ...string) bool {
			return slices.ContainsFunc(names, func(n string) bool { return strings.Contains(whole, n) })
		}
		switch {
		case has("internal/timeline.New", "pairwise.New", "pairwise.Encode"):
			s.Preparing += took
		case has("lab/pairwise."):
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
		return split{}
	}
	for _, x := range []*float64{&s.Engine, &s.Selection, &s.Backtracking, &s.Preparing, &s.Rest} {
		*x /= total
	}
	return s
}

// repackers are the planners of figure 18: XLA's own best fit, TelaMalloc and ours.
var repackers = []string{"xla-heap", "tela", "auto"}

// repacking stands for figure 18. There is no TPU here, so what is measured is what
// decides the speed: how much of the traffic the fast memory takes. As section 2.3 has
// it, buffers are put into it one after another, those of the largest use first, and
// one stays out if the packing then does not fit.
func repacking(ctx context.Context, e *env) (*content, error) {
	c := &content{}
	nets, err := e.nets()
	if err != nil {
		return c, err
	}
	const share = 0.6 // of the load
	p := &picture.Rows{Title: "Share of the bytes × time that 60% of the load takes", X: picture.Axis{Title: "share", Text: picture.Percent}, Series: repackers}
	var rows [][]string
	var gains [2][]float64
	var f packings
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
			c.note("There was no time left for %s.", in.Name)
			continue
		}
		for k := range gains {
			gains[k] = append(gains[k], values[k+1]/values[0])
		}
		f = append(f, [3]float64(values))
		rows = append(rows, row)
		p.Rows = append(p.Rows, picture.Row{Name: in.Name, Values: values})
	}
	if len(rows) == 0 {
		return c, errCut
	}
	best := func(k int) string {
		if f.apart() == 0 {
			return fmt.Sprintf("the same on all %d networks", len(f))
		}
		return fmt.Sprintf("up to %+.1f%% of the traffic, %+.1f%% in the mean", 100*(slices.Max(gains[k])-1), 100*(comparison.GeometricMean(gains[k])-1))
	}
	c.judge("TelaMalloc in the place of best fit", "programs up to 7% faster", best(0), differs)
	c.add("auto in the place of best fit", "not in the paper", best(1))
	c.pictures = append(c.pictures, p.HTML())
	t := comparison.NewTable(append([]string{"network"}, repackers...), rows)
	t.Title = "Bytes × time in fast memory, of all"
	c.tables = append(c.tables, t)
	c.say(f.say()...)
	c.about = "This is not the paper's experiment, which measures the speed of programs while XLA repacks a live set. There is no TPU here, and the operators of a network are not in these files. Buffers are let in one after another, those of the largest use first, and each set is planned afresh. The figure is the share of the bytes × time that the fast memory takes."
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
	c := &content{}
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
	f := wave{name: in.Name, buffers: len(in.Problem.Buffers), nodes: r.Stats.Nodes, solved: r.Status.HasPlan(), attempted: true}
	curve := picture.Series{Name: "load", Step: true, Bare: true}
	high, above := 0, false
	begin, end := float64(tl.Starts[0]), float64(tl.Ends[len(tl.Ends)-1])
	share := func(t int64) float64 { return (float64(t) - begin) / (end - begin) }
	for s := range tl.Starts {
		x := float64(tl.Load[s]) / float64(tl.MaxLoad)
		curve.Points = append(curve.Points, [2]float64{float64(tl.Starts[s]), x}, [2]float64{float64(tl.Ends[s]), x})
		now := x >= 0.6
		if now {
			high++
			if !above {
				f.high = append(f.high, [2]float64{share(tl.Starts[s]), 0})
			}
			f.high[len(f.high)-1][1] = share(tl.Ends[s])
		}
		above = now
	}
	p := &picture.Lines{
		Title: in.Name + ": the load over time", X: picture.Axis{Title: "logical time", Tight: true, Text: count}, Y: picture.Axis{Title: "load over its peak", Text: picture.Percent, Least: 0, Most: 1},
		Series: []picture.Series{curve}, Marks: []picture.Mark{{Name: "60%", At: 0.6}},
	}
	c.pictures = append(c.pictures, p.HTML())
	c.judge("phases of high contention", "one at the beginning, then high and low in turn", fmt.Sprintf("%d stretches above 60%% of the peak", len(f.high)), f.verdict())
	c.add("buffers", "not in the text", fmt.Sprint(len(in.Problem.Buffers)))
	c.add("tela's plan at 110%", "solved", r.Status.String())
	c.tables = append(c.tables, comparison.NewTable([]string{"network", "buffers", "load", "sections", "of them above 60%", "stretches"}, [][]string{{
		in.Name, fmt.Sprint(len(in.Problem.Buffers)), comparison.Grouped(in.Load), fmt.Sprint(tl.Sections()), fmt.Sprint(high), fmt.Sprint(len(f.high)),
	}}))
	c.say(f.say()...)
	c.about = "OpenPose's problem is not public. The network here stands for it: pose_landmark_heavy if the public models are here, and else the generated network with the most buffers."
	return c, nil
}
