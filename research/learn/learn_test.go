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

	"github.com/stowage-go/stowage/internal/baseline/tela"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/suite"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/internal/verify"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// twoTrees is a model of two trees: level < 3 ? (size < 0.5 ? 1 : 2) : 4, and
// the constant 0.25, over a base of 0.5.
const twoTrees = `{"learner":{"learner_model_param":{"base_score":"[5E-1]","num_feature":"18"},
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
		{`"18"`, `"8"`, "has 8 features"},
		{"[5E-1]", "half", "base_score"},
		{"[3,0,0,0,0]", "[18,0,0,0,0]", "tree 0: node 0"},
		{"[2,-1,3,-1,-1]", "[9,-1,3,-1,-1]", "tree 0: node 0"},
		{"[2,-1,3,-1,-1]", "[0,-1,3,-1,-1]", "tree 0: node"},
		{"[2,-1,3,-1,-1]", "[2,-1,3,-1]", "differ in length"},
	} {
		if !strings.Contains(twoTrees, c.old) {
			t.Fatalf("the model has no %s", c.old)
		}
		if _, err := ReadForest(strings.NewReader(strings.Replace(twoTrees, c.old, c.new, 1))); err == nil || !strings.Contains(err.Error(), c.want) {
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
		p := suite.Tiny(seed)
		height, _, ok := suite.MinHeight(p)
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
					if !suite.Fits(&with, height) {
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
	p, err := suite.Generate("perfect", suite.Options{Seed: 1})
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
	for seed := range uint64(6) {
		inputs, err := Generated(seed, seed+1, []int64{106, 115})
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
	if asked < 1000 || plans < 10 {
		t.Fatalf("%d backtracks, %d plans: the inputs say little", asked, plans)
	}
	in := hardInput(t)
	for _, c := range []struct{ name, value, want string }{
		{"model", "missing.json", "missing.json"},
		{"depth-weight", "-1", "depth-weight"},
		{"below-threshold", "x", "below-threshold"},
		{"candidates", "0", "tela-learned: parameter candidates"},
	} {
		_, err := run.Run(context.Background(), Planner{}, in.Timeline, plan.Options{Capacity: in.Capacity, Params: map[string]string{c.name: c.value}})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s=%s: got %v", c.name, c.value, err)
		}
	}
}

// TestSmall checks tela-learned against brute force: whatever the model says, a
// proof is a proof.
func TestSmall(t *testing.T) {
	for seed := range uint64(1500) {
		p := suite.Tiny(seed)
		minimum, _, ok := suite.MinHeight(p)
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
