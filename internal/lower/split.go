package lower

import (
	"slices"

	"github.com/stowage-go/stowage/model"
)

// Idea: a section of time is no clique if two of its elements may overlap, are of one body, or have a distance. Such
// elements are touched. The section becomes several slots, and untouched elements run through all of them. The touched
// ones are a small graph, and cliques cover its edges. The cover is greedy: take a pair that is not covered. Among the
// vertices that conflict with all so far, add the one with the most new pairs. Stop if there is none.
//
// Members of one body whose bytes touch are one vertex, with the bytes of all of them. So views of a tensor cost no
// slot. Members that a rule treats differently stay apart.
//
// Let x die and y be born in a section, with distance d. They get a slot in which x uses its bytes from r on, and y
// its first w bytes. With w - r = d, w >= 1 and r >= 0:
//
//	disjoint there  if and only if  offset(x) - offset(y) >= d  or  offset(y) >= offset(x) + size(x)
//
// Complexity: O(t³) for t touched elements and O(t²) cliques at most.

// A vertex is a body, the bytes that it uses in a section, and the elements that use them.
type vertex struct {
	entry
	elements []int32
}

// loose reports whether two members may share bytes though they meet.
func (c *cliqueCover) loose(a, b int32) bool {
	if c.strip.Body[a] == c.strip.Body[b] {
		return true
	}
	if c.extra != nil && slices.Contains(c.extra[a], b) {
		return false
	}
	return c.mayOverlap(a, b) || c.distance(a, b) >= 0
}

func (c *cliqueCover) mayOverlap(a, b int32) bool {
	if c.lowering.free == nil {
		return false
	}
	_, found := slices.BinarySearch(c.lowering.free[c.strip.Members[a]], c.strip.Members[b])
	return found
}

// distance returns the index in dist of the rule about the two members, or -1.
func (c *cliqueCover) distance(a, b int32) int {
	i, j := c.strip.Members[a], c.strip.Members[b]
	return slices.IndexFunc(c.lowering.dist, func(d model.Distance) bool {
		return d.Buffers == model.Pair{i, j} || d.Buffers == model.Pair{j, i}
	})
}

// A splitting is the graph of a section's touched elements while cliques cover it.
type splitting struct {
	cover    *cliqueCover
	vertices []vertex
	edge     []bool // of each two vertices: they conflict
	covered  []bool // of each two: some clique has both
	met      []bool // of each vertex: some clique has it
	touched  []int32
}

// split makes the slots of a section. odd has its live elements whose members are special (specials in time.go).
func (c *cliqueCover) split(odd []int32) {
	vertices, distances, touched := c.vertices(odd)
	if len(touched) == 0 {
		c.slots = append(c.slots, slot{})
		return
	}
	n := len(vertices)
	s := &splitting{
		cover: c, vertices: vertices, touched: touched,
		edge: make([]bool, n*n), covered: make([]bool, n*n), met: make([]bool, n),
	}
	for v := range n {
		for w := range v {
			s.edge[v*n+w] = s.joined(v, w)
			s.edge[w*n+v] = s.edge[v*n+w]
		}
	}
	for v := range n {
		for w := range v {
			if s.edge[v*n+w] && !s.covered[v*n+w] {
				s.emit(s.grow([]int{w, v}))
			}
		}
	}
	for v := range n {
		if !s.met[v] {
			s.emit(s.grow([]int{v}))
		}
	}
	for _, d := range distances {
		x, y := c.narrowed(d)
		s.emit(s.conflicting(d), x, y)
	}
}

// joined reports whether two vertices conflict.
func (s *splitting) joined(v, w int) bool {
	if s.vertices[v].body == s.vertices[w].body {
		return false
	}
	for _, e := range s.vertices[v].elements {
		for _, f := range s.vertices[w].elements {
			if s.cover.loose(s.cover.elements[e].member, s.cover.elements[f].member) {
				return false
			}
		}
	}
	return true
}

