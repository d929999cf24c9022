package places

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/drawn"
	"github.com/stowage-go/stowage/internal/testkit/oracle"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
	"github.com/stowage-go/stowage/internal/verify"
	"github.com/stowage-go/stowage/model"
)

func asIs(id string) string { return id }

// TestSound compares proofs with brute force: if there is one, no plan exists, not even for the buffers that it names.
func TestSound(t *testing.T) {
	r := rand.New(rand.NewPCG(40, 10))
	proofs, evicted := 0, 0
	for n := range plantest.Share(40_000, 6_000, 2_000) {
		p := drawn.Ruled(r)
		if n%3 == 0 {
			p = drawn.Evicted(r)
		}
		proof := Prove(p, asIs)
		if proof == nil {
			continue
		}
		proofs++
		if slices.Contains(drawn.FeaturesOf(p), "evictions") {
			evicted++
		}
		core := model.Among(p, proof.Buffers)
		if best, _, decided := oracle.Ruled(core, 0); decided && best != nil {
			t.Fatalf("%s\n%v have a plan\n%s", proof.Reason, proof.Buffers, drawn.DescribeRuled(p))
		}
		for k := range proof.Buffers {
			if rest := slices.Delete(slices.Clone(proof.Buffers), k, k+1); len(rest) > 0 &&
				Prove(model.Among(p, rest), asIs) != nil {
				t.Fatalf("%s\nwithout buffer %d there is a proof, too\n%s", proof.Reason, proof.Buffers[k], drawn.DescribeRuled(p))
			}
		}
		for _, i := range proof.None {
			if !strings.Contains(proof.Reason, p.Buffers[i].ID) {
				t.Fatalf("%s\nhas not the name of %s", proof.Reason, p.Buffers[i].ID)
			}
		}
	}
	if t.Log(proofs, "proofs,", evicted, "with evictions"); proofs < 300 || evicted < 30 {
		t.Errorf("%d proofs, %d with evictions", proofs, evicted)
	}
}

// TestTwo: if there are only two bodies, a problem has a plan if and only if the places prove nothing.
func TestTwo(t *testing.T) {
	r := rand.New(rand.NewPCG(40, 11))
	counts := map[bool]int{}
	for range plantest.Share(60_000, 8_000, 3_000) {
		p := drawn.Ruled(r)
		if slices.ContainsFunc(p.Buffers, func(b model.Buffer) bool { return b.Extra != nil && b.Extra.Evictions != nil }) {
			continue
		}
		body, _, _ := model.BodiesOf(p)
		var bodies []int32
		var keep []int
		for i := range p.Buffers {
			root := int32(i)
			if body != nil {
				root = body[i]
			}
			if !slices.Contains(bodies, root) && len(bodies) < 2 {
				bodies = append(bodies, root)
			}
			if slices.Contains(bodies, root) {
				keep = append(keep, i)
			}
		}
		p = model.Among(p, keep)
		best, _, decided := oracle.Ruled(p, 200_000)
		if !decided {
			continue
		}
		proof := Prove(p, asIs)
		if (proof != nil) != (best == nil) {
			t.Fatalf("proof %v, best %v\n%s", proof, best, drawn.DescribeRuled(p))
		}
		counts[proof != nil]++
	}
	if t.Log(counts); counts[true] < 300 || counts[false] < 300 {
		t.Errorf("the test is lopsided: %v", counts)
	}
}

// TestExact: beside bodies that are all fixed, the places of a body are those that the verifier accepts.
func TestExact(t *testing.T) {
	r := rand.New(rand.NewPCG(40, 12))
	places := map[bool]int{}
	for range plantest.Share(8_000, 1_500, 900) {
		p := drawn.Ruled(r)
		if slices.ContainsFunc(p.Buffers, func(b model.Buffer) bool { return b.Extra != nil && b.Extra.Evictions != nil }) {
			continue
		}
		_, plan, decided := oracle.Ruled(p, 20_000)
		if !decided || plan == nil {
			continue
		}
		body, at, _ := model.BodiesOf(p)
		of := func(i int) int32 {
			if body == nil {
				return int32(i)
			}
			return body[i]
		}
		free := of(r.IntN(len(p.Buffers)))
		q := *p
		q.Buffers = slices.Clone(p.Buffers)
		for i := range q.Buffers {
			if of(i) == free {
				continue
			}
			b := &q.Buffers[i]
			b.Fixed = &plan.Offsets[i]
			x := model.Extra{}
			if b.Extra != nil {
				x = *b.Extra
			}
			if plan.Pools != nil {
				x.Pools = []int32{plan.Pools[i]}
			}
			b.Extra = &x
		}
		s := Find(&q, model.NewConflicts(&q))
		if s.None() {
			t.Fatalf("%s\n%s", (&wording{s, asIs}).fault(), drawn.DescribeRuled(&q))
		}
		b := &s.bodies[s.index[free]]
		for pool := range int32(len(s.pools)) {
			if b.in[pool].open {
				continue
			}
			for origin := range s.pools[pool].Capacity + 8 {
				moved := model.Plan{Offsets: slices.Clone(plan.Offsets), Pools: slices.Clone(plan.Pools), Height: -1}
				for _, i := range b.members {
					if moved.Offsets[i] = origin; at != nil {
						moved.Offsets[i] += at[i]
					}
					if moved.Pools != nil {
						moved.Pools[i] = pool
					}
				}
				x := &b.in[pool]
				got := slices.ContainsFunc(x.spans, func(r span) bool {
					return r.first <= origin && origin <= r.last && x.grid.Down(origin) == origin
				})
				fault := verify.FirstOf(&q, &moved)
				if got != (fault == "") {
					t.Fatalf("body %d at %d of pool %d: %v, verifier %q\n%s", free, origin, pool, got, fault, drawn.DescribeRuled(&q))
				}
				places[got]++
			}
		}
	}
	if t.Log(places); places[true] < 1000 || places[false] < 1000 {
		t.Errorf("the test is lopsided: %v", places)
	}
}
