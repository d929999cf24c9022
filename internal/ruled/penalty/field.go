// Package penalty lowers the penalties that a plan of one pool pays, and bounds what any plan pays. It asks no planner:
// it gets a plan that fits, and chooses offsets itself.
//
//	field.go     the pool as arrays: where a body may lie, what conflicts forbid, what pairs cost
//	ruin.go      a plan that pays less, from a given one, by ruin and recreate
//	cliques.go   a bound, from sets in which each pair conflicts or has a penalty
//	slots.go     the optimum of few bodies on a coarse grid, by branch and bound
package penalty

import (
	"cmp"
	"slices"

	"github.com/stowage-go/stowage/internal/bound"
	"github.com/stowage-go/stowage/internal/lower"
	"github.com/stowage-go/stowage/internal/sorting"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/model"
)

// Idea: the searches for a small penalty (ruin.go, slots.go) need the same few facts at each step. A field has these
// facts as arrays, made once for a pool:
//
//	free     where a body may lie for itself: within the capacity, at its fixed offset, beside reserved ranges
//	hard     which differences of offsets a conflict forbids
//	soft     which differences of offsets cost a penalty
//
// A difference is offset of the body - offset of the other. Both lists have each pair twice, once for each body.
//
//	hard     differences with below < difference < above are forbidden
//	soft     differences with below < difference < above cost the penalty
//
// Invariant: offsets are a valid plan of the strip within the capacity if and only if they are in free, aligned, and
// without a forbidden difference. The costs of the differences add up to the plan's penalty.
//
// Complexity: O(n² · spans) once at most; the lists take the space of the pairs in them. With more than mostTies there
// is no field.

// mostTies is the most ties of a field: 96 MB.
const mostTies = 4_000_000

// A Field is a pool as arrays by body.
type Field struct {
	n      int
	space  int64 // bytes that bodies may use, reserved ranges aside
	size   []int64
	plain  []bool // the body is one buffer with no padding, so it meets no reserved range
	align  []int64
	freeAt []int32 // rooms of body i are free[freeAt[i]:freeAt[i+1]]
	free   []room
	hardAt []int32
	hard   []tie
	softAt []int32
	soft   []toll
}

// A room is a range of offsets, both ends included.
type room struct{ low, high int64 }

// A tie is a range of differences to another body, both ends excluded.
type tie struct {
	to           int32
	below, above int64
}

// A toll is a range of differences that costs a penalty.
type toll struct {
	tie
	cost int64
}

// New makes the field of a strip of p, or returns nil if the field would be too large. A capacity of 0 means no limit.
// All penalties are between members of the strip.
func New(st *lower.Strip, capacity int64, p *model.Problem, penalties []model.Penalty) *Field {
	n := len(st.Problem.Buffers)
	f := &Field{n: n, size: make([]int64, n), plain: make([]bool, n), align: make([]int64, n)}
	if capacity == 0 {
		capacity = roomy(st)
	}
	f.addRooms(st, capacity, p)
	if !f.addTies(st) {
		return nil
	}
	f.addTolls(st, p, penalties)
	return f
}

// addRooms fills space, free, and the facts about single bodies.
func (f *Field) addRooms(st *lower.Strip, capacity int64, p *model.Problem) {
	f.space = capacity
	for _, x := range st.Reserved {
		f.space -= max(0, min(x.Upper, capacity)-x.Lower)
	}
	members := make([][]int32, f.n) // indices in st.Members
	for k := range st.Members {
		members[st.Body[k]] = append(members[st.Body[k]], int32(k))
	}
	for i := range f.n {
		b := &st.Problem.Buffers[i]
		f.size[i], f.align[i] = b.Size, b.Align()
		f.plain[i] = len(members[i]) == 1 && p.Buffers[st.Members[members[i][0]]].Size == b.Size
		f.freeAt = append(f.freeAt, int32(len(f.free)))
		all := []room{{0, capacity - b.Size}}
		if b.Fixed != nil {
			all[0] = room{*b.Fixed, min(*b.Fixed, capacity-b.Size)}
		}
		if all[0].high < all[0].low {
			all = nil
		}
		for _, k := range members[i] {
			size := p.Buffers[st.Members[k]].Size
			for _, x := range st.Reserved {
				all = cut(all, x.Lower-st.At[k]-size, x.Upper-st.At[k], f.align[i])
			}
		}
		f.free = append(f.free, all...)
	}
	f.freeAt = append(f.freeAt, int32(len(f.free)))
}

