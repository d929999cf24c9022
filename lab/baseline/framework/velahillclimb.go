package framework

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/stowage-go/stowage/internal/bound"
	"github.com/stowage-go/stowage/internal/place"
)

// Idea: place all live ranges by first fit, in an order that is then improved by swaps. The bottleneck is the range
// that ends highest. It rests on ranges that share time with it, these rest on others, and so on down. Two of all
// these ranges change places in the order; often one of them does not share time with the bottleneck itself. A plan
// that is no higher is kept, so that the walk may cross plateaus. A placement ends early at the first range above the
// best height. After 50 rounds without a lower plan each round makes a second swap, from a wider set.
//
//	height ┐        ┌─────────┐
//	       │        │ D: the  │ the bottleneck rests on B, B on A;
//	       │ ┌──────┴─────┬───┘ so D, B, A and C, a neighbour of D, may
//	       │ │      B     │     change places
//	       │ ├──┬───┬─────┴─┐
//	     0 └─┤A │   │   C   │
//
// The search ends at the load. Otherwise it goes on for 500 rounds after the last improvement and, above the
// capacity, for up to the parameter iterations.
//
// Invariant: turn, below and address of a range are from the last placement that reached it. A placement that ends
// early leaves the other ranges as they were. The next move reads them all, as in Vela.
//
// The random numbers are Python's, seeded with 1 as in Vela, plus the seed. With the default seed the plans are
// Vela's, offset by offset; a test compares them with the real one.
//
// Complexity: O(conflicts) a round and in memory; a node is one round.
//
// Source: Arm Vela, hillclimb_allocation (Python, a6f6566; the same in 5.2, which
// calls it legacy and plans with Regor: velaregor.go).

func init() {
	register(planner{
		name:    "vela-hill-climb",
		summary: "first fit by urgency, improved by swaps of the buffers below the highest one",
		source:  "Arm Vela, HillClimbAllocator (a6f6566)",
		params:  velaRounds("maximum number of rounds while the plan is above the capacity"),
		round:   16,
		place:   velaHillClimb,
	})
}

// velaRounds is the parameter of both of Vela's climbs.
func velaRounds(summary string) []param {
	return []param{{name: "iterations", otherwise: 99999, least: 0, most: 1 << 40, summary: summary}}
}

const (
	velaStuck   = 50      // rounds without improvement until moves get wider
	velaPatient = 500     // rounds to go on after an improvement
	velaMost    = 1 << 27 // conflicts that are kept, 4 bytes each
)

type vela struct {
	t          *task
	random     *mersenne
	at         []int32 // neighbours of i are neighbours[at[i]:at[i+1]]
	neighbours []int32 // in the order in which they come to share time
	address    []int64 // -1 where not placed
	end        []int64
	below      []int32 // the range it rests on, -1 for none
	turn       []int32
	marked     []bool  // by turn: in the set of the move
	turns      []int32 // the set, in the order of finding
	apart      []int32 // those that share no time with the bottleneck
	best       int64
}

func velaHillClimb(t *task) error {
	v, order, most, err := newVela(t, newMersenne(1+t.opts.Seed))
	if err != nil {
		return err
	}
	limit := t.opts.Capacity
	if limit == 0 {
		limit = never
	}
	kept, last := slices.Clone(order), int64(0)
	for i := int64(0); v.best > t.tl.MaxLoad; i++ {
		if !(v.best > limit && i < most || i-last < velaPatient) || t.stopped() ||
			t.opts.NodeLimit > 0 && i >= t.opts.NodeLimit {
			break
		}
		t.nodes++
		if !v.move(order, i-last) {
			break
		}
		height := v.placeAll(order)
		if height > v.best {
			copy(order, kept)
			continue
		}
		if height < v.best {
			last = i
		}
		v.best = height
		copy(kept, order)
		copy(t.offsets, v.address)
	}
	return nil
}

// newVela returns the plan of the first order, from which both climbs start, that order, and the most rounds.
func newVela(t *task, random *mersenne) (v *vela, order []int32, most int64, err error) {
	if most = t.number("iterations"); t.opts.NodeLimit > 0 {
		most = min(most, t.opts.NodeLimit)
	}
	v = &vela{t: t, random: random, best: never}
	if err := v.connect(); err != nil {
		return nil, nil, 0, err
	}
	order = v.byUrgency()
	if v.best = v.placeAll(order); v.best == never {
		return nil, nil, 0, errStopped
	}
	t.offsets = slices.Clone(v.address)
	return v, order, most, nil
}

