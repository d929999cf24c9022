package order_test

import (
	"context"
	"testing"

	"github.com/stowage-go/stowage/internal/order"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/networks"
	"github.com/stowage-go/stowage/model"
)

// stage is a randomly wired stage, as published ones are, or larger.
func stage(w networks.Wiring, nodes int) *order.Program {
	return networks.RandWireStage(w, nodes, 28, 78, 0, networks.Apart).Program
}

func best(t *testing.T, p *order.Program, states int, off order.Techniques) order.Result {
	t.Helper()
	return must.Get(order.Best(context.Background(), p, order.Options{States: states, Off: off}))(t)
}

// TestTechniquesSaveStates switches off what makes the exact search smaller: it needs so many times the states.
// TestEqualsBruteForce fails if one of these is wrong.
func TestTechniquesSaveStates(t *testing.T) {
	const apart = networks.Apart
	wiring := networks.WattsStrogatz(4, 0.75)
	wired := stage(wiring, 32)
	cells := networks.Cells(networks.NASNet(), 12, 44, true, apart).Program
	stages := networks.RandWire(wiring, 32, 78, 0, apart).Program
	for _, tc := range []struct {
		name    string
		off     order.Techniques
		program *order.Program
		times   int
	}{
		{"collapse", order.Techniques{Collapse: true}, wired, 50},
		{"chains", order.Techniques{Chains: true}, cells, 2},
		{"backward", order.Techniques{Backward: true}, wired, 20},
		{"bounds", order.Techniques{Bounds: true}, networks.SwiftLike(21, 28, 16, 0, apart).Program, 1 << 20},
		{"cuts", order.Techniques{Cuts: true}, stages, 2},
		{"memory", order.Techniques{Memory: true}, wired, 5},
	} {
		with, without := best(t, tc.program, 20_000, order.Techniques{}), best(t, tc.program, 20_000, tc.off)
		if with.Status != model.Optimal {
			t.Errorf("%s: not proven with all techniques", tc.name)
		}
		if without.States == 0 || without.States < with.States*tc.times {
			t.Errorf("%s: %d states with it, %d without, want %d times as many",
				tc.name, with.States, without.States, tc.times)
		}
	}
}

// TestTechniquesFindOrders switches off what finds orders if the exact search does not finish: the peak is higher.
func TestTechniquesFindOrders(t *testing.T) {
	for _, tc := range []struct {
		name    string
		on, off order.Techniques
		program *order.Program
		states  int
	}{
		{"greedy", order.Techniques{}, order.Techniques{Greedy: true}, stage(networks.BarabasiAlbert(3), 48), -1},
		{"beams", order.Techniques{}, order.Techniques{Beams: true}, stage(networks.ErdosRenyi(0.2*32/96), 96), 5000},
		{
			"dives",
			order.Techniques{Beams: true},
			order.Techniques{Beams: true, Dives: true},
			stage(networks.WattsStrogatz(4, 0.75), 128), 20_000,
		},
	} {
		with, without := best(t, tc.program, tc.states, tc.on), best(t, tc.program, tc.states, tc.off)
		if with.Status == model.Optimal {
			t.Errorf("%s: proven, so the program shows nothing", tc.name)
		}
		if with.Peak >= without.Peak {
			t.Errorf("%s: peak %d with it, %d without", tc.name, with.Peak, without.Peak)
		}
	}
}

// TestBothEnds finds that from the end the search is smaller where branches join: both together take about twice the
// states of the better one.
func TestBothEnds(t *testing.T) {
	p := stage(networks.BarabasiAlbert(3), 32)
	forward := best(t, p, 0, order.Techniques{Backward: true})
	both := best(t, p, 0, order.Techniques{})
	if both.Peak != forward.Peak || both.States*100 > forward.States {
		t.Errorf("%d states from both ends, %d forward", both.States, forward.States)
	}
}

// TestNetworksAreProven proves each network of the sizes that were published.
func TestNetworksAreProven(t *testing.T) {
	gained := 0
	for _, sharing := range []networks.Sharing{networks.Apart, networks.InPlace, networks.Distances} {
		for _, n := range networks.Suite(sharing) {
			r := best(t, n.Program, 2000, order.Techniques{})
			if r.Status != model.Optimal {
				t.Errorf("%s %s: peak %d, bound %d", n.Family, n.Name, r.Peak, r.Bound)
			}
			if r.Peak < r.Given {
				gained++
			}
		}
	}
	if gained < 40 {
		t.Errorf("only %d of 84 networks gain", gained)
	}
}

// TestSharingLowersPeaks finds lower peaks the more results may share with operands.
func TestSharingLowersPeaks(t *testing.T) {
	apart, inPlace := networks.Suite(networks.Apart), networks.Suite(networks.InPlace)
	distances := networks.Suite(networks.Distances)
	lower := [2]int{}
	for k, n := range apart {
		a := best(t, n.Program, 0, order.Techniques{}).Peak
		b := best(t, inPlace[k].Program, 0, order.Techniques{}).Peak
		c := best(t, distances[k].Program, 0, order.Techniques{}).Peak
		if b > a || c > b {
			t.Errorf("%s %s: peaks %d, %d in place, %d with distances", n.Family, n.Name, a, b, c)
		}
		if b < a {
			lower[0]++
		}
		if c < b {
			lower[1]++
		}
	}
	if lower[0] < 4 || lower[1] < 15 {
		t.Errorf("%d of %d networks are lower in place, %d with distances", lower[0], len(apart), lower[1])
	}
}

// TestLargeBound: a chain is too long for ancestors and descendants to be kept. Its bound is the need of one
// operator, with an input that is an output, less the saving of its best pair. That is the peak of the only order.
func TestLargeBound(t *testing.T) {
	const long = 1<<14 + 100
	p := &order.Program{Sizes: []int64{5, 3}, Inputs: []int32{0, 1}, Outputs: []int32{1}}
	for k := range int32(long) {
		p.Sizes = append(p.Sizes, 4)
		o := order.Operator{Operands: []int32{k + 1}, Results: []int32{k + 2}}
		if k == 0 {
			o.Operands = []int32{0}
		}
		if k == long/2 {
			p.Sizes[k+2], o.Scratch = 1000, 10
			o.Permits = []order.Permit{{Result: k + 2, Operand: k + 1, Exactly: true}}
		}
		p.Operators = append(p.Operators, o)
	}
	p.Outputs = append(p.Outputs, long+1)
	r := best(t, p, -1, order.Techniques{})
	const want = 3 + 1000 + 4 + 10 - 4
	if r.Status != model.Optimal || r.Bound != want {
		t.Errorf("%v, bound %d, peak %d, want %d", r.Status, r.Bound, r.Peak, want)
	}
	if r = best(t, p, -1, order.Techniques{Bounds: true}); r.Status == model.Optimal {
		t.Errorf("proven without the bound, so the chain shows nothing")
	}
	// A value from the first operator to the last lies past all others: no operator by itself knows of it.
	p.Sizes = append(p.Sizes, 50)
	kept := int32(len(p.Sizes) - 1)
	p.Operators[0].Results = append(p.Operators[0].Results, kept)
	p.Operators[long-1].Operands = append(p.Operators[long-1].Operands, kept)
	if r = best(t, p, -1, order.Techniques{}); r.Status != model.Optimal || r.Bound != want+50 {
		t.Errorf("with a value past the highest operator: %v, bound %d, peak %d, want %d", r.Status, r.Bound, r.Peak, want+50)
	}
}
