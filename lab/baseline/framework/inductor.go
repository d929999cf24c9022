package framework

import (
	"math"
	"slices"
	"sort"

	"github.com/stowage-go/stowage/internal/bound"
)

// Idea: PyTorch's Inductor plans a pool as a tree of two kinds of node. The children of a temporal split share their
// space and no time; a spatial split has two temporal splits side by side. Blocks come by decreasing size, then by
// decreasing duration. A block goes down the tree:
//
//	temporal  too large for it: refused. Shares time with no child: becomes a
//	          child, with an empty block beside it to fill the space. Shares time
//	          with one child: is passed on to that. With two: refused.
//	spatial   tries the left, then the right.
//
// If the tree refuses the block, the block goes beside the whole tree. The right edges of the tree may grow. At the
// end, empty blocks at the right of a split are dropped, and later blocks move down.
//
// Invariant: live is the union of the lifespans below a node, as disjoint ranges that do not touch; size is the space
// of a node with its empty blocks, used the space without.
//
// Complexity: O(nodes) a block at worst, so O(n²) in all. The tree may be as deep as there are blocks.
//
// Source: PyTorch, torch/_inductor/codegen/memory_planning (016a041): the intermediates. Outputs, which Inductor puts
// into a pool first, by increasing size, have no mark in a problem. Its alignment of 64 applies to the left half of
// each spatial split; the parameter align does that here, with the least common multiple of the buffers' own
// alignments.

func init() {
	register(planner{
		name:    "inductor",
		summary: "a tree of splits in time and in space, largest buffer first",
		source:  "PyTorch Inductor, memory_planning (016a041)",
		params: []param{
			{name: "align", otherwise: 1, least: 1, most: 1 << 30, summary: "blocks start at multiples of this many bytes; the framework uses 64"},
		},
		place: inductor,
	})
}

// A treeNode is any node; kind says which fields count.
type treeNode struct {
	kind       treeKind
	buffer     int32       // of a block
	size       int64       // bytes, with empty blocks
	used       int64       // bytes, without; set at the end
	live       []span      // lifespans below, sorted, disjoint, not touching
	children   []*treeNode // of a temporal split; left and right of a spatial one
	sizeIsKept bool        // size is up to date
}

type treeKind uint8

const (
	treeBlock treeKind = iota
	treeEmpty
	treeTemporal
	treeSpatial
)

type span struct{ lower, upper int64 }

func inductor(t *task) error {
	align := t.number("align")
	for i := range t.buffers {
		var ok bool
		if align, ok = common(align, t.buffers[i].Align()); !ok || align > math.MaxInt64/4/int64(len(t.buffers)+1) {
			return errAlignments
		}
	}
	p := &inductorPool{t: t, align: align}
	for _, i := range t.sorted(keys(t.larger, t.longer)) {
		if t.stopped() {
			return errStopped
		}
		b := &t.buffers[i]
		block := &treeNode{kind: treeBlock, buffer: i, size: b.Size, live: []span{{b.Lower, b.Upper}}, sizeIsKept: true}
		switch {
		case p.root == nil:
			p.root = p.temporal(block)
		case !p.allocate(p.root, block, true):
			p.root = p.temporal(p.spatial(p.root, p.temporal(block)))
		}
	}
	t.offsets = make([]int64, len(t.buffers))
	p.measure(p.root)
	p.finish(p.root, 0)
	return nil
}

type inductorPool struct {
	t     *task
	align int64
	root  *treeNode
}

func (p *inductorPool) temporal(children ...*treeNode) *treeNode {
	n := &treeNode{kind: treeTemporal, children: children}
	for _, c := range children {
		n.occupy(c.live)
	}
	return n
}

func (p *inductorPool) spatial(left, right *treeNode) *treeNode {
	n := &treeNode{kind: treeSpatial, children: []*treeNode{left, right}}
	n.occupy(left.live)
	n.occupy(right.live)
	return n
}

