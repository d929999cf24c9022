package canonical

import (
	"slices"
	"testing"

	"github.com/stowage-go/stowage/internal/timeline"
)

// TestNearbyIsWhatSharesASection compares nearby with a scan of all pieces while buffers are placed, with the table
// of members and without.
func TestNearbyIsWhatSharesASection(t *testing.T) {
	compared := 0
	for seed := range uint64(60) {
		p := tapered(seed, 10)
		if len(timeline.New(p).Partitions) > 1 {
			continue
		}
		for _, table := range []bool{true, false} {
			k, _ := rootOf(p, 1000)
			if !table {
				k.members.list = nil
			}
			for j := range k.n {
				for x := range Piece(len(k.span)) {
					var want []Piece
					for y := range Piece(len(k.span)) {
						a, b := &k.span[x], &k.span[y]
						if x != y && !k.placed(k.owner[y]) && a.first < b.last && b.first < a.last {
							want = append(want, y)
						}
					}
					got := slices.Clone(k.nearby(x))
					slices.Sort(got)
					if !slices.Equal(got, want) {
						t.Fatalf("seed %d: pieces %v are near %d, want %v", seed, got, x, want)
					}
					compared += len(want)
				}
				k.place((j*7 + 3) % k.n)
			}
		}
	}
	if compared < 1000 {
		t.Error("only", compared, "pieces were near another")
	}
}