// addTies fills hard. It returns false if there are too many.
func (f *Field) addTies(st *lower.Strip) bool {
	tl := timeline.New(st.Problem)
	var near []int32
	for i := range f.n {
		f.hardAt = append(f.hardAt, int32(len(f.hard)))
		near = tl.AppendConflicts(near[:0], i)
		slices.Sort(near)
		for _, j := range near {
			for _, x := range tl.Forbid(int(j), i) {
				f.hard = append(f.hard, tie{j, x.Above, x.Below})
			}
		}
		if len(f.hard) > mostTies {
			return false
		}
		// The widest come first: they leave few gaps for the others.
		sorting.Structs(f.hard[f.hardAt[i]:],
			func(x, y tie) int { return cmp.Compare(y.above-y.below, x.above-x.below) })
	}
	f.hardAt = append(f.hardAt, int32(len(f.hard)))
	return true
}

// addTolls fills soft.
func (f *Field) addTolls(st *lower.Strip, p *model.Problem, penalties []model.Penalty) {
	place := make(map[int32]int32, len(st.Members))
	for k, i := range st.Members {
		place[i] = int32(k)
	}
	soft := make([][]toll, f.n)
	for _, x := range penalties {
		a, b := place[x.Buffers[0]], place[x.Buffers[1]]
		i, j := st.Body[a], st.Body[b]
		// a and b share bytes if offset(i) + At(a) < offset(j) + At(b) + size(b), and the other way round.
		below := st.At[b] - st.At[a] - p.Buffers[x.Buffers[0]].Size
		above := st.At[b] - st.At[a] + p.Buffers[x.Buffers[1]].Size
		soft[i] = append(soft[i], toll{tie{j, below, above}, x.Cost})
		soft[j] = append(soft[j], toll{tie{i, -above, -below}, x.Cost})
	}
	for i := range f.n {
		f.softAt = append(f.softAt, int32(len(f.soft)))
		f.soft = append(f.soft, soft[i]...)
	}
	f.softAt = append(f.softAt, int32(len(f.soft)))
}

// roomy returns a capacity with room for all bodies one above the other, above all reserved ranges and fixed offsets.
func roomy(st *lower.Strip) int64 {
	base, sum := int64(0), int64(0)
	for _, r := range st.Reserved {
		base = max(base, r.Upper)
	}
	for i := range st.Problem.Buffers {
		b := &st.Problem.Buffers[i]
		sum += b.Size + b.Align()
		if b.Fixed != nil {
			base = max(base, *b.Fixed+b.Size)
		}
	}
	return base + sum
}

// cut removes the offsets between below and above, both excluded, from rooms. The low ends of the rooms are aligned
// before and after.
func cut(of []room, below, above, align int64) []room {
	for k := 0; k < len(of); k++ {
		x := of[k]
		if x.high <= below || x.low >= above {
			continue
		}
		next := bound.Up(above, align)
		switch {
		case x.low <= below && x.high >= next:
			of[k].high = below
			of = append(of, room{next, x.high})
		case x.low <= below:
			of[k].high = below
		case x.high >= next:
			of[k].low = next
		default:
			last := len(of) - 1
			of[k] = of[last]
			of = of[:last]
			k--
		}
	}
	return of
}

// softOf returns the tolls of a body.
func (f *Field) softOf(i int32) []toll { return f.soft[f.softAt[i]:f.softAt[i+1]] }

// hardOf returns the ties of a body.
func (f *Field) hardOf(i int32) []tie { return f.hard[f.hardAt[i]:f.hardAt[i+1]] }

// roomsOf returns where a body alone may lie.
func (f *Field) roomsOf(i int32) []room { return f.free[f.freeAt[i]:f.freeAt[i+1]] }

// Bodies returns the number of bodies.
func (f *Field) Bodies() int { return f.n }

// Paid returns the penalty of a plan, from the offsets of its bodies.
func (f *Field) Paid(offsets []int64) (sum int64) {
	for i := range offsets {
		for _, x := range f.softOf(int32(i)) {
			if d := offsets[i] - offsets[x.to]; int(x.to) > i && x.below < d && d < x.above {
				sum += x.cost
			}
		}
	}
	return sum
}
