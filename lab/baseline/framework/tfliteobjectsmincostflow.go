package framework

import "fmt"

// Idea: which tensor follows which in an object is a flow. Each tensor j, once it is dead, offers its memory to each
// later tensor i, at the cost of what i is larger than j; a new object for i costs the size of i. Every tensor takes
// one offer, and no memory is offered twice. A flow of least cost is found by shortest augmenting paths; the offers
// taken chain the tensors into objects.
//
//	source ─ 0 ─▶ j ─ max(0, i-j) ─▶ i' ─ 0 ─▶ sink       all capacities 1
//	source ─────── size of i ──────▶ i'
//
// The cost is only a stand-in for the sum of the objects: a chain pays for every
// rise in size, and an object only for its highest.
//
// Invariant: edge e and its reverse are e and e^1; cap[e]+cap[e^1] is 1.
//
// Complexity: n augmentations, each by a queue-based Bellman–Ford over up to n² edges: cubic at the least. The
// parameter buffers bounds n; TFLite has no bound and costs of 32 bits.
//
// Source: TensorFlow Lite GPU delegate, min_cost_flow_assignment (LiteRT 0e9c7a5), with its order of edges, since that
// decides between flows of equal cost. The records come in the order of the first task there; here the buffers are
// sorted by it, ties by the input.

func init() {
	register(planner{
		name:    "tflite-objects-min-cost-flow",
		summary: "shared objects as chains of a least-cost flow; small problems only",
		source:  "TensorFlow Lite GPU, mincostflow (LiteRT 0e9c7a5)",
		params: []param{
			{name: "buffers", otherwise: 1500, least: 1, most: 1 << 14, summary: "refuse more buffers than this, because the time is cubic; the framework has no limit"},
		},
		place: tfliteMinCostFlow,
	})
}

// A flow is the network: two nodes for each tensor, one that offers (k) and one
// that takes (n+k), then the source and the sink.
type flow struct {
	n            int
	to           []int32
	cap          []uint8
	cost         []int64
	from         [][]int32 // edges out of each node
	source, sink int32
}

func (f *flow) edge(from, to int32, cost int64) {
	f.from[from] = append(f.from[from], int32(len(f.to)))
	f.from[to] = append(f.from[to], int32(len(f.to)+1))
	f.to = append(f.to, to, from)
	f.cap = append(f.cap, 1, 0)
	f.cost = append(f.cost, cost, -cost)
}

func tfliteMinCostFlow(t *task) error {
	most := t.number("buffers")
	n := len(t.buffers)
	if int64(n) > most {
		return fmt.Errorf("%d buffers, more than %d: the flow network has up to %d edges; set the parameter buffers to try",
			n, most, int64(n)*int64(n)/2)
	}
	order := t.sorted(t.earlier)
	f := newFlow(t, order)
	if !f.solve(t) {
		return errStopped
	}

	// Chains: an object starts with each new one in the order of the input, and goes on with whoever took the offer.
	o := newObjects(t)
	for _, e := range f.from[f.source] {
		if v := f.to[e]; f.cap[e] == 0 && int(v) >= n {
			i := int(v) - n
			object := o.make(int(order[i]))
			for next := f.follower(i); next >= 0; next = f.follower(next) {
				o.add(object, int(order[next]))
			}
		}
	}
	return o.place()
}

// newFlow builds the network of the buffers in the given order.
func newFlow(t *task, order []int32) *flow {
	n := len(order)
	f := &flow{n: n, from: make([][]int32, 2*n+2), source: int32(2 * n), sink: int32(2*n + 1)}
	var (
		busy inUse
		dead []int32
	)
	for k, i := range order {
		b := &t.buffers[i]
		for u, ok := busy.pop(b.Lower); ok; u, ok = busy.pop(b.Lower) {
			dead = append(dead, u.object)
		}
		busy.push(use{b.Upper, int32(k)})
		takes := int32(n + k)
		f.edge(f.source, int32(k), 0)
		f.edge(takes, f.sink, 0)
		f.edge(f.source, takes, b.Size)
		for _, j := range dead {
			f.edge(j, takes, max(0, b.Size-t.buffers[order[j]].Size))
		}
	}
	return f
}

// solve finds a flow of least cost; false if a limit comes first.
func (f *flow) solve(t *task) bool {
	const far = int64(1) << 62
	nodes := len(f.from)
	var (
		distance = make([]int64, nodes)
		through  = make([]int32, nodes) // the edge on the path into each node
		queued   = make([]int32, nodes) // the last round that a node was queued for
		now      = make([]int32, 0, nodes)
		next     = make([]int32, 0, nodes)
	)
	for {
		for v := range distance {
			distance[v], queued[v] = far, 0
		}
		distance[f.source], queued[f.source] = 0, 1
		now = append(now[:0], f.source)
		for round := int32(2); len(now) > 0; round++ {
			if t.stopped() {
				return false
			}
			next = next[:0]
			for _, v := range now {
				for _, e := range f.from[v] {
					if f.cap[e] == 0 {
						continue
					}
					u := f.to[e]
					if d := distance[v] + f.cost[e]; d < distance[u] {
						distance[u], through[u] = d, e
						if queued[u] != round {
							next = append(next, u)
							queued[u] = round
						}
					}
				}
			}
			now, next = next, now
		}
		if distance[f.sink] == far {
			return true
		}
		for v := f.sink; v != f.source; {
			e := through[v]
			f.cap[e]--
			f.cap[e^1]++
			v = f.to[e^1]
		}
	}
}

// follower returns who takes the offer of tensor k, -1 for nobody.
func (f *flow) follower(k int) int {
	for _, e := range f.from[k] {
		if v := int(f.to[e]); e&1 == 0 && f.cap[e] == 0 && v >= f.n && v < 2*f.n {
			return v - f.n
		}
	}
	return -1
}
