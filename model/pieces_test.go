package model_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/drawn"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/oracle"
	"github.com/stowage-go/stowage/model"
)

// TestPieces compares the pieces of a buffer with what it uses slot by slot.
func TestPieces(t *testing.T) {
	var cut, windows int
	for seed := range uint64(3000) {
		p := drawn.Tiny(seed)
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
				if from, to := oracle.Used(b, at); got != [2]int64{from, to} {
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

// TestPiecesTable reads the table of buffers and their pieces. The viewer cuts buffers in
// JavaScript, and the picture of a notebook in Python; their tests read the same table.
func TestPiecesTable(t *testing.T) {
	text := must.Get(os.ReadFile(filepath.Join("testdata", "pieces.json")))(t)
	var cases []struct {
		What               string
		Lower, Upper, Size int64
		Gaps, Pieces       [][]int64
	}
	if err := json.Unmarshal(text, &cases); err != nil || len(cases) < 10 {
		t.Fatal(len(cases), err)
	}
	for _, c := range cases {
		b := model.Buffer{ID: "b", Lower: c.Lower, Upper: c.Upper, Size: c.Size}
		for _, g := range c.Gaps {
			gap := model.Gap{Lower: g[0], Upper: g[1]}
			if len(g) == 4 {
				gap.Window = &model.Window{Lower: g[2], Upper: g[3]}
			}
			b.Gaps = append(b.Gaps, gap)
		}
		if err := model.Validate(&model.Problem{Buffers: []model.Buffer{b}}); err != nil {
			t.Errorf("%s: %v", c.What, err)
		}
		var got [][]int64
		for x := range b.Pieces {
			got = append(got, []int64{x.Lower, x.Upper, x.From, x.To})
		}
		if !slices.EqualFunc(got, c.Pieces, slices.Equal) {
			t.Errorf("%s: %v, want %v", c.What, got, c.Pieces)
		}
	}
}
