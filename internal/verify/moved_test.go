package verify

import (
	"math/rand/v2"
	"testing"

	"github.com/stowage-go/stowage/model"
)

// TestFirstMoved changes some buffers of valid plans. FirstMoved finds a fault where First does, and only there.
func TestFirstMoved(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	faults := 0
	const cases = 4000
	for range cases {
		p := &model.Problem{}
		var offsets []int64
		height := int64(0)
		for i := range 6 {
			b := model.Buffer{
				ID: string(rune('a' + i)), Lower: rng.Int64N(8), Size: 1 + rng.Int64N(4), Alignment: 1 + rng.Int64N(2),
			}
			b.Upper = b.Lower + 3 + rng.Int64N(4)
			if rng.IntN(3) == 0 {
				b.Gaps = []model.Gap{{Lower: b.Lower + 1, Upper: b.Lower + 2}}
				if rng.IntN(2) == 0 {
					b.Gaps[0].Window = &model.Window{Lower: 0, Upper: 1}
				}
			}
			height += height % b.Alignment
			p.Buffers, offsets = append(p.Buffers, b), append(offsets, height)
			height += b.Size
		}
		if fault := First(p, offsets, height, -1); fault != "" {
			t.Fatal(fault)
		}
		var changed []int32
		for range 1 + rng.IntN(2) {
			i := rng.IntN(6)
			changed = append(changed, int32(i))
			if offsets[i] = rng.Int64N(height+2) - 1; rng.IntN(3) == 0 {
				p.Buffers[i].Size += rng.Int64N(4)
			}
		}
		want, got := First(p, offsets, height, -1) != "", FirstMoved(p, offsets, height, changed) != ""
		if want != got {
			t.Fatalf("First finds a fault: %v, FirstMoved: %v\n%v\n%v", want, got, p.Buffers, offsets)
		}
		if want {
			faults++
		}
	}
	if faults < cases/10 || faults > cases*9/10 {
		t.Errorf("%d of %d plans had faults", faults, cases)
	}
	if FirstMoved(&model.Problem{}, []int64{1}, 0, nil) == "" {
		t.Error("a plan with too many offsets")
	}
}
