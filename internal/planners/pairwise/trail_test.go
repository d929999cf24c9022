package pairwise

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/drawn"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/timeline"
)

// state is all that Pop must restore.
type state struct {
	value              []int64
	at                 []int32
	order              []uint8
	undecided, pushing []int32
	isPlaced           []bool
	open               int64
	peak               [2]int64
	trail              int
}

func stateOf(e *Engine) state {
	return state{
		slices.Clone(e.value), slices.Clone(e.at), slices.Clone(e.order), slices.Clone(e.undecided),
		slices.Clone(e.pushing), slices.Clone(e.isPlaced), e.open, e.peak, len(e.trail),
	}
}

func (a state) equal(b state) bool {
	return slices.Equal(a.value, b.value) && slices.Equal(a.at, b.at) && slices.Equal(a.order, b.order) &&
		slices.Equal(a.undecided, b.undecided) && slices.Equal(a.pushing, b.pushing) &&
		slices.Equal(a.isPlaced, b.isPlaced) && a.open == b.open && a.peak == b.peak && a.trail == b.trail
}

// TestPop takes random decisions back, one level at a time. Each level must be as it was before
// its decision, whether the decision failed or not.
func TestPop(t *testing.T) {
	pops, failed := 0, 0
	for seed := range uint64(2000) {
		tl := timeline.New(drawn.Tiny(seed))
		rng := rand.New(rand.NewPCG(seed, 8))
		for k := range tl.Partitions {
			e := must.Get(New(watch, tl, &tl.Partitions[k], DefaultMaxPairs))(t)
			if !e.Reset(tl.LowerBound + 1) {
				continue
			}
			var states []state
			for ok := true; ok; {
				d, found := decide(e, rng)
				if !found {
					break
				}
				states = append(states, stateOf(e))
				if d.literal >= 0 {
					ok = e.Order(d.literal)
				} else {
					ok = e.Place(d.buffer, d.offset)
				}
				if !ok {
					failed++
				}
			}
			for e.Level() > 0 {
				e.Pop()
				pops++
				if !stateOf(e).equal(states[e.Level()]) {
					t.Fatalf("seed %d: level %d is not as it was", seed, e.Level())
				}
			}
		}
	}
	if pops < 2000 || failed < 300 {
		t.Errorf("only %d levels, %d failures", pops, failed)
	}
}
