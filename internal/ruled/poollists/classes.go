package poollists

import (
	"cmp"
	"slices"

	"github.com/stowage-go/stowage/model"
)

// Idea: buffers that ties or lists put into one pool are a class. Two classes differ if a list of different pools has a
// buffer of each. So the lists ask for a coloring of the classes, and these steps say which pools a class may have:
//
//	a class is in pool q            none that differs from it is
//	m classes that differ pairwise  need m pools
//
// Invariant: a pool that a class loses has it in no plan.
//
// Complexity: O(classes · (classes + pools)) for a step.

// choices says for each class and pool whether the class may be there.
type choices [][]bool

func (c choices) clone() choices {
	d := slices.Clone(c)
	for k := range d {
		d[k] = slices.Clone(d[k])
	}
	return d
}

// only returns the pool of a class that has one, or -1.
func (c choices) only(k int32) int32 {
	q := slices.Index(c[k], true)
	if q < 0 || slices.Contains(c[k][q+1:], true) {
		return -1
	}
	return int32(q)
}

// classes are the buffers of a problem, by the pools that they share.
type classes struct {
	p       *model.Problem
	pools   []model.Pool
	members [][]int32
	size    []int64
	differ  [][]int32 // of each class, ascending
	cliques [][]int32 // the lists of different pools, as classes
	listed  []bool    // of each class, whether a list is about it
}

// newClasses returns the classes, and the pools that each may have; nil for these if the lists contradict one another.
func newClasses(p *model.Problem) (*classes, choices) {
	c := &classes{p: p, pools: p.AllPools()}
	root := make([]int32, len(p.Buffers))
	for i := range root {
		root[i] = int32(i)
	}
	find := func(i int32) int32 {
		for root[i] != i {
			i = root[i]
		}
		return i
	}
	unite := func(list []int32) {
		for _, i := range list[1:] {
			root[find(i)] = find(list[0])
		}
	}
	for _, t := range p.Rules.Together {
		unite(t.Buffers)
	}
	for _, list := range p.Rules.SamePool {
		unite(list)
	}
	index, class, may := map[int32]int32{}, make([]int32, len(p.Buffers)), choices{}
	for i := range p.Buffers {
		k, known := index[find(int32(i))]
		if !known {
			k = int32(len(c.members))
			index[find(int32(i))] = k
			c.members, c.size, may = append(c.members, nil), append(c.size, 0), append(may, make([]bool, len(c.pools)))
			for q := range may[k] {
				may[k][q] = true
			}
		}
		class[i], c.members[k], c.size[k] = k, append(c.members[k], int32(i)), c.size[k]+p.Buffers[i].Size
		for q := range may[k] {
			may[k][q] = may[k][q] && p.Buffers[i].MayUse(int32(q))
		}
	}
	c.differ, c.listed = make([][]int32, len(c.members)), make([]bool, len(c.members))
	for k := range c.members {
		c.listed[k] = len(c.members[k]) > 1
	}
	for _, list := range p.Rules.DifferentPools {
		var clique []int32
		for _, i := range list {
			clique = append(clique, class[i])
			c.listed[class[i]] = true
			for _, j := range list {
				if i != j {
					c.differ[class[i]] = append(c.differ[class[i]], class[j])
				}
			}
		}
		c.cliques = append(c.cliques, clique)
	}
	for k := range c.differ {
		slices.Sort(c.differ[k])
		if c.differ[k] = slices.Compact(c.differ[k]); slices.Contains(c.differ[k], int32(k)) {
			return c, nil
		}
	}
	return c, may
}

// narrow takes pools from classes that cannot have them. It returns false if some classes have too few.
func (c *classes) narrow(may choices) bool {
	left := make([]int32, len(may))
	for k := range left {
		left[k] = int32(k)
	}
	for len(left) > 0 {
		k := left[len(left)-1]
		left = left[:len(left)-1]
		if !slices.Contains(may[k], true) {
			return false
		}
		q := may.only(k)
		if q < 0 {
			continue
		}
		for _, j := range c.differ[k] {
			if may[j][q] {
				may[j][q] = false
				left = append(left, j)
			}
		}
	}
	for _, clique := range c.cliques {
		pools := 0
		for q := range c.pools {
			if slices.ContainsFunc(clique, func(k int32) bool { return may[k][q] }) {
				pools++
			}
		}
		if pools < len(clique) {
			return false
		}
	}
	return true
}

