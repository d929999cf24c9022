package main

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"time"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/internal/comparison"
	"github.com/stowage-go/stowage/internal/picture"
	"github.com/stowage-go/stowage/lab/baseline/tela"
	"github.com/stowage-go/stowage/lab/learn"
	"github.com/stowage-go/stowage/model"
)

// asPublished switches off what tela has beyond the paper, on both sides.
var asPublished = append(tela.Ours(), "completion")

// first is the first seed of the inputs of learned. Nothing was chosen on them.
const first = uint64(330)

// A trial is a search with a limit.
type trial struct {
	Solved     bool
	Backtracks int64
	Steps      int64
}

// try searches by a planner.
func (e *env) try(ctx context.Context, name, planner string, trees int, p *stowage.Problem, digest string, capacity int64, without []string) (trial, error) {
	key := fmt.Sprintf("search by %s without %v of %s %s at %d, %d steps", planner, without, name, digest, capacity, e.size.nodes)
	if planner != "tela" {
		key += fmt.Sprintf(", a model of %d trees", trees)
	}
	return remember(ctx, e, key, func(ctx context.Context) (trial, error) {
		r, err := stowage.Solve(ctx, p, stowage.Options{Planner: planner, Capacity: capacity, NodeLimit: e.size.nodes, Without: without})
		if err != nil {
			return trial{}, err
		}
		return trial{r.Status.HasPlan(), r.Stats.Backtracks, r.Stats.Nodes}, nil
	})
}

// A duel is an input searched by tela's rules and by each of the contenders: the model,
// a coin, the look-ahead without a model, and the oracle.
type duel struct{ Against []learn.Comparison }

// contenders are those of a duel, by name; a quick report has the first two.
var contenders = []learn.Contender{
	{Name: "model", Policy: func(ctx context.Context, in *learn.Input) tela.Policy {
		s := learn.DefaultScorer
		s.Forest, _ = learn.Shipped() // learned has seen to the error
		return s.For(ctx, in.Timeline)
	}},
	{Name: "coin", Policy: func(context.Context, *learn.Input) tela.Policy { return &learn.Coin{Stay: 0.1} }},
	{Name: "look-ahead alone", Policy: func(ctx context.Context, in *learn.Input) tela.Policy {
		return learn.DefaultScorer.For(ctx, in.Timeline)
	}},
	{Name: "oracle", Policy: func(ctx context.Context, in *learn.Input) tela.Policy {
		return learn.NewGuide(ctx, in.Timeline, 20_000)
	}},
}

// duel has the contenders search an input without some techniques, as the rules do.
func (e *env) duel(ctx context.Context, in *learn.Input, trees int, without []string) (duel, error) {
	some := contenders[:2]
	if e.size.name == "full" {
		some = contenders
	}
	key := fmt.Sprintf("learned backtracking by %d without %v of %s, %d steps, a model of %d trees", len(some), without, in.Name, e.size.nodes, trees)
	return remember(ctx, e, key, func(ctx context.Context) (d duel, err error) {
		one := learn.Evaluation{
			Contenders: some, Steps: e.size.nodes, Without: without, RulesWithout: without,
			Each: func(_ int, c *learn.Comparison) { d.Against = append(d.Against, *c) },
		}
		_, err = one.Run(ctx, []learn.Input{*in})
		return d, err
	})
}

// tally is what each contender does to the inputs, with the backtracks on hard ones.
type tally struct {
	name   string
	of     []learn.Tally
	points [2][][2]float64 // of the model: solved by both; others
}

func (t *tally) add(d *duel) {
	if len(t.of) < len(d.Against) {
		t.of = make([]learn.Tally, len(d.Against))
	}
	for k := range d.Against {
		t.of[k].Add(&d.Against[k])
	}
	rules, model := &d.Against[0].Rules, &d.Against[0].Learned
	if rules.Backtracks <= learn.Hard {
		return
	}
	k := 1
	if rules.Status.HasPlan() && model.Status.HasPlan() {
		k = 0
	}
	t.points[k] = append(t.points[k], [2]float64{float64(rules.Backtracks), float64(model.Backtracks)})
}

