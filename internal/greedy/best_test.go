package greedy

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/stowage-go/stowage/internal/bound"
	"github.com/stowage-go/stowage/internal/gen"
	"github.com/stowage-go/stowage/internal/place"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/internal/verify"
	"github.com/stowage-go/stowage/model"
)

func TestBestIsNeverHigherThanFirstFit(t *testing.T) {
	done, cancel := context.WithCancel(context.Background())
	cancel()
	lower := 0
	seeds := plantest.Share(2000, 600)
	for seed := range uint64(seeds) {
		rng := rand.New(rand.NewPCG(seed, 4))
		p := plantest.Random(rng)
		for i := range p.Buffers {
			if seed%3 == 0 || rng.IntN(4) == 0 {
				p.Buffers[i].Hint = at(rng.Int64N(40))
			}
		}
		tl := timeline.New(p)
		single, _ := place.Place(nil, tl, Sorted(nil, tl, "Z"), place.FirstFit)
		for _, ctx := range []context.Context{context.Background(), done} {
			for _, capacity := range []int64{0, 10, 30} {
				offsets, height, name := Best(ctx, tl, capacity)
				if single == nil {
					if offsets != nil {
						t.Fatalf("seed %d: a plan for colliding fixed buffers", seed)
					}
					continue
				}
				report := verify.Check(p, offsets, 0)
				if !report.OK() || report.Height != height {
					t.Fatalf("seed %d: %s: height %d, %v", seed, name, height, report)
				}
				limit := model.HeightOf(p, single)
				if height > limit {
					t.Fatalf("seed %d: %s: height %d, first-fit's is %d", seed, name, height, limit)
				}
				if height < limit {
					lower++
				}
				again, _, _ := Best(ctx, tl, capacity)
				if !slices.Equal(again, offsets) {
					t.Fatalf("seed %d: two runs differ", seed)
				}
			}
		}
	}
	if lower < seeds/20 {
		t.Errorf("lower than first-fit %d times only", lower)
	}
}

// With the offsets of a plan as hints, the new plan is no higher.
func TestBestFollowsHints(t *testing.T) {
	followed := 0
	for seed := range uint64(1000) {
		rng := rand.New(rand.NewPCG(seed, 5))
		p := plantest.Random(rng)
		for i := range p.Buffers {
			p.Buffers[i].Gaps = nil
			p.Buffers[i].Fixed = nil
		}
		tl := timeline.New(p)
		offsets, height, _ := Best(context.Background(), tl, 0)
		for i := range p.Buffers {
			p.Buffers[i].Hint = &offsets[i]
		}
		_, again, name := Best(context.Background(), timeline.New(p), 0)
		if again > height {
			t.Fatalf("seed %d: %s: height %d, the hints' is %d", seed, name, again, height)
		}
		if name == "hint" {
			followed++
		}
	}
	if followed < 900 {
		t.Errorf("the hints won %d times of 1000", followed)
	}
}

// All orders are permutations, whatever the features of the problem.
func TestOrders(t *testing.T) {
	words := []string{"Z"}
	for _, t := range trials {
		if t.order != "" {
			words = append(words, t.order)
		}
	}
	for _, letter := range "ABCEGHLOPQRSTUWXZ" {
		words = append(words, string(letter), string(letter-'A'+'a'))
	}
	for seed := range uint64(200) {
		tl := timeline.New(plantest.Random(rand.New(rand.NewPCG(seed, 6))))
		for _, word := range words {
			for way, order := range map[string][]int32{
				"sorted": Sorted(nil, tl, word), "skyline": new(scratch).skyline(run.NewWatch(context.Background()), tl, word, 1),
			} {
				slices.Sort(order)
				if len(order) != len(tl.Problem.Buffers) {
					t.Fatalf("seed %d: %s %s: %v", seed, way, word, order)
				}
				for k, i := range order {
					if int(i) != k {
						t.Fatalf("seed %d: %s %s: %v", seed, way, word, order)
					}
				}
			}
		}
	}
}

func TestKeys(t *testing.T) {
	// The running example of MiniMalloc: sections {b1,b3,b5}, {b2,b3,b5}, {b4,b5}.
	tl := timeline.New(gen.MiniMalloc())
	for letter, want := range map[string][]int32{
		"A": {4, 3, 2, 1, 0}, "a": {0, 1, 2, 3, 4},
		"C": {0, 1, 2, 4, 3}, "T": {0, 1, 2, 4, 3},
		"L": {0, 2, 4, 1, 3}, "U": {0, 1, 2, 3, 4},
		"O": {4, 2, 0, 1, 3}, "S": {4, 2, 0, 1, 3},
		"W": {4, 3, 2, 1, 0}, "Z": {0, 1, 2, 3, 4}, "LW": {4, 2, 0, 1, 3}, "uZ": {3, 4, 1, 2, 0},
	} {
		if got := Sorted(nil, tl, letter); !slices.Equal(got, want) {
			t.Errorf("%s: got %v, want %v", letter, got, want)
		}
	}
}

