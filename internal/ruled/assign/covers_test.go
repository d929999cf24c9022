package assign

import (
	"math/rand/v2"
	"testing"
)

// TestCovers: no set that fits weighs more than an inequality allows, and some set weighs as much. Most inequalities
// are against what they were looked for, and each weight is as large as it can be beside the others.
func TestCovers(t *testing.T) {
	r := rand.New(rand.NewPCG(27, 2))
	found, heavy, whole, full := 0, 0, 0, 0
	for range 5_000 {
		cells, x, sum := make([]int64, 2+r.IntN(9)), make([]float64, 11), int64(0)
		for k := range cells {
			cells[k] = 1 + r.Int64N(9)
			if r.IntN(4) == 0 {
				cells[k] += 15 // as large as several others
			}
			sum += cells[k]
			switch r.IntN(3) {
			case 0:
				x[k] = 1
			case 1:
				x[k] = r.Float64()
			}
		}
		x = x[:len(cells)]
		room := 1 + r.Int64N(sum)
		weights, most, ok := coverOf(cells, x, room, r.Perm(len(cells)))
		if !ok {
			continue
		}
		found++
		heaviest, raised := int64(0), make([]int64, len(cells)) // of each body, the most weight of a set with it
		for set := range 1 << len(cells) {
			if sumOf(cells, set) > room {
				continue
			}
			w := sumOf(weights, set)
			if w > most {
				t.Fatalf("%v fit into %d: %v weighs %d, more than %d", cells, room, weights, w, most)
			}
			heaviest = max(heaviest, w)
			for k := range cells {
				if set>>k&1 == 1 {
					raised[k] = max(raised[k], w)
				}
			}
		}
		if heaviest < most {
			t.Fatalf("%v fit into %d: %v weigh at most %d, not %d", cells, room, weights, heaviest, most)
		}
		could := true
		for k, w := range weights {
			if w > 1 {
				heavy++
			}
			if x[k] == 1 && w > 0 {
				whole++
			}
			could = could && (cells[k] > room || raised[k] == most)
		}
		if could {
			full++
		}
	}
	t.Log(found, "covers", heavy, "weights above 1", whole, "of whole bodies", full, "full")
	if found < 1_500 || heavy < 25 || whole < 1_000 || full < found {
		t.Errorf("%d covers, %d weights above 1, %d of whole bodies, %d full", found, heavy, whole, full)
	}
}
