package clauses

import (
	"context"
	"math"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/stowage-go/stowage/internal/exact/common"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/testkit/drawn"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/oracle"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/internal/verify"
	"github.com/stowage-go/stowage/model"
)

var all = common.Switches{Cliques: true, Stacks: true}

// endless never ends.
var endless = run.NewWatch(context.Background())

// TestSearch asks one search of each partition for heights around the lowest, up and down: what it learns from one
// question must not spoil the next.
func TestSearch(t *testing.T) {
	var o oracle.Orders
	fit, refuted, conflicts := 0, 0, int64(0)
	for seed := range plantest.Share[uint64](4000, 1500, 400) {
		p := drawn.Wide(seed)
		height, _, ok := o.Lowest(p)
		if !ok {
			continue
		}
		tl := timeline.New(p)
		searches := make([]*Search, len(tl.Partitions))
		for k := range searches {
			searches[k] = must.Get(New(endless, tl, tl.Partitions[k].Buffers, all))(t)
		}
		for _, capacity := range []int64{height + 3, height, height - 1, height, height - 1, height + 1} {
			answer := common.Fits
			offsets := make([]int64, len(p.Buffers))
			for i, b := range p.Buffers {
				if b.Fixed != nil {
					offsets[i] = *b.Fixed
				}
			}
			for k, part := range tl.Partitions {
				s := searches[k]
				if s.Run(capacity, math.MaxInt64/4) == common.Refuted {
					answer = common.Refuted
				}
				conflicts += s.Backtracks
				s.Nodes, s.Backtracks = 0, 0
				for j, i := range part.Buffers {
					offsets[i] = s.Offsets()[j]
				}
			}
			switch {
			case answer == common.Refuted:
				if refuted++; capacity >= height {
					t.Fatalf("seed %d: %d is refuted, the lowest height is %d", seed, capacity, height)
				}
			case len(tl.Partitions) > 0 && model.HeightOf(p, offsets) <= capacity:
				fit++
				if r := verify.Check(p, offsets, capacity); !r.OK() || capacity < height {
					t.Fatalf("seed %d: a plan under %d: %v", seed, capacity, r.Violations)
				}
			}
		}
	}
	if fit < 1000 || refuted < 500 {
		t.Errorf("one-sided: %d fit, %d are refuted", fit, refuted)
	}
	t.Log(fit, "fit,", refuted, "refuted,", conflicts, "contradictions")
}

// mixed draws buffers with alignments that differ.
func mixed(seed uint64, n int) *model.Problem {
	r := rand.New(rand.NewPCG(seed, 8))
	alignments := [][]int64{{12, 18, 20, 45}, {6, 10, 15, 14}, {48, 64, 80}}[seed%3]
	p := &model.Problem{}
	for i := range n {
		at := r.Int64N(16)
		p.Buffers = append(p.Buffers, model.Buffer{
			ID: strconv.Itoa(i), Lower: at, Upper: at + 2 + r.Int64N(8), Size: 1 + r.Int64N(200),
			Alignment: alignments[r.IntN(len(alignments))],
		})
	}
	return p
}

// lowest asks for ever lower plans, each within 2,000 nodes, and returns the height of the last one, with the nodes
// that it took. It is proven if no question came to its limit.
func lowest(t *testing.T, p *model.Problem, switches common.Switches) (height, nodes int64, proven bool) {
	tl := timeline.New(p)
	proven = true
	for _, part := range tl.Partitions {
		s := must.Get(New(endless, tl, part.Buffers, switches))(t)
		capacity := int64(math.MaxInt32)
		for {
			v := s.Run(capacity, 2000)
			if proven = proven && v != common.Undecided; v != common.Fits {
				break
			}
			capacity = 0
			for j, i := range part.Buffers {
				capacity = max(capacity, s.Offsets()[j]+p.Buffers[i].Size)
			}
			s.Prefer(s.Offsets())
			capacity--
		}
		height, nodes = max(height, capacity+1), nodes+s.Nodes
	}
	return height, nodes, proven
}

