package library_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/model"
)

// The tests here state problems of other compilers' memory planners, and what those make of them. No plan of ours may
// be worse. The facts are from the tests of TVM (apache/tvm 2e176b4, tests/python/tir-usmp/test_tir_usmp_algo.py) and
// of ExecuTorch (pytorch/executorch 0541325, exir/tests/test_banked_memory_planning.py).

// A usmp is a problem of TVM's Unified Static Memory Planner: sizes, and pairs of buffers that conflict. It has no
// times.
type usmp struct {
	name      string
	sizes     map[string]int64
	conflicts [][2]string
	pools     []model.Pool // in the order in which TVM fills them
	best      []int64      // the lowest height of each pool that one of TVM's algorithms has; nil if all fail
	least     int64        // the least sum of the heights; 0 if there is no plan
}

// problem lets no two buffers meet in time, and keeps those apart that conflict.
func (u *usmp) problem() *model.Problem {
	p := &model.Problem{Name: u.name, Rules: &model.Rules{Pools: u.pools}}
	at := map[string]int32{}
	var names []string
	for name := range u.sizes {
		names = append(names, name)
	}
	slices.Sort(names)
	for i, name := range names {
		at[name] = int32(i)
		p.Buffers = append(p.Buffers, model.Buffer{ID: name, Lower: int64(i), Upper: int64(i + 1), Size: u.sizes[name]})
	}
	for _, pair := range u.conflicts {
		p.Rules.Apart = append(p.Rules.Apart, model.Pair{at[pair[0]], at[pair[1]]})
	}
	return p
}

// usmps are the problems of TVM's test of its algorithms greedy_by_size, greedy_by_conflicts and hill_climb. Its
// problem of a fan-out says of b that it does not conflict with d, and of d that it conflicts with b. TVM's 190 bytes
// need them to share bytes, so here they may.
func usmps() []usmp {
	one := []model.Pool{{ID: "global"}}
	resnet := map[string]int64{
		"sid_2": 720000, "sid_6": 5760000, "sid_7": 720000, "sid_8": 720000,
		"padded": 720000, "padded_1": 758912, "padded_2": 720000, "padded_3": 720000,
		"conv": 256, "conv_1": 256, "conv_2": 256, "conv_3": 256,
	}
	return []usmp{
		{
			name: "tiny pool", sizes: map[string]int64{"a": 10, "b": 10, "c": 10},
			conflicts: [][2]string{{"a", "b"}, {"b", "c"}, {"c", "a"}}, pools: []model.Pool{{ID: "tiny", Capacity: 10}},
		},
		{
			name: "three alike", sizes: map[string]int64{"a": 10, "b": 10, "c": 10},
			conflicts: [][2]string{{"a", "b"}, {"b", "c"}, {"c", "a"}}, pools: one, best: []int64{30}, least: 30,
		},
		{
			name: "linear", sizes: map[string]int64{"a": 10, "b": 20, "c": 100, "d": 40, "e": 50, "f": 50},
			conflicts: [][2]string{{"a", "b"}, {"b", "c"}, {"c", "d"}, {"d", "e"}, {"e", "f"}}, pools: one,
			best: []int64{140}, least: 140,
		},
		{
			name: "fan-out", sizes: map[string]int64{"a": 10, "b": 20, "c": 100, "d": 40, "e": 50, "f": 60, "g": 70},
			conflicts: [][2]string{
				{"a", "b"},
				{"a", "c"},
				{"b", "c"},
				{"b", "e"},
				{"c", "e"},
				{"c", "d"},
				{"d", "f"},
				{"d", "e"},
				{"e", "f"},
				{"f", "g"},
			},
			pools: one, best: []int64{190}, least: 190,
		},
		{
			name:  "part of MobileNet",
			sizes: map[string]int64{"sid_9": 301056, "sid_8": 802816, "padded": 314646, "conv": 256, "tensor": 200704},
			conflicts: [][2]string{
				{"padded", "sid_9"}, {"padded", "sid_8"}, {"padded", "conv"}, {"sid_8", "conv"}, {"sid_8", "tensor"},
			},
			pools: []model.Pool{{ID: "fast", Capacity: 200704}, {ID: "slow", Cost: 1}},
			best:  []int64{200704, 1117462}, least: 200704 + 1117462,
		},
		{
			name: "part of ResNet", sizes: resnet,
			conflicts: [][2]string{
				{"sid_7", "padded_1"},
				{"sid_7", "sid_2"},
				{"sid_7", "conv_1"},
				{"sid_7", "padded_2"},
				{"conv_3", "padded_3"},
				{"conv_3", "sid_6"},
				{"sid_6", "conv_2"},
				{"sid_6", "padded_2"},
				{"sid_6", "sid_2"},
				{"sid_6", "padded_3"},
				{"conv", "sid_8"},
				{"conv", "sid_2"},
				{"conv", "padded"},
				{"padded_3", "sid_2"},
				{"conv_2", "padded_2"},
				{"conv_2", "sid_2"},
				{"padded_1", "sid_8"},
				{"padded_1", "sid_2"},
				{"padded_1", "conv_1"},
				{"conv_1", "sid_2"},
				{"padded", "sid_2"},
				{"padded", "sid_8"},
				{"sid_8", "sid_2"},
				{"sid_2", "padded_2"},
			},
			pools: one, best: []int64{7200256}, least: 7200256,
		},
	}
}

