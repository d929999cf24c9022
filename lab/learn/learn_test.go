package learn

import (
	"bytes"
	"context"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stowage-go/stowage/internal/gen"
	"github.com/stowage-go/stowage/internal/planners/tela"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/testkit/drawn"
	brute "github.com/stowage-go/stowage/internal/testkit/oracle"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/internal/verify"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// twoTrees is a model of two trees: level < 3 ? (size < 0.5 ? 1 : 2) : 4, and
// the constant 0.25, over a base of 0.5.
const twoTrees = `{"learner":{"learner_model_param":{"base_score":"[5E-1]","num_feature":"20"},
"objective":{"name":"reg:squarederror"},
"gradient_booster":{"name":"gbtree","model":{"trees":[
{"left_children":[2,-1,3,-1,-1],"right_children":[1,-1,4,-1,-1],"split_indices":[3,0,0,0,0],"split_conditions":[3,4,0.5,1,2]},
{"left_children":[-1],"right_children":[-1],"split_indices":[0],"split_conditions":[0.25]}]}}}}`

func TestForest(t *testing.T) {
	f, err := ReadForest(strings.NewReader(twoTrees))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ size, level, want float32 }{{0.4, 2, 1.75}, {0.5, 2, 2.75}, {0.4, 3, 4.75}} {
		var x tela.Features
		x[0], x[3] = c.size, c.level
		if got := f.Score(&x); got != c.want {
			t.Errorf("size %v, level %v: got %v, want %v", c.size, c.level, got, c.want)
		}
	}
	for _, c := range []struct{ old, new, want string }{
		{`{"learner"`, `["learner"`, "not a model"},
		{"gbtree", "gblinear", "not gbtree"},
		{`"20"`, `"8"`, "has 8 features"},
		{"[5E-1]", "half", "base_score"},
		{"[3,0,0,0,0]", "[20,0,0,0,0]", "tree 0: node 0"},
		{"[2,-1,3,-1,-1]", "[9,-1,3,-1,-1]", "tree 0: node 0"},
		{"[2,-1,3,-1,-1]", "[0,-1,3,-1,-1]", "tree 0: node"},
		{"[2,-1,3,-1,-1]", "[2,-1,3,-1]", "differ in length"},
	} {
		if !strings.Contains(twoTrees, c.old) {
			t.Fatalf("the model has no %s", c.old)
		}
		if _, err := ReadForest(strings.NewReader(strings.Replace(twoTrees, c.old, c.new, 1))); err == nil ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("%s for %s: got %v, want %q", c.new, c.old, err, c.want)
		}
	}
}

func TestScore(t *testing.T) {
	for _, c := range []struct {
		x, best, minimum int32
		want             float32
	}{{1, 2, 6, 0}, {2, 2, 6, 10}, {4, 2, 6, 8}, {6, 2, 6, 6}, {7, 2, 6, 0}, {3, 3, 3, 10}} {
		if got := Score(c.x, c.best, c.minimum); got != c.want {
			t.Errorf("Score(%d, %d, %d) = %v, want %v", c.x, c.best, c.minimum, got, c.want)
		}
	}
}

// TestOracle compares the deepest prefix with brute force over all prefixes.
func TestOracle(t *testing.T) {
	short := 0
	for seed := range uint64(1500) {
		p := drawn.Tiny(seed)
		height, _, ok := brute.MinHeight(p)
		if !ok {
			continue
		}
		tl := timeline.New(p)
		rng := rand.New(rand.NewPCG(seed, 5))
		for k := range tl.Partitions {
			part := &tl.Partitions[k]
			x := newOracle(tl, part, height, 100000)
			for range 3 {
				var path []tela.Placement
				for _, i := range part.Buffers {
					b := &p.Buffers[i]
					if b.Fixed == nil && height >= b.Size {
						at := rng.Int64N(height - b.Size + 1)
						path = append(path, tela.Placement{Buffer: i, Offset: at - at%b.Align()})
					}
				}
				got, ok := x.deepest(context.Background(), path)
				if !ok {
					t.Fatalf("seed %d: a limit was hit", seed)
				}
				want := int32(0)
				for n := range path {
					with := model.Problem{Buffers: slices.Clone(x.problem.Buffers)}
					for _, q := range path[:n+1] {
						with.Buffers[x.local[q.Buffer]].Fixed = &q.Offset
					}
					if !brute.Fits(&with, height) {
						break
					}
					want++
				}
				if got != want {
					t.Fatalf("seed %d: got %d, want %d", seed, got, want)
				}
				if int(want) < len(path) {
					short++
				}
			}
		}
	}
	if short < 500 {
		t.Fatalf("only %d paths could not be completed", short)
	}
}

