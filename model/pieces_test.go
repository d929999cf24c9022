package model_test

import (
	"testing"

	"github.com/stowage-go/stowage/internal/suite"
	"github.com/stowage-go/stowage/model"
)

// TestPieces holds the pieces of a buffer against what it uses slot by slot.
func TestPieces(t *testing.T) {
	var cut, windows int
	for seed := range uint64(3000) {
		p := suite.Tiny(seed)
		for i := range p.Buffers {
			b := &p.Buffers[i]
			var all []model.Piece
			last := b.Lower
			for x := range b.Pieces {
				if x.Lower < last || x.Lower >= x.Upper || x.Upper > b.Upper || x.From >= x.To {
					t.Fatalf("seed %d: %s: piece %+v after %d", seed, b.ID, x, last)
				}
				last = x.Upper
				all = append(all, x)
			}
			for at := b.Lower - 1; at <= b.Upper; at++ {
				var got [2]int64
				for _, x := range all {
					if x.Lower <= at && at < x.Upper {
						got = [2]int64{x.From, x.To}
					}
				}
				if from, to := suite.Used(b, at); got != [2]int64{from, to} {
					t.Fatalf("seed %d: %s at %d: %v, want [%d %d]", seed, b.ID, at, got, from, to)
				}
			}
			if len(all) > 1 {
				cut++
			}
			for range b.Pieces {
				break // takes no more
			}
			has := false
			for _, g := range b.Gaps {
				has = has || g.Window != nil
			}
			if b.HasWindow() != has {
				t.Fatalf("seed %d: %s: HasWindow is %v", seed, b.ID, !has)
			}
			if has {
				windows++
			}
		}
	}
	if cut < 500 || windows < 200 {
		t.Errorf("%d buffers in pieces, %d with windows: too few to show anything", cut, windows)
	}
}
