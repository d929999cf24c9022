package poolchoice

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/drawn"
	"github.com/stowage-go/stowage/model"
)

// TestDistanceRides: a buffer that may lie over one that dies moves there at the end, either way round.
func TestDistanceRides(t *testing.T) {
	for _, moves := range []int{0, 1} {
		p := &model.Problem{Rules: &model.Rules{
			Pools:     []model.Pool{{ID: "fast", Capacity: 8}, {ID: "slow", Cost: 1}},
			Distances: []model.Distance{{Buffers: model.Pair{0, 1}, Distance: 0}},
		}, Buffers: []model.Buffer{{ID: "x", Size: 8, Upper: 2}, {ID: "y", Size: 8, Lower: 1, Upper: 3}}}
		c, _ := chooserOf(p, find(t, "exact"))
		of, offsets := []int32{0, 0}, []int64{0, 0}
		of[moves] = 1
		if !c.cheapen(of, offsets) || !slices.Equal(of, []int32{0, 0}) {
			t.Errorf("buffer %d stays in the slow pool", moves)
		}
	}
}

// TestBeside: the bodies looked at beside a body include all that conflict with it, and few others.
func TestBeside(t *testing.T) {
	r := rand.New(rand.NewPCG(25, 42))
	c, _ := chooserOf(drawn.Spilled(r, 60), find(t, "exact"))
	looked := 0
	for k := range c.loads.Bodies {
		b := &c.loads.Bodies[k]
		beside := c.beside(b)
		looked += len(beside)
		for n := range c.loads.Bodies {
			if c.lowering.Conflicts.Conflict(int(b.Members[0]), int(c.loads.Bodies[n].Members[0])) &&
				!slices.Contains(beside, int32(n)) {
				t.Errorf("body %d is not beside %d", n, k)
			}
		}
	}
	if looked > 60*20 {
		t.Errorf("%d bodies are looked at beside 60", looked)
	}
}
