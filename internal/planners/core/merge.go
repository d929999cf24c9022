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

// planRoots plans the roots below target, with so many nodes of search, and takes the plan if it is lower.
func (f *forest) planRoots(target, nodes int64) {
	p := f.p
	q := &problem{n: int32(len(f.live)), loose: p.loose}
	for k, root := range f.live {
		c := &f.all[root]
		b := body{lower: int64(c.first), upper: int64(c.last), id: int32(k), size: c.size, align: c.align, count: 1, fixed: -1}
		if c.sealed {
			b.fixed, b.count = p.bodies[root].fixed, p.bodies[root].count
		}
		q.bodies = append(q.bodies, b)
	}
	slices.SortStableFunc(q.bodies, func(a, b body) int { return int(a.lower - b.lower) })
	for k := range q.bodies {
		b := &q.bodies[k]
		root := f.live[b.id]
		c := &f.all[root]
		b.piece = int32(len(q.pieces))
		x := piece{owner: int32(k), from: int64(c.first), to: int64(c.last), high: c.size, need: c.size}
		for e := range b.count {
			if c.sealed {
				x = p.pieces[p.bodies[root].piece+e]
				x.owner, x.from, x.to = int32(k), int64(x.first), int64(x.last)
			}
			q.pieces = append(q.pieces, x)
		}
	}
	q.arrays()
	q.cutSections()
	before := f.r.left
	budget := min(nodes, before)
	f.r.left = budget
	t := asker{r: f.r, p: q, built: -1}
	found := unknown
	for halves := int64(3); found == unknown && f.r.left > 0 && !t.stuck; halves *= 2 {
		found = t.askAll(target, halves)
	}
	if f.r.left = before - (budget - f.r.left); f.r.cancelled {
		f.r.left = 0
	}
	if found != fits {
		return
	}
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
				p.trial[i] = c.at
				continue
			}
			a, b := &f.all[c.parts[0]], &f.all[c.parts[1]]
			if a.at, b.at = c.at, c.at; c.shape == stacked {
				b.at += a.size
			}
			todo = append(todo, c.parts[1], c.parts[0])
		}
	}
	var height int64
	for k := range p.bodies {
		height = max(height, p.trial[k]+p.bodies[k].size)
	}
	if height < p.heightOf(0, p.n) {
		copy(p.at, p.trial[:p.n])
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

// merge merges until the height is the goal or so many nodes are spent. begun counts the beginnings of all calls. When
// minimising, once the goal has failed, targets lie between it and the plan.
func merge(r *budget, p *problem, goal int64, minimise bool, nodes int64, begun *int) {
	until := max(r.left-nodes, 0)
	f := forest{p: p, r: r, random: 0x6d65726765 + uint64(*begun), heapMost: pairsEach * int(p.n)}
	for end := range 2 {
		f.heads[end], f.counts[end] = make([]int32, p.m+1), make([]int32, p.m+1)
	}
	failed := false
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
			target, height := goal, p.heightOf(0, p.n)
			if minimise && failed {
				target = height - p.step
				if f.drawBelow(2) == 0 {
					target -= int64(f.draw() % uint64((height-goal)/4+1))
				}
				target = max(target/p.step*p.step, goal)
			}
			f.planRoots(target, 10*int64(len(f.live)))
			if p.heightOf(0, p.n) <= goal {
				return
			}
			if target == goal {
				failed = true
			}
			if r.left <= until {
				return
			}
		}
	}
}
