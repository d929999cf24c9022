package engine

import (
	"context"
	"slices"
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/oracle"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/internal/verify"
	"github.com/stowage-go/stowage/model"
)

// noisy returns the score that puts the buffers into the order of their indices, or into the opposite order.
func noisy(n int, backwards bool) *Score {
	s := &Score{Noise: make([]float64, n)}
	for i := range s.Noise {
		s.Noise[i] = float64(-i)
		if backwards {
			s.Noise[i] = float64(i)
		}
	}
	return s
}

// TestDivesAreTruthful dives at the lowest height and one byte under it, in two orders, until a dive is through: a plan
// is verified, and there is none under the lowest height.
func TestDivesAreTruthful(t *testing.T) {
	for seed := range uint64(60) {
		p := plantest.Aligned(seed, 7)
		lowest, _, ok := oracle.Lowest(p)
		if !ok || lowest < 2 {
			continue
		}
		d := NewDiver(context.Background(), timeline.New(p))
		for capacity := lowest - 1; capacity <= lowest; capacity++ {
			for _, backwards := range []bool{false, true} {
				offsets, nodes, through := d.Dive(capacity, noisy(len(p.Buffers), backwards), 1<<20, 1<<30)
				if (offsets != nil) != (capacity == lowest) || through != (capacity < lowest) {
					t.Fatalf("seed %d at %d: a plan %v, through %v; the lowest is %d", seed, capacity, offsets != nil, through, lowest)
				}
				if offsets != nil && (nodes == 0 || !verify.Check(p, offsets, capacity).OK()) {
					t.Fatalf("seed %d: no plan after %d nodes: %v", seed, nodes, offsets)
				}
			}
		}
		d.Close()
	}
}

// TestDivesFollowTheirScore has a wide buffer and two narrow ones: the first in the order lies on the ground.
func TestDivesFollowTheirScore(t *testing.T) {
	p := &model.Problem{Buffers: []model.Buffer{
		{ID: "wide", Upper: 4, Size: 4}, {ID: "early", Upper: 2, Size: 3}, {ID: "late", Lower: 2, Upper: 4, Size: 3},
	}}
	d := NewDiver(context.Background(), timeline.New(p))
	defer d.Close()
	for _, tc := range []struct {
		backwards bool
		want      []int64
	}{{false, []int64{0, 4, 4}}, {true, []int64{3, 0, 0}}, {false, []int64{0, 4, 4}}} {
		if offsets, _, _ := d.Dive(8, noisy(3, tc.backwards), 100, 100); !slices.Equal(offsets, tc.want) {
			t.Errorf("backwards %v: %v, want %v", tc.backwards, offsets, tc.want)
		}
	}
}

// TestDivesLearn dives twice under the lowest height, in two orders. The second dive knows that its first state fails.
// A dive with too small a limit ends there, and is not through.
func TestDivesLearn(t *testing.T) {
	first, second, small := int64(0), int64(0), 0
	for seed := range uint64(60) {
		p := plantest.Aligned(seed, 8)
		lowest, _, ok := oracle.Lowest(p)
		tl := timeline.New(p)
		if !ok || len(tl.Partitions) != 1 {
			continue
		}
		d := NewDiver(context.Background(), tl)
		_, nodes, _ := d.Dive(lowest-1, noisy(8, false), 1<<20, 1<<30)
		_, again, _ := d.Dive(lowest-1, noisy(8, true), 1<<20, 1<<30)
		d.Close()
		first, second = first+nodes, second+again
		if again > 1 {
			t.Fatalf("seed %d: %d nodes, and then %d", seed, nodes, again)
		}
		if nodes > 3 {
			d := NewDiver(context.Background(), tl)
			if offsets, n, through := d.Dive(lowest-1, noisy(8, false), 3, 3); offsets != nil || n != 3 || through {
				t.Fatalf("seed %d: %d nodes of 3, through %v", seed, n, through)
			}
			d.Close()
			small++
		}
	}
	if first < 10*second || small < 10 {
		t.Errorf("%d nodes, and then %d; %d limits", first, second, small)
	}
}