func TestTVM(t *testing.T) {
	for _, u := range usmps() {
		p := u.problem()
		r := must.Get(stowage.Solve(context.Background(), p, stowage.Options{NodeLimit: 100000}))(t, "%s", u.name)
		if u.least == 0 {
			if r.Status != stowage.Infeasible {
				t.Errorf("%s: %v, want a proof that nothing fits", u.name, r.Status)
			}
			continue
		}
		if !r.Status.HasPlan() {
			t.Errorf("%s: %v", u.name, r.Status)
			continue
		}
		if report, err := stowage.VerifyPlan(p, &r.Plan); err != nil || !report.OK() {
			t.Errorf("%s: %v %+v", u.name, err, report)
		}
		sum := int64(0)
		for k, pool := range u.pools {
			height := model.ValueOf(r.Measures, model.HeightIn(pool.ID))
			if sum += height; height > u.best[k] {
				t.Errorf("%s: %d bytes of pool %s, TVM needs %d", u.name, height, pool.ID, u.best[k])
			}
		}
		if sum != u.least || r.Status != stowage.Optimal {
			t.Errorf("%s: %v with %d bytes, want %d, proven", u.name, r.Status, sum, u.least)
		}
	}
}

// A spec is a tensor of ExecuTorch: bytes, and the first and the last operator that uses it.
type spec struct{ size, first, last int64 }

// banked is a problem for ExecuTorch's banked_greedy, and how many bytes of tensors that leaves in each bank: 16 bytes
// of alignment, no padding. The figures are of its rule: the largest tensor first, into the fastest bank that holds it
// without growing, or has room for it.
type banked struct {
	name  string
	banks []int64 // the sizes, the fastest bank first
	specs []spec
	bytes []int64 // of all tensors in each bank by banked_greedy; nil if it fails
}

func bankeds() []banked {
	const kib, mib = 1024, 1024 * 1024
	many := func(n int64, of func(i int64) spec) (all []spec) {
		for i := range n {
			all = append(all, of(i))
		}
		return all
	}
	alike := func(int64) spec { return spec{kib, 0, 10} }
	forty := many(40, func(i int64) spec { return spec{256 * (i%5 + 1), i, i + 8} })
	rising := many(120, func(i int64) spec { return spec{4*kib + 16*i, i, i + 3} })
	short := many(200, func(i int64) spec { return spec{4 * kib, i, i + 1} })
	long := many(16, func(i int64) spec { return spec{512, i, i + 20} })
	return []banked{
		{"spill", []int64{2 * kib, 64 * kib}, many(3, alike), []int64{2048, 1024}},
		{"cascade", []int64{2 * kib, 2 * kib, 64 * kib}, many(6, alike), []int64{2048, 2048, 2048}},
		{"capacity", []int64{2 * kib, 8 * kib}, long, []int64{2048, 6144}},
		{"reuse", []int64{2 * kib, 8 * kib}, []spec{{kib, 0, 4}, {kib, 5, 9}}, []int64{2048, 0}},
		{"too much", []int64{2 * kib}, many(3, alike), nil},
		{"forty", []int64{4 * kib, 64 * kib}, forty, []int64{16640, 14080}},
		{"120 specs", []int64{16 * kib, 64 * mib}, rising, []int64{325040, 280720}},
		{"200 short lives", []int64{8 * kib, 64 * mib}, short, []int64{819200, 0}},
		{ // drawn for this test, as the last one
			"150 specs",
			[]int64{16 * kib, 32 * kib, 64 * mib},
			many(150, func(i int64) spec { return spec{512 * (1 + i*7%13), i / 2, i/2 + 2 + i*5%11} }),
			[]int64{133632, 230400, 167424},
		},
		{
			"200 specs",
			[]int64{8 * kib, 16 * kib, 64 * mib},
			many(200, func(i int64) spec { return spec{256 * (1 + i*11%17), i / 3, i/3 + 1 + i*7%9} }),
			[]int64{109824, 152064, 200448},
		},
	}
}

