package drawn

import (
	"fmt"
	"math/rand/v2"

	"github.com/stowage-go/stowage/model"
)

// textured returns a problem of a few textures, which share a pool of objects, and a few buffers in one or two other
// pools. Bank adds rules about the others. In its other problems most buffers may be textures, and few of them share
// an object that is larger than both.
func textured(r *rand.Rand) *model.Problem {
	p := &model.Problem{Rules: &model.Rules{Pools: []model.Pool{{ID: "a"}}}}
	rules := p.Rules
	if r.IntN(3) > 0 {
		rules.Pools = append(rules.Pools, model.Pool{ID: "b"})
	}
	plain, textures := int32(len(rules.Pools)), int32(len(rules.Pools))
	rules.Pools = append(rules.Pools, model.Pool{ID: "t", Objects: true, Alignment: []int64{0, 0, 4}[r.IntN(3)]})
	for k := range rules.Pools {
		if q := &rules.Pools[k]; r.IntN(2) == 0 {
			if q.Capacity = 4 + r.Int64N(6); q.Objects {
				q.Capacity = 10 + r.Int64N(25)
			}
		}
		rules.Pools[k].Cost = r.Int64N(2)
	}
	objectives := [][]model.Measure{
		nil, nil,
		{model.MeasureMaxHeight},
		{model.MeasureObjects, model.MeasureHeight},
		{model.HeightIn("t"), model.MeasurePeak},
		{model.MeasureCost, model.MeasureObjects},
	}
	rules.Objective = objectives[r.IntN(len(objectives))]
	dims := 2 + r.IntN(2)
	for k := range 2 + r.IntN(3) + 3 {
		lower := r.Int64N(5)
		b := model.Buffer{ID: fmt.Sprint(k), Lower: lower, Upper: lower + 1 + r.Int64N(4)}
		b.Extra = &model.Extra{}
		if k < 3 {
			b.Extra.Pools = []int32{textures}
			b.SetExtents(extents(r, dims))
		} else {
			b.Extra.Pools = []int32{int32(r.IntN(int(plain)))}
			if b.Size = 1 + r.Int64N(4); plain > 1 && r.IntN(4) == 0 {
				b.Extra.Pools = []int32{0, 1}
			}
		}
		p.Buffers = append(p.Buffers, b)
	}
	return p
}
