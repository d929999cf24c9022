package networks

import (
	"fmt"
	"slices"
)

// Idea: randomly wired networks. A stage is a random undirected graph whose edges point from the lower to the
// higher number. A node adds its inputs, then is an activation and a separable convolution. The nodes without an
// input take the stage's, with stride 2; the result of a stage is the mean of the nodes that nobody reads.
//
// Source: Xie, Kirillov, Girshick and He, "Exploring randomly wired neural networks for image recognition", ICCV
// 2019. Their small regime has 32 nodes a stage, 78 channels and a 224 × 224 image; the best of their generators
// are WS(4, 0.75), ER(0.2) and BA(5).

// Wiring is a random graph: its neighbours by node.
type Wiring struct {
	Name string
	draw func(r *rng, nodes int) [][]int
}

// WattsStrogatz starts from a ring in which each node has k neighbours, and rewires each edge with a probability.
func WattsStrogatz(k int, rewire float64) Wiring {
	return Wiring{fmt.Sprintf("WS(%d,%g)", k, rewire), func(r *rng, nodes int) [][]int {
		edges := edges(make([][]int, nodes))
		for reach := 1; reach <= k/2; reach++ {
			for v := range nodes {
				edges.join(v, (v+reach)%nodes)
			}
		}
		for reach := 1; reach <= k/2; reach++ {
			for v := range nodes {
				if w := (v + reach) % nodes; r.chance(rewire) && edges.joined(v, w) && len(edges[v]) < nodes-1 {
					u := r.below(nodes)
					for u == v || edges.joined(v, u) {
						u = r.below(nodes)
					}
					edges.part(v, w)
					edges.join(v, u)
				}
			}
		}
		return edges
	}}
}

// ErdosRenyi joins each two nodes with a probability, and draws again until the graph is connected.
func ErdosRenyi(probability float64) Wiring {
	return Wiring{fmt.Sprintf("ER(%.3g)", probability), func(r *rng, nodes int) [][]int {
		for {
			edges := edges(make([][]int, nodes))
			for v := range nodes {
				for w := range v {
					if r.chance(probability) {
						edges.join(v, w)
					}
				}
			}
			if edges.connected() {
				return edges
			}
		}
	}}
}

// BarabasiAlbert starts with m nodes and joins each further one to m others, the more likely the more neighbours
// they have.
func BarabasiAlbert(m int) Wiring {
	return Wiring{fmt.Sprintf("BA(%d)", m), func(r *rng, nodes int) [][]int {
		edges := edges(make([][]int, nodes))
		var ends []int // a node as often as it has neighbours
		for v := m; v < nodes; v++ {
			for len(edges[v]) < m {
				w := len(edges[v])
				if v > m {
					w = ends[r.below(len(ends))]
				}
				if !edges.joined(v, w) {
					edges.join(v, w)
				}
			}
			for _, w := range edges[v] {
				ends = append(ends, v, w)
			}
		}
		return edges
	}}
}

// edges are the neighbours of each node.
type edges [][]int

func (e edges) joined(v, w int) bool { return slices.Contains(e[v], w) }

func (e edges) join(v, w int) {
	if v != w && !e.joined(v, w) {
		e[v], e[w] = append(e[v], w), append(e[w], v)
	}
}

func (e edges) part(v, w int) {
	e[v] = slices.DeleteFunc(e[v], func(u int) bool { return u == w })
	e[w] = slices.DeleteFunc(e[w], func(u int) bool { return u == v })
}

func (e edges) connected() bool {
	seen, stack := make([]bool, len(e)), []int{0}
	seen[0] = true
	count := 1
	for len(stack) > 0 {
		v := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		for _, w := range e[v] {
			if !seen[w] {
				seen[w] = true
				count++
				stack = append(stack, w)
			}
		}
	}
	return count == len(e)
}

// RandWireStage is one stage of a randomly wired network on an image of size × size, as SERENITY's cells are.
func RandWireStage(w Wiring, nodes, size, channels int, seed uint64, sharing Sharing) Network {
	b := &builder{sharing: sharing}
	b.output(b.stage(newRNG(seed, w.Name), w, b.input(size, size, channels), nodes, channels))
	return Network{"RandWire", fmt.Sprintf("%s stage of %d, seed %d", w.Name, nodes, seed), &b.p}
}

// RandWire is a whole randomly wired network in the small regime: 224 × 224 pixels, channels of the first stage,
// then three stages of this many nodes.
func RandWire(w Wiring, nodes, channels int, seed uint64, sharing Sharing) Network {
	b, r := &builder{sharing: sharing}, newRNG(seed, w.Name)
	x := b.window(b.input(224, 224, 3), channels/2, 3, 2)
	x = b.window(b.each(x), channels, 3, 2)
	for stage := range 3 {
		x = b.stage(r, w, x, nodes, channels<<stage)
	}
	b.classify(b.pointwise(b.each(x), 1280, 1), 1000)
	return Network{"RandWire", fmt.Sprintf("%s 3 × %d, seed %d", w.Name, nodes, seed), &b.p}
}

func (b *builder) stage(r *rng, w Wiring, x tensor, nodes, channels int) tensor {
	graph := w.draw(r, nodes)
	results := make([]tensor, nodes)
	var last []tensor
	for v := range graph {
		var operands []tensor
		read := false
		for _, u := range slices.Sorted(slices.Values(graph[v])) {
			if u < v {
				operands = append(operands, results[u])
			}
			read = read || u > v
		}
		if len(operands) == 0 {
			results[v] = b.separable(x, channels, 3, 2)
		} else {
			results[v] = b.separable(b.sum(operands...), channels, 3, 1)
		}
		if !read {
			last = append(last, results[v])
		}
	}
	return b.sum(last...)
}