// connect lists the neighbours of each range. Vela goes over the time slots of a range, and over the ranges of a slot
// by number: those that are there at its start come first, by number, the others by their own start.
func (v *vela) connect() error {
	t := v.t
	n := len(t.buffers)
	v.at = make([]int32, n+1)
	for i := range n {
		if v.t.stopped() {
			return errStopped
		}
		from := len(v.neighbours)
		v.neighbours = t.tl.AppendConflicts(v.neighbours, i)
		if len(v.neighbours) > velaMost {
			return fmt.Errorf("more than %d pairs of buffers share time", velaMost/2)
		}
		lower := t.buffers[i].Lower
		slices.SortFunc(v.neighbours[from:], func(a, b int32) int {
			return cmp.Or(cmp.Compare(max(t.buffers[a].Lower, lower), max(t.buffers[b].Lower, lower)), cmp.Compare(a, b))
		})
		v.at[i+1] = int32(len(v.neighbours))
	}
	v.address, v.end = make([]int64, n), make([]int64, n)
	v.below, v.turn, v.marked = make([]int32, n), make([]int32, n), make([]bool, n)
	return nil
}

// byUrgency returns the first order: by the largest load during a range's life, descending; on a tie the longest,
// then the earliest, then the largest, then the first of the input.
func (v *vela) byUrgency() []int32 {
	t := v.t
	urgency := t.peaks()
	urgent := func(a, b int) int { return cmp.Compare(urgency[b], urgency[a]) }
	return t.sorted(keys(urgent, t.longer, t.earlier, t.larger))
}

// peaks returns, for each buffer, the largest load of its sections. It does not return if a limit comes.
func (t *task) peaks() []int64 {
	sky := place.NewSkyline(t.tl.Sections())
	for s, load := range t.tl.Load {
		if t.stopped() {
			panic(errStopped)
		}
		sky.Raise(int32(s), int32(s+1), load)
	}
	peaks := make([]int64, len(t.buffers))
	for i := range peaks {
		if t.stopped() {
			panic(errStopped)
		}
		peaks[i] = sky.Highest(t.tl.Extent(i))
	}
	return peaks
}

// placeAll places the ranges in order, until one ends above the best height, and returns the highest end. If the
// context ends first, it returns never.
func (v *vela) placeAll(order []int32) int64 {
	for i := range v.address {
		v.address[i] = -1
	}
	var height int64
	for turn, i := range order {
		if turn > 0 && v.t.stopped() {
			return never
		}
		v.placeOne(i)
		v.turn[i] = int32(turn)
		if height = max(height, v.end[i]); height > v.best {
			break
		}
	}
	return height
}

// placeOne puts range i at the lowest free address and notes what it rests on:
// the last of the neighbours that it was pushed up by.
func (v *vela) placeOne(i int32) {
	size, align := v.t.buffers[i].Size, v.t.buffers[i].Align()
	neighbours, addresses, ends := v.neighbours[v.at[i]:v.at[i+1]], v.address, v.end
	at, below := int64(0), int32(-1)
	for fits := false; !fits; {
		fits = true
		for _, j := range neighbours {
			if addresses[j] < 0 || ends[j] <= at || addresses[j] >= at+size {
				continue
			}
			fits = false
			at, below = bound.Up(ends[j], align), j
		}
	}
	v.address[i], v.end[i], v.below[i] = at, at+size, below
}

// mark adds the turns of a range and of all that it rests on to the set.
func (v *vela) mark(i int32) {
	for ; i >= 0; i = v.below[i] {
		v.add(v.turn[i])
	}
}

func (v *vela) add(turn int32) {
	if !v.marked[turn] {
		v.marked[turn] = true
		v.turns = append(v.turns, turn)
	}
}

func (v *vela) shareTime(i, j int32) bool {
	a, b := &v.t.buffers[i], &v.t.buffers[j]
	return a.Lower < b.Upper && b.Lower < a.Upper
}

// affected returns the bottleneck, and collects the turns of the ranges that it rests on.
func (v *vela) affected() (top int32) {
	for i, end := range v.end {
		if end > v.end[top] {
			top = int32(i)
		}
	}
	clear(v.marked)
	v.turns, v.apart = v.turns[:0], v.apart[:0]
	v.mark(top)
	for _, j := range v.neighbours[v.at[top]:v.at[top+1]] {
		v.mark(j)
	}
	return top
}

// move swaps two or four places of the order; it returns false if there are none.
func (v *vela) move(order []int32, stuck int64) bool {
	top := v.affected()
	if len(v.turns) < 2 {
		return false
	}
	for _, turn := range v.turns {
		if !v.shareTime(top, order[turn]) {
			v.apart = append(v.apart, turn)
		}
	}
	pick := func(set []int32, less int) int32 { return set[v.random.within(0, len(set)-1-less)] }
	var x int32
	if v.random.within(0, 100) < 30 && len(v.apart) > 0 {
		x = pick(v.apart, 0)
	} else {
		x = pick(v.turns, 0)
	}
	y := pick(v.turns, 1)
	if x == y {
		y = v.turns[len(v.turns)-1]
	}
	order[x], order[y] = order[y], order[x]
	if stuck > velaStuck {
		for _, turn := range v.apart {
			i := order[turn]
			for _, j := range v.neighbours[v.at[i]:v.at[i+1]] {
				v.add(v.turn[j])
			}
		}
		x, y = pick(v.turns, 0), pick(v.turns, 0)
		order[x], order[y] = order[y], order[x]
	}
	return true
}