// question returns the problem without lists, with each class in the pools in which it may be.
func (c *classes) question(may choices) *model.Problem {
	q, rules := *c.p, *c.p.Rules
	rules.DifferentPools, rules.SamePool = nil, nil
	q.Rules, q.Buffers = &rules, slices.Clone(c.p.Buffers)
	if len(rules.Pools) == 0 {
		return &q
	}
	for k, members := range c.members {
		if !c.listed[k] {
			continue
		}
		var pools []int32
		for n, ok := range may[k] {
			if ok {
				pools = append(pools, int32(n))
			}
		}
		for _, i := range members {
			extra := model.Extra{}
			if q.Buffers[i].Extra != nil {
				extra = *q.Buffers[i].Extra
			}
			extra.Pools = pools
			q.Buffers[i].Extra = &extra
		}
	}
	return &q
}

// broken returns the largest class that breaks a list with its pool in a plan, and the pool; -1 if there is none.
func (c *classes) broken(of []int32) (class, pool int32) {
	class = -1
	in := func(k int32) (q int32, one bool) {
		q, one = poolOf(of, c.members[k][0]), true
		for _, i := range c.members[k] {
			one = one && poolOf(of, i) == q
		}
		return q, one
	}
	for k := range c.members {
		k := int32(k)
		if class >= 0 && c.size[k] <= c.size[class] {
			continue
		}
		q, one := in(k)
		if !one || slices.ContainsFunc(c.differ[k], func(j int32) bool { r, all := in(j); return all && r == q }) {
			class, pool = k, q
		}
	}
	return class, pool
}

// poolOf returns the pool of a buffer in a plan; nil is for the only pool.
func poolOf(of []int32, i int32) int32 {
	if of == nil {
		return 0
	}
	return of[i]
}

// widest returns the largest class that may be in several pools and is in a list, and the first of them; -1 if there is
// none.
func (c *classes) widest(may choices) (class, pool int32) {
	class = -1
	for k := range may {
		if c.listed[k] && may.only(int32(k)) < 0 && (class < 0 || c.size[k] > c.size[class]) {
			class, pool = int32(k), int32(slices.Index(may[k], true))
		}
	}
	return class, pool
}

// repaired gives each class that is in a list one pool, near to those of a plan that breaks lists. It returns nil if it
// finds no such pools.
func (c *classes) repaired(may choices, of []int32) choices {
	var order []int32
	for k := range may {
		if c.listed[k] {
			order = append(order, int32(k))
		}
	}
	slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(c.size[b], c.size[a]) })
	load := make([]int64, len(c.pools))
	for i := range c.p.Buffers {
		load[poolOf(of, int32(i))] += c.p.Buffers[i].Size
	}
	now := may.clone()
	for _, k := range order {
		had := poolOf(of, c.members[k][0])
		var pools []int32
		for q, ok := range now[k] {
			if ok {
				pools = append(pools, int32(q))
			}
		}
		away := func(q int32) int64 {
			if q == had {
				return -1
			}
			return load[q]
		}
		slices.SortStableFunc(pools, func(a, b int32) int { return cmp.Compare(away(a), away(b)) })
		found := false
		for _, q := range pools {
			next := now.clone()
			for r := range next[k] {
				next[k][r] = int32(r) == q
			}
			if found = c.narrow(next); found {
				now = next
				load[had] -= c.size[k]
				load[q] += c.size[k]
				break
			}
		}
		if !found {
			return nil
		}
	}
	return now
}

// alike returns the pools that can be exchanged with a pool in every plan of a branch, the pool among them.
func (c *classes) alike(may choices, pool int32) (all []int32) {
	a := &c.pools[pool]
	named := func(q *model.Pool) bool {
		return slices.Contains(c.p.Objective(), model.HeightIn(q.ID)) || slices.Contains(c.p.Objective(), model.PeakIn(q.ID))
	}
	for q := range c.pools {
		b := &c.pools[q]
		same := int32(q) == pool || a.Capacity == b.Capacity && a.Alignment == b.Alignment && a.Cost == b.Cost &&
			a.Objects == b.Objects &&
			slices.Equal(a.Reserved, b.Reserved) && !named(a) && !named(b) &&
			!slices.ContainsFunc(may, func(of []bool) bool { return of[pool] != of[q] })
		for i := range c.p.Buffers {
			x := &c.p.Buffers[i]
			same = same && x.MayUse(pool) == x.MayUse(int32(q)) &&
				x.CostIn(c.pools, pool) == x.CostIn(c.pools, int32(q))
		}
		if same || int32(q) == pool {
			all = append(all, int32(q))
		}
	}
	return all
}
