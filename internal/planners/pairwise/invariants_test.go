package pairwise

import (
	"strings"
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/plantest"
)

// TestCorrupted breaks the state of an engine in each way that check looks for.
func TestCorrupted(t *testing.T) {
	for says, corrupt := range map[string]func(e *Engine){
		"":                            func(*Engine) {},
		"queue":                       func(e *Engine) { e.enqueue(0) },
		"no offset":                   func(e *Engine) { e.value[4] += 1 << 40 },
		"not that of its trail entry": func(e *Engine) { e.at[4] = 0 },
		"one order left":              func(e *Engine) { e.order[0] = 0 },
		"breaks the order": func(e *Engine) {
			e.order[0] = 3 - e.order[0]
		},
		"open pairs are not counted of buffer": func(e *Engine) { e.undecided[1]++ },
		"pushes are not counted":               func(e *Engine) { e.pushing[2]++ },
		"of placed buffers":                    func(e *Engine) { e.open++ },
	} {
		e := stacked(t, 5)
		lo, _ := e.Range(0)
		if !e.Place(0, lo) || e.Decided(0) < 0 {
			t.Fatal("buffer 0 at the ground decides no pair")
		}
		corrupt(e)
		what := plantest.Caught(e.check)
		if !strings.Contains(what, says) || (says == "") != (what == "") {
			t.Errorf("%q is caught as %q", says, what)
		}
	}
}
