package session

import (
	"github.com/stowage-go/stowage/internal/splitmix"
	"github.com/stowage-go/stowage/model"
)

// Idea: the load over time is a sum of steps: up by a buffer's bytes when it becomes live, down when it ends. The
// tree has a node for each time at which the load may change. A node knows the sum of the steps below it and the
// largest prefix sum of them. So the root knows the peak.
//
//	time    0   3   5   9        load: 4, then 6, then 2, then 0
//	step   +4  +2  -4  -2        peak: 6, the largest prefix sum
//
// Invariant: the tree is a treap. Its keys are times, and the priority of a node is a hash of its time. So the
// shape depends only on which times are in the tree, not on the calls before. A node goes away with
// the last piece that begins or ends there.
//
// Complexity: O(log n) expected for each piece that comes or goes; the peak is at the root.

// A load is the load over time.
type load struct {
	nodes []node // nodes[0] is no node: all zero
	root  int32
	free  []int32 // nodes that are not in use
}

// A node is a time at which the load may change.
type node struct {
	time     int64
	priority uint64
	child    [2]int32 // of earlier times, and of later ones
	ends     int32    // pieces that begin or end at this time
	step     int64    // bytes by which the load changes here
	sum      int64    // sum of the steps below, this one's included
	peak     int64    // largest prefix sum of these, or 0
}

// add adds a buffer's pieces.
func (l *load) add(b *model.Buffer) { l.change(b, 1) }

// remove removes a buffer's pieces.
func (l *load) remove(b *model.Buffer) { l.change(b, -1) }

func (l *load) change(b *model.Buffer, sign int64) {
	if len(l.nodes) == 0 {
		l.nodes = append(l.nodes, node{})
	}
	for piece := range b.Pieces {
		bytes := sign * (piece.To - piece.From)
		l.root = l.at(l.root, piece.Lower, bytes, int32(sign))
		l.root = l.at(l.root, piece.Upper, -bytes, int32(sign))
	}
}

// at changes the step at a time in the tree below k, and returns its new root.
func (l *load) at(k int32, time, step int64, ends int32) int32 {
	if k == 0 {
		return l.make(time, step, ends)
	}
	if n := &l.nodes[k]; n.time == time {
		n.step += step
		n.ends += ends
		if n.ends == 0 {
			joined := l.join(n.child[0], n.child[1])
			l.free = append(l.free, k)
			return joined
		}
	} else {
		side := btoi(time > n.time)
		below := l.at(n.child[side], time, step, ends)
		n = &l.nodes[k] // make may have moved it
		n.child[side] = below
		if below != 0 && l.nodes[below].priority > n.priority {
			n.child[side], l.nodes[below].child[1-side] = l.nodes[below].child[1-side], k
			l.pull(k)
			k = below
		}
	}
	l.pull(k)
	return k
}

func (l *load) make(time, step int64, ends int32) int32 {
	state := uint64(time)
	n := node{time: time, priority: splitmix.Next(&state), ends: ends, step: step, sum: step, peak: max(step, 0)}
	if last := len(l.free) - 1; last >= 0 {
		k := l.free[last]
		l.free = l.free[:last]
		l.nodes[k] = n
		return k
	}
	l.nodes = append(l.nodes, n)
	return int32(len(l.nodes) - 1)
}

// join joins two trees; all times of a are before those of b.
func (l *load) join(a, b int32) int32 {
	switch {
	case a == 0:
		return b
	case b == 0:
		return a
	case l.nodes[a].priority > l.nodes[b].priority:
		l.nodes[a].child[1] = l.join(l.nodes[a].child[1], b)
		l.pull(a)
		return a
	}
	l.nodes[b].child[0] = l.join(a, l.nodes[b].child[0])
	l.pull(b)
	return b
}

// pull computes the sums of a node from those below.
func (l *load) pull(k int32) {
	n := &l.nodes[k]
	left, right := &l.nodes[n.child[0]], &l.nodes[n.child[1]]
	here := left.sum + n.step
	n.sum = here + right.sum
	n.peak = max(left.peak, here+right.peak)
}

// peak returns the largest load, and a time at which it is reached: the first such time.
func (l *load) peak() (bytes, time int64) {
	if l.root == 0 {
		return 0, 0
	}
	k, before := l.root, int64(0)
	bytes = l.nodes[k].peak
	for {
		n := &l.nodes[k]
		left := &l.nodes[n.child[0]]
		switch here := before + left.sum + n.step; {
		case n.child[0] != 0 && before+left.peak == bytes:
			k = n.child[0]
		case here == bytes || n.child[1] == 0:
			return bytes, n.time
		default:
			before, k = here, n.child[1]
		}
	}
}
