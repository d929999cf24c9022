package exact

import (
	"math"

	"github.com/stowage-go/stowage/internal/bound"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/splitmix"
	"github.com/stowage-go/stowage/internal/timeline"
)

// Before the first search the partition is put into arrays. With a million
// buffers that takes longer than a limit may be late, so each step that is not a
// mere copy looks for it. A kernel that was left half prepared is never asked
// anything: whoever looks later is told that the run is over as well.

// hugeFrom is the number of incidences of buffers and sections from which a
// partition is huge: a pass over fewer takes under a millisecond. Tests set it
// to 0, so that limits fall in the midst of passes.
var hugeFrom = 1 << 18

// tableMost bounds the tables of distances of all partitions together: 64 MiB.
const tableMost = 1 << 23

// newKernel prepares a partition for search. Where the table of distances has
// at most *table entries it is made, and *table becomes less.
func newKernel(tl *timeline.Timeline, p timeline.Partition, sw switches, watch *run.Watch, table *int) *kernel {
	n, m := len(p.Buffers), int(p.Last-p.First)
	k := &kernel{sw: sw, watch: watch, tick: func() {}}
	k.n, k.m, k.id, k.plain, k.unit = Buffer(n), Section(m), p.Buffers, true, bound.CommonAlignment(tl.Problem, p.Buffers)
	for _, a := range [...]*[]int64{&k.size, &k.rawSize, &k.align, &k.start, &k.ub, &k.best, &k.totals, &k.seen} {
		*a = make([]int64, n)
	}
	for _, a := range [...]*[]int64{&k.total, &k.slotTotal, &k.top, &k.acc, &k.low} {
		*a = make([]int64, m+1)
	}
	k.fixed, k.placed, k.rank = make([]bool, n), make([]bool, n), make([]int32, n)
	k.first, k.last, k.twin, k.witness = make([]Section, n), make([]Section, n), make([]Buffer, n), make([]Buffer, n)
	k.keys, k.salt = make([]orderKeys, n), make([]uint64, 2*n)
	k.cells, k.cuts = make([]int64, 2*n+m), make([]int32, m)
	k.lb, k.inf, k.floor = k.cells[:n:n], k.cells[n:2*n:2*n], k.cells[2*n:]
	k.dirty, k.slot, k.unslot, k.least = make([]uint8, m), make([]Slot, m+1), make([]Section, m+1), make([]twoEnds, m)
	k.memo, k.hot = new(memo), [4]Section{-1, -1, -1, -1}
	for _, step := range [...]func(){
		func() { k.describe(tl, p) },
		func() { k.describeSpans(tl, p, table) },
		func() { k.initKeys(tl) },
		k.initMembers,
		func() { k.initTwins(tl) },
	} {
		if k.over() {
			break
		}
		step()
	}
	return k
}

// pollEvery is how many buffers a loop goes through between looks for a limit.
const pollEvery = 1 << 12

// describe copies what the search asks of each buffer.
func (k *kernel) describe(tl *timeline.Timeline, p timeline.Partition) {
	rng := uint64(0x9e3779b97f4a7c15)
	incidences := 0
	k.stackable = true
	for j, i := range p.Buffers {
		if j%pollEvery == pollEvery-1 && k.over() {
			return
		}
		b := &tl.Problem.Buffers[i]
		k.rawSize[j], k.size[j], k.align[j] = b.Size, bound.Up(b.Size, k.unit), b.Align()
		if b.Fixed != nil {
			k.fixed[j], k.start[j] = true, *b.Fixed
		}
		first, last := tl.Extent(int(i))
		k.first[j], k.last[j] = Section(first-p.First), Section(last-p.First)
		incidences += int(last - first)
		spans := tl.Spans(int(i))
		if len(spans) != 1 || spans[0].Lower != 0 || spans[0].Upper != b.Size {
			k.plain = false
		}
		for _, s := range spans {
			if s.Lower != 0 || s.Upper != b.Size {
				k.windowed = true
			}
		}
		if k.fixed[j] || k.align[j] != k.unit {
			k.stackable = false
		}
		k.salt[2*j], k.salt[2*j+1] = splitmix.Next(&rng), splitmix.Next(&rng)|1
	}
	k.stackable = k.stackable && k.plain
	k.huge = incidences >= hugeFrom
}

// describeSpans copies the spans of a partition with gaps.
func (k *kernel) describeSpans(tl *timeline.Timeline, p timeline.Partition, table *int) {
	if k.plain {
		return
	}
	k.low1, k.low2, k.arg = make([]int64, k.m), make([]int64, k.m), make([]Buffer, k.m)
	k.spanAt = make([]int32, 1, k.n+1)
	for j, i := range p.Buffers {
		if j%pollEvery == pollEvery-1 && k.over() {
			return
		}
		for _, s := range tl.Spans(int(i)) {
			s := spanOf(s, p)
			if !k.windowed {
				s.upper = bound.Up(s.upper, k.unit)
			}
			k.spans = append(k.spans, s)
		}
		k.spanAt = append(k.spanAt, int32(len(k.spans)))
	}
	k.distance = func(i, j Buffer) (int64, bool) {
		d, ok := tl.Distance(int(k.id[i]), int(k.id[j]))
		if ok && !k.windowed {
			d = k.size[i]
		}
		return d, ok
	}
	if most := tableMost / 8; int(k.n) <= most && int(k.n)*int(k.n) <= min(most, *table) {
		*table -= int(k.n) * int(k.n)
		k.tabulate()
	}
}

// tabulate puts the distances into a table.
func (k *kernel) tabulate() {
	const none = math.MinInt64
	n, slow := k.n, k.distance
	table := make([]int64, int(n)*int(n))
	for i := range n {
		if k.over() {
			return
		}
		row := table[int(i)*int(n):][:n]
		for j := range n {
			row[j] = none
			if d, ok := slow(i, j); ok && i != j {
				row[j] = d
			}
		}
	}
	k.distance = func(i, j Buffer) (int64, bool) {
		d := table[i*n+j]
		return d, d != none
	}
}

// initTwins links each buffer to the preceding identical one: the same spans,
// size and alignment, and no fixed offset. A plan stays a plan when two such
// buffers change places, so only one order of them is explored.
func (k *kernel) initTwins(tl *timeline.Timeline) {
	list := make([]Buffer, 0, k.n)
	for j := range k.n {
		k.twin[j] = nobody
		if !k.fixed[j] {
			list = append(list, j)
		}
	}
	shape := func(j Buffer) [4]int64 {
		return [4]int64{int64(k.first[j]), int64(k.last[j]), k.rawSize[j], k.align[j]}
	}
	k.sortBy(list, func(i, j Buffer) bool {
		a, b := shape(i), shape(j)
		for x := range a {
			if a[x] != b[x] {
				return a[x] < b[x]
			}
		}
		return i < j
	})
	for at := 1; at < len(list); at++ {
		i, j := list[at-1], list[at]
		if shape(i) == shape(j) && sameSpans(tl.Spans(int(k.id[i])), tl.Spans(int(k.id[j]))) {
			k.twin[j] = i
		}
	}
}

func sameSpans(a, b []timeline.Span) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}
