package exact

import (
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

// newKernel prepares a partition for search.
func newKernel(tl *timeline.Timeline, p timeline.Partition, sw switches, watch *run.Watch) *kernel {
	n, m := len(p.Buffers), int(p.Last-p.First)
	k := &kernel{sw: sw, watch: watch, tick: func() {}}
	k.n, k.m, k.id, k.plain, k.unit = Buffer(n), Section(m), p.Buffers, true, bound.CommonAlignment(tl.Problem, p.Buffers)
	pieces := 0
	for _, i := range p.Buffers {
		pieces += len(tl.Spans(int(i)))
	}
	words := n/64 + 1
	wide := make([]int64, 10*n+4*m+1)
	for _, a := range [...]*[]int64{&k.size, &k.rawSize, &k.align, &k.start, &k.ub, &k.best, &k.totals, &k.seen} {
		*a = carve(&wide, n)
	}
	k.total, k.low, k.top, k.cells = carve(&wide, m+1), carve(&wide, m), carve(&wide, m), carve(&wide, 2*n+m)
	k.lb, k.inf, k.floor = k.cells[:n:n], k.cells[n:2*n:2*n], k.cells[2*n:]
	narrow := make([]int32, n+3*m+3)
	k.rank, k.live, k.cuts, k.edges = carve(&narrow, n), carve(&narrow, m+1), carve(&narrow, m), carve(&narrow, m+1)
	sets := make([]uint64, 2*n+2*words+2*(m/64+1))
	k.salt, k.unplaced, k.waiting, k.runs, k.dirty = carve(&sets, 2*n), carve(&sets, words), carve(&sets, words), carve(&sets, m/64+1), carve(&sets, m/64+1)
	buffers := make([]Buffer, 3*n+m+1+pieces)
	k.twin, k.list, k.sorted, k.begins, k.owner = carve(&buffers, n), carve(&buffers, n), carve(&buffers, n), carve(&buffers, m+1), carve(&buffers, pieces)
	k.fixed, k.witness = make([]bool, n), make([]witness, n)
	sections := make([]Section, 2*n)
	k.first, k.last = carve(&sections, n), carve(&sections, n)
	k.span, k.block = make([]span, pieces), make([]block, pieces)
	others := make([]Piece, 2*pieces+m+1)
	k.next, k.near, k.more = carve(&others, pieces), carve(&others, pieces), carve(&others, m+1)
	k.keys = make([]orderKeys, n)
	k.memo, k.hot = new(memo), [4]Section{-1, -1, -1, -1}
	for _, step := range [...]func(){
		func() { k.describe(tl, p) },
		func() { k.describeSpans(tl, p) },
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

// carve takes n entries from the front of an array.
func carve[T any](from *[]T, n int) []T {
	a := (*from)[:n:n]
	*from = (*from)[n:]
	return a
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
		k.begins[k.first[j]]++
	}
	count(k.begins)
	k.stackable = k.stackable && k.plain
	k.huge = incidences >= hugeFrom
}

// count turns how many there are of each kind into how many there are of the
// kinds before it.
func count[T ~int32](kinds []T) {
	var sum T
	for s, n := range kinds {
		kinds[s] = sum
		sum += n
	}
}

// describeSpans copies the pieces: the first of each buffer, then the others by
// where they begin.
func (k *kernel) describeSpans(tl *timeline.Timeline, p timeline.Partition) {
	for _, i := range p.Buffers {
		for _, s := range tl.Spans(int(i))[1:] {
			k.more[s.First-p.First]++
		}
	}
	count(k.more)
	for s := range k.more {
		k.more[s] += Piece(k.n)
	}
	for j, i := range p.Buffers {
		if j%pollEvery == pollEvery-1 && k.over() {
			return
		}
		x := Piece(j)
		for at, s := range tl.Spans(int(i)) {
			if at > 0 {
				before := x
				x = k.more[s.First-p.First]
				k.more[s.First-p.First]++
				k.next[before] = x
			}
			size := s.Upper - s.Lower
			if !k.windowed {
				size = k.size[j]
			}
			k.span[x] = span{Section(s.First - p.First), Section(s.Last - p.First), s.Lower}
			k.block[x].size, k.owner[x] = size, Buffer(j)
		}
		k.next[x] = none
	}
	// Each entry has come to where the next one began.
	copy(k.more[1:], k.more)
	k.more[0] = Piece(k.n)
}

// initTwins links each buffer to the preceding identical one: the same spans,
// size and alignment, and no fixed offset. A plan stays a plan when two such
// buffers change places, so only one order of them is explored.
func (k *kernel) initTwins(tl *timeline.Timeline) {
	list := k.list[:0]
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
