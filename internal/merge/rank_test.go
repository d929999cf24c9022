package merge

import (
	"math"
	"slices"
	"testing"

	"github.com/stowage-go/stowage/internal/run"
)

// rectangles returns a merger of roots a, b, c, … with the given sections and sizes. It merges
// in every way, without noise.
func rectangles(t *testing.T, sections int, roots ...composite) *merger {
	w := run.NewWatch(t.Context())
	t.Cleanup(w.Close)
	m := &merger{watch: w, unit: 1, stacking: 1, stacks: true, wheeling: true, most: math.MaxInt64}
	m.starts, m.ends = make([][]id, sections+1), make([][]id, sections+1)
	for _, c := range roots {
		c.align = 1
		m.all = append(m.all, c)
		m.addRoot(id(len(m.all) - 1))
	}
	return m
}

// order returns the pairs of roots that m offers, in the order in which it would merge them.
func order(m *merger) (pairs []string) {
	for _, p := range m.live {
		m.offerPairs(p)
	}
	for len(m.heap) > 0 {
		c := m.heap.pop()
		pair := string(rune('a'+min(c.p, c.q))) + string(rune('a'+max(c.p, c.q)))
		if !slices.Contains(pairs, pair) {
			pairs = append(pairs, pair)
		}
	}
	return pairs
}

// TestRankHalvesInTime holds the score of halves in time, ln size - ln (s × e): of three pairs
// of equal size that meet, the largest comes second, because two end and two start there.
func TestRankHalvesInTime(t *testing.T) {
	m := rectangles(
		t, 12,
		composite{first: 0, last: 1, size: 8}, composite{first: 1, last: 2, size: 8}, // ab: ln 8 - ln 1
		composite{first: 4, last: 6, size: 16}, composite{first: 6, last: 8, size: 16}, // cd: ln 16 - ln 4
		composite{first: 10, last: 11, size: 3}, composite{first: 11, last: 12, size: 3}, // ef: ln 3 - ln 1
		composite{first: 3, last: 6, size: 5}, composite{first: 6, last: 9, size: 7}, // end and start where c and d do
	)
	if got, want := order(m), []string{"ab", "cd", "ef"}; !slices.Equal(got, want) {
		t.Errorf("merged in the order %v, want %v", got, want)
	}
}

// TestRankHalvesInSpace holds the score of equal lifespans, ln (l + 1) - ln (s × e) / 2: of
// three pairs the longest comes first, and as long a one last, because others begin and end with it.
func TestRankHalvesInSpace(t *testing.T) {
	m := rectangles(
		t, 10,
		composite{first: 0, last: 3, size: 1}, composite{first: 0, last: 3, size: 2}, // ab: ln 4 - ln 4 / 2
		composite{first: 3, last: 4, size: 3}, composite{first: 3, last: 4, size: 4}, // cd: ln 2 - ln 4 / 2
		composite{first: 5, last: 8, size: 5}, composite{first: 5, last: 8, size: 6}, // ef: ln 4 - ln 25 / 2
		composite{first: 5, last: 6, size: 11}, composite{first: 5, last: 7, size: 12},
		composite{first: 5, last: 9, size: 13},
		composite{first: 6, last: 8, size: 14}, composite{first: 7, last: 8, size: 15},
		composite{first: 4, last: 8, size: 16},
	)
	if got, want := order(m), []string{"ab", "cd", "ef"}; !slices.Equal(got, want) {
		t.Errorf("merged in the order %v, want %v", got, want)
	}
}

// TestRankNoise has another order of merging for another seed, if there is noise, and the same order for the same seed.
func TestRankNoise(t *testing.T) {
	of := func(noise float64, seed uint64) []string {
		var halves []composite
		for k := range int32(6) {
			halves = append(halves, composite{first: 3 * k, last: 3*k + 1, size: 20 + int64(k)},
				composite{first: 3*k + 1, last: 3*k + 2, size: 20 + int64(k)})
		}
		m := rectangles(t, 18, halves...)
		m.noise, m.rng = noise, random(seed)
		return order(m)
	}
	if still := of(0, 1); !slices.Equal(still, of(0, 2)) || still[0] != "kl" {
		t.Errorf("without noise: %v, and %v by another seed", still, of(0, 2))
	}
	if noisy := of(2, 1); slices.Equal(noisy, of(2, 2)) || !slices.Equal(noisy, of(2, 1)) {
		t.Errorf("with noise: %v, %v again, and %v by another seed", noisy, of(2, 1), of(2, 2))
	}
}
