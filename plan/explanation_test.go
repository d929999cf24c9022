package plan

import (
	"fmt"
	"testing"

	"github.com/stowage-go/stowage/model"
)

func TestExplanationSaysSo(t *testing.T) {
	p := &model.Problem{Buffers: []model.Buffer{{ID: "a"}, {ID: "b"}, {ID: "c"}}}
	many := Explanation{Status: model.Infeasible, Capacity: 3, Load: 99, At: [2]int64{0, 1}}
	for i := range 25 {
		many.Buffers = append(many.Buffers, i)
	}
	for _, c := range []struct {
		x           Explanation
		names, bare string
	}{
		{Explanation{Status: model.Feasible, Capacity: 12}, "feasible: the buffers fit 12", "feasible: the buffers fit 12"},
		{Explanation{Status: model.Unknown, Capacity: 12}, "unknown: a limit came first, so it is not known whether the buffers fit 12", "unknown: a limit came first, so it is not known whether the buffers fit 12"},
		{Explanation{Status: model.Infeasible, Capacity: 12, Buffers: []int{1}, Irreducible: true}, "infeasible: buffer b alone cannot fit 12", "infeasible: buffer 1 alone cannot fit 12"},
		{
			Explanation{
				Status: model.Infeasible, Capacity: 12, Buffers: []int{0, 1, 2}, Irreducible: true, Load: 15, At: [2]int64{2, 3},
			},
			"infeasible: the buffers a, b and c cannot fit 12 together: they use up to 15 bytes at once, in [2, 3)",
			"infeasible: the buffers with the indices 0, 1 and 2 cannot fit 12 together: they use up to 15 bytes at once, in [2, 3)",
		},
		{
			Explanation{
				Status: model.Infeasible, Buffers: []int{0, 2}, Irreducible: true,
				Collision: &model.Collision{A: 0, B: 2, Lower: 1, Upper: 4, Start: 5, End: 9},
			},
			"infeasible: the buffers a and c have fixed offsets that collide: both use bytes [5, 9) at times [1, 4)",
			"infeasible: the buffers with the indices 0 and 2 have fixed offsets that collide: both use bytes [5, 9) at times [1, 4)",
		},
		{
			many,
			"infeasible: the buffers a, b, c, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19 and 5 more cannot fit 3 together: they use up to 99 bytes at once, in [0, 1); a limit came, so a part of them may already be too much",
			"infeasible: the buffers with the indices 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19 and 5 more cannot fit 3 together: they use up to 99 bytes at once, in [0, 1); a limit came, so a part of them may already be too much",
		},
	} {
		if got := c.x.Describe(p); got != c.names {
			t.Errorf("got  %s\nwant %s", got, c.names)
		}
		for _, got := range []string{fmt.Sprint(c.x), fmt.Sprintf("%+v", &c.x)} {
			if got != c.bare {
				t.Errorf("got  %s\nwant %s", got, c.bare)
			}
		}
	}
}
