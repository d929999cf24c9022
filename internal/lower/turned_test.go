package lower

import (
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/stowage-go/stowage/model"
)

// TestTurned: two buffers meet in the turned problem if and only if they meet in the one with a period. Some problem
// is cut where nothing crosses.
func TestTurned(t *testing.T) {
	clean := 0
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 3))
		period := 2 + r.Int64N(9)
		p := &model.Problem{Name: "x", Capacity: 9, Rules: &model.Rules{Period: period}}
		for i := range 2 + r.IntN(6) {
			at := r.Int64N(period)
			p.Buffers = append(p.Buffers,
				model.Buffer{ID: strconv.Itoa(i), Lower: at, Upper: at + 1 + r.Int64N(period), Size: 1 + r.Int64N(5)})
		}
		q := Turned(p)
		if err := model.Validate(q); err != nil || q.Ruled() || q.Name != "x" || q.Capacity != 9 {
			t.Fatalf("seed %d: %v", seed, err)
		}
		gaps := false
		for i := range p.Buffers {
			gaps = gaps || len(q.Buffers[i].Gaps) > 0 || q.Buffers[i].Upper-q.Buffers[i].Lower == period
			for j := range i {
				if want, got := meet(p, i, j, period), meet(q, i, j, 0); want != got {
					t.Fatalf("seed %d: buffers %d and %d meet is %t, want %t", seed, i, j, got, want)
				}
			}
		}
		if !gaps {
			clean++
		}
	}
	if clean < 20 {
		t.Errorf("%d problems have no gap", clean)
	}
}

// meet reports whether two buffers are live in one slot, slot by slot.
func meet(p *model.Problem, i, j int, period int64) bool {
	slots := func(b *model.Buffer) map[int64]bool {
		all := map[int64]bool{}
		for x := range b.Pieces {
			for s := x.Lower; s < x.Upper; s++ {
				if period > 0 {
					all[s%period] = true
				} else {
					all[s] = true
				}
			}
		}
		return all
	}
	a, b := slots(&p.Buffers[i]), slots(&p.Buffers[j])
	for s := range a {
		if b[s] {
			return true
		}
	}
	return false
}
