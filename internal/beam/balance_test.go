package beam

import (
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/plantest"
	"github.com/stowage-go/stowage/plan"
)

// TestBalance: who takes more off the plan for its time has more of the next turns, and the other one still has some.
func TestBalance(t *testing.T) {
	for _, c := range []struct {
		name           string
		before         balance
		gain, passes   int64 // what passes took off, and their nodes
		ejected, nodes int64 // the same of ejections
		fails          int
		part           int64
	}{
		{"ejections alone gain", balance{fails: 2, part: 16}, 0, 1000, 5, 1000, 1, 64},
		{"passes alone gain", balance{fails: 2, part: 16}, 5, 1000, 0, 1000, 4, 4},
		{"as much, in less time", balance{fails: 2, part: 16}, 5, 1000, 5, 1000, 4, 4},
		{"as much, in more time", balance{fails: 2, part: 16}, 5, 6100, 5, 1000, 1, 64},
		{"no less than some ejections", balance{fails: 8, part: 1}, 5, 1000, 0, 1000, 8, 1},
		{"no less than a pass", balance{fails: 1, part: 64}, 0, 1000, 5, 1000, 1, 64},
		{"neither, ejections are long", balance{fails: 1, part: 64}, 0, 1000, 0, 1000, 1, 16},
		{"neither, ejections are brief", balance{fails: 8, part: 1}, 0, 1000, 0, 1000, 8, 2},
	} {
		b := c.before
		b.begin()
		b.passed(c.gain, c.passes, false)
		b.ejected(c.ejected, c.nodes)
		if b.fails != c.fails || b.part != c.part || b.left != b.fails || b.gain != 0 || b.nodes != 0 {
			t.Errorf("%s: %+v", c.name, b)
		}
	}
}

// TestReached: a run goes on with the width and the balance of the one before.
func TestReached(t *testing.T) {
	p := crowded(1, 100, 1<<13, even)
	first, next := Reached{}, Reached{width: [arms]int{32, 16}, balance: balance{fails: 8, part: 64}}
	for _, r := range []*Reached{&first, &next} {
		plantest.Must(t, &Planner{Reached: r}, p, plan.Options{NodeLimit: 100})
	}
	if b := first.balance; first.width != [arms]int{8, 8} || b.fails != failsFirst || b.part == 0 {
		t.Errorf("first: %+v", first)
	}
	if b := next.balance; next.width != [arms]int{32, 16} || b.fails != 8 || b.part != 64 {
		t.Errorf("next: %+v", next)
	}
}
