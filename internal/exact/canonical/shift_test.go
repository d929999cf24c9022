package canonical

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/model"
)

// stairs returns n buffers whose windows climb, so that one lies under the overhang of another.
func stairs(seed uint64, n int) *model.Problem {
	r := rand.New(rand.NewPCG(seed, 11))
	p := &model.Problem{}
	for i := range n {
		b := model.Buffer{ID: string(rune('a' + i)), Lower: r.Int64N(5), Size: 8 + r.Int64N(3)}
		b.Upper = b.Lower + 6
		for at := range int64(6) {
			window := &model.Window{Lower: at, Upper: at + 1 + r.Int64N(3)}
			b.Gaps = append(b.Gaps, model.Gap{Lower: b.Lower + at, Upper: b.Lower + at + 1, Window: window})
		}
		p.Buffers = append(p.Buffers, b)
	}
	return p
}

// TestShiftsMakeDistancesPositive compares shifted distances with those of the timeline.
func TestShiftsMakeDistancesPositive(t *testing.T) {
	shifted := 0
	for seed := range uint64(100) {
		p := stairs(seed, 6)
		tl := timeline.New(p)
		k, _ := rootOf(p, 1000)
		if !k.Shifted {
			continue
		}
		shifted++
		for i := range k.n {
			for j := range k.n {
				d, meet := k.distance(i, j)
				if !meet || i == j {
					continue
				}
				bans := tl.Forbid(int(k.id[i]), int(k.id[j]))
				want := bans[len(bans)-1].Below
				if d <= 0 || d-k.of[i].shift+k.of[j].shift != want {
					t.Fatalf("seed %d: distance %d from %d to %d, unshifted %d", seed, d, i, j, want)
				}
			}
		}
	}
	if shifted < 30 {
		t.Error("only", shifted, "problems have shifts")
	}
}

// TestShiftsAreTruthful has problems whose windows interlock: with shifts the canonical search decides them alone.
func TestShiftsAreTruthful(t *testing.T) {
	shifted := func(seed uint64) *model.Problem {
		p := stairs(seed, 5)
		if k, _ := rootOf(p, 1000); !k.Shifted {
			return &model.Problem{} // the search over pairs decides it
		}
		return p
	}
	truthful(t, 300, shifted, "canonical", "dynamic-ordering", "suffix-bound", "shifts")
}

// TestShiftsAreNeverNegative holds the invariant that no piece starts under its buffer.
func TestShiftsAreNeverNegative(t *testing.T) {
	for seed := range uint64(100) {
		k, _ := rootOf(stairs(seed, 6), 1000)
		least := int64(math.MaxInt64)
		for j := range k.of {
			least = min(least, k.of[j].shift)
		}
		if least != 0 {
			t.Errorf("seed %d: the least shift is %d", seed, least)
		}
	}
}