// beside returns a spatial split of a node and an empty block.
func (p *inductorPool) beside(n *treeNode, empty int64) *treeNode {
	return p.spatial(p.temporal(n), p.temporal(&treeNode{kind: treeEmpty, size: empty, sizeIsKept: true}))
}

// sizeOf is the space of a node, with its empty blocks.
func (p *inductorPool) sizeOf(n *treeNode) int64 {
	if n.sizeIsKept {
		return n.size
	}
	n.size = 0
	if n.kind == treeSpatial {
		n.size = bound.Up(p.sizeOf(n.children[0]), p.align) + p.sizeOf(n.children[1])
	} else {
		for _, c := range n.children {
			n.size = max(n.size, p.sizeOf(c))
		}
	}
	n.sizeIsKept = true
	return n.size
}

// allocate tries to put a block below a node; grow says that the node may become larger.
func (p *inductorPool) allocate(n, block *treeNode, grow bool) bool {
	ok := false
	switch n.kind {
	case treeSpatial:
		ok = p.allocate(n.children[0], block, false) || p.allocate(n.children[1], block, grow)
	case treeTemporal:
		ok = p.allocateInTime(n, block, grow)
	}
	if ok {
		n.occupy(block.live)
		n.sizeIsKept = false
	}
	return ok
}

func (p *inductorPool) allocateInTime(n, block *treeNode, grow bool) bool {
	room := p.sizeOf(n)
	if !grow && block.size > room {
		return false
	}
	var shares *treeNode
	for _, c := range n.children {
		if c.meets(block.live[0]) {
			if shares != nil {
				return false
			}
			shares = c
		}
	}
	if shares != nil {
		return p.allocate(shares, block, grow)
	}
	if len(n.children) == 1 && n.children[0].kind == treeEmpty {
		n.children = n.children[:0]
	}
	switch {
	case room == block.size:
		n.children = append(n.children, block)
	case room > block.size:
		n.children = append(n.children, p.beside(block, room-block.size))
	default:
		for k, c := range n.children {
			n.children[k] = p.beside(c, block.size-room)
		}
		n.children = append(n.children, block)
	}
	return true
}

// meets reports whether anything below the node shares time with s.
func (n *treeNode) meets(s span) bool {
	k := sort.Search(len(n.live), func(k int) bool { return n.live[k].upper > s.lower })
	return k < len(n.live) && n.live[k].lower < s.upper
}

// occupy adds lifespans to those of the node; ranges that touch become one.
func (n *treeNode) occupy(live []span) {
	for _, s := range live {
		i := sort.Search(len(n.live), func(k int) bool { return n.live[k].upper >= s.lower })
		j := i
		for j < len(n.live) && n.live[j].lower <= s.upper {
			s.lower, s.upper = min(s.lower, n.live[j].lower), max(s.upper, n.live[j].upper)
			j++
		}
		n.live = slices.Replace(n.live, i, j, s)
	}
}

// measure sets the space that each node needs without its empty blocks.
func (p *inductorPool) measure(n *treeNode) {
	for _, c := range n.children {
		p.measure(c)
	}
	switch n.kind {
	case treeBlock:
		n.used = n.size
	case treeTemporal:
		for _, c := range n.children {
			n.used = max(n.used, c.used)
		}
	case treeSpatial:
		n.used = bound.Up(n.children[0].used, p.align) + n.children[1].used
	}
}

// finish gives the blocks below a node their offsets.
func (p *inductorPool) finish(n *treeNode, offset int64) {
	switch n.kind {
	case treeBlock:
		p.t.offsets[n.buffer] = offset
	case treeTemporal:
		for _, c := range n.children {
			p.finish(c, offset)
		}
	case treeSpatial:
		p.finish(n.children[0], offset)
		p.finish(n.children[1], offset+bound.Up(n.children[0].used, p.align))
	}
}
