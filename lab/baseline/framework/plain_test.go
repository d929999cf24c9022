package framework

import (
	"cmp"
	"math"
	"slices"
	"testing"

	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// The planners with the most machinery, a second time: as lists that are walked
// from end to end, without trees, counters and kept sizes.

// plainTriton keeps its slots in a sorted list and looks at all pairs.
func plainTriton(p *model.Problem) []int64 {
	type slot struct{ offset, start, end int64 }
	offsets := make([]int64, len(p.Buffers))
	order := bySize(p, noTie)
	slots := []slot{{0, 0, math.MaxInt64}}
	push := func(s slot) { // behind those of the same offset, as a multimap does
		at := 0
		for at < len(slots) && slots[at].offset <= s.offset {
			at++
		}
		slots = slices.Insert(slots, at, s)
	}
	for waiting := slices.Clone(order); len(waiting) > 0; {
		s := slots[0]
		slots = slots[1:]
		at := slices.IndexFunc(waiting, func(i int) bool {
			b := &p.Buffers[i]
			return b.Lower < s.end && s.start < b.Upper && !slices.ContainsFunc(slots, func(o slot) bool {
				return b.Lower < o.end && o.start < b.Upper
			})
		})
		if at < 0 {
			continue
		}
		i := waiting[at]
		b := &p.Buffers[i]
		waiting = slices.Delete(waiting, at, at+1)
		offsets[i] = s.offset
		push(slot{s.offset + b.Size, max(s.start, b.Lower), min(s.end, b.Upper)})
		if s.start < b.Lower {
			push(slot{s.offset, s.start, b.Upper})
		}
		if b.Upper < s.end {
			push(slot{s.offset, b.Lower, s.end})
		}
	}
	for {
		meets := func(i, j int) bool {
			return i != j && overlap(&p.Buffers[i], &p.Buffers[j]) &&
				offsets[i] < offsets[j]+p.Buffers[j].Size && offsets[j] < offsets[i]+p.Buffers[i].Size
		}
		graph := map[int][]int{}
		for _, i := range order {
			for _, j := range order {
				if meets(i, j) {
					graph[i] = append(graph[i], j)
				}
			}
		}
		if len(graph) == 0 {
			return offsets
		}
		colour := map[int]int{}
		for _, i := range order {
			c := 0
			for slices.ContainsFunc(graph[i], func(j int) bool { other, ok := colour[j]; return ok && other == c }) {
				c++
			}
			colour[i] = c
		}
		for _, i := range order {
			if colour[i] == 0 {
				continue
			}
			offsets[i] = 0
			for _, j := range graph[i] {
				offsets[i] = max(offsets[i], offsets[j]+p.Buffers[j].Size)
			}
		}
	}
}

// plainShared is SOMAS's pile of footprints, its forbidden stretches collected, sorted and merged as in its source.
func plainShared(p *model.Problem, smallest bool) int64 {
	type print struct {
		start, end int64
		members    []int
	}
	offsets := make([]int64, len(p.Buffers))
	var prints []*print
	var top int64
	begin, end := int64(math.MaxInt64), int64(0)
	for i := range p.Buffers {
		begin, end = min(begin, p.Buffers[i].Lower), max(end, p.Buffers[i].Upper)
	}
	var lifelong int64
	for _, i := range bySize(p, noTie) {
		b := &p.Buffers[i]
		if b.Lower == begin && b.Upper == end {
			lifelong += b.Size
			continue
		}
		done := false
		for k, f := range prints {
			if overlap(b, &p.Buffers[f.members[0]]) {
				continue
			}
			var forbidden [][2]int64
			for _, j := range f.members {
				if overlap(b, &p.Buffers[j]) {
					forbidden = append(forbidden, [2]int64{offsets[j], offsets[j] + p.Buffers[j].Size})
				}
			}
			slices.SortFunc(forbidden, func(a, b [2]int64) int { return slices.Compare(a[:], b[:]) })
			var holes [][2]int64 // start and what is left over
			at := f.start
			for _, x := range append(forbidden, [2]int64{f.end, f.end}) {
				if x[0]-at >= b.Size && (x[0] > at || x[0] == f.end) {
					holes = append(holes, [2]int64{at, x[0] - at - b.Size})
				}
				at = max(at, x[1])
			}
			if len(holes) == 0 {
				continue
			}
			if !smallest || k > 0 {
				slices.SortStableFunc(holes, func(a, b [2]int64) int { return cmp.Compare(a[1], b[1]) })
			}
			offsets[i] = holes[0][0]
			f.members = append(f.members, i)
			done = true
			break
		}
		if !done {
			offsets[i] = top
			prints = append(prints, &print{top, top + b.Size, []int{i}})
			top += b.Size
		}
	}
	return top + lifelong
}

// plainTrace replays the trace of ONNX Runtime: allocations and frees.
func plainTrace(p *model.Problem) []int64 {
	offsets := make([]int64, len(p.Buffers))
	var end int64
	for i := range p.Buffers {
		end = max(end, p.Buffers[i].Upper)
	}
	var live []int // by offset
	for now := range end {
		live = slices.DeleteFunc(live, func(i int) bool { return p.Buffers[i].Upper == now })
		for i := range p.Buffers {
			b := &p.Buffers[i]
			if b.Lower != now {
				continue
			}
			best, waste, current := int64(-1), int64(math.MaxInt64), int64(0)
			for _, j := range live {
				if gap := offsets[j] - current; gap >= b.Size && gap-b.Size < waste {
					best, waste = current, gap-b.Size
				}
				current = offsets[j] + p.Buffers[j].Size
			}
			if best < 0 {
				best = current
			}
			offsets[i] = best
			live = append(live, i)
			slices.SortFunc(live, func(a, b int) int { return cmp.Compare(offsets[a], offsets[b]) })
		}
	}
	return offsets
}

// A tree node of Inductor, as its source has it: nothing is kept, all is asked of the leaves.
type plainNode struct {
	block    int // -1 for none
	empty    int64
	temporal bool
	nodes    []*plainNode
}

type plainPool struct{ p *model.Problem }

func leaf(block int) *plainNode { return &plainNode{block: block} }

func (q plainPool) size(n *plainNode, withEmpty bool) int64 {
	var size int64
	switch {
	case n.block >= 0:
		return q.p.Buffers[n.block].Size
	case len(n.nodes) == 0 && !n.temporal:
		if withEmpty {
			return n.empty
		}
		return 0
	case n.temporal:
		for _, c := range n.nodes {
			size = max(size, q.size(c, withEmpty))
		}
	default:
		size = q.size(n.nodes[0], withEmpty) + q.size(n.nodes[1], withEmpty)
	}
	return size
}

func (q plainPool) meets(n *plainNode, b *model.Buffer) bool {
	if n.block >= 0 {
		return overlap(&q.p.Buffers[n.block], b)
	}
	return slices.ContainsFunc(n.nodes, func(c *plainNode) bool { return q.meets(c, b) })
}

func temporal(nodes ...*plainNode) *plainNode {
	return &plainNode{block: -1, temporal: true, nodes: nodes}
}

func spatial(left, right *plainNode) *plainNode {
	return &plainNode{block: -1, nodes: []*plainNode{left, right}}
}

func withSpace(n *plainNode, empty int64) *plainNode {
	return spatial(temporal(n), temporal(&plainNode{block: -1, empty: empty}))
}

func (q plainPool) allocate(n *plainNode, block int, last bool) bool {
	if n.block >= 0 || !n.temporal && len(n.nodes) == 0 {
		return false
	}
	if !n.temporal {
		return q.allocate(n.nodes[0], block, false) || q.allocate(n.nodes[1], block, last)
	}
	b := &q.p.Buffers[block]
	slot := q.size(n, true)
	if !last && b.Size > slot {
		return false
	}
	var meeting []*plainNode
	for _, c := range n.nodes {
		if q.meets(c, b) {
			meeting = append(meeting, c)
		}
	}
	if len(meeting) > 1 {
		return false
	}
	if len(meeting) == 1 {
		return q.allocate(meeting[0], block, last)
	}
	if len(n.nodes) == 1 && n.nodes[0].block < 0 && !n.nodes[0].temporal && len(n.nodes[0].nodes) == 0 {
		n.nodes = nil
	}
	switch {
	case slot == b.Size:
		n.nodes = append(n.nodes, leaf(block))
	case slot > b.Size:
		n.nodes = append(n.nodes, withSpace(leaf(block), slot-b.Size))
	default:
		for k, c := range n.nodes {
			n.nodes[k] = withSpace(c, b.Size-slot)
		}
		n.nodes = append(n.nodes, leaf(block))
	}
	return true
}

func (q plainPool) finish(n *plainNode, at int64, offsets []int64) {
	switch {
	case n.block >= 0:
		offsets[n.block] = at
	case n.temporal:
		for _, c := range n.nodes {
			q.finish(c, at, offsets)
		}
	case len(n.nodes) > 0:
		q.finish(n.nodes[0], at, offsets)
		q.finish(n.nodes[1], at+q.size(n.nodes[0], false), offsets)
	}
}

func plainInductor(p *model.Problem) []int64 {
	q := plainPool{p}
	duration := func(i int) int64 { return p.Buffers[i].Upper - p.Buffers[i].Lower }
	var root *plainNode
	for _, i := range bySize(p, func(a, b int) int { return cmp.Compare(duration(b), duration(a)) }) {
		if root == nil {
			root = temporal(leaf(i))
		} else if !q.allocate(root, i, true) {
			root = temporal(spatial(root, temporal(leaf(i))))
		}
	}
	offsets := make([]int64, len(p.Buffers))
	q.finish(root, 0, offsets)
	return offsets
}

func TestMachineryAgainstPlain(t *testing.T) {
	bumped := false
	for seed := range uint64(60) {
		p := shuffled(1+int(seed), seed)
		if seed%2 == 0 {
			for i := range p.Buffers {
				p.Buffers[i].Size = 1 + p.Buffers[i].Size/8 // so that there are ties
			}
		}
		for name, want := range map[string][]int64{
			"triton": plainTriton(p), "ort-mempattern": plainTrace(p), "inductor": plainInductor(p),
		} {
			if got := planned(t, named(t, name), p, plan.Options{}); !slices.Equal(got.Offsets, want) {
				t.Fatalf("seed %d: %s: offsets %v, want %v", seed, name, got.Offsets, want)
			}
		}
		for _, fit := range []string{"best", "smallest"} {
			want := plainShared(p, fit == "smallest")
			got := planned(t, named(t, "somas"), p, plan.Options{Params: map[string]string{"algorithm": "shared", "fit": fit}})
			if got.Height != want {
				t.Fatalf("seed %d: somas, fit %s: height %d, want %d", seed, fit, got.Height, want)
			}
		}
		first := &task{buffers: p.Buffers, offsets: make([]int64, len(p.Buffers))}
		if err := tritonStarts(first, first.sorted(first.larger)); err != nil {
			t.Fatal(err)
		}
		bumped = bumped || !slices.Equal(first.offsets, plainTriton(p))
	}
	if !bumped {
		t.Error("no problem needs Triton's second step")
	}
}
