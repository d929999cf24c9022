package tflm

import (
	"errors"
	"slices"
	"testing"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/format/tflite"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/tflitemade"
	"github.com/stowage-go/stowage/model"
)

func twoPools(fast, slow int64) []model.Pool {
	return []model.Pool{{ID: "fast", Capacity: fast, Alignment: 16}, {ID: "slow", Capacity: slow, Alignment: 16}}
}

// leastTraffic tries all assignments of buffers to two pools, with the load as the only test of room, so it is a lower
// bound of the traffic; if the load decides it is the least.
func leastTraffic(b *Banks, costs []int64) int64 {
	n, best := len(b.Problem.Buffers), int64(-1)
	for set := range 1 << n {
		cost := int64(0)
		parts := [2]model.Problem{}
		for i := range n {
			q := set >> i & 1
			cost += costs[i] * b.Pools[q].Cost
			parts[q].Buffers = append(parts[q].Buffers, b.Problem.Buffers[i])
		}
		fits := true
		for q := range parts {
			if len(parts[q].Buffers) > 0 {
				fits = fits && slices.Max(loads(&parts[q])) <= b.Problem.Rules.Pools[q].Capacity
			}
		}
		if fits && (best < 0 || cost < best) {
			best = cost
		}
	}
	return best
}

// TestBanks compares the traffic of small networks with all assignments, and every plan with the verifier.
func TestBanks(t *testing.T) {
	split, exact := 0, 0
	for seed := range uint64(12) {
		m := parse(t, tflitemade.Network(seed, 7))
		one := must.Get(Make(t.Context(), m, Options{Scratch: ReferenceSet.Scratch(m)}))(t)
		o := BankOptions{Pools: twoPools(one.Head/2/16*16, 1<<16), Home: -1, Scratch: ReferenceSet.Scratch(m)}
		b := must.Get(MakeBanks(t.Context(), m, o))(t)
		if !b.Result.Status.HasPlan() || b.Home != 1 || !b.ByOrder {
			t.Fatalf("seed %d: %s, home %d", seed, b.Result.Status, b.Home)
		}
		if v, err := stowage.VerifyPlan(b.Problem, &b.Result.Plan); err != nil || !v.OK() {
			t.Errorf("seed %d: %v, %v", seed, v, err)
		}
		least := leastTraffic(b, b.moved())
		if b.Traffic < least || b.Bound > b.Traffic || b.Traffic > b.Slow || b.Traffic != b.Moved[1] {
			t.Errorf("seed %d: traffic %d, least %d, bound %d, slow %d, moved %v", seed, b.Traffic, least, b.Bound,
				b.Slow, b.Moved)
		}
		if b.Traffic == least {
			exact++
		}
		if b.Moved[0] > 0 && b.Moved[1] > 0 {
			split++
		}
		if b.Heads[0] > o.Pools[0].Capacity || b.Used[1] < b.Tail+b.Heads[1] || b.Used[1] > 1<<16 {
			t.Errorf("seed %d: heads %v, used %v, tail %d", seed, b.Heads, b.Used, b.Tail)
		}
	}
	if split < 8 || exact < 10 {
		t.Errorf("%d plans use both memories, %d have the least traffic: the test shows little", split, exact)
	}
}

// TestBanksTraffic counts one write and one read for each operator, an operand that occurs twice once, and what the
// caller writes and reads.
func TestBanksTraffic(t *testing.T) {
	m := parse(t, tflitemade.Network(60, 8)) // examples/tiny.tflite
	moved := Moved(m)
	for i := range m.Tensors {
		times := int64(0)
		for k := range m.Operators {
			o := &m.Operators[k]
			if slices.Contains(o.Inputs, int32(i)) {
				times++
			}
			if slices.Contains(o.Outputs, int32(i)) {
				times++
			}
		}
		for _, list := range [][]int32{m.Subgraphs[0].Inputs, m.Subgraphs[0].Outputs} {
			if slices.Contains(list, int32(i)) {
				times++
			}
		}
		if moved[i] != times*m.Tensors[i].Bytes {
			t.Errorf("%s: %d bytes, want %d times %d", m.Tensors[i].Name, moved[i], times, m.Tensors[i].Bytes)
		}
	}
}

