package verify

import "github.com/stowage-go/stowage/model"

// Idea: if a plan was valid, and only some of its buffers have changed or moved, then only these can be at
// fault. Each is compared with all others, piece by piece.
//
// Complexity: O(changed times n), and the pieces of buffers with gaps.

// FirstMoved is First for a plan in which only the given buffers may be at fault: the others are as in a plan that was
// valid for a capacity that was no larger.
func FirstMoved(p *model.Problem, offsets []int64, capacity int64, changed []int32) string {
	var c checker
	if c.count(p, offsets) {
		for _, i := range changed {
			one := model.Problem{Buffers: p.Buffers[i : i+1]}
			c.each(&one, offsets[i:i+1], capacity)
		}
	}
	if len(c.violations) > 0 {
		return c.violations[0].Message
	}
	for _, i := range changed {
		x := &p.Buffers[i]
		for j := range p.Buffers {
			y := &p.Buffers[j]
			if j == int(i) || y.Lower >= x.Upper || x.Lower >= y.Upper || offsets[j] >= offsets[i]+x.Size ||
				offsets[i] >= offsets[j]+y.Size {
				continue
			}
			pair := model.Problem{Buffers: []model.Buffer{*x, *y}}
			if message := First(&pair, []int64{offsets[i], offsets[j]}, 0, -1); message != "" {
				return message
			}
		}
	}
	return ""
}
