package main

import (
	"context"
	"testing"

	"github.com/stowage-go/stowage/internal/order"
	"github.com/stowage-go/stowage/internal/testkit/networks"
)

// TestBeam: what a beam counts, forwards and backwards, is what package order counts for the order that it finds; and
// on small networks the beam finds the lowest peak, so it is a fair one.
func TestBeam(t *testing.T) {
	lowest := 0
	all := networks.Suite(networks.Apart)
	for _, n := range all {
		b, err := newBeamed(n.Program)
		if err != nil {
			t.Fatal(err)
		}
		for _, end := range []bool{false, true} {
			s := b.start(end)
			for range b.p.Operators {
				b.run(s, s.ready[0], end)
			}
			if end {
				for i, j := 0, len(s.order)-1; i < j; i, j = i+1, j-1 {
					s.order[i], s.order[j] = s.order[j], s.order[i]
				}
			}
			if peak, err := n.Program.Peak(s.order); err != nil || peak != s.peak {
				t.Errorf("%s, from the end: %v: %d counted, %d in truth, %v", n.Name, end, s.peak, peak, err)
			}
		}
		best, err := order.Best(context.Background(), n.Program, order.Options{})
		if err != nil {
			t.Fatal(err)
		}
		peak, err := beam(context.Background(), n.Program, 3000)
		if err != nil || peak < best.Peak {
			t.Fatalf("%s: %d, below the lowest peak %d: %v", n.Name, peak, best.Peak, err)
		}
		if peak == best.Peak {
			lowest++
		}
	}
	if lowest < len(all)*3/4 {
		t.Errorf("the beam finds the lowest peak on %d of %d networks", lowest, len(all))
	}
}
