package framework

import (
	"math"
	"slices"
)

// Idea: the graph compiler of oneDNN replays allocations and releases on one large buffer, a row of chunks. A request
// takes the free chunk that fits best, and the rest of the chunk stays free. If no free chunk is large enough, the
// largest one grows, and all chunks to its right move up. That is possible because nothing has an address before the
// end. The row itself grows only if nothing is free. A released chunk joins its free neighbours.
//
//	size  best is the smallest chunk that is large enough, else the largest
//	hot   best is the chunk with the highest score: how near its size is, from -1 to 1, with 1 more if it is large
//	      enough, and how lately it was in use, from 0 to 1 over ten steps
//
// Offsets come at the end. A chunk asks the chunk that it was cut or joined from: the left part of a cut begins at
// its start, the right part before its end, and a joined chunk where its first part begins.
//
// At equal times releases come before requests, both in the order of the input.
//
// Invariant: the row has the current chunks from left to right, no two free ones touching.
//
// Complexity: O(n · (chunks + depth)), where depth is how often memory was cut and joined.
//
// Source: oneDNN, graph compiler backend, static_memory_planner.cpp (515bfba), hot by its
// config/context.hpp; the same code was offered to MLIR (LLVM pull request 95882). Results that are written over an
// operand need to be told which; a problem does not say.

func init() {
	register(planner{
		name:    "onednn-graph",
		summary: "online allocator whose chunks can grow and move: best fit, or the chunk with the best score of size and recent use",
		source:  "oneDNN Graph, graph compiler, static_memory_planner.cpp (515bfba)",
		params:  []param{{name: "schedule", words: []string{"hot", "size"}, summary: "hot or size"}},
		place:   onednnGraph,
	})
}

// A piece is a chunk of memory that is or was in the row.
type piece struct {
	size   int64
	start  int64    // bytes, of a piece that was cut from the row's end
	from   []*piece // what it was cut or joined from; nil for one from the row's end
	kind   pieceKind
	free   bool
	tick   int64 // when it was last released
	marked bool  // its offset is known: start
}

type pieceKind uint8

const (
	fromEnd pieceKind = iota // of the row
	leftOf                   // a piece that was cut
	rightOf
	joined
)

// gcRow is the row of chunks.
type gcRow struct {
	row        []*piece
	free       []*piece // by turn
	end, ticks int64
	hot        bool
}

func onednnGraph(t *task) error {
	sizes, err := t.units()
	if err != nil {
		return err
	}
	g := &gcRow{hot: t.choice("schedule") == 0}
	pieces := make([]*piece, len(t.buffers))
	for i := range t.replay(t.sorted(t.earlier), t.sorted(t.endsEarlier), func(j int32) { g.release(pieces[j]) }) {
		pieces[i] = g.request(sizes[i])
	}
	offsets := make([]int64, len(t.buffers))
	for i, p := range pieces {
		offsets[i] = p.offset()
	}
	t.offsets = offsets
	return nil
}

// request returns a piece of a size.
func (g *gcRow) request(size int64) *piece {
	g.ticks++
	if len(g.free) == 0 {
		p := &piece{size: size, start: g.end}
		g.end += size
		g.row = append(g.row, p)
		return p
	}
	p := g.choose(size)
	g.leave(p)
	if p.size < size {
		g.extend(p, size-p.size)
		return p
	}
	if p.size == size {
		return p
	}
	left := &piece{size: size, from: []*piece{p}, kind: leftOf}
	right := &piece{size: p.size - size, from: []*piece{p}, kind: rightOf, tick: p.tick}
	k := slices.Index(g.row, p)
	g.row[k] = left
	g.row = slices.Insert(g.row, k+1, right)
	g.enter(right)
	return left
}

// choose returns the free piece for a size: in the order of size or of the last release,
// equal ones in the order in which they became free.
func (g *gcRow) choose(size int64) *piece {
	var best *piece
	if !g.hot {
		for _, p := range g.free {
			switch {
			case best == nil,
				p.size >= size && (best.size < size || p.size < best.size),
				p.size < size && best.size < size && p.size >= best.size:
				best = p
			}
		}
		return best
	}
	byTick := slices.Clone(g.free)
	slices.SortStableFunc(byTick, func(a, b *piece) int { return int(a.tick - b.tick) })
	best = byTick[len(byTick)-1]
	most := g.score(best, size)
	for _, p := range byTick {
		if score := g.score(p, size); score > most {
			best, most = p, score
		}
	}
	return best
}

// score is how well a piece suits, in the single precision of the source.
func (g *gcRow) score(p *piece, size int64) float32 {
	near := -float32(math.Abs(float64(p.size-size))) / float32(max(p.size, size))
	if size <= p.size {
		near++
	}
	return near + (1 - min(float32(g.ticks-p.tick)/10, 1))
}

func (g *gcRow) enter(p *piece) {
	p.free = true
	g.free = append(g.free, p)
}

func (g *gcRow) leave(p *piece) {
	p.free = false
	k := slices.Index(g.free, p)
	g.free = slices.Delete(g.free, k, k+1)
}

// extend makes a piece larger and moves what lies to its right.
func (g *gcRow) extend(p *piece, by int64) {
	g.end += by
	p.extend(by)
	for _, q := range g.row[slices.Index(g.row, p)+1:] {
		q.move(by)
	}
}

// release frees a piece.
func (g *gcRow) release(p *piece) {
	g.ticks++
	p.tick = g.ticks
	g.enter(p)
	first := slices.Index(g.row, p)
	last := first + 1
	for first > 0 && g.row[first-1].free {
		first--
	}
	for last < len(g.row) && g.row[last].free {
		last++
	}
	if last-first == 1 {
		return
	}
	all := &piece{from: slices.Clone(g.row[first:last]), kind: joined, tick: g.ticks}
	for _, q := range all.from {
		all.size += q.size
		g.leave(q)
	}
	g.row = slices.Replace(g.row, first, last, all)
	g.enter(all)
}

// move tells a piece, and the pieces that it was made from, that it has moved. Of a cut only the left part tells the
// whole.
func (p *piece) move(by int64) {
	switch p.kind {
	case fromEnd:
		p.start += by
	case leftOf:
		p.from[0].move(by)
	case joined:
		for _, q := range p.from {
			q.move(by)
		}
	}
}

// extend tells a piece, and what it was made from, that it has become larger.
func (p *piece) extend(by int64) {
	p.size += by
	if p.kind != fromEnd {
		p.from[len(p.from)-1].extend(by)
	}
}

// offset returns where a piece starts, once nothing moves any more.
func (p *piece) offset() int64 {
	if p.marked || p.kind == fromEnd {
		return p.start
	}
	p.start = p.from[0].offset()
	if p.kind == rightOf {
		p.start += p.from[0].size - p.size
	}
	p.marked = true
	return p.start
}
