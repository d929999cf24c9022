package core

import (
	"math"
	"slices"
)

// Idea: bodies are placed one by one in some order, each at the lowest offset (first fit), or in the smallest hole that
// takes it (best fit). The order "stack" is made by placing: always the body that can go lowest. Different orders
// suit different problems, so the table has many, best first. Each partition keeps the best plan of its own.
//
// An order is a word of keys, each descending if it is a capital and ascending if not. The last tie is the number.
//
//	A size x width  C sections  I number  L begin  T load  U end  W width  Z size
//
// Invariant: the placed bodies are a list in the order of their offsets, so holes are found from below. In sparse
// problems only bodies that meet the new one are looked at: a tree over the bodies, in the order of their begin, has the
// largest end of what is placed below each node.
//
// Complexity: O(n^2) for a row at worst, O(meetings + n log n) in sparse problems.
//
// Source: core/stowage_core.c, whose comment names whose orders these are.

type way uint8

const (
	first way = iota
	best
	stack
)

var rows = []struct {
	word string
	way  way
}{
	{"Z", first},
	{"TWA", stack},
	{"ZI", first},
	{"A", first},
	{"L", first},
	{"l", best},
	{"lUZ", best},
	{"TW", stack}, // few of them
	{"uA", stack},
	{"A", best},
	{"Z", best},
	{"LTA", stack},
	{"CZ", best},
	{"i", best},
}

const (
	few       = 8
	stackMost = 4096 // stacking takes the square of the bodies
)

const (
	notLower  = -1
	collision = -2
)

// keys are the keys of an order of p's bodies from base on.
type keys struct {
	p    *problem
	word string
	base int32
}

func (k *keys) key(b *body, i int32, letter byte) uint64 {
	switch letter &^ 32 {
	case 'A':
		return uint64(b.size) * uint64(b.upper-b.lower)
	case 'C':
		return uint64(b.last - b.first)
	case 'I':
		return uint64(b.id)
	case 'L':
		return uint64(b.lower) ^ 1<<63
	case 'T':
		return uint64(k.p.load[i])
	case 'U':
		return uint64(b.upper) ^ 1<<63
	case 'W':
		return uint64(b.upper - b.lower)
	}
	return uint64(b.size)
}

func (k *keys) before(i, j int32) bool {
	a, b := &k.p.bodies[k.base+i], &k.p.bodies[k.base+j]
	for w := range len(k.word) {
		letter := k.word[w]
		if x, y := k.key(a, i, letter), k.key(b, j, letter); x != y {
			return (x < y) == (letter&32 != 0)
		}
	}
	return a.id < b.id
}

// treePlace notes that body i is placed. The nodes of the tree are the positions of a binary search in [low, high).
func (p *problem) treePlace(low, high, i int32) {
	for low < high {
		middle := low + (high-low)/2
		p.tree[middle] = max(p.tree[middle], p.bodies[i].last)
		switch {
		case i == middle:
			return
		case i < middle:
			high = middle
		default:
			low = middle + 1
		}
	}
}

// treeMeet makes a list of what is placed and meets body i, in the order of offsets. It returns its head, or -1.
func (p *problem) treeMeet(low, high, i int32) (head int32) {
	meet := p.meet[:0]
	var from, to [32]int32
	depth := 1
	begin, end := p.bodies[i].first, p.bodies[i].last
	from[0], to[0] = low, high
	for depth > 0 {
		depth--
		a, b := from[depth], to[depth]
		for a < b {
			middle := a + (b-a)/2
			if p.tree[middle] <= begin {
				break
			}
			if p.bodies[middle].first < end {
				if p.trial[middle] != gone && p.bodies[middle].last > begin {
					meet = append(meet, middle)
				}
				from[depth], to[depth] = middle+1, b
				depth++
			}
			b = middle
		}
	}
	sort(meet, func(i, j int32) bool { return p.trial[i] < p.trial[j] || p.trial[i] == p.trial[j] && i < j })
	head = -1
	for _, c := range slices.Backward(meet) {
		p.next[c], head = head, c
	}
	return head
}