// TestSwitches: each inference saves nodes, and none changes the lowest height.
func TestSwitches(t *testing.T) {
	var with, noStacks, noCliques int64
	for seed := range uint64(6) {
		p := mixed(seed, 22)
		height, nodes, proven := lowest(t, p, all)
		if with += nodes; !proven {
			t.Fatalf("seed %d: undecided", seed)
		}
		for _, off := range []struct {
			switches common.Switches
			nodes    *int64
		}{{common.Switches{Cliques: true}, &noStacks}, {common.Switches{}, &noCliques}} {
			h, nodes, proven := lowest(t, p, off.switches)
			if h < height || h > height && proven {
				t.Fatalf("seed %d: %d with all, and %d with %v", seed, height, h, off.switches)
			}
			*off.nodes += nodes
		}
	}
	if noStacks < with*5/4 || noCliques < noStacks*5/4 {
		t.Errorf("%d nodes with all, %d without stacks, %d without cliques", with, noStacks, noCliques)
	}
	t.Log(with, "nodes with all,", noStacks, "without stacks,", noCliques, "without cliques")
}

// TestLearning: a clause ends what would be asked again and again. Without any, the search would try each order of what
// has no part in the contradiction.
func TestLearning(t *testing.T) {
	asked := false
	for seed := uint64(0); !asked && seed < 20; seed++ {
		p := mixed(seed, 26)
		height, _, proven := lowest(t, p, all)
		tl := timeline.New(p)
		s := must.Get(New(endless, tl, tl.Partitions[0].Buffers, all))(t)
		if v := s.Run(height-1, 1_000_000); !proven || v != common.Refuted || s.Nodes < 20 {
			continue // too easy, or another partition is higher
		}
		asked = true
		first := s.Nodes
		if s.Nodes = 0; s.Run(height-1, 1_000_000) != common.Refuted || s.Nodes >= first {
			t.Errorf("seed %d: %d nodes, and %d when asked again", seed, first, s.Nodes)
		}
		t.Log("seed", seed, first, "nodes, then", s.Nodes)
	}
	if !asked {
		t.Error("no contradiction took 20 nodes")
	}
}

// TestLimits stops a search at each of its nodes: it has no answer before the last.
func TestLimits(t *testing.T) {
	stopped := 0
	for seed := range uint64(100) {
		tl := timeline.New(drawn.Wide(seed))
		for k := range tl.Partitions {
			fresh := func() *Search { return must.Get(New(endless, tl, tl.Partitions[k].Buffers, all))(t) }
			s := fresh()
			want := s.Run(tl.LowerBound, math.MaxInt32)
			for limit := range min(s.Nodes, 100) {
				x := fresh()
				if got := x.Run(tl.LowerBound, limit); got != common.Undecided || x.Nodes != limit {
					t.Fatalf("seed %d: %d after %d of %d nodes", seed, got, x.Nodes, s.Nodes)
				}
				if got := x.Run(tl.LowerBound, math.MaxInt32); got != want {
					t.Fatalf("seed %d: %d after a limit of %d, and %d at once", seed, got, limit, want)
				}
				stopped++
			}
		}
	}
	if stopped < 100 {
		t.Errorf("only %d limits", stopped)
	}
}

// TestTicks counts the calls of Tick, and asks with a watch that is over.
func TestTicks(t *testing.T) {
	tl := timeline.New(mixed(0, 60))
	s := must.Get(New(endless, tl, tl.Partitions[0].Buffers, all))(t)
	ticks := int64(0)
	s.Tick = func() { ticks++ }
	for capacity := tl.LowerBound * 2; s.Nodes < 3000; capacity -= 4 {
		s.Run(capacity, 3000)
	}
	if ticks != s.Nodes>>10 || ticks == 0 {
		t.Errorf("%d ticks in %d nodes", ticks, s.Nodes)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	s.watch = run.NewWatch(ctx)
	if got := s.Run(math.MaxInt32, 1000); got != common.Undecided {
		t.Errorf("%d with a watch that is over", got)
	}
}
