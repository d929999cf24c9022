package exact

import (
	"math/bits"

	"github.com/stowage-go/stowage/internal/bound"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/timeline"
)

// Buffer is a buffer of a partition: buffer j of the kernel is id[j] of the
// problem.
type Buffer int32

// Section is a section of a partition, counted from the partition's first.
type Section int32

// Slot is one of the sections that an inference looks at (select.go).
type Slot int32

// nobody stands for no buffer.
const nobody Buffer = -1

// kernel is a search in one partition, as a struct of arrays. Its fields are in
// groups by how long they hold.
type kernel struct {
	sw       switches
	static   // the partition; newKernel sets it
	question // what a run is asked; run sets it
	state    // the search; place, infer and undo change it
	learned  // what outlives a run; wrong entries cost time, never soundness
	scratch  // holds within one call

	nodes      int64 // of the runs that the engine has not counted yet
	backtracks int64
	watch      *run.Watch // over when this search must end
	tick       func()     // called every few thousand nodes
}

// static is the partition in arrays by buffer and by section.
type static struct {
	n Buffer  // how many buffers
	m Section // how many sections

	id     []int32
	size   []int64 // rounded up to unit: the distance to whatever lies above
	align  []int64
	fixed  []bool
	start  []int64   // the fixed offset, else 0
	first  []Section // extent: sections [first, last)
	last   []Section
	twin   []Buffer // the preceding identical buffer
	keys   []orderKeys
	salt   []uint64 // two random words for each buffer, for the memo
	spans  []span
	spanAt []int32
	// plain says that no buffer has gaps: each has one span, its extent, with
	// the window [0, size).
	plain bool
	// stackable says that any order of stacking a section gives the same
	// height, but for the rounding of the topmost size (stack.go).
	stackable bool
	// windowed says that distances differ from sizes; distance then answers.
	windowed bool
	distance func(i, j Buffer) (int64, bool)
	// huge says that one pass over all buffers and their sections takes long
	// enough for a limit to come meanwhile: passes then look for it.
	huge bool

	unit    int64 // divides every offset
	rawSize []int64

	members  []Buffer // of section s: members[memberAt[s]:memberAt[s+1]] (hot.go)
	memberAt []int32
}

// span is a timeline.Span in the partition's own sections.
type span struct {
	first, last  Section
	lower, upper int64
}

// question is a capacity, an order and a node limit.
type question struct {
	limit     int64   // the level that nothing may end above, in rounded sizes
	ub        []int64 // the highest offset of each buffer
	order     string  // the static preordering
	saltRun   uint64  // salts the memo by order and capacity
	nodeLimit int64
}

// state is restored by undo: what is in cells from the trail, ranks from their
// log, total and cuts by the inverse operation.
type state struct {
	cells  []int64 // lb, inf and floor, one after the other
	lb     []int64 // lowest offset above everything placed; exact for placed ones
	inf    []int64 // inferred lower bound of the offset, for pruning only
	floor  []int64 // per section: the top of what is placed
	total  []int64 // per section: what is unplaced
	cuts   []int32 // per section s: unplaced extents that cross from s to s+1
	rank   []int32
	placed []bool
	best   []int64 // offsets of what is placed, and of solved components

	trail   []change
	dropped int // entries that the trail has had before its first (trail.go)
	rankLog []rankChange
	arena   []Buffer // child lists; used entries are taken
	used    int
	parts   []component // a stack
}

// learned has what helps later nodes and runs.
type learned struct {
	memo    *memo
	hot     [4]Section // the latest to fail first; -1 for none
	witness []Buffer   // per buffer (lifting.go)
}

// scratch is named by the file that owns it.
type scratch struct {
	// place.go, decompose.go, sort.go
	raised []Buffer
	bounds []Section
	ends   []int32
	sorted []Buffer

	// order.go
	totals []int64 // the key T of each buffer

	// select.go
	dirty     []uint8   // per section
	slot      []Slot    // per section: numbered sections before it
	unslot    []Section // per slot: its section
	slotTotal []int64   // per slot: the total of its section
	slots     Slot
	active    []Buffer // buffers in any slot, in the order of the list
	top       []int64  // per slot
	clamp     int64    // what bounds are raised to (infer.go)

	// suffixbound.go, section.go
	byInf []Buffer
	acc   []int64 // per slot
	low   []int64 // per section

	// notfirst.go
	least []twoEnds // per slot
	low1  []int64   // per section, with gaps
	low2  []int64
	arg   []Buffer

	// lifting.go
	open    []Buffer
	openEnd []int64
	seen    []int64
	epoch   int64

	// hot.go
	hotList []Buffer
}

// rankChange is an entry of the rank log: rank[j] was old.
type rankChange struct {
	j   Buffer
	old int32
}

// over reports whether the run must end; passes over what is huge ask it.
// Whoever is told so may leave its work undone and claim nothing: search asks
// again before it draws a conclusion.
func (k *kernel) over() bool { return k.watch.Over() }