// listFind returns where body i goes, beside what is placed: the list from head on. A body of several pieces may fit below one body and not below
// the next, so it begins again at each new offset, and takes the lowest.
func (p *problem) listFind(head, i int32, best bool) int64 {
	b := &p.bodies[i]
	at, found, room := int64(0), int64(-1), int64(math.MaxInt64)
	for c := head; c >= 0; {
		below := p.reach(i, c)
		if below == 0 {
			c = p.next[c]
			continue
		}
		if p.trial[c]-at >= b.size {
			if p.trial[c]-at < room {
				found, room = at, p.trial[c]-at
			}
			if !best || b.count > 1 {
				break
			}
		} else if p.trial[c]-at >= below {
			c = p.next[c]
			continue
		}
		if end := roundUp(p.trial[c]+p.reach(c, i), b.align); end > at {
			at = end
			if b.count > 1 {
				c = head
				continue
			}
		}
		c = p.next[c]
	}
	if found >= 0 {
		return found
	}
	return at
}

// collides reports whether fixed body i collides with one of the list.
func (p *problem) collides(head, i int32) bool {
	at := p.bodies[i].fixed
	for c := head; c >= 0; c = p.next[c] {
		if p.trial[c]-at < p.reach(i, c) && at-p.trial[c] < p.reach(c, i) {
			return true
		}
	}
	return false
}

// placeInOrder places the bodies of p.order, which are [low, high), fixed ones first. It returns the height, notLower if
// it is not below most, or collision.
func (p *problem) placeInOrder(low, high int32, best bool, most int64) (height int64) {
	head := int32(-1)
	if p.sparse {
		for i := low; i < high; i++ {
			p.tree[i], p.trial[i] = -1, gone
		}
	}
	for _, fixed := range []bool{true, false} {
		for _, i := range p.order[:high-low] {
			b := &p.bodies[i]
			if (b.fixed >= 0) != fixed {
				continue
			}
			var at int64
			switch {
			case fixed:
				if p.collides(head, i) {
					return collision
				}
				at = b.fixed
			case p.sparse:
				at = p.listFind(p.treeMeet(low, high, i), i, best)
			default:
				at = p.listFind(head, i, best)
			}
			if at+b.size >= most {
				return notLower
			}
			height = max(height, at+b.size)
			p.trial[i] = at
			if p.sparse {
				p.treePlace(low, high, i)
				if !fixed {
					continue
				}
			}
			before, c := int32(-1), head
			for ; c >= 0 && p.trial[c] < at; c = p.next[c] {
				before = c
			}
			if p.next[i] = c; before < 0 {
				head = i
			} else {
				p.next[before] = i
			}
		}
	}
	return height
}

// stackOrder puts p.order in the order of stacking: always the body that can go lowest, ties by the order.
func (p *problem) stackOrder(low, high int32) {
	order := p.order[:high-low]
	clear(p.trial[low:high])
	for k := range order {
		pick := k
		for i := k; i < len(order); i++ {
			if p.trial[order[i]] < p.trial[order[pick]] {
				pick = i
			}
		}
		j := order[pick]
		copy(order[k+1:pick+1], order[k:pick])
		order[k] = j
		for _, c := range order[k+1:] {
			if up := p.reach(j, c); up > 0 && p.trial[c] < p.trial[j]+up {
				p.trial[c] = roundUp(p.trial[j]+up, p.bodies[c].align)
			}
		}
	}
}

// heuristics plans bodies [low, high) by rows [row, end) until the height is at most goal. It returns the height of the
// best plan, which is at most lowest, or collision.
func (p *problem) heuristics(low, high int32, goal, lowest int64, row, end int) int64 {
	for ; row < end && lowest > goal; row++ {
		way := rows[row].way
		k := keys{p: p, word: rows[row].word}
		order := p.order[:high-low]
		for i := range order {
			order[i] = low + int32(i)
		}
		sort(order, k.before)
		if way == stack && high-low <= stackMost {
			p.stackOrder(low, high)
		}
		h := p.placeInOrder(low, high, way == best, lowest)
		if h == collision {
			return h
		}
		if h >= 0 {
			lowest = h
			copy(p.at[low:high], p.trial[low:high])
		}
	}
	return lowest
}
