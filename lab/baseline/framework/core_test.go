package framework

import (
	"context"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stowage-go/stowage/format"
	"github.com/stowage-go/stowage/internal/gen"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
	"github.com/stowage-go/stowage/internal/testkit/public"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
	_ "github.com/stowage-go/stowage/plan/all"
)

// beside are the planners of those who may use stowage_core.c.
var beside = []string{"tflm-greedy", "mlir", "iree-layout-slices", "ggml", "first-fit"}

// A tally is how far a baseline is above the load: the mean logarithm, the most, and on how many problems.
type tally struct {
	sum, most float64
	n         int
}

func (t *tally) add(height, load int64) {
	x := float64(height) / float64(load)
	t.sum, t.most, t.n = t.sum+math.Log(x), max(t.most, x), t.n+1
}

func (t *tally) String() string {
	if t.n == 0 {
		return "–"
	}
	return fmt.Sprintf("%.1f%%, %.1f%%", 100*(math.Exp(t.sum/float64(t.n))-1), 100*(t.most-1))
}

// realProblems are the models that are there: those of the repository, of the public instances, and of STOWAGE_MODELS.
func realProblems(t *testing.T) (all []*model.Problem) {
	t.Helper()
	root := "../../.."
	seen := map[string]bool{}
	for _, dir := range []string{
		root + "/examples", root + "/format/onnx/testdata", filepath.Join(public.Dir(), "models"),
		filepath.Join(public.Dir(), "arena"), os.Getenv("STOWAGE_MODELS"),
	} {
		if dir == "" || !filepath.IsAbs(dir) && !strings.HasPrefix(dir, root) {
			continue
		}
		_ = filepath.WalkDir(dir, func(file string, d fs.DirEntry, err error) error {
			if err != nil || !slices.Contains([]string{".csv", ".tflite", ".onnx"}, filepath.Ext(file)) || seen[d.Name()] {
				return nil //nolint:nilerr // what is absent is not compared
			}
			p, _, err := format.ReadProblem(file)
			if err != nil || len(p.Buffers) == 0 || p.Rules != nil { // such as sizes that only a user knows
				return nil //nolint:nilerr // not a problem by itself
			}
			seen[d.Name()] = true
			p.Name = d.Name()
			all = append(all, p)
			return nil
		})
	}
	return all
}

// made are problems of each kind of gen, of up to 1,000 buffers.
func made(t *testing.T) (all []*model.Problem) {
	t.Helper()
	for _, k := range gen.Kinds() {
		if !slices.Contains(k.Takes, "buffers") {
			all = append(all, must.Get(gen.Generate(k.Name, gen.Options{}))(t))
			continue
		}
		for _, n := range []int{20, 60, 100, 300, 1000}[:plantest.Share(5, 3, 2)] {
			p, err := gen.Generate(k.Name, gen.Options{Buffers: n, Seed: uint64(n)})
			if err == nil { // a kind may need more buffers
				p.Name = fmt.Sprint(k.Name, " ", n)
				all = append(all, p)
			}
		}
	}
	return all
}

// TestCoreBeside: the planner core is never above the planners of those who may use stowage_core.c, and at the load of
// every real model. With STOWAGE_BESIDE=FILE it writes the table of docs/core.md there.
func TestCoreBeside(t *testing.T) {
	core := must.Get(run.Lookup("core"))(t)
	var table strings.Builder
	fmt.Fprintf(&table, "| above the load: mean, most | core | %s |\n|---|%s\n", strings.Join(beside, " | "),
		strings.Repeat("---:|", 1+len(beside)))
	for _, group := range []struct {
		name     string
		problems []*model.Problem
		atLoad   bool
	}{{"real models", realProblems(t), true}, {"`stowage gen`, to 1,000 buffers", made(t), false}} {
		tallies := make([]tally, 1+len(beside))
		for _, p := range group.problems {
			tl := timeline.New(p)
			load := tl.LowerBound
			r := plantest.Solve(t, context.Background(), core, tl, plan.Options{NodeLimit: 20_000})
			tallies[0].add(r.Height, load)
			if group.atLoad && r.Height > load {
				t.Errorf("%s: height %d, the load is %d", p.Name, r.Height, load)
			}
			for i, name := range beside {
				b, err := must.Get(run.Lookup(name))(t).Plan(context.Background(), tl, plan.Options{})
				if err != nil || b.Offsets == nil { // it refuses gaps with windows, or as ggml too many blocks
					t.Logf("%s, %s: %v", p.Name, name, err)
					continue
				}
				height := model.HeightOf(p, b.Offsets)
				tallies[1+i].add(height, load)
				if r.Height > height {
					t.Errorf("%s: height %d, %s has %d", p.Name, r.Height, name, height)
				}
			}
		}
		fmt.Fprintf(&table, "| %s: %d |", group.name, len(group.problems))
		for i := range tallies {
			fmt.Fprintf(&table, " %s |", &tallies[i])
		}
		table.WriteString("\n")
	}
	t.Log("\n" + table.String())
	if file := os.Getenv("STOWAGE_BESIDE"); file != "" {
		must.Do(t, os.WriteFile(file, []byte(table.String()), 0o666))
	}
}
