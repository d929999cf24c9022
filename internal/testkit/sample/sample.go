// Package sample makes problems and plans for the tests of the pictures, so that these depend on no planner.
package sample

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"strconv"

	"github.com/stowage-go/stowage/internal/gen"
	"github.com/stowage-go/stowage/model"
)

// Paper returns the running example of the MiniMalloc paper. Its lowest plan, at 8, 8, 4, 4, 0, has height 12.
func Paper() *model.Problem {
	p := gen.MiniMalloc()
	p.Name = "running example"
	return p
}

// Gapped returns a problem with gaps, windows, alignments and a fixed offset.
func Gapped() *model.Problem {
	at := int64(96 << 10)
	return &model.Problem{Name: "gaps and windows", Capacity: 256 << 10, Buffers: []model.Buffer{
		{ID: "weights", Lower: 0, Upper: 40, Size: 64 << 10, Alignment: 64},
		{ID: "stem/conv", Lower: 0, Upper: 18, Size: 96 << 10, Alignment: 1024, Gaps: []model.Gap{{Lower: 6, Upper: 12}}},
		{ID: "kv cache", Lower: 4, Upper: 36, Size: 80 << 10, Gaps: []model.Gap{
			{Lower: 12, Upper: 20, Window: &model.Window{Lower: 0, Upper: 32 << 10}},
			{Lower: 24, Upper: 28},
		}},
		{ID: "logits", Lower: 20, Upper: 40, Size: 48 << 10, Fixed: &at},
		{ID: "scratch", Lower: 6, Upper: 12, Size: 40 << 10},
		{ID: "tiny", Lower: 30, Upper: 31, Size: 256},
	}}
}

// Random returns n buffers with sizes from 64 bytes up, a few long-lived and
// most short, in the manner of a network's activations.
func Random(n int, seed uint64) *model.Problem {
	r := rand.New(rand.NewPCG(seed, 0))
	p := &model.Problem{Name: "random " + strconv.Itoa(n)}
	for i := range n {
		life := 1 + r.Int64N(1+int64(n)/8)
		if r.IntN(4) > 0 {
			life = 1 + r.Int64N(12)
		}
		lower := r.Int64N(int64(n))
		p.Buffers = append(p.Buffers, model.Buffer{
			ID: "t" + strconv.Itoa(i), Lower: lower, Upper: lower + life,
			Size: 64 << r.IntN(11) * (1 + r.Int64N(3)),
		})
	}
	return p
}

// FirstFit places the buffers by decreasing size, each as low as those already placed allow. It takes gaps and windows
// for full use and heeds alignments and fixed offsets.
func FirstFit(p *model.Problem) []int64 {
	offsets := make([]int64, len(p.Buffers))
	order := make([]int, len(p.Buffers))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		x, y := &p.Buffers[a], &p.Buffers[b]
		if (x.Fixed != nil) != (y.Fixed != nil) {
			if x.Fixed != nil {
				return -1
			}
			return 1
		}
		return cmp.Compare(y.Size, x.Size)
	})
	var placed []int // in ascending offset
	for _, i := range order {
		b := &p.Buffers[i]
		var at int64
		if b.Fixed != nil {
			at = *b.Fixed
		} else {
			for _, j := range placed {
				c := &p.Buffers[j]
				if c.Upper <= b.Lower || b.Upper <= c.Lower || offsets[j]+c.Size <= at {
					continue
				}
				if offsets[j] >= at+b.Size {
					break
				}
				at = (offsets[j] + c.Size + b.Align() - 1) / b.Align() * b.Align()
			}
		}
		offsets[i] = at
		k, _ := slices.BinarySearchFunc(placed, at, func(j int, at int64) int { return cmp.Compare(offsets[j], at) })
		placed = slices.Insert(placed, k, i)
	}
	return offsets
}
