package core

import "slices"

// How merge spends its nodes.
//
// Idea: begin anew, with other weights and more noise, until the height is the goal or the nodes are spent. Each
// beginning plans its roots as they are, and again after rounds.
//
// Invariant: the plan in p.at never gets higher.
//
// Complexity: a node for each 256 pairs that are looked at, and those of the search.
//
// Source: core/stowage_core.c.

// plant makes every body a root, and joins.
func (f *forest) plant() {
	f.all, f.live, f.spare, f.heap, f.log = f.all[:0], f.live[:0], f.spare[:0], f.heap[:0], f.log[:0]
	for end := range 2 {
		for s := range f.heads[end] {
			f.heads[end][s], f.counts[end][s] = -1, 0
		}
	}
	for i := range f.p.bodies {
		b := &f.p.bodies[i]
		f.all = append(f.all, bundle{
			first: b.first, last: b.last, size: b.size, align: b.align, sealed: b.fixed >= 0 || b.count > 1,
		})
	}
	for i := range f.p.n {
		f.addRoot(i)
	}
	for i := range f.p.n {
		f.offerPairs(i)
	}
	f.settle()
}

// leafOf returns the body in whose place bundle p begins.
func (f *forest) leafOf(p int32) int32 {
	for f.all[p].shape != single {
		p = f.all[p].parts[0]
	}
	return p
}

// drawScores draws scores near the best ones, and gives them to the roots.
func (f *forest) drawScores(q *problem) {
	n := int(f.p.n)
	far := [4]int32{8, 26, 77, 256}[f.drawBelow(4)]
	best, drawn := f.scores[:n+3], f.scores[n+3:]
	for i := range best {
		drawn[i] = int16(int32(best[i]) + far*f.gumbel()/256)
	}
	q.scored, q.weight = true, 512+int32(drawn[n])
	for i := range q.bodies {
		b := &q.bodies[i]
		q.load[i] = int64((int32(drawn[n+1])*log256(uint64(b.last-b.first))+int32(drawn[n+2])*log256(uint64(b.size)))/256 +
			int32(drawn[f.leafOf(f.live[b.id])]))
	}
}

// problem returns the roots as a problem.
func (f *forest) problem() *problem {
	p := f.p
	q := &problem{n: int32(len(f.live)), loose: p.loose}
	for k, root := range f.live {
		c := &f.all[root]
		b := p.bodies[f.leafOf(root)]
		b.lower, b.upper, b.id, b.size = int64(c.first), int64(c.last), int32(k), c.size
		q.bodies = append(q.bodies, b)
	}
	slices.SortStableFunc(q.bodies, func(a, b body) int { return int(a.lower - b.lower) })
	for k := range q.bodies {
		b := &q.bodies[k]
		c, from := &f.all[f.live[b.id]], b.piece
		b.piece = int32(len(q.pieces))
		for e := range b.count {
			x := p.pieces[from+e]
			x.owner, x.from, x.to = int32(k), int64(x.first), int64(x.last)
			if !c.sealed {
				x.from, x.to, x.high, x.need = int64(c.first), int64(c.last), c.size, c.size
			}
			q.pieces = append(q.pieces, x)
		}
	}
	q.arrays()
	q.cutSections()
	return q
}

// planRoots plans the roots: it asks about the goal, with few nodes and with more. When minimising, dives follow.
//
// Dives. Idea: whether a short search finds a plan depends on which root it places first. So the core makes many short
// searches, of three nodes a root each. Each orders the roots by a score: the logarithms of load, sections and size,
// each times a weight, and a number of the root's first body. Weights and numbers are drawn at random near those that
// lowered the plan last, so what was learned holds for other roots as well. Dives take three quarters of all nodes.
func (f *forest) planRoots(goal int64, minimise bool) {
	p, q := f.p, f.problem()
	t := asker{r: f.r, p: q, built: -1}
	target, halves := goal, int64(3)
	for words := 1; ; words-- {
		before := f.r.spent
		if t.askAll(target, halves) == fits { // what the roots fit, their bodies fit
			f.unfold(q)
			if q.scored {
				copy(f.scores, f.scores[p.n+3:])
			}
		}
		if q.scored {
			f.dived += f.r.spent - before
		}
		height := p.heightOf(0, p.n)
		if height <= goal || f.r.left <= 0 {
			return
		}
		if halves = 6; words > 0 {
			continue
		}
		if !minimise || q.scored && f.dived > f.r.spent/4*3 {
			return
		}
		f.drawScores(q)
		target = max(height-p.step*int64(1+f.drawBelow(8)), goal)
	}
}

// unfold gives the bodies the offsets of their roots.
func (f *forest) unfold(q *problem) {
	for k := range q.bodies {
		f.all[f.live[q.bodies[k].id]].at = q.at[k]
	}
	var todo []int32
	for _, root := range f.live {
		for todo = append(todo[:0], root); len(todo) > 0; {
			i := todo[len(todo)-1]
			todo = todo[:len(todo)-1]
			c := &f.all[i]
			if c.shape == single {
				f.p.at[i] = c.at
				continue
			}
			a, b := &f.all[c.parts[0]], &f.all[c.parts[1]]
			if a.at, b.at = c.at, c.at; c.shape == stacked {
				b.at += a.size
			}
			todo = append(todo, c.parts[1], c.parts[0])
		}
	}
}

func (f *forest) charge() {
	f.r.spend(1 + f.work/256)
	f.work = 0
	f.r.over()
}

var (
	weights     = [4]int32{2, 1, 4, 8}
	beginNoises = [3]int32{10, 3, 20}
	roundNoises = [3]int32{10, 3, 20}
)

// rounds improves the forest by rounds at random places, until so many in a row gained nothing.
func (f *forest) rounds(patience int, until int64) {
	f.noise = roundNoises[f.drawBelow(3)]
	for idle := 0; idle < patience && len(f.live) > 1 && f.r.left > until; idle++ {
		c := &f.all[f.live[f.drawBelow(len(f.live))]]
		at := c.first
		if f.drawBelow(2) != 0 {
			at = c.last
		}
		radius := int32(1) << f.drawBelow(4)
		before := len(f.live)
		f.roundAt(at-radius, at+radius)
		f.charge()
		if len(f.live) < before {
			idle = -1
		}
	}
}

// merge merges until the height is the goal or so many nodes are spent. begun counts the beginnings of all calls, and
// scores outlive them.
func merge(r *budget, p *problem, goal int64, minimise bool, nodes int64, begun *int, scores []int16) {
	until := max(r.left-nodes, 0)
	f := forest{p: p, r: r, scores: scores, random: 0x6d65726765 + uint64(*begun), heapMost: pairsEach * int(p.n)}
	for end := range 2 {
		f.heads[end], f.counts[end] = make([]int32, p.m+1), make([]int32, p.m+1)
	}
	for r.left > until {
		k := *begun
		*begun++
		zeros := 0
		for (k+1)>>zeros&1 == 0 {
			zeros++
		}
		f.stacking, f.noise = weights[k&3], 0
		if k > 0 {
			f.noise = beginNoises[k%3]
		}
		f.plant()
		f.charge()
		if k == 0 && len(f.live) > int(p.n-p.n/16) {
			return // nothing to merge here
		}
		for phase := range 2 {
			if phase == 1 {
				f.rounds(30<<min(zeros, 20), until)
			}
			f.planRoots(goal, minimise)
			if p.heightOf(0, p.n) <= goal || r.left <= until {
				return
			}
		}
	}
}
