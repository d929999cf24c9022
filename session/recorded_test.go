package session

import (
	"fmt"
	"testing"

	"github.com/stowage-go/stowage/internal/gen"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/recorded"
	"github.com/stowage-go/stowage/model"
)

// TestRecorded makes random calls of small sessions, with all steps and without each of the first. TestAgainstBruteForce
// knows which answers are true, TestTechniques asks each technique by itself.
func TestRecorded(t *testing.T) {
	recorded.Hold(t, "recorded", func(b *recorded.Book) {
		for _, kind := range kinds {
			usual := uint64(0)
			for without := None; without <= Repair; without++ {
				o := Options{NodeLimit: 100, Weight: weighty}
				if without != None {
					o.Without = []Step{without}
				}
				digest := b.Line(fmt.Sprintf("%s without %v", kind, without), func(say func(...any)) {
					for seed := range uint64(40) {
						recordCalls(t, kind, seed, o, say)
					}
				})
				if without == None {
					usual = digest
				} else if digest == usual {
					t.Errorf("%s: without %v all is as with it", kind, without)
				}
			}
		}
	})
}

// recordCalls says what 20 calls of a session answer.
func recordCalls(t *testing.T, kind string, seed uint64, o Options, say func(...any)) {
	t.Helper()
	r, n := gen.NewRNG(seed, kind), drawNaive(kind, seed).empty()
	p, _ := n.problem()
	s := must.Get(Open(t.Context(), p, nil, o))(t)
	next := int64(0)
	for range 20 {
		c, m := drawChange(r, n, &next), n.clone()
		_, good := c.edit(m)
		a, err := c.call(t.Context(), s)
		_, plan := s.Snapshot()
		say(c.what, err, a.Status, a.Step, a.Offsets, a.Pools, a.Moved, a.Least, a.Enough, a.Nodes, plan.Offsets, plan.Pools)
		if a.Proof != nil {
			say(*a.Proof)
		}
		if good && err == nil && a.Status == model.Feasible {
			m.at, m.pool = plan.Offsets, make([]int32, len(plan.Offsets))
			copy(m.pool, plan.Pools)
			n = m
		}
	}
}