// learned is figure 15, and the counts of section 7.3.
func learned(ctx context.Context, e *env) (*content, error) {
	c := &content{}
	forest, err := learn.Shipped()
	if err != nil {
		return c, err
	}
	var f backtracks
	defer func() { c.say(f.say()...) }() // what there was time for
	rows, err := e.portions(ctx, c, forest, &f)
	if err != nil {
		return c, err
	}
	if len(rows) > 0 {
		t := comparison.NewTable([]string{"portion", "buffers", "rules", "model"}, rows)
		t.Title = "Backtracks on portions"
		c.tables = append(c.tables, t)
	}
	a, b, err := e.duels(ctx, c, forest)
	if err != nil {
		c.judge("hard inputs that the model improves, against the paper's rules", "102 of 117, 87%", "", notRun)
		return c, err
	}
	show := func(n, of int) string {
		if of == 0 {
			return "none is hard"
		}
		return fmt.Sprintf("%d of %d, %.0f%%", n, of, 100*float64(n)/float64(of))
	}
	ours, published := &a.of[0], &b.of[0]
	f.inputs, f.hard, f.improved, f.worse, f.coin = published.Inputs, published.Hard, published.Improved, published.Worse, b.of[1].Improved
	hard := func(what, paper string, share float64, n int) {
		c.judge(what, paper, show(n, published.Hard), judgeShare(share, n, published.Hard, fewestShare, more))
	}
	hard("hard inputs that the model improves, against the paper's rules", "102 of 117, 87%", 102.0/117, published.Improved)
	hard("newly solved, against the paper's rules", "56 of 117", 56.0/117, published.NewlySolved)
	hard("solved by both, with a tenth of the backtracks or fewer", "34 of 117", 34.0/117, published.TenTimesFewer)
	// So few of so many that a share of 5 points more or less would say nothing.
	c.add("lost: solved by the rules alone", "4 of 1,192", of(published.Lost, published.Inputs))
	c.add("solved by both, with ten times the backtracks or more", "9 of 1,192", of(published.TenTimesMore, published.Inputs))
	c.add("hard inputs that the model improves, against all of tela's techniques", "not in the paper", show(ours.Improved, ours.Hard))
	c.add("hard inputs that it makes worse, against all of tela's techniques", "not in the paper", show(ours.Worse, ours.Hard))
	c.add("a coin in its place improves and makes worse, against the paper's rules", "not in the paper", show(b.of[1].Improved, b.of[1].Hard)+"; "+show(b.of[1].Worse, b.of[1].Hard))
	c.add("the same, against all of tela's techniques", "not in the paper", show(a.of[1].Improved, a.of[1].Hard)+"; "+show(a.of[1].Worse, a.of[1].Hard))
	scatter := &picture.Lines{
		Title: "Backtracks on hard inputs, against the paper's rules: below the line the model needs fewer", Diagonal: true,
		X: picture.Axis{Title: "by the rules", Log: true, Text: count},
		Y: picture.Axis{Title: "with the model", Log: true, Zero: true, Text: count},
		Series: []picture.Series{
			{Name: "both solve it", Points: b.points[0]}, {Name: "one of them or none solves it", Points: b.points[1]},
		},
	}
	if published.Hard > 0 {
		c.pictures = append(c.pictures, scatter.HTML())
	}
	c.tables = slices.Insert(c.tables, 0, e.tallies(a, b))
	c.about = "The paper's inputs are networks at two sizes of memory, and its model learned from 301,321 samples of figure 13's benchmarks. These are generated problems that our model did not learn from. Ours is told what a few nodes of the exact planner refute, which the paper's is not; docs/planners/tela.md has what the look-ahead is worth alone."
	return c, nil
}

// duels holds the model against the rules on inputs that nothing was chosen on, with all of
// tela's techniques and with the paper's alone.
func (e *env) duels(ctx context.Context, c *content, forest *learn.Forest) (a, b *tally, err error) {
	inputs, err := learn.Generated(learn.Seeds{First: first, Last: first + e.size.seeds*2}, nil, learn.DefaultPercents)
	if err != nil {
		return nil, nil, err
	}
	if e.size.models > 0 {
		inputs = inputs[:min(len(inputs), 2*e.size.models)]
	}
	a = &tally{name: "with all of tela's techniques on both sides"}
	b = &tally{name: "as published: the paper's techniques alone on both sides"}
	cut := 0
	for i := range inputs {
		// The evaluation is without the completion in any case.
		for _, t := range []*tally{a, b} {
			without := tela.Ours()
			if t == a {
				without = nil
			}
			d, err := e.duel(ctx, &inputs[i], forest.Trees(), without)
			if err == errCut {
				cut++
				continue
			}
			if err != nil {
				return nil, nil, err
			}
			t.add(&d)
		}
	}
	if cut > 0 {
		c.note("In its time the section left out %d of %d inputs. The same command goes on from there.", cut, 2*len(inputs))
	}
	if len(a.of) == 0 || len(b.of) == 0 {
		return nil, nil, errCut
	}
	return a, b, nil
}

