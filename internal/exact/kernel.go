package exact

import (
	"math"
	"math/bits"

	"github.com/stowage-go/stowage/internal/bound"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/splitmix"
	"github.com/stowage-go/stowage/internal/timeline"
)

// kernel is the state of a search in one partition, as a struct of arrays.
// Buffers and sections have dense local indices: buffer j of the kernel is
// buffer id[j] of the problem, section s is section s + origin of the timeline.
//
// state holds everything that is set during search and restored from the
// trail; lb, inf and floor are views into it. total and cuts are undone by the
// inverse operation instead.
type kernel struct {
	sw switches
	n  int // buffers
	m  int // sections

	// Static, per buffer.
	id     []int32
	size   []int64 // rounded up to unit: the distance to whatever lies above
	align  []int64
	fixed  []bool
	start  []int64 // the fixed offset, else 0
	first  []int32 // extent: sections [first, last)
	last   []int32
	twin   []int32 // the preceding identical buffer; -1 for none
	keys   []orderKeys
	salt   []uint64 // two random words for each buffer, for the memo
	spans  []timeline.Span
	spanAt []int32
	// plain says that no buffer has gaps: each has one span, its extent, with
	// the window [0, size).
	plain bool
	// windowed says that distances differ from sizes; distance then answers.
	windowed bool
	distance func(i, j int32) (int64, bool)

	unit    int64 // divides every offset
	rawSize []int64

	// Static, per capacity (setCapacity).
	limit int64   // the level that nothing may end above, in rounded sizes
	ub    []int64 // the highest offset of each buffer

	// Dynamic.
	state  []int64
	lb     []int64 // lowest offset above everything placed; exact for placed ones
	inf    []int64 // inferred lower bound of the offset, for pruning only
	floor  []int64 // per section: the top of what is placed
	trail  []change
	total  []int64 // per section: what is unplaced
	cuts   []int32 // per section s: unplaced extents that cross from s to s+1
	rank   []int32
	placed []bool
	best   []int64 // offsets of what is placed, and of solved components

	// Scratch and hints, by the file that owns them.

	// place.go and decompose.go
	arena   []int32 // child lists; used entries are taken
	used    int
	raised  []int32
	rankLog []rankChange
	parts   []component // a stack

	// order.go
	order  string  // the static preordering in use
	totals []int64 // the key T of each buffer

	// pressed.go
	dirty     []uint8 // per section
	slot      []int32 // per section: numbered sections before it
	unslot    []int32 // per slot: its section
	slotTotal []int64 // per slot: the total of its section
	slots     int32
	active    []int32 // buffers in any slot, in the order of the list
	clamp     int64   // what bounds are raised to (infer.go)

	// suffixbound.go, section.go
	byInf []int32
	acc   []int64 // per slot
	low   []int64 // per section

	// notfirst.go
	least []twoEnds // per slot
	top   []int64   // per slot (pressed.go)
	low1  []int64   // per section, with gaps
	low2  []int64
	arg   []int32

	// lifting.go
	open    []int32
	openEnd []int64
	witness []int32 // per buffer; -1 for none
	seen    []int64
	epoch   int64

	// hot.go
	hot      [4]int32 // sections, the latest to fail first; -1 for none
	hotList  []int32
	members  []int32 // of section s: members[memberAt[s]:memberAt[s+1]]
	memberAt []int32

	// memo.go
	memo    *memo
	saltRun uint64 // salts the memo by order and capacity

	// Effort.
	nodes      int64
	backtracks int64
	nodeLimit  int64
	watch      *run.Watch // over when this search must end
	tick       func()     // called every few thousand nodes
}

// change is an entry of the trail: state[at] was old.
type change struct {
	at  int32
	old int64
}

// rankChange is an entry of the rank log: rank[j] was old.
type rankChange struct{ j, old int32 }

// newKernel prepares a partition for search.
func newKernel(tl *timeline.Timeline, p timeline.Partition, sw switches, watch *run.Watch) *kernel {
	n, m := len(p.Buffers), int(p.Last-p.First)
	k := &kernel{
		sw: sw, n: n, m: m, id: p.Buffers, plain: true, unit: bound.CommonAlignment(tl.Problem, p.Buffers),
		size: make([]int64, n), rawSize: make([]int64, n), align: make([]int64, n),
		fixed: make([]bool, n), start: make([]int64, n),
		first: make([]int32, n), last: make([]int32, n), twin: make([]int32, n),
		ub: make([]int64, n), total: make([]int64, m), cuts: make([]int32, m),
		rank: make([]int32, n), placed: make([]bool, n), best: make([]int64, n),
		totals: make([]int64, n),
		dirty:  make([]uint8, m), slot: make([]int32, m+1), unslot: make([]int32, m+1), slotTotal: make([]int64, m+1),
		acc: make([]int64, m), low: make([]int64, m),
		least: make([]twoEnds, m), top: make([]int64, m), low1: make([]int64, m), low2: make([]int64, m), arg: make([]int32, m),
		witness: make([]int32, n), seen: make([]int64, n),
		memo: newMemo(), salt: make([]uint64, 2*n),
		watch: watch, tick: func() {},
	}
	k.state = make([]int64, 2*n+m)
	k.lb, k.inf, k.floor = k.state[:n:n], k.state[n:2*n:2*n], k.state[2*n:]
	rng := uint64(0x9e3779b97f4a7c15)
	for j, i := range p.Buffers {
		b := &tl.Problem.Buffers[i]
		k.rawSize[j], k.size[j], k.align[j] = b.Size, bound.Up(b.Size, k.unit), b.Align()
		if b.Fixed != nil {
			k.fixed[j], k.start[j] = true, *b.Fixed
		}
		first, last := tl.Extent(int(i))
		k.first[j], k.last[j] = first-p.First, last-p.First
		spans := tl.Spans(int(i))
		if len(spans) != 1 || spans[0].Lower != 0 || spans[0].Upper != b.Size {
			k.plain = false
		}
		for _, s := range spans {
			if s.Lower != 0 || s.Upper != b.Size {
				k.windowed = true
			}
		}
		k.salt[2*j], k.salt[2*j+1] = splitmix.Next(&rng), splitmix.Next(&rng)|1
	}
	if !k.plain {
		k.spanAt = make([]int32, 1, n+1)
		for _, i := range p.Buffers {
			for _, s := range tl.Spans(int(i)) {
				s.First, s.Last = s.First-p.First, s.Last-p.First
				if !k.windowed {
					s.Upper = bound.Up(s.Upper, k.unit)
				}
				k.spans = append(k.spans, s)
			}
			k.spanAt = append(k.spanAt, int32(len(k.spans)))
		}
		k.distance = k.distances(tl)
	}
	k.initKeys(tl)
	k.initMembers()
	k.initTwins(tl)
	return k
}

