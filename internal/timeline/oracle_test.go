package timeline

import (
	"math/rand/v2"
	"slices"
	"strconv"

	"github.com/stowage-go/stowage/internal/testkit/oracle"
	"github.com/stowage-go/stowage/model"
)

// Idea: the oracle of these tests knows nothing of sweeps. It asks, slot by slot, which bytes each buffer uses, and
// derives everything else from the answers by comparing all with all. It is right by inspection and slow, which is why
// its problems are short: times in [0, slots).

// slots is the number of time slots of the problems that random makes.
const slots = 14

// maxSize is their largest size; differences of offsets beyond it do not matter.
const maxSize = 9

// piece is a stretch of slots in which a buffer uses one window.
type piece struct {
	buffer       int
	lower, upper int64 // slots
	from, to     int64 // window
}

// grid holds what each buffer uses in each slot; an empty window is none.
type grid [][slots][2]int64

func (g grid) uses(i, t int) bool { return g[i][t][0] < g[i][t][1] }

// paint asks each slot of each buffer.
func paint(p *model.Problem) grid {
	g := make(grid, len(p.Buffers))
	for i, b := range p.Buffers {
		for t := b.Lower; t < b.Upper; t++ {
			from, to := oracle.Used(&b, t)
			g[i][t] = [2]int64{from, to}
		}
	}
	return g
}

// pieces returns the longest stretches of slots with one window.
func (g grid) pieces() []piece {
	var all []piece
	for i := range g {
		for t := 0; t < slots; t++ {
			if !g.uses(i, t) {
				continue
			}
			from := t
			for t+1 < slots && g[i][t+1] == g[i][from] {
				t++
			}
			all = append(all, piece{i, int64(from), int64(t + 1), g[i][from][0], g[i][from][1]})
		}
	}
	return all
}

// section is a maximal set of pieces that share a slot, and the slots that they share.
type section struct {
	pieces       []piece
	lower, upper int64
}

// sections compares the sets of all slots with each other and keeps those that no other contains.
func (g grid) sections() []section {
	all := g.pieces()
	at := func(t int64) []piece {
		return slices.DeleteFunc(slices.Clone(all), func(p piece) bool { return t < p.lower || p.upper <= t })
	}
	within := func(a, b []piece) bool {
		return !slices.ContainsFunc(a, func(p piece) bool { return !slices.Contains(b, p) })
	}
	var sections []section
	for t := range int64(slots) {
		set := at(t)
		maximal := len(set) > 0
		for u := range int64(slots) {
			if other := at(u); len(other) > len(set) && within(set, other) {
				maximal = false
			}
		}
		if !maximal {
			continue
		}
		if k := len(sections) - 1; k >= 0 && slices.Equal(sections[k].pieces, set) {
			sections[k].upper = t + 1
		} else {
			sections = append(sections, section{set, t, t + 1})
		}
	}
	return sections
}

// load returns the space in use in a slot.
func (g grid) load(t int) int64 {
	var sum int64
	for i := range g {
		sum += g[i][t][1] - g[i][t][0]
	}
	return sum
}

// overlap reports whether two buffers are ever active at once.
func (g grid) overlap(i, j int) bool {
	for t := range slots {
		if g.uses(i, t) && g.uses(j, t) {
			return true
		}
	}
	return false
}

// clash reports whether two buffers use the same byte at once where j is d above i.
func (g grid) clash(i, j int, d int64) bool {
	for t := range slots {
		a, b := g[i][t], g[j][t]
		if g.uses(i, t) && g.uses(j, t) && a[0] < b[1]+d && b[0]+d < a[1] {
			return true
		}
	}
	return false
}

// partitions returns the buffers that are ever active, in groups: those whose
// stretches from first to last active slot touch, directly or through others.
func (g grid) partitions() [][]int {
	group := make([]int, len(g))
	reach := make([][2]int, len(g))
	for i := range g {
		group[i], reach[i] = i, [2]int{slots, 0}
		for t := range slots {
			if g.uses(i, t) {
				reach[i] = [2]int{min(reach[i][0], t), t + 1}
			}
		}
	}
	for again := true; again; {
		again = false
		for i := range g {
			for j := range g {
				if reach[i][0] < reach[j][1] && reach[j][0] < reach[i][1] && group[i] > group[j] {
					group[i], again = group[j], true
				}
			}
		}
	}
	var parts [][]int
	for k := range g {
		var part []int
		for i := range g {
			if group[i] == k && reach[i][1] > 0 {
				part = append(part, i)
			}
		}
		if part != nil {
			parts = append(parts, part)
		}
	}
	slices.SortFunc(parts, func(a, b []int) int { return reach[a[0]][0] - reach[b[0]][0] })
	return parts
}

// random returns up to 7 buffers with gaps that may touch one another, the ends
// of the lifespan, or cover it, and windows that may be the whole buffer.
func random(r *rand.Rand) *model.Problem {
	p := &model.Problem{}
	gapped := r.IntN(4) > 0
	for i := range r.IntN(8) {
		b := model.Buffer{ID: "b" + strconv.Itoa(i), Lower: r.Int64N(slots), Size: 1 + r.Int64N(maxSize)}
		b.Upper = b.Lower + 1 + r.Int64N(min(slots-b.Lower, 8))
		if gapped && r.IntN(2) == 0 {
			for at := b.Lower + r.Int64N(3); at < b.Upper; {
				g := model.Gap{Lower: at, Upper: min(b.Upper, at+1+r.Int64N(4))}
				if r.IntN(2) == 0 {
					g.Window = &model.Window{Lower: r.Int64N(b.Size)}
					g.Window.Upper = g.Window.Lower + 1 + r.Int64N(b.Size-g.Window.Lower)
					if r.IntN(2) == 0 {
						g.Window.Upper = g.Window.Lower + 1 // leaves room on both sides
					}
				}
				b.Gaps = append(b.Gaps, g)
				at = g.Upper + r.Int64N(3)
			}
		}
		p.Buffers = append(p.Buffers, b)
	}
	return p
}

// interlocking returns a few long-lived buffers that mostly use a few bytes of
// themselves, so that each can lie in the others' gaps, at several distances.
func interlocking(r *rand.Rand) *model.Problem {
	p := &model.Problem{}
	for i := range 2 + r.IntN(3) {
		b := model.Buffer{
			ID: "b" + strconv.Itoa(i), Lower: r.Int64N(3), Upper: slots - r.Int64N(3), Size: 1 + r.Int64N(maxSize),
		}
		for at := b.Lower; at < b.Upper; {
			g := model.Gap{Lower: at, Upper: min(b.Upper, at+1+r.Int64N(4))}
			from := r.Int64N(b.Size)
			g.Window = &model.Window{Lower: from, Upper: from + 1 + r.Int64N(min(b.Size-from, 3))}
			b.Gaps = append(b.Gaps, g)
			at = g.Upper + r.Int64N(10)/9
		}
		p.Buffers = append(p.Buffers, b)
	}
	return p
}