// tallies is the table of what came of the duels.
func (e *env) tallies(a, b *tally) *comparison.Table {
	t := comparison.NewTable([]string{"", "", "inputs", "hard", "improved", "newly solved", "a tenth or fewer", "worse", "solved by neither", "lost", "ten times or more"}, nil)
	t.Columns[1].Number = false
	t.Title = fmt.Sprintf("Over %s steps, seeds %d to %d", comparison.Grouped(e.size.nodes), first, first+e.size.seeds*2-1)
	for _, one := range []*tally{a, b} {
		for k := range one.of {
			x := &one.of[k]
			row := []string{one.name, contenders[k].Name}
			for _, n := range []int{x.Inputs, x.Hard, x.Improved, x.NewlySolved, x.TenTimesFewer, x.Worse, x.Open, x.Lost, x.TenTimesMore} {
				row = append(row, strconv.Itoa(n))
			}
			t.Rows = append(t.Rows, row)
		}
	}
	return t
}

// portions plans portions of a problem: buffers of stretches of time, at 103% of their own
// load. It returns the rows of their table.
func (e *env) portions(ctx context.Context, c *content, forest *learn.Forest, f *backtracks) (rows [][]string, err error) {
	problems, err := e.challenging(c)
	if err != nil {
		return nil, err
	}
	whole := named(problems, "B")
	portions := &picture.Rows{Title: "Backtracks on portions of " + whole.Name, X: picture.Axis{Title: "backtracks; › is a limit that was reached", Log: true, Zero: true, Text: count}, Series: []string{"rules", "model"}}
	for k := range e.size.windows {
		p := portion(whole.Problem, k, e.size.windows)
		if p == nil {
			continue
		}
		in := comparison.NewInstance(fmt.Sprintf("%s, portion %d", whole.Name, k+1), p, 0)
		in.Capacity = in.LowerBound + in.LowerBound*2/100
		values, over, row := []float64{}, []bool{}, []string{in.Name, strconv.Itoa(len(p.Buffers))}
		for _, planner := range []string{"tela", "tela-learned"} {
			t, err := e.try(ctx, in.Name, planner, forest.Trees(), p, in.Digest, in.Capacity, []string{"completion"})
			if err == errCut {
				break
			}
			if err != nil {
				return nil, err
			}
			values, over = append(values, float64(t.Backtracks)), append(over, !t.Solved)
			text := comparison.Count(t.Backtracks)
			if !t.Solved {
				text += ", no plan"
			}
			row = append(row, text)
		}
		if len(values) == 2 {
			portions.Rows = append(portions.Rows, picture.Row{Name: in.Name, Values: values, Over: over})
			rows = append(rows, row)
			f.portions = append(f.portions, [2]int64{int64(values[0]), int64(values[1])})
		}
	}
	if len(portions.Rows) > 0 && !f.idle() {
		c.pictures = append(c.pictures, portions.HTML())
	}
	return rows, nil
}

// portion is the k-th of n stretches of a problem's time, as a problem; nil where it has
// fewer than two buffers.
func portion(p *stowage.Problem, k, n int) *stowage.Problem {
	low, high := int64(math.MaxInt64), int64(math.MinInt64)
	for i := range p.Buffers {
		low, high = min(low, p.Buffers[i].Lower), max(high, p.Buffers[i].Upper)
	}
	// Stretches overlap by half, and each is an eighth of the whole.
	span := max((high-low)/8, 1)
	from := low + (high-low-span)*int64(k)/int64(max(n-1, 1))
	part := &stowage.Problem{Name: fmt.Sprintf("%s-portion-%d", p.Name, k)}
	for i := range p.Buffers {
		b := p.Buffers[i]
		b.Lower, b.Upper = max(b.Lower, from), min(b.Upper, from+span)
		if b.Lower < b.Upper && len(b.Gaps) == 0 {
			part.Buffers = append(part.Buffers, b)
		}
	}
	if len(part.Buffers) < 2 || model.Validate(part) != nil {
		return nil
	}
	return part
}