// grow adds vertices to a clique, those with the most new pairs first.
func (s *splitting) grow(members []int) []int {
	n := len(s.vertices)
	for {
		best, most := -1, -1
		for v := range n {
			fresh := 0
			for _, w := range members {
				if !s.edge[v*n+w] {
					fresh = -1
					break
				}
				if !s.covered[v*n+w] {
					fresh++
				}
			}
			if fresh > most {
				best, most = v, fresh
			}
		}
		if best < 0 {
			return members
		}
		members = append(members, best)
	}
}

// emit makes a slot of a clique and further entries.
func (s *splitting) emit(members []int, also ...entry) {
	for _, v := range members {
		s.met[v] = true
		also = append(also, s.vertices[v].entry)
		for _, w := range members {
			s.covered[v*len(s.vertices)+w] = true
		}
	}
	s.cover.slots = append(s.cover.slots, slot{absent: s.touched, also: also})
}

// conflicting returns a clique of vertices that conflict with both buffers of a distance.
func (s *splitting) conflicting(d model.Distance) (members []int) {
	for v := range s.vertices {
		beside := true
		for _, e := range s.vertices[v].elements {
			for _, i := range d.Buffers {
				k := s.cover.index[i]
				beside = beside && s.vertices[v].body != s.cover.strip.Body[k] && !s.cover.loose(s.cover.elements[e].member, k)
			}
		}
		for _, w := range members {
			beside = beside && s.edge[v*len(s.vertices)+w]
		}
		if beside {
			members = append(members, v)
		}
	}
	return members
}

// vertices groups the touched elements of a section. It also returns the distances between them.
func (c *cliqueCover) vertices(odd []int32) (vertices []vertex, distances []model.Distance, touched []int32) {
	ruled := make([]bool, len(odd)) // touched by more than their own body
	hit := make([]bool, len(odd))
	for k, e := range odd {
		for m, f := range odd[:k] {
			a, b := c.elements[e].member, c.elements[f].member
			if !c.loose(a, b) {
				continue
			}
			hit[k], hit[m] = true, true
			if c.strip.Body[a] == c.strip.Body[b] {
				continue
			}
			ruled[k], ruled[m] = true, true
			if d := c.distance(a, b); d >= 0 && c.binds(c.lowering.dist[d]) {
				distances = append(distances, c.lowering.dist[d])
			}
		}
	}
	for k, e := range odd {
		if !hit[k] {
			continue
		}
		touched = append(touched, e)
		x := &c.elements[e]
		v := vertex{entry{c.strip.Body[x.member], x.from, x.to}, []int32{e}}
		if !ruled[k] {
			// Bytes of a body that touch are one vertex, as long as no rule treats them differently.
			for m := 0; m < len(vertices); m++ {
				w := &vertices[m]
				if w.body == v.body && w.from <= v.to && v.from <= w.to &&
					!slices.ContainsFunc(w.elements, func(f int32) bool { return ruled[slices.Index(odd, f)] }) {
					v.from, v.to = min(v.from, w.from), max(v.to, w.to)
					v.elements = append(v.elements, w.elements...)
					vertices = slices.Delete(vertices, m, m+1)
					m = -1
				}
			}
		}
		vertices = append(vertices, v)
	}
	slices.Sort(touched)
	return vertices, distances, touched
}

// binds reports whether a distance forbids anything. One that is small enough permits all offsets.
func (c *cliqueCover) binds(d model.Distance) bool {
	return d.Distance > 1-c.lowering.Problem.Buffers[d.Buffers[0]].Size
}

// narrowed returns the bytes that the two buffers of a distance use in their slot.
func (c *cliqueCover) narrowed(d model.Distance) (x, y entry) {
	x, y = c.all(c.index[d.Buffers[0]]), c.all(c.index[d.Buffers[1]])
	r := max(0, 1-d.Distance)
	x.from += r
	y.to = y.from + d.Distance + r
	return x, y
}