// problem has a pool for each bank. A byte costs the number of the bank, from 0.
func (b *banked) problem() *model.Problem {
	p := &model.Problem{Name: b.name, Rules: &model.Rules{Objective: []model.Measure{model.MeasureCost}}}
	for k, size := range b.banks {
		p.Rules.Pools = append(p.Rules.Pools,
			model.Pool{ID: fmt.Sprint("mem_id ", k+1), Capacity: size, Cost: int64(k), Alignment: 16})
	}
	for i, s := range b.specs {
		p.Buffers = append(p.Buffers, model.Buffer{ID: fmt.Sprint(i), Lower: s.first, Upper: s.last + 1, Size: s.size})
	}
	return p
}

// TestExecuTorch compares what is left in slow banks with banked_greedy's plan, and demands that nothing stays in a
// slow bank that a faster one has room for beside the rest of the plan.
func TestExecuTorch(t *testing.T) {
	for _, b := range bankeds() {
		p := b.problem()
		r := must.Get(stowage.Solve(context.Background(), p, stowage.Options{NodeLimit: 2000}))(t, "%s", b.name)
		if b.bytes == nil {
			if r.Status != stowage.Infeasible {
				t.Errorf("%s: %v, want a proof that nothing fits", b.name, r.Status)
			}
			continue
		}
		if report, err := stowage.VerifyPlan(p, &r.Plan); err != nil || !report.OK() || !r.Status.HasPlan() {
			t.Errorf("%s: %v, %v %+v", b.name, r.Status, err, report)
			continue
		}
		theirs := int64(0)
		for k, bytes := range b.bytes {
			theirs += int64(k) * bytes
		}
		cost, bound := model.ValueOf(r.Measures, model.MeasureCost), model.ValueOf(r.Bounds, model.MeasureCost)
		t.Logf("%s: banked_greedy %d, auto %d, bound %d, %v", b.name, theirs, cost, bound, r.Status)
		if cost > theirs {
			t.Errorf("%s: cost %d, banked_greedy has %d", b.name, cost, theirs)
		}
		for i := range p.Buffers {
			for pool := range r.Pools[i] {
				if at := free(p, &r.Plan, i, pool); at >= 0 {
					t.Errorf("%s: buffer %d lies in bank %d, but offset %d of bank %d is free for it", b.name, i, r.Pools[i], at, pool)
				}
			}
		}
	}
}

// free returns an offset of a pool at which buffer i would meet no other, or -1.
func free(p *model.Problem, plan *model.Plan, i int, pool int32) int64 {
	b := &p.Buffers[i]
	for at := int64(0); at+b.Size <= p.Rules.Pools[pool].Capacity; {
		next := at
		for j := range p.Buffers {
			o := &p.Buffers[j]
			meets := plan.Pools[j] == pool && o.Lower < b.Upper && b.Lower < o.Upper
			if meets && plan.Offsets[j] < at+b.Size && at < plan.Offsets[j]+o.Size {
				next = max(next, (plan.Offsets[j]+o.Size+15)/16*16)
			}
		}
		if next == at {
			return at
		}
		at = next
	}
	return -1
}