// samplesOf collects samples of inputs that training has not seen.
func (e *env) samplesOf(ctx context.Context) ([]learn.Sample, error) {
	from := uint64(400)
	inputs, err := learn.Generated(learn.Seeds{First: from, Last: from + max(1, e.size.seeds)}, nil, []int64{102, 108})
	if err != nil {
		return nil, err
	}
	if e.size.models > 0 {
		inputs = inputs[:min(len(inputs), 4*e.size.models)]
	}
	var all []learn.Sample
	for i := range inputs {
		if ctx.Err() != nil && len(all) > 0 {
			break // a sample is what this is
		}
		some, err := learn.Collect(e.ctx, &inputs[i], learn.CollectOptions{Steps: 5000, Draws: 1, Events: 60, Nodes: 2000, Look: learn.DefaultScorer.Nodes})
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
	}
	if len(all) == 0 {
		return nil, errCut
	}
	return all, nil
}

// A score is what figure 16 measures.
type score struct {
	Trees   int
	Samples int
	Nanos   float64
}

// scoreTime is figure 16.
func scoreTime(_ context.Context, e *env) (*content, error) {
	c := &content{}
	got, err := remember(e.ctx, e, "time of a score at "+e.revision, func(ctx context.Context) (score, error) {
		forest, err := learn.Shipped()
		if err != nil {
			return score{}, err
		}
		// Features of random candidates: every tree is gone down, each time another way.
		random := rand.New(rand.NewPCG(16, 0))
		features := make([]tela.Features, 4096)
		for k := range features {
			for f := range features[k] {
				features[k][f] = random.Float32() * []float32{1, 1, 1, 100, 10, 10, 100, 1, 1000}[f%9]
			}
		}
		var times []float64
		var sum float32
		for range 40 {
			began := time.Now()
			for k := range features {
				sum += forest.Score(&features[k])
			}
			times = append(times, float64(time.Since(began).Nanoseconds())/float64(len(features)))
		}
		if math.IsNaN(float64(sum)) {
			return score{}, fmt.Errorf("the scores add up to %v", sum)
		}
		return score{forest.Trees(), len(features), slices.Min(times)}, nil
	})
	if err != nil {
		return c, err
	}
	c.judge(fmt.Sprintf("a candidate, %d trees", got.Trees), "about 2 µs, 100 trees", fmt.Sprintf("%.2f µs, on another machine", got.Nanos/1000), compare(2000, got.Nanos, less))
	p := &picture.Rows{Title: "Time of a score", X: picture.Axis{Title: "time", Text: picture.Seconds}, Series: []string{"time"}, Bars: true, Rows: []picture.Row{
		{Name: "here", Values: []float64{got.Nanos / 1e9}}, {Name: "the paper", Values: []float64{2e-6}},
	}}
	c.pictures = append(c.pictures, p.HTML())
	c.tables = append(c.tables, comparison.NewTable([]string{"", "trees", "µs"}, [][]string{{"here", strconv.Itoa(got.Trees), fmt.Sprintf("%.2f", got.Nanos/1000)}, {"paper", "100", "2"}}))
	c.say(sayScore(got.Nanos, got.Trees))
	c.about = "The paper's trees are Yggdrasil's, of a depth that it does not tell. Ours are XGBoost's, of a depth of 4, and scored one candidate at a time."
	return c, nil
}

// A weight is what a feature adds to the error of the model when its values are mixed.
type weight struct {
	Name     string
	Increase float64
	Paper    bool
}

// A ranking is figure 17.
type ranking struct {
	Samples, Inputs int
	RMSE, Spread    float64 // of the model, and of the mean as a guess
	Weights         []weight
}