// distances returns the function that gives the distance from local buffer i
// up to j: from a table where it is small, else from the timeline.
func (k *kernel) distances(tl *timeline.Timeline) func(i, j int32) (int64, bool) {
	slow := func(i, j int32) (int64, bool) {
		d, ok := tl.Distance(int(k.id[i]), int(k.id[j]))
		if ok && !k.windowed {
			d = k.size[i]
		}
		return d, ok
	}
	const tableMax = 1024
	if k.n > tableMax {
		return slow
	}
	const none = math.MinInt64
	n := int32(k.n)
	table := make([]int64, n*n)
	for i := range n {
		for j := range n {
			table[i*n+j] = none
			if d, ok := slow(i, j); ok && i != j {
				table[i*n+j] = d
			}
		}
	}
	return func(i, j int32) (int64, bool) {
		d := table[i*n+j]
		return d, d != none
	}
}

// setCapacity sets the bounds that follow from the capacity and reports
// whether each buffer alone fits.
func (k *kernel) setCapacity(capacity int64) bool {
	k.limit = 0
	ok := true
	for j := range k.n {
		k.ub[j] = capacity - k.rawSize[j]
		if k.ub[j] >= 0 {
			k.ub[j] = bound.Down(k.ub[j], k.align[j])
		}
		if k.fixed[j] {
			ok = ok && k.start[j] <= k.ub[j]
			k.ub[j] = k.start[j]
		}
		ok = ok && k.ub[j] >= 0
		k.limit = max(k.limit, k.ub[j]+k.size[j])
	}
	return ok
}

// reset puts the state before the first placement.
func (k *kernel) reset() {
	copy(k.lb, k.start)
	copy(k.inf, k.start)
	clear(k.floor)
	clear(k.total)
	clear(k.cuts)
	for j := range k.witness {
		k.witness[j] = -1
	}
	k.trail, k.rankLog, k.used = k.trail[:0], k.rankLog[:0], 0
	for j := range k.n {
		k.addTotals(int32(j), 1)
		for s := k.first[j]; s+1 < k.last[j]; s++ {
			k.cuts[s]++
		}
	}
}

// addTotals adds sign times buffer j's space to the totals of its sections.
func (k *kernel) addTotals(j int32, sign int64) {
	if k.plain {
		z := sign * k.size[j]
		t := k.total[k.first[j]:k.last[j]]
		for s := range t {
			t[s] += z
		}
		return
	}
	for _, span := range k.spansOf(j) {
		z := sign * (span.Upper - span.Lower)
		for s := span.First; s < span.Last; s++ {
			k.total[s] += z
		}
	}
}

func (k *kernel) spansOf(j int32) []timeline.Span { return k.spans[k.spanAt[j]:k.spanAt[j+1]] }

// above returns the distance from i up to j; ok is false where they never meet.
func (k *kernel) above(i, j int32) (d int64, ok bool) {
	if k.first[j] >= k.last[i] || k.first[i] >= k.last[j] {
		return 0, false
	}
	if k.plain {
		return k.size[i], true
	}
	return k.distance(i, j)
}

// set writes state[at] and records the old value on the trail.
func (k *kernel) set(at int32, value int64) {
	k.trail = append(k.trail, change{at, k.state[at]})
	k.state[at] = value
}

// grab takes a list of length n from the arena. It is given back by resetting
// used to its earlier value.
func (k *kernel) grab(n int) []int32 {
	if need := k.used + n; need > len(k.arena) {
		// Lists that are in use keep the old array alive.
		k.arena = append(make([]int32, 0, 2*need+1024), k.arena[:k.used]...)
		k.arena = k.arena[:cap(k.arena)]
	}
	list := k.arena[k.used : k.used+n : k.used+n]
	k.used += n
	return list
}

// alignUp rounds an offset up to buffer j's alignment.
func (k *kernel) alignUp(j int32, offset int64) int64 {
	return bound.Up(offset, k.align[j])
}

// mix multiplies and folds, as wyhash does.
func mix(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	return hi ^ lo
}