// TestBanksRoom: the tail takes room in the home, and a fast memory with room for all gets all.
func TestBanksRoom(t *testing.T) {
	m := parse(t, tflitemade.Network(4, 24))
	all, err := MakeBanks(t.Context(), m,
		BankOptions{Pools: twoPools(1<<20, 1<<20), Home: 1, Scratch: ReferenceSet.Scratch(m)})
	if err != nil || all.Traffic != 0 || all.Heads[1] != 0 || all.Used[1] != all.floor {
		t.Fatalf("%+v, %v", all, err)
	}
	slack := all.floor - all.Tail // what the runtime needs while it plans, and is free afterwards
	for _, c := range []struct {
		name       string
		fast, slow int64
		status     stowage.Status
		short      int64
	}{
		{"the tail alone", all.Heads[0], all.floor, stowage.Optimal, 0},
		{"less than the tail", all.Heads[0], all.floor - 16, stowage.Infeasible, 16},
		{"less than all", all.Heads[0] - slack - 16, all.floor, stowage.Infeasible, 16},
	} {
		b := must.Get(MakeBanks(t.Context(), m,
			BankOptions{Pools: twoPools(c.fast, c.slow), Home: 1, Scratch: ReferenceSet.Scratch(m)}))(t)
		if b.Result.Status != c.status || b.Short != c.short {
			t.Errorf("%s: %s, short %d, want %s, %d", c.name, b.Result.Status, b.Short, c.status, c.short)
		}
	}
}

// TestBanksRefused has what is no question.
func TestBanksRefused(t *testing.T) {
	m := parse(t, tflitemade.Network(4, 8))
	offsets := slices.Repeat([]int32{tflite.Online}, len(m.Tensors))
	data := must.Get(m.WithOffsets(offsets))(t)
	for name, try := range map[string]func() error{
		"no pools": func() error { _, err := MakeBanks(t.Context(), m, BankOptions{}); return err },
		"no such home": func() error {
			_, err := MakeBanks(t.Context(), m, BankOptions{Pools: twoPools(16, 16), Home: 2})
			return err
		},
		"a home with reserved bytes": func() error {
			pools := twoPools(1<<20, 1<<20)
			pools[0].Reserved = []model.Range{{Upper: 16}}
			_, err := MakeBanks(t.Context(), m, BankOptions{Pools: pools})
			return err
		},
		"a plan": func() error {
			_, err := MakeBanks(t.Context(), parse(t, data), BankOptions{Pools: twoPools(16, 16)})
			return err
		},
		"a cost": func() error {
			pools := twoPools(1<<20, 1<<20)
			pools[1].Cost = model.MaxSum
			_, err := MakeBanks(t.Context(), m, BankOptions{Pools: pools})
			return err
		},
	} {
		var input *stowage.InputError
		if err := try(); !errors.As(err, &input) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestMaps: each map is a valid list of pools, with costs for all of its pools or for none, and a source.
func TestMaps(t *testing.T) {
	names := map[string]bool{}
	for _, x := range Maps() {
		p := &model.Problem{Rules: &model.Rules{Pools: x.Pools}}
		if err := model.Validate(p); err != nil || x.Source == "" || x.Part == "" || names[x.Name] {
			t.Errorf("%s: %v", x.Name, err)
		}
		names[x.Name] = true
		for k, q := range x.Pools {
			if (q.Cost > 0) != x.Costs || x.Costs && k > 0 && q.Cost < x.Pools[k-1].Cost {
				t.Errorf("%s: pool %s costs %d", x.Name, q.ID, q.Cost)
			}
			if q.Capacity%q.Alignment != 0 || q.Alignment%tflite.Alignment != 0 {
				t.Errorf("%s: pool %s: %+v", x.Name, q.ID, q)
			}
		}
	}
}