// importance is figure 17: the values of a feature are dealt out anew among the samples,
// and the error of the model rises by what the feature was worth to it.
func importance(ctx context.Context, e *env) (*content, error) {
	c := &content{}
	got, err := remember(e.ctx, e, fmt.Sprintf("importance of features at %s, %d seeds", e.revision, e.size.seeds), func(context.Context) (ranking, error) {
		half, over := shareOf(ctx, 0.8)
		samples, err := e.samplesOf(half)
		over()
		if err != nil {
			return ranking{}, err
		}
		forest, err := learn.Shipped()
		if err != nil {
			return ranking{}, err
		}
		return rank(forest, samples), nil
	})
	if err != nil {
		return c, err
	}
	slices.SortStableFunc(got.Weights, func(a, b weight) int { return cmp.Compare(b.Increase, a.Increase) })
	p := &picture.Rows{Title: "Increase of the error (RMSE) without a feature", X: picture.Axis{Title: "increase of the RMSE; scores are from 0 to 10"}, Series: []string{"increase"}, Bars: true}
	p.X.Text = func(v float64) string {
		if math.Abs(v) < 0.005 {
			v = 0
		}
		return strconv.FormatFloat(v, 'f', 2, 64)
	}
	var rows [][]string
	for _, w := range got.Weights {
		name := w.Name
		in := "ours"
		if w.Paper {
			in = "the paper"
		} else {
			name += " (ours)"
		}
		p.Rows = append(p.Rows, picture.Row{Name: name, Values: []float64{w.Increase}})
		rows = append(rows, []string{w.Name, in, fmt.Sprintf("%.3f", w.Increase)})
	}
	f := features{samples: got.Samples}
	if len(got.Weights) > 0 {
		f.top, f.ours = got.Weights[0].Name, !got.Weights[0].Paper
	}
	for _, one := range []struct {
		what, name, paper string
		first             bool
	}{
		{"place of the lifetime", "lifetime", "among the first", true},
		{"place of the contention", "contention", "among the first", true},
		{"place of the level", "level", "among the first", true},
		{"place of the backtracks so far", "backtracks", "among the first", true},
		{"place of the region (same_phase)", "same_phase", "among the last", false},
	} {
		p := place{one.name, len(got.Weights), one.first, 1 + slices.IndexFunc(got.Weights, func(w weight) bool { return w.Name == one.name })}
		f.places = append(f.places, p)
		here := "no such feature"
		if p.at > 0 {
			here = of(p.at, p.of)
		}
		c.judge(one.what, one.paper, here, features{samples: got.Samples, places: []place{p}}.verdict())
	}
	c.add("the model's error; that of the mean as a guess", "not in the text", fmt.Sprintf("%.2f; %.2f", got.RMSE, got.Spread))
	c.pictures = append(c.pictures, p.HTML())
	t := comparison.NewTable([]string{"feature", "of", "increase of the RMSE"}, rows)
	t.Title = fmt.Sprintf("Features, on %d samples of inputs that training has not seen", got.Samples)
	c.tables = append(c.tables, t)
	c.say(f.say()...)
	c.about = "The paper does not say how it measured. Here the values of one feature at a time are dealt out anew among the samples. Features that say nearly the same cover for each other, so that each of them seems to count for less."
	return c, nil
}

// rank measures the features of a forest on samples.
func rank(forest *learn.Forest, samples []learn.Sample) ranking {
	r := ranking{Samples: len(samples)}
	names := map[string]bool{}
	mean := 0.0
	for k := range samples {
		names[samples[k].Input] = true
		mean += float64(samples[k].Stands()) / float64(len(samples))
	}
	r.Inputs = len(names)
	n := len(samples)
	off := func(features func(k int) tela.Features) float64 {
		sum := 0.0
		for k := range samples {
			x := features(k)
			d := float64(forest.Score(&x) - samples[k].Stands())
			sum += d * d / float64(n)
		}
		return math.Sqrt(sum)
	}
	for k := range samples {
		d := float64(samples[k].Stands()) - mean
		r.Spread += d * d / float64(n)
	}
	r.Spread = math.Sqrt(r.Spread)
	r.RMSE = off(func(k int) tela.Features { return samples[k].Features })
	deal := rand.New(rand.NewPCG(17, 0)).Perm(n)
	for f, name := range tela.FeatureNames {
		with := off(func(k int) tela.Features {
			x := samples[k].Features
			x[f] = samples[deal[k]].Features[f]
			return x
		})
		r.Weights = append(r.Weights, weight{name, with - r.RMSE, f < 9})
	}
	return r
}