// Skyline stacks in canonical order: the least offset never decreases.
func TestSkylineIsCanonical(t *testing.T) {
	for seed := range uint64(500) {
		p := plantest.Random(rand.New(rand.NewPCG(seed, 8)))
		for i := range p.Buffers {
			p.Buffers[i].Gaps, p.Buffers[i].Fixed = nil, nil
		}
		tl := timeline.New(p)
		var last int64
		offsets := make([]int64, len(p.Buffers))
		done := make([]bool, len(p.Buffers))
		for _, i := range new(scratch).skyline(run.NewWatch(context.Background()), tl, "LTA", 1) {
			least := int64(-1) // of all that are left
			for j := range p.Buffers {
				if done[j] {
					continue
				}
				o := int64(0)
				for k := range p.Buffers {
					if done[k] && tl.Overlaps(j, k) {
						o = max(o, offsets[k]+p.Buffers[k].Size)
					}
				}
				offsets[j] = bound.Up(o, p.Buffers[j].Align())
				if least < 0 || offsets[j] < least {
					least = offsets[j]
				}
			}
			if offsets[i] != least || least < last {
				t.Fatalf("seed %d: buffer %d goes to %d, another could to %d", seed, i, offsets[i], least)
			}
			last, done[i] = least, true
		}
	}
}

func TestSkylineGivesUp(t *testing.T) {
	// The long buffers all overlap. The short ones make their extents differ, so each placement of a long one changes
	// all other keys.
	p := &model.Problem{}
	const n = 6 * effort
	for i := range int64(n) {
		p.Buffers = append(p.Buffers,
			model.Buffer{ID: "long" + strconv.Itoa(int(i)), Lower: i, Upper: 4*n - i, Size: 1 + i%7},
			model.Buffer{ID: "short" + strconv.Itoa(int(i)), Lower: i, Upper: i + 1, Size: 1})
	}
	tl := timeline.New(p)
	if order := new(scratch).skyline(run.NewWatch(context.Background()), tl, "Z", 1); order != nil {
		t.Error("an order, want none")
	}
	if _, height, name := Best(context.Background(), tl, 0); height != tl.LowerBound {
		t.Errorf("%s: height %d, want %d", name, height, tl.LowerBound)
	}
}

// The heights of A to K over their load as the table grows. -v prints the rows that lower it.
func TestBestOnPublicData(t *testing.T) {
	sums := make([]float64, len(trials)+1) // of the logarithms, after so many trials
	for _, letter := range "ABCDEFGHIJK" {
		problem := plantest.Find(t, "challenging/"+string(letter)+".1048576.csv")
		if problem == nil {
			t.Skip("the public instances are not there; set STOWAGE_DATA to their folder")
		}
		tl := timeline.New(problem)
		p := NewPortfolio(t.Context(), tl, 0)
		for k := range sums {
			p.run(k)
			sums[k] += math.Log(float64(p.Height)/float64(tl.LowerBound)) / 11
		}
		if report := verify.Check(problem, p.Offsets, 0); !report.OK() || report.Height != p.Height {
			t.Fatalf("%c: %v", letter, report)
		}
		over := float64(p.Height) / float64(tl.LowerBound)
		t.Logf("%c: %.4f of the load, %s", letter, over, p.Name)
		if over > 1.15 {
			t.Errorf("%c: %.4f of the load; it was at most 1.14 before", letter, over)
		}
	}
	t.Logf("first-fit %.3f", math.Exp(sums[0]))
	for k := 1; k < len(sums); k++ {
		if sums[k] < sums[k-1]-1e-9 {
			t.Logf("%s %.3f", trials[k-1].name, math.Exp(sums[k]))
		}
	}
	if mean := math.Exp(sums[len(trials)]); mean > 1.087 {
		t.Errorf("%.4f of the load in the mean; it was 1.086 before", mean)
	}
}

// The trials are in the order of their worth, so until cuts the table. No two have the same name, except outward,
// which has a row for many buffers and one for few. A trial has an order if and only if its method takes one.
func TestTrials(t *testing.T) {
	if until(quickest) != 3 || until(quick) != 6 || until(thorough) != len(trials) {
		t.Errorf("%d, %d and %d trials", until(quickest), until(quick), until(thorough))
	}
	names := map[string]int{}
	for k, trial := range trials {
		names[trial.name]++
		if k > 0 && trial.worth < trials[k-1].worth {
			t.Errorf("%s is worth less than what stands after it", trials[k-1].name)
		}
		if (trial.order == "") != (trial.how == swept || trial.how == outwards) {
			t.Errorf("%s: order %q", trial.name, trial.order)
		}
	}
	if len(names) != len(trials)-1 || names["outward"] != 2 {
		t.Errorf("names are not unique: %v", names)
	}
}
