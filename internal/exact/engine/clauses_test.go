package engine

import (
	"context"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// mixedAlignments draws 30 buffers, too many for a ladder, with alignments that differ.
func mixedAlignments(seed uint64) *model.Problem {
	r := rand.New(rand.NewPCG(seed, 11))
	alignments := [][]int64{{12, 18, 20, 45}, {6, 10, 15, 14}, {48, 64, 80}}[seed%3]
	p := &model.Problem{}
	for i := range 30 {
		at := r.Int64N(16)
		p.Buffers = append(p.Buffers, model.Buffer{
			ID: strconv.Itoa(i), Lower: at, Upper: at + 2 + r.Int64N(8), Size: 1 + r.Int64N(200),
			Alignment: alignments[r.IntN(len(alignments))],
		})
	}
	return p
}

// TestClauses: with the search that learns most problems of mixed alignments are closed, without it few. No plan is
// below a bound that the other one proves.
func TestClauses(t *testing.T) {
	with, without := 0, 0
	for seed := range uint64(9) {
		tl := timeline.New(mixedAlignments(seed))
		o := plan.Options{Minimize: true, NodeLimit: 20_000}
		r := solveWithin(t, context.Background(), tl, o)
		o.Without = []string{"clauses"}
		q := solveWithin(t, context.Background(), tl, o)
		if r.LowerBound > q.Height || q.LowerBound > r.Height {
			t.Fatalf("seed %d: from %d to %d with clauses, from %d to %d without", seed, r.LowerBound, r.Height,
				q.LowerBound, q.Height)
		}
		if r.Status == model.Optimal {
			with++
		}
		if q.Status == model.Optimal {
			without++
		}
	}
	if with < 7 || without > 2 {
		t.Errorf("%d closed with clauses, %d without", with, without)
	}
	t.Log(with, "closed with clauses,", without, "without")
}
