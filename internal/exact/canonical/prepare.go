package canonical

import (
	"github.com/stowage-go/stowage/internal/bound"
	"github.com/stowage-go/stowage/internal/exact/common"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/splitmix"
	"github.com/stowage-go/stowage/internal/timeline"
)

// Before the first search the partition is put into arrays. With a million
// buffers that takes longer than a limit may be late, so each step that is not a
// mere copy looks for it. A kernel that was left half prepared is never asked
// anything: whoever looks later is told that the run is over as well.

// HugeFrom is the number of incidences of buffers and sections from which a
// partition is huge: a pass over fewer takes under a millisecond. Tests set it
// to 0, so that limits fall in the midst of passes.
var HugeFrom = 1 << 18

// New prepares a partition for search.
func New(tl *timeline.Timeline, p *timeline.Partition, sw common.Switches, watch *run.Watch) *Kernel {
	n, m := len(p.Buffers), int(p.Last-p.First)
	pieces := 0
	for _, i := range p.Buffers {
		pieces += len(tl.Spans(int(i)))
	}
	k := &Kernel{
		sw: sw, Watch: watch, Tick: func() {},
		static: static{
			n: common.Buffer(n), m: Section(m), buffers: tl.Problem.Buffers, id: p.Buffers, plain: true, unit: bound.CommonAlignment(tl.Problem, p.Buffers),
			of: make([]fact, n), span: make([]span, pieces),
		},
		state:   state{block: make([]block, pieces), rankLog: make([]rankChange, 0, n)},
		learned: learned{hot: [4]Section{-1, -1, -1, -1}, witness: make([]witness, n)},
	}
	common.Carve(
		common.Share(&k.cells, 2*n+m), common.Share(&k.size, n), common.Share(&k.best, n), common.Share(&k.totals, n), common.Share(&k.seen, n),
		common.Share(&k.openEnd, n), common.Share(&k.total, m+1), common.Share(&k.low, m), common.Share(&k.top, m), common.Share(&k.allowance, m),
	)
	k.lb, k.inf, k.floor = k.cells[:n:n], k.cells[n:2*n:2*n], k.cells[2*n:]
	common.Carve(common.Share(&k.rank, n), common.Share(&k.tie, n), common.Share(&k.live, m+1), common.Share(&k.edges, m+1), common.Share(&k.cuts, m))
	common.Carve(common.Share(&k.salt, 2*n), common.Share(&k.unplaced, n/64+1), common.Share(&k.waiting, n/64+1), common.Share(&k.runs, m/64+1), common.Share(&k.dirty, m/64+1))
	common.Carve(common.Share(&k.list, n), common.Share(&k.path, n), common.Share(&k.sorted, n), common.Share(&k.open, n), common.Share(&k.begins, m+1), common.Share(&k.ends, m+1), common.Share(&k.owner, pieces))
	common.Carve(common.Share(&k.next, pieces), common.Share(&k.near, pieces), common.Share(&k.apart, pieces), common.Share(&k.more, m+1))
	for _, step := range [...]func(*Kernel, *timeline.Timeline, *timeline.Partition){(*Kernel).describe, (*Kernel).describeSpans, (*Kernel).initMembers, (*Kernel).initTwins, (*Kernel).countFrom, (*Kernel).initEffective} {
		if k.over() {
			break
		}
		step(k, tl, p)
	}
	return k
}

// pollEvery is how many buffers a loop goes through between looks for a limit.
const pollEvery = 1 << 12

// describe copies what the search asks of each buffer.
func (k *Kernel) describe(tl *timeline.Timeline, p *timeline.Partition) {
	rng := uint64(0x9e3779b97f4a7c15)
	incidences := 0
	k.stackable = true
	for j, i := range p.Buffers {
		if j%pollEvery == pollEvery-1 && k.over() {
			return
		}
		b, f := &tl.Problem.Buffers[i], &k.of[j]
		f.rawSize, f.align = b.Size, b.Align()
		k.size[j] = bound.Up(b.Size, k.unit)
		if b.Fixed != nil {
			f.fixed, f.start = true, *b.Fixed
		}
		first, last := tl.Extent(int(i))
		f.first, f.last = Section(first-p.First), Section(last-p.First)
		incidences += int(last - first)
		spans := tl.Spans(int(i))
		if len(spans) != 1 {
			k.plain = false
		}
		for _, s := range spans {
			if s.Lower != 0 || s.Upper != b.Size {
				k.plain, k.Windowed = false, true
			}
		}
		if f.fixed || f.align != k.unit {
			k.stackable = false
		}
		k.salt[2*j], k.salt[2*j+1] = splitmix.Next(&rng), splitmix.Next(&rng)|1
		k.begins[f.first]++
		k.ends[f.last]++
	}
	count(k.begins)
	for s := range k.m {
		k.ends[s+1] += k.ends[s]
	}
	k.stackable = k.stackable && k.plain
	k.huge = incidences >= HugeFrom
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
func (k *Kernel) describeSpans(tl *timeline.Timeline, p *timeline.Partition) {
	for _, i := range p.Buffers {
		if k.huge && k.late() {
			return
		}
		for _, s := range tl.Spans(int(i))[1:] {
			k.more[s.First-p.First]++
		}
	}
	count(k.more)
	for s := range k.more {
		k.more[s] += Piece(k.n)
	}
	for j, i := range p.Buffers {
		if k.huge && k.late() {
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
			if !k.Windowed {
				size = k.size[j]
			}
			k.span[x] = span{Section(s.First - p.First), Section(s.Last - p.First), s.Lower}
			k.block[x].size, k.owner[x] = size, common.Buffer(j)
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
func (k *Kernel) initTwins(tl *timeline.Timeline, _ *timeline.Partition) {
	list := k.list[:0]
	for j := range k.of {
		k.of[j].twin = common.Nobody
		if !k.of[j].fixed {
			list = append(list, common.Buffer(j))
		}
	}
	k.sortBy(list, func(i, j common.Buffer) bool {
		c := k.shape(i, j)
		return c < 0 || c == 0 && i < j
	})
	for at := 1; at < len(list); at++ {
		i, j := list[at-1], list[at]
		if k.shape(i, j) == 0 && (k.plain || sameSpans(tl.Spans(int(k.id[i])), tl.Spans(int(k.id[j])))) {
			k.of[j].twin = i
		}
	}
}

// shape compares the extents, sizes and alignments of two buffers.
func (k *Kernel) shape(i, j common.Buffer) int64 {
	a, b := &k.of[i], &k.of[j]
	if a.first != b.first {
		return int64(a.first - b.first)
	}
	if a.last != b.last {
		return int64(a.last - b.last)
	}
	if a.rawSize != b.rawSize {
		return a.rawSize - b.rawSize
	}
	return a.align - b.align
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