func hardInput(t testing.TB) Input {
	p, err := gen.Generate("perfect", gen.Options{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	return Inputs(p.Name, p, []int64{114})[0]
}

// TestCollect checks that samples are labelled by the formula, that some are
// worth following, and that they are the same twice.
func TestCollect(t *testing.T) {
	in := hardInput(t)
	o := CollectOptions{Steps: 3000, Events: 20, Nodes: 1000, Seed: 7}
	var files [2]bytes.Buffer
	for k := range files {
		samples, err := Collect(context.Background(), &in, o)
		if err != nil {
			t.Fatal(err)
		}
		good := 0
		for _, s := range samples {
			if s.Score != Score(s.Point, s.Best, s.Minimum) || s.Best > s.Minimum || s.Features[3] != float32(s.Point) {
				t.Fatalf("sample %+v is not consistent", s)
			}
			if s.Score > 0 {
				good++
			}
		}
		if good == 0 || good == len(samples) {
			t.Fatalf("%d of %d samples have a score", good, len(samples))
		}
		if err := WriteSamples(&files[k], samples); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(files[0].Bytes(), files[1].Bytes()) {
		t.Fatal("two runs give different samples")
	}
}

// TestPlanner runs tela-learned on inputs that make it ask the model, and checks
// its plans and its errors.
func TestPlanner(t *testing.T) {
	asked, plans := int64(0), 0
	seeds := plantest.Share(6, 2)
	for seed := range uint64(seeds) {
		inputs, err := Generated(Seeds{seed, seed + 1}, nil, []int64{106, 115})
		if err != nil {
			t.Fatal(err)
		}
		for _, in := range inputs {
			for _, spread := range []string{"spread", "rules"} {
				o := plan.Options{Capacity: in.Capacity, NodeLimit: 1500, Params: map[string]string{"below-threshold": spread}}
				r, err := run.Run(context.Background(), Planner{}, in.Timeline, o)
				if err != nil {
					t.Fatal(err)
				}
				asked += r.Stats.Backtracks
				if r.Status.HasPlan() {
					plans++
					if report := verify.Check(in.Timeline.Problem, r.Offsets, in.Capacity); !report.OK() {
						t.Fatalf("%s: %v", in.Name, report.Violations)
					}
				}
			}
		}
	}
	if asked < int64(160*seeds) || plans < 3*seeds/2 {
		t.Fatalf("%d backtracks, %d plans: the inputs say little", asked, plans)
	}
	in := hardInput(t)
	for _, c := range []struct{ name, value, want string }{
		{"model", "missing.json", "missing.json"},
		{"depth-weight", "-1", "depth-weight"},
		{"below-threshold", "x", "below-threshold"},
		{"candidates", "0", "tela-learned: parameter candidates"},
	} {
		_, err := run.Run(context.Background(), Planner{}, in.Timeline,
			plan.Options{Capacity: in.Capacity, Params: map[string]string{c.name: c.value}})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s=%s: got %v", c.name, c.value, err)
		}
	}
}

// TestSmall checks tela-learned against brute force: whatever the model says, a
// proof is a proof.
func TestSmall(t *testing.T) {
	for seed := range uint64(1500) {
		p := drawn.Tiny(seed)
		minimum, _, ok := brute.MinHeight(p)
		if !ok {
			continue
		}
		tl := timeline.New(p)
		for _, capacity := range []int64{minimum, minimum - 1} {
			if capacity == 0 {
				continue
			}
			r, err := run.Run(context.Background(), Planner{}, tl, plan.Options{Capacity: capacity})
			if err != nil {
				t.Fatal(err)
			}
			if r.Status.HasPlan() != (capacity == minimum) || r.Status == model.Unknown {
				t.Fatalf("seed %d, capacity %d, minimum %d: got %s", seed, capacity, minimum, r.Status)
			}
			if r.Status.HasPlan() && !verify.Check(p, r.Offsets, capacity).OK() {
				t.Fatalf("seed %d: the plan is not valid", seed)
			}
		}
	}
}

// python returns an interpreter that has XGBoost: STOWAGE_PYTHON, else python3.
func python(t *testing.T) string {
	name := os.Getenv("STOWAGE_PYTHON")
	if name == "" {
		name = "python3"
	}
	if err := exec.Command(name, "-c", "import xgboost, numpy").Run(); err != nil {
		t.Skip("needs Python with xgboost (STOWAGE_PYTHON)")
	}
	return name
}

// TestTrain trains twice, compares the models byte for byte, and the forest with
// what XGBoost itself predicts.
func TestTrain(t *testing.T) {
	interpreter := python(t)
	in := hardInput(t)
	samples, err := Collect(context.Background(), &in, CollectOptions{Steps: 3000, Events: 20, Nodes: 1000, Seed: 7})
	if err != nil || len(samples) == 0 {
		t.Fatal(len(samples), err)
	}
	dir := t.TempDir()
	data := filepath.Join(dir, "samples.csv")
	var text bytes.Buffer
	if err := WriteSamples(&text, samples); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(data, text.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	var models [2][]byte
	for k := range models {
		path := filepath.Join(dir, "model.json")
		if err := Train(context.Background(), data, path, TrainOptions{Python: interpreter, Trees: 20, Depth: 4, Seed: 3}); err != nil {
			t.Fatal(err)
		}
		if models[k], err = os.ReadFile(path); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(models[0], models[1]) {
		t.Fatal("the same seed gives two models")
	}
	f, err := ReadForest(bytes.NewReader(models[0]))
	if err != nil || f.Trees() != 20 {
		t.Fatalf("%v", err)
	}
	const predict = `
import csv, sys, numpy, xgboost
rows = list(csv.reader(open(sys.argv[1])))[1:]
x = numpy.array([[float(v) for v in r[5:-1]] for r in rows], dtype=numpy.float32)
b = xgboost.Booster(model_file=sys.argv[2])
print(" ".join(repr(float(v)) for v in b.predict(xgboost.DMatrix(x))))`
	out, err := exec.Command(interpreter, "-c", predict, data, filepath.Join(dir, "model.json")).Output()
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Fields(string(out))
	if len(want) != len(samples) {
		t.Fatalf("%d predictions for %d samples", len(want), len(samples))
	}
	for k := range samples {
		says, err := strconv.ParseFloat(want[k], 64)
		if err != nil {
			t.Fatal(err)
		}
		if got := float64(f.Score(&samples[k].Features)); math.Abs(got-says) > 1e-5 {
			t.Fatalf("sample %d: got %v, XGBoost says %v", k, got, says)
		}
	}
}

// BenchmarkScore scores one target with the shipped forest.
func BenchmarkScore(b *testing.B) {
	f, err := Shipped()
	if err != nil {
		b.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 1))
	var all [256]tela.Features
	for k := range all {
		for i := range all[k] {
			all[k][i] = rng.Float32() * 20
		}
	}
	k := 0
	for b.Loop() {
		f.Score(&all[k%len(all)])
		k++
	}
}

// TestScorer has the deepest target over the threshold chosen, once, unless the
// target of the rules is over the doubt; or the best, weighed by depth.
func TestScorer(t *testing.T) {
	f, err := ReadForest(strings.NewReader(twoTrees)) // 1.75, 2.75 or, from level 3 on, 4.75
	if err != nil {
		t.Fatal(err)
	}
	major := func(jumps float32) *tela.Major {
		m := &tela.Major{Point: 9, Default: 6}
		for _, c := range []struct {
			point int32
			size  float32
		}{{1, 0.6}, {2, 0.4}, {4, 0.4}, {6, 0.4}} {
			var x tela.Features
			x[0], x[3] = c.size, float32(c.point)
			if c.point == 4 {
				x[tela.Jumps] = jumps
			}
			m.Targets = append(m.Targets, tela.Target{Point: c.point, Features: x})
		}
		return m
	}
	for _, c := range []struct {
		name  string
		s     Scorer
		jumps float32
		want  int
	}{
		{"deepest", Scorer{Threshold: 2, Doubt: 9, Share: 1}, 0, 3},
		{"the rules' own will do", Scorer{Threshold: 2, Doubt: 4, Share: 1}, 0, tela.Rules},
		{"the first over the threshold", Scorer{Threshold: 4.8, Doubt: 9, Share: 1}, 0, tela.Rules},
		{"best", Scorer{Best: true, Threshold: 2, Share: 1}, 0, 3},
		{"best by weight", Scorer{Best: true, Threshold: 0.1, Weight: 1, Share: 1}, 0, 3},
		{"none is asked", Scorer{Threshold: 2, Doubt: 9}, 0, tela.Rules},
		{"too early", Scorer{Threshold: 2, Doubt: 9, Share: 1, Turn: Turn{After: 1}}, 0, tela.Rules},
		{"none over the threshold", Scorer{Best: true, Threshold: 5, Share: 1, Spread: true}, 0, tela.Spread},
	} {
		c.s.Forest = f
		if got := c.s.Choose(major(c.jumps)); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
	// A narrow tree is left to the rules; one that has had its share is left, where there
	// is another.
	for _, c := range []struct {
		name   string
		m      tela.Major
		narrow bool
		want   int
	}{
		{"narrow", tela.Major{Narrow: true}, false, tela.Rules},
		{"narrow with the model", tela.Major{Narrow: true}, true, 3},
		{"in its share", tela.Major{Backtracks: 500, Budget: 1000}, false, 3},
		{"over its share", tela.Major{Backtracks: 501, Budget: 1000}, false, tela.Leave},
		{"narrow and over", tela.Major{Narrow: true, Backtracks: 501, Budget: 1000}, false, tela.Rules},
	} {
		s := Scorer{Forest: f, Threshold: 2, Doubt: 9, Share: 1, Turn: Turn{Narrow: c.narrow, Patience: 0.5}}
		m := major(0)
		m.Narrow, m.Backtracks, m.Budget = c.m.Narrow, c.m.Backtracks, c.m.Budget
		if got := s.Choose(m); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
	// The deepest one has been gone to, so the next is chosen, until it has been, too.
	m := major(0)
	m.Default = 8
	m.Targets[3].Features[tela.Jumps] = 1
	s := Scorer{Forest: f, Threshold: 2, Doubt: 9, Share: 1}
	if got := s.Choose(m); got != 2 {
		t.Errorf("gone to the deepest: %d", got)
	}
	m.Targets[2].Features[tela.Jumps] = 2
	if got := s.Choose(m); got != 0 {
		t.Errorf("gone to both: %d", got)
	}
}

// TestCoin has a coin stay about as often as it says, and differently in another tree.
func TestCoin(t *testing.T) {
	stays, differ := 0, 0
	c := Coin{Stay: 0.1, Turn: Turn{After: 10}}
	for k := range int64(10000) {
		one := c.Choose(&tela.Major{Backtracks: k, Tree: 1})
		if one == tela.Spread {
			stays++
		}
		if k < 10 && one != tela.Rules {
			t.Fatal("too early")
		}
		if one != c.Choose(&tela.Major{Backtracks: k, Tree: 2}) {
			differ++
		}
	}
	if stays < 900 || stays > 1100 || differ < 1500 {
		t.Errorf("it stays %d times of 10,000, and differs in %d", stays, differ)
	}
}

// TestRefuted holds the look-ahead against the oracle: what it refutes cannot be
// completed, in whatever order it was placed.
func TestRefuted(t *testing.T) {
	in := hardInput(t)
	o := newOracle(in.Timeline, &in.Timeline.Partitions[0], in.Capacity, 200)
	o.dead, o.open = map[uint64]int64{}, map[uint64]struct{}{}
	oracle := newOracle(in.Timeline, &in.Timeline.Partitions[0], in.Capacity, 2000)
	rng := rand.New(rand.NewPCG(1, 7))
	refuted := 0
	for range 30 {
		var path []tela.Placement
		for _, i := range rng.Perm(len(o.buffers))[:6] {
			b := &in.Timeline.Problem.Buffers[o.buffers[i]]
			path = append(path, tela.Placement{Buffer: o.buffers[i], Offset: rng.Int64N(in.Capacity - b.Size + 1)})
		}
		nodes, dead := o.refuted(context.Background(), path)
		asked := o.asked
		slices.Reverse(path)
		if again, still := o.refuted(context.Background(), path); still != dead || again != nodes || o.asked != asked {
			t.Fatal("the same placements in another order are asked about again")
		}
		stands, ok := oracle.stands(context.Background(), path)
		if dead && ok && stands {
			t.Fatalf("%v can be completed", path)
		}
		if dead {
			refuted++
		}
	}
	if refuted < 2 {
		t.Errorf("%d of 30 are refuted", refuted)
	}
}

// unrefuted is a model that scores 10 what the look-ahead does not refute, else 0.
const unrefuted = `{"learner":{"learner_model_param":{"base_score":"[0E0]","num_feature":"20"},
"objective":{"name":"reg:squarederror"},
"gradient_booster":{"name":"gbtree","model":{"trees":[
{"left_children":[1,-1,-1],"right_children":[2,-1,-1],"split_indices":[18,0,0],"split_conditions":[0.5,10,0]}]}}}}`

// TestLookAlone runs a search with a look-ahead: what it costs counts as steps, and a model
// that heeds nothing else searches the same.
func TestLookAlone(t *testing.T) {
	forest, err := ReadForest(strings.NewReader(unrefuted))
	if err != nil {
		t.Fatal(err)
	}
	in := hardInput(t)
	ctx := context.Background()
	alone := Scorer{Threshold: 5, Doubt: 11, Share: 1, Nodes: 200}
	scorer := alone
	scorer.Forest = forest
	var counters [3]tela.Counters
	for k, policy := range []tela.Policy{alone.For(ctx, in.Timeline), scorer.For(ctx, in.Timeline), nil} {
		c := &counters[k]
		o := plan.Options{Capacity: in.Capacity, NodeLimit: 3000, Without: []string{"completion"}}
		r, err := run.Run(ctx, tela.Planner{Policy: policy, Counters: c}, in.Timeline, o)
		if err != nil {
			t.Fatal(err)
		}
		if (policy != nil) != (c.Looked > 0) || r.Stats.Nodes != c.Steps+c.Looked || r.Stats.Nodes > 3000 ||
			r.Status == model.Unknown && r.Stats.Nodes < 3000 {
			t.Errorf("%s: %+v, %d nodes", r.Status, c, r.Stats.Nodes)
		}
		if r.Status.HasPlan() && !verify.Check(in.Timeline.Problem, r.Offsets, in.Capacity).OK() {
			t.Error("the plan is not valid")
		}
	}
	if counters[0] != counters[1] || counters[0] == counters[2] {
		t.Errorf("the look-ahead %+v, a model with it %+v, neither %+v", counters[0], counters[1], counters[2])
	}
}

// describer looks ahead at each major backtrack, and follows the rules.
type describer struct {
	t       *testing.T
	in      *Input
	look    *Lookahead
	oracle  *oracle
	refuted int
}

func (d *describer) Choose(m *tela.Major) int {
	d.look.Describe(m)
	path, zero := m.Path(nil), int32(-1)
	for k := range m.Targets {
		if m.Targets[k].Features[tela.Beyond] == 0 {
			zero = m.Targets[k].Point
		}
	}
	for k := range m.Targets {
		x := &m.Targets[k]
		if x.Features[tela.Beyond] != float32(x.Point-zero) || x.Features[tela.Effort] != m.Targets[0].Features[tela.Effort] {
			d.t.Fatalf("target %d of a path of %d has the features %v, the last one not refuted being %d", x.Point, m.Point, x.Features, zero)
		}
		if x.Point > zero && m.Backtracks%4 == 0 {
			d.refuted++
			if stands, ok := d.oracle.stands(context.Background(), path[:x.Point]); ok && stands {
				d.t.Fatalf("the path of %d placements can be completed: %v", x.Point, path[:x.Point])
			}
		}
	}
	if last := m.Targets[len(m.Targets)-1].Point; (last > zero) != (m.Targets[0].Features[tela.Effort] > 0) {
		d.t.Fatalf("effort %v, with the target %d of %d the last not refuted", m.Targets[0].Features[tela.Effort], zero, last)
	}
	return tela.Rules
}

func (*describer) Solved(int, []tela.Placement) {}

// TestDescribe holds the features of the look-ahead against the oracle, and the search
// against one that does not look: to be told changes nothing.
func TestDescribe(t *testing.T) {
	in := hardInput(t)
	ctx := context.Background()
	d := &describer{t, &in, NewLookahead(ctx, in.Timeline, 100), newOracle(in.Timeline, &in.Timeline.Partitions[0], in.Capacity, 2000), 0}
	var with, without tela.Counters
	for _, p := range []tela.Planner{{Policy: d, Counters: &with}, {Counters: &without}} {
		r, err := run.Run(ctx, p, in.Timeline, plan.Options{Capacity: in.Capacity, Without: []string{"completion"}})
		if err != nil || !r.Status.HasPlan() {
			t.Fatal(r.Status, err)
		}
	}
	if with.Looked == 0 || with.Steps != without.Steps || with.Backtracks() != without.Backtracks() {
		t.Errorf("told %+v, not told %+v", with, without)
	}
	if d.refuted < 10 {
		t.Errorf("%d targets are refuted", d.refuted)
	}
	// Another capacity is another question.
	m := tela.Major{Capacity: in.Capacity}
	if one := d.look.of(&m); d.look.of(&m) != one {
		t.Error("what was refuted is forgotten")
	}
	m.Capacity++
	if o := d.look.of(&m); o.capacity != in.Capacity+1 || len(o.dead) > 0 {
		t.Error("what was refuted at one capacity is taken for refuted at another")
	}
}

// TestCollectLook has the samples with a look-ahead be those without, but for what it says.
func TestCollectLook(t *testing.T) {
	in := hardInput(t)
	o := CollectOptions{Steps: 3000, Draws: 2, Events: 20, Nodes: 1000, Seed: 7}
	blind, err := Collect(context.Background(), &in, o)
	if err != nil {
		t.Fatal(err)
	}
	o.Look = 1000
	told, err := Collect(context.Background(), &in, o)
	if err != nil || len(told) != len(blind) {
		t.Fatal(len(told), len(blind), err)
	}
	said := 0
	for k := range told {
		if told[k].Features[tela.Beyond] > 0 {
			said++
			if told[k].Point <= told[k].Minimum {
				t.Fatalf("%+v is refuted and can be completed", told[k])
			}
		}
		told[k].Features[tela.Beyond], told[k].Features[tela.Effort] = 0, 0
		if told[k] != blind[k] {
			t.Fatalf("sample %d: %+v, and %+v without a look-ahead", k, told[k], blind[k])
		}
	}
	if said < 5 {
		t.Errorf("%d of %d targets are refuted", said, len(told))
	}
}
