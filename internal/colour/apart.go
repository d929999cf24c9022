package colour

import (
	"cmp"
	"slices"
	"sort"

	"github.com/stowage-go/stowage/model"
)

// Idea: the hash of an ID picks its colour, so that a buffer keeps it from one plan to the next. If a neighbour already
// has that colour, the buffer takes the next free one.
//
// A sweep over time finds the neighbours: when a piece starts, those right below and above it, and those that end at
// that moment on its left. Of two that touch, the later one always sees the earlier one, so no pair is missed in a
// valid plan.
//
// Complexity: O(p log p) for p pieces, but for the moves within the ordered
// slice of live pieces, which are cheap up to tens of thousands live at once.
//
// Trials: docs/lab/pictures.md (colours by size melt runs of equal sizes into one block).

// maxNeighbours bounds the neighbours kept for a buffer. A plan that overlaps itself may have any number of them.
const maxNeighbours = 24

// mostApart is up to how many buffers neighbours are told apart. In a picture of more they are of a pixel or two each.
const mostApart = 100_000

// Apart returns an index into Palette for each buffer. Neighbours in the plan that the offsets give have different
// colours if there are enough of them; without offsets, and for very many buffers, the names alone decide.
func Apart(p *model.Problem, offsets []int64) []uint8 {
	out := make([]uint8, len(p.Buffers))
	for i := range out {
		h := uint32(2166136261) // FNV-1a
		for _, c := range []byte(p.Buffers[i].ID) {
			h = (h ^ uint32(c)) * 16777619
		}
		out[i] = uint8((h ^ h>>16) % uint32(len(Palette)))
	}
	if offsets == nil || len(p.Buffers) > mostApart {
		return out
	}
	assigned := make([]bool, len(p.Buffers))
	adjacent, order := neighbours(cut(p), offsets, len(p.Buffers))
	for _, i := range order {
		if assigned[i] {
			continue
		}
		want := uint32(out[i])
		var taken uint32
		for _, j := range adjacent[i] {
			if assigned[j] {
				taken |= 1 << out[j]
			}
		}
		for k := range uint32(len(Palette)) {
			if c := (want + k) % uint32(len(Palette)); taken>>c&1 == 0 {
				want = c
				break
			}
		}
		out[i], assigned[i] = uint8(want), true
	}
	return out
}

// A piece is a stretch of a buffer's life in which one range of its bytes is in use, the latter relative to its offset.
type piece struct {
	buffer       int32
	lower, upper int64
	from, to     int64
}

func cut(p *model.Problem) []piece {
	pieces := make([]piece, 0, len(p.Buffers))
	for i := range p.Buffers {
		for x := range p.Buffers[i].Pieces {
			pieces = append(pieces, piece{int32(i), x.Lower, x.Upper, x.From, x.To})
		}
	}
	return pieces
}

// neighbours returns who touches whom, and the buffers in the order in which
// they start, the lowest first; one with gaps may come more than once.
func neighbours(pieces []piece, offsets []int64, n int) (adjacent [][]int32, order []int32) {
	adjacent = make([][]int32, n)
	touch := func(a, b int32) {
		if a != b && len(adjacent[a]) < maxNeighbours && len(adjacent[b]) < maxNeighbours {
			adjacent[a] = append(adjacent[a], b)
			adjacent[b] = append(adjacent[b], a)
		}
	}
	base := func(k int32) int64 { return offsets[pieces[k].buffer] + pieces[k].from }
	above := func(a, b int32) bool {
		if x, y := base(a), base(b); x != y {
			return x > y
		}
		return a > b
	}
	starts, ends := byTime(pieces, base)

	var live []int32   // pieces in use now, in ascending offset
	var recent []int32 // pieces that end now, in ascending offset
	ended := 0
	for at, k := range starts {
		c := pieces[k]
		if at == 0 || pieces[starts[at-1]].lower != c.lower {
			recent = recent[:0]
			for ; ended < len(ends) && pieces[ends[ended]].upper <= c.lower; ended++ {
				e := ends[ended]
				if j := sort.Search(len(live), func(j int) bool { return !above(e, live[j]) }); j < len(live) && live[j] == e {
					live = slices.Delete(live, j, j+1)
				}
				if pieces[e].upper == c.lower {
					recent = append(recent, e)
				}
			}
		}
		from, to := base(k), base(k)+c.to-c.from
		j := sort.Search(len(recent), func(j int) bool { return base(recent[j]) >= from })
		for j = max(j-1, 0); j < len(recent) && base(recent[j]) < to; j++ {
			e := pieces[recent[j]]
			if offsets[e.buffer]+e.to > from {
				touch(c.buffer, e.buffer)
			}
		}
		j = sort.Search(len(live), func(j int) bool { return above(live[j], k) })
		if j > 0 {
			touch(c.buffer, pieces[live[j-1]].buffer)
		}
		if j < len(live) {
			touch(c.buffer, pieces[live[j]].buffer)
		}
		live = slices.Insert(live, j, k)
		order = append(order, c.buffer)
	}
	return adjacent, order
}

// byTime returns the pieces as they start and as they end, the lowest first.
func byTime(pieces []piece, base func(k int32) int64) (starts, ends []int32) {
	starts, ends = make([]int32, len(pieces)), make([]int32, len(pieces))
	for k := range pieces {
		starts[k], ends[k] = int32(k), int32(k)
	}
	arrange := func(order []int32, time func(piece) int64) {
		slices.SortFunc(order, func(a, b int32) int {
			return cmp.Or(
				cmp.Compare(time(pieces[a]), time(pieces[b])),
				cmp.Compare(base(a), base(b)),
				cmp.Compare(a, b))
		})
	}
	arrange(starts, func(c piece) int64 { return c.lower })
	arrange(ends, func(c piece) int64 { return c.upper })
	return starts, ends
}
