package banks

import (
	"fmt"
	"slices"

	"github.com/stowage-go/stowage/model"
)

// Idea: a border of a pool is a byte with a fixed offset, the first one above the border, in slots of its own. In each
// of these slots lives one more buffer: all bytes but the first of a buffer that may not straddle a border.
//
//	the byte and the rest share none    if and only if    offset >= border or offset + size <= border
//
// Invariant: in each slot is one such rest, so two buffers meet in none.
//
// Complexity: one slot for each buffer that may not straddle.

// borders adds the bytes and the rests.
func (x *search) borders(m *merged) {
	r := m.p.Rules
	at := int64(len(x.pools)) * m.turn
	lasting := func(b model.Buffer, lower, upper int64) model.Buffer {
		if b.Lower, b.Upper = lower, upper; r.Threads > 0 {
			b.SetClocks(slices.Repeat([]int64{lower}, r.Threads), slices.Repeat([]int64{upper}, r.Threads))
		}
		return b
	}
	for q := range x.pools {
		if len(x.pools[q].Borders) == 0 {
			continue
		}
		begin, pool := at, []int32{int32(m.group[q])}
		for i, of := range m.of {
			b := &x.P.Buffers[i]
			if of != int32(q) || b.Size < 2 || b.Extra != nil && b.Extra.Spans {
				continue
			}
			rest := []int32{int32(i), int32(len(m.p.Buffers))}
			r.Together = append(r.Together, model.Together{Buffers: rest, At: []int64{0, 1}})
			m.p.Buffers = append(m.p.Buffers, lasting(model.Buffer{
				ID: fmt.Sprintf("rest of %d", i), Size: b.Size - 1, Extra: &model.Extra{Pools: pool},
			}, at, at+1))
			at++
		}
		if at == begin {
			continue
		}
		for n, border := range x.pools[q].Borders {
			m.walls = append(m.walls, lasting(model.Buffer{
				ID: fmt.Sprintf("border %d of pool %d", n, q), Size: 1, Fixed: &border, Extra: &model.Extra{Pools: pool},
			}, begin, at))
			m.wallOf = append(m.wallOf, q)
		}
	}
}
