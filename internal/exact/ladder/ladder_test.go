package ladder

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/stowage-go/stowage/internal/exact/canonical"
	"github.com/stowage-go/stowage/internal/exact/common"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/testkit/drawn"
	"github.com/stowage-go/stowage/internal/testkit/oracle"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/internal/verify"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// asked is a ladder of the only partition of a problem.
type asked struct {
	*Search
	tl *timeline.Timeline
}

// ladderOf returns the ladder of the only partition. It returns nil if there are several
// partitions, or if a buffer is in none.
func ladderOf(t *testing.T, tl *timeline.Timeline, without []string) *asked {
	t.Helper()
	var sw common.Switches
	if err := run.Bind("ladder", &plan.Options{Without: without}, &sw); err != nil {
		t.Fatal(err)
	}
	if n := len(tl.Problem.Buffers); len(tl.Partitions) != 1 || len(tl.Partitions[0].Buffers) < n || n > ladderMost {
		return nil
	}
	watch := run.NewWatch(context.Background())
	t.Cleanup(watch.Close)
	p := &tl.Partitions[0]
	twins := canonical.New(tl, p, sw, common.Limits{}, watch)
	return &asked{New(tl, p, sw, twins.Twin, common.Limits{}, watch), tl}
}

// climb asks a ladder about a capacity, without a limit, and checks its plan.
func climb(t *testing.T, l *asked, capacity int64) common.Verdict {
	t.Helper()
	p := &l.tl.Partitions[0]
	v := l.Run(l.tl, p, capacity, common.Unlimited)
	if v == common.Fits {
		offsets := make([]int64, len(l.At))
		for j, i := range p.Buffers {
			offsets[i] = l.At[j]
		}
		if report := verify.CheckHeight(l.tl.Problem, offsets, capacity,
			model.HeightOf(l.tl.Problem, offsets)); !report.OK() {
			t.Fatalf("at %d: %s\n%s", capacity, report.Violations[0].Message, drawn.Describe(l.tl.Problem))
		}
	}
	return v
}

// meshing returns a small problem. In most time slots of a buffer it uses another window, so
// many buffers lie in the middle of others.
func meshing(seed uint64) *model.Problem {
	r := rand.New(rand.NewPCG(seed, 2))
	p := &model.Problem{Name: "meshing"}
	n, horizon := 3+r.IntN(4), 2+r.Int64N(4)
	alignments := [][]int64{{1}, {1, 2}, {2, 3}, {4, 6}, {3}}[r.IntN(5)]
	for i := range n {
		b := model.Buffer{ID: string(rune('a' + i)), Lower: r.Int64N(max(1, horizon/2)), Size: 2 + r.Int64N(9)}
		b.Upper = b.Lower + 1 + r.Int64N(horizon-b.Lower)
		b.Alignment = alignments[r.IntN(len(alignments))]
		for at := b.Lower; at < b.Upper; at++ {
			low := r.Int64N(b.Size)
			switch r.IntN(5) {
			case 0:
			case 1:
				b.Gaps = append(b.Gaps, model.Gap{Lower: at, Upper: at + 1})
			default:
				b.Gaps = append(b.Gaps, model.Gap{
					Lower: at, Upper: at + 1, Window: &model.Window{Lower: low, Upper: low + 1 + r.Int64N(min(3, b.Size-low))},
				})
			}
		}
		p.Buffers = append(p.Buffers, b)
		if r.IntN(6) == 0 {
			b.ID += "'"
			p.Buffers = append(p.Buffers, b)
		}
	}
	if r.IntN(4) == 0 {
		at := 12 * r.Int64N(2)
		p.Buffers[0].Fixed = &at
	}
	return p
}

// TestLadder compares the search with brute force at capacities below, at and above the lowest height. One search is
// asked about all of them, so that later questions use the tables and failed sets of earlier ones.
func TestLadder(t *testing.T) {
	problems := plantest.Share[uint64](3000, 1000, 600)
	for _, kind := range []struct {
		name    string
		make    func(seed uint64) *model.Problem
		without []string
		several int // at least one problem in several has a pair with several ranges
	}{
		{"wide", drawn.Wide, nil, 1000},
		{"meshing", meshing, nil, 10},
		{"meshing, without shifts", meshing, []string{"shifts"}, 3},
	} {
		asked, several, solved := 0, 0, 0
		for seed := range problems {
			p := kind.make(seed)
			lowest, _, ok := oracle.Lowest(p)
			if !ok {
				lowest = 0
			}
			tl := timeline.New(p)
			l := ladderOf(t, tl, kind.without)
			if l == nil {
				continue
			}
			if seed%3 == 0 {
				l.t = min(l.t, 3) // as if there were more than the table knows
			}
			r := rand.New(rand.NewPCG(seed, 1))
			for range 6 {
				capacity := int64(1) + r.Int64N(100)
				if lowest > 0 {
					capacity = max(1, lowest+r.Int64N(5)-3)
					if r.IntN(3) == 0 {
						capacity = 1 + r.Int64N(2*lowest)
					}
				}
				want := common.Refuted
				if lowest > 0 && capacity >= lowest {
					want = common.Fits
					solved++
				}
				if v := climb(t, l, capacity); v != want || l.Bound > lowest && lowest > 0 {
					t.Fatalf("%s, seed %d at %d: verdict %d, bound %d; the lowest is %d\n%s", kind.name, seed,
						capacity, v, l.Bound, lowest, drawn.Describe(p))
				}
				asked++
			}
			for _, loose := range l.loose {
				if loose != 0 {
					several++
					break
				}
			}
		}
		t.Logf("%s: %d questions, %d of them with a plan; %d problems with pairs that have several ranges", kind.name, asked,
			solved, several)
		if several < int(problems)/kind.several || 5*solved < asked || 5*solved > 4*asked {
			t.Errorf("%s: too few of a kind", kind.name)
		}
	}
}
