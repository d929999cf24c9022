package greedy

import (
	"math/rand/v2"
	"testing"

	"github.com/stowage-go/stowage/internal/place"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/internal/verify"
	"github.com/stowage-go/stowage/model"
)

// dense draws buffers that keep a memory of so many bytes nearly full for some time.
func dense(seed uint64, n int, memory int64, alignment int64) *model.Problem {
	r := rand.New(rand.NewPCG(seed, 77))
	p := &model.Problem{}
	var live []model.Buffer
	for now := int64(0); len(p.Buffers) < n; now++ {
		used, kept := int64(0), live[:0]
		for _, b := range live {
			if b.Upper > now {
				used, kept = used+b.Size, append(kept, b)
			}
		}
		for live = kept; len(p.Buffers) < n; {
			b := model.Buffer{Lower: now, Upper: now + 1 + int64(40*r.ExpFloat64()), Size: 1 + r.Int64N(1024), Alignment: alignment}
			if used+b.Size > memory {
				break
			}
			used += b.Size
			p.Buffers, live = append(p.Buffers, b), append(live, b)
		}
	}
	return p
}

// words are the orders of the two ways through time.
var words = [...]string{"bEZ", "EbZ"}

// TestMatedRow: the addresses of the row are a plan, forward and back in time, aligned or not.
func TestMatedRow(t *testing.T) {
	for seed := range uint64(20) {
		for _, alignment := range []int64{0, 1, 64} {
			p := dense(seed, 200+int(seed)*40, 1<<(11+seed%5), alignment)
			tl := timeline.New(p)
			for _, word := range words {
				offsets := mated(nil, tl, word)
				if offsets == nil {
					t.Fatalf("seed %d, %s: no plan", seed, word)
				}
				if fault := verify.First(p, offsets, model.HeightOf(p, offsets), -1); fault != "" {
					t.Fatalf("seed %d, alignment %d, %s: %s", seed, alignment, word, fault)
				}
			}
		}
	}
}

// TestMatedTake: a buffer takes the end of the chunk whose neighbour ends with it, and a chunk that need not grow.
func TestMatedTake(t *testing.T) {
	// In a row: an end of 10, free of 100, an end of 20, free of 30, an end of 70.
	row := func() *matedRow {
		r := &matedRow{grownRow: grownRow{tail: -1}, tick: 1, byte: 50}
		var of []int32
		for _, c := range []struct{ size, to int64 }{{5, 10}, {100, 0}, {5, 20}, {30, 0}, {5, 70}} {
			of = append(of, r.take(c.size, c.to))
		}
		r.release(of[1])
		r.release(of[3])
		return r
	}
	for _, c := range []struct {
		size, to    int64
		left, right int64 // when the neighbours end, 0 for free memory
	}{
		{25, 11, 10, 0},
		{25, 19, 20, 0}, // beside it the smaller chunk
		{40, 19, 0, 20}, // at the upper end of the larger one
		{25, 66, 0, 70},
		{30, 45, 20, 70},  // as well beside both
		{90, 69, 0, 20},   // the second chunk would have to grow by 60
		{101, 12, 10, 20}, // the first one grows by 1
	} {
		r := row()
		k := r.take(c.size, c.to)
		end := func(k int32) int64 {
			if k < 0 || !r.chunks[k].used {
				return 0
			}
			return r.end[k]
		}
		x := r.chunks[k]
		if left, right := end(x.left), end(x.right); x.size != c.size || left != c.left || right != c.right {
			t.Errorf("%d bytes until %d: %d bytes between ends %d and %d, want %d and %d",
				c.size, c.to, x.size, left, right, c.left, c.right)
		}
	}
}

// TestMatedLowers: in dense memories plans end well below those of chunks that are taken by their sizes.
func TestMatedLowers(t *testing.T) {
	sums := map[string]int64{}
	for seed := range uint64(6) {
		p := dense(seed, 3000, 1<<16, 0)
		tl := timeline.New(p)
		sums["load"] += tl.LowerBound
		for name, offsets := range map[string][]int64{
			"mated": mated(nil, tl, "bEZ"), "back": mated(nil, tl, "EbZ"), "grown": deferred(nil, tl, "bEZ"),
		} {
			plan, _ := place.Place(nil, tl, ByOffset(offsets), place.FirstFit)
			sums[name] += model.HeightOf(p, plan)
		}
	}
	t.Log(sums)
	for _, name := range []string{"mated", "back"} {
		if gap, grown := sums[name]-sums["load"], sums["grown"]-sums["load"]; gap > grown*3/4 {
			t.Errorf("%s: %d bytes above the load, grown %d", name, gap, grown)
		}
	}
}

// TestMatedLooks: a plan that would take too many looks is given up.
func TestMatedLooks(t *testing.T) {
	r := &matedRow{looks: mostLooks}
	r.free = make([]int32, 1)
	r.chunks = make([]grownChunk, 1)
	r.chunks[0] = grownChunk{size: 8, left: -1, right: -1}
	if r.take(4, 1); r.looks <= mostLooks {
		t.Errorf("%d looks", r.looks)
	}
}
