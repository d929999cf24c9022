package lower

import "math"

// Idea: clocks are a partial order. If they alone decide who conflicts, two buffers conflict if the order does not
// order them. A clique is then an antichain, and flow finds the heaviest one without a search. Each vertex sends at
// most its size to the vertices after it, and receives at most its size:
//
//	weight of the heaviest antichain = sum of all sizes - largest flow
//
// Invariant: after the largest flow, take the vertices that the source reaches as senders and not as receivers. They
// are the antichain. No two of them are ordered: the earlier one could send to the later one, so the source would reach
// that as a receiver.
//
// Complexity: O(n²) arcs; Dinic's algorithm on a bipartite network. 256 buffers and 8 clocks took 7 ms. On OmniMalloc's
// pattern barrier of that size the search of heavy.go, at its limit, stays 2.2% below.
//
// Source: Dilworth (1950), Kőnig (1931), Dinic (1970). OmniMalloc 2e9cf4e has the weight as its antichain pressure.

// mostOrdered is the most buffers whose antichain is looked for: the arcs are a list of all ordered pairs.
const mostOrdered = 1024

// antichain returns the heaviest clique of a strip in which all pairs conflict that are not ordered. before[a] lists
// each b that starts after a is over.
func antichain(weight []int64, before [][]int32) clique {
	n := len(weight)
	// Vertices: a sends as a and receives as n+a; then source and sink.
	f := flow{first: make([][]int32, 2*n+2), level: make([]int32, 2*n+2), next: make([]int32, 2*n+2)}
	source, sink := int32(2*n), int32(2*n+1)
	for a := range int32(n) {
		f.arc(source, a, weight[a])
		f.arc(int32(n)+a, sink, weight[a])
		for _, b := range before[a] {
			f.arc(a, int32(n)+b, math.MaxInt64)
		}
	}
	for f.phase(source, sink) {
		clear(f.next)
		for f.push(source, sink, math.MaxInt64) > 0 {
		}
	}
	var x clique
	for a := range int32(n) {
		if f.level[a] > 0 && f.level[int32(n)+a] == 0 {
			x = append(x, a)
		}
	}
	return x
}

// A flow is a network. Arc k and arc k^1 are the two ways of one arc.
type flow struct {
	first [][]int32 // the arcs of each vertex
	to    []int32   // of each arc
	left  []int64   // what more may flow along each arc
	level []int32   // of each vertex in a phase: one more than its distance from the source; 0 if it is not reached
	next  []int32   // of each vertex in a phase: the first arc that may still lead to the sink
}

func (f *flow) arc(from, to int32, most int64) {
	k := int32(len(f.to))
	f.to, f.left = append(f.to, to, from), append(f.left, most, 0)
	f.first[from], f.first[to] = append(f.first[from], k), append(f.first[to], k+1)
}

// phase numbers the vertices by their distance from the source, and reports whether it reaches the sink.
func (f *flow) phase(source, sink int32) bool {
	clear(f.level)
	f.level[source] = 1
	queue := []int32{source}
	for len(queue) > 0 {
		v := queue[0]
		queue = queue[1:]
		for _, k := range f.first[v] {
			if u := f.to[k]; f.left[k] > 0 && f.level[u] == 0 {
				f.level[u] = f.level[v] + 1
				queue = append(queue, u)
			}
		}
	}
	return f.level[sink] > 0
}

// push sends at most so much from v to the sink, along one way, and returns how much.
func (f *flow) push(v, sink int32, most int64) int64 {
	if v == sink {
		return most
	}
	for ; int(f.next[v]) < len(f.first[v]); f.next[v]++ {
		k := f.first[v][f.next[v]]
		u := f.to[k]
		if f.left[k] == 0 || f.level[u] != f.level[v]+1 {
			continue
		}
		if sent := f.push(u, sink, min(most, f.left[k])); sent > 0 {
			f.left[k] -= sent
			f.left[k^1] += sent
			return sent
		}
	}
	return 0
}

// ordered returns for each buffer of g the buffers that begin only after its end. Buffers are places in strip.Members.
// The result is nil if other rules than the clocks have made an edge of g.
func (c *cliqueCover) ordered(g *graph) [][]int32 {
	if g.n > mostOrdered {
		return nil
	}
	before := make([][]int32, g.n)
	for a := range g.n {
		for b := range g.n {
			i, j := int(c.strip.Members[a]), int(c.strip.Members[b])
			first := c.lowering.ends(i, j)
			if first {
				before[a] = append(before[a], int32(b))
			}
			edge := g.edges[a*g.words+b/64]&(1<<(b%64)) != 0
			if a != b && edge == (first || c.lowering.ends(j, i)) {
				return nil
			}
		}
	}
	return before
}

// heaviestOf returns the heaviest clique of a strip with clocks. If there are other rules, it is the heaviest that a
// search finds.
func (c *cliqueCover) heaviestOf(g *graph) clique {
	before := c.ordered(g)
	if before == nil {
		return c.heaviest()
	}
	c.strip.ClocksAlone = c.strip.Edges != nil
	weight := make([]int64, g.n)
	for a := range weight {
		weight[a] = c.lowering.Problem.Buffers[c.strip.Members[a]].Size
	}
	return antichain(weight, before)
}