// late is over for passes that take long in a huge partition only.
func (k *kernel) late() bool { return k.huge && k.watch.Over() }

// run searches the partition from the start for at most limit nodes. Each buffer
// alone fits the capacity.
func (k *kernel) run(capacity int64, order string, orderIndex int, limit int64) outcome {
	k.setCapacity(capacity)
	k.order = order
	k.saltRun = mix(uint64(capacity)^0x8ebc6af09c88c6e3, uint64(orderIndex)*2+0x589965cc75374cc3)
	k.nodeLimit = k.nodes + limit
	if k.over() {
		return aborted
	}
	r, root := exhausted, k.root()
	if k.infer(root, everything, nobody) {
		r = k.search(root)
	}
	if r == exhausted && k.late() {
		return aborted // an inference may have been left undone
	}
	return r
}

// root puts the state before the first placement and returns all buffers.
func (k *kernel) root() component {
	k.reset()
	list := k.grab(int(k.n))
	for j := range list {
		list[j] = Buffer(j)
	}
	k.rankList(list)
	k.rankLog = k.rankLog[:0]
	k.sortList(list)
	return component{list: list, first: 0, last: k.m, rank: -1}
}

// setCapacity sets the bounds that follow from the capacity and reports
// whether each buffer alone fits.
func (k *kernel) setCapacity(capacity int64) bool {
	k.limit = 0
	ok := true
	for j := range k.n {
		k.ub[j] = bound.Down(capacity-k.rawSize[j], k.align[j])
		if k.fixed[j] {
			ok = ok && k.start[j] <= k.ub[j]
			k.ub[j] = k.start[j]
		}
		ok = ok && k.ub[j] >= 0
		k.limit = max(k.limit, k.ub[j]+k.size[j])
	}
	return ok
}

// reset puts the state before the first placement. Totals and cuts are summed
// up from where extents begin and end: O(buffers + sections).
func (k *kernel) reset() {
	copy(k.lb, k.start)
	copy(k.inf, k.start)
	clear(k.floor)
	clear(k.placed)
	clear(k.total)
	clear(k.cuts)
	for j := range k.witness {
		k.witness[j] = nobody
	}
	k.trail, k.dropped, k.rankLog, k.used, k.parts = k.trail[:0], 0, k.rankLog[:0], 0, k.parts[:0]
	add := func(s Section, z int64) { k.total[s] += z } // total has an entry after the last section
	for j := range k.n {
		if k.plain {
			add(k.first[j], k.size[j])
			add(k.last[j], -k.size[j])
		} else {
			for _, s := range k.spansOf(j) {
				add(s.first, s.upper-s.lower)
				add(s.last, s.lower-s.upper)
			}
		}
		k.cuts[k.first[j]]++
		k.cuts[k.last[j]-1]--
	}
	for s := Section(1); s < k.m; s++ {
		k.total[s] += k.total[s-1]
		k.cuts[s] += k.cuts[s-1]
	}
}

// addTotals adds sign times buffer j's space to the totals of its sections.
func (k *kernel) addTotals(j Buffer, sign int64) {
	if k.plain {
		z := sign * k.size[j]
		t := k.total[k.first[j]:k.last[j]]
		for s := range t {
			t[s] += z
		}
		return
	}
	for _, span := range k.spansOf(j) {
		z := sign * (span.upper - span.lower)
		for s := span.first; s < span.last; s++ {
			k.total[s] += z
		}
	}
}

func (k *kernel) spansOf(j Buffer) []span { return k.spans[k.spanAt[j]:k.spanAt[j+1]] }

// above returns the distance from i up to j; ok is false where they never meet.
func (k *kernel) above(i, j Buffer) (d int64, ok bool) {
	if k.first[j] >= k.last[i] || k.first[i] >= k.last[j] {
		return 0, false
	}
	if k.plain {
		return k.size[i], true
	}
	return k.distance(i, j)
}

// grab takes a list of length n from the arena. It is given back by resetting
// used to its earlier value.
func (k *kernel) grab(n int) []Buffer {
	if need := k.used + n; need > len(k.arena) {
		// Lists that are in use keep the old array alive.
		k.arena = append(make([]Buffer, 0, 2*need+1024), k.arena[:k.used]...)
		k.arena = k.arena[:cap(k.arena)]
	}
	list := k.arena[k.used : k.used+n : k.used+n]
	k.used += n
	return list
}

// alignUp rounds an offset up to buffer j's alignment.
func (k *kernel) alignUp(j Buffer, offset int64) int64 { return bound.Up(offset, k.align[j]) }

// mix multiplies and folds, as wyhash does.
func mix(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	return hi ^ lo
}

// spanOf puts a span of the timeline into the partition's own sections.
func spanOf(s timeline.Span, p timeline.Partition) span {
	return span{Section(s.First - p.First), Section(s.Last - p.First), s.Lower, s.Upper}
}
