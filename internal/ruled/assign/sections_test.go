package assign

import (
	"testing"

	"github.com/stowage-go/stowage/model"
)

// TestCells: cells that are partly reserved do not count.
func TestCells(t *testing.T) {
	for from, want := range map[int64]int64{32: 3, 16: 3, 33: 4, 0: 3, 17: 4} {
		p := &model.Problem{Rules: &model.Rules{Pools: []model.Pool{
			{ID: "x", Capacity: 64, Alignment: 16, Reserved: []model.Range{{Lower: from, Upper: from + 16}}}, {ID: "y"},
		}}, Buffers: []model.Buffer{{ID: "0", Size: 1, Upper: 1}}}
		c, _ := choicesOf(p)
		if c.room[0][0] != want {
			t.Errorf("reserved from %d on: %d cells, want %d", from, c.room[0][0], want)
		}
	}
}
