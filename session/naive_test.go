package session

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/stowage-go/stowage/internal/gen"
	"github.com/stowage-go/stowage/internal/testkit/oracle"
	"github.com/stowage-go/stowage/model"
)

// Idea: a naive session is a list of buffers with offsets. Random calls are made of both, and brute force judges each
// answer: whether a plan exists, and how little movement is enough. Nothing is shared with the steps.

// A naive is a session as a list, in the order of arrival.
type naive struct {
	p  model.Problem
	at []int64
}

func (n *naive) find(id string) int {
	return slices.IndexFunc(n.p.Buffers, func(b model.Buffer) bool { return b.ID == id })
}

func (n *naive) clone() *naive {
	m := &naive{p: n.p, at: slices.Clone(n.at)}
	m.p.Buffers = slices.Clone(n.p.Buffers)
	return m
}

// clash reports whether two buffers share a byte at these offsets, slot by slot.
func clash(a, b *model.Buffer, x, y int64) bool {
	for time := max(a.Lower, b.Lower); time < min(a.Upper, b.Upper); time++ {
		f, t := oracle.Used(a, time)
		g, u := oracle.Used(b, time)
		if f < t && g < u && x+f < y+u && y+g < x+t {
			return true
		}
	}
	return false
}

// leastMovement returns the least movement of a plan of q, given the offsets before; mine does not count. ok is false
// if there is no plan. It tries all offsets of all buffers.
func leastMovement(q *model.Problem, old []int64, mine []bool, weight func(*model.Buffer) int64) (best Movement, ok bool) {
	at := make([]int64, len(old))
	var try func(i int, m Movement)
	try = func(i int, m Movement) {
		if ok && !m.less(&best) {
			return
		}
		if i == len(old) {
			best, ok = m, true
			return
		}
		b := &q.Buffers[i]
		for k := int64(-1); k <= q.Capacity-b.Size; k++ {
			x := k
			if k < 0 { // first where it was
				x = old[i]
			} else if k == old[i] {
				continue
			}
			if x < 0 || x > q.Capacity-b.Size || x%b.Align() != 0 || b.Fixed != nil && *b.Fixed != x {
				continue
			}
			free := true
			for j := 0; j < i && free; j++ {
				free = !clash(b, &q.Buffers[j], x, at[j])
			}
			if !free {
				continue
			}
			next := m
			if x != old[i] && !mine[i] {
				next.Cost += b.Size * weight(b)
				next.Buffers++
			}
			at[i] = x
			try(i+1, next)
		}
	}
	try(0, Movement{})
	return best, ok
}

// movedBetween measures the movement between two lists of offsets.
func movedBetween(q *model.Problem, old, at []int64, mine []bool, weight func(*model.Buffer) int64) (m Movement) {
	for i := range at {
		if b := &q.Buffers[i]; at[i] != old[i] && !mine[i] {
			m.Cost += b.Size * weight(b)
			m.Buffers++
			m.Bytes += b.Size
			m.Slots += b.Size * (b.Upper - b.Lower)
		}
	}
	return m
}

// drawn returns a random small buffer.
func drawn(r *gen.RNG, id int64) model.Buffer {
	b := model.Buffer{ID: fmt.Sprint("b", id), Lower: r.Below(6), Size: r.Within(1, 4)}
	b.Upper = b.Lower + r.Within(1, 5)
	if r.Chance(0.2) {
		b.Alignment = r.Pick(2, 3, 4)
	}
	if r.Chance(0.2) {
		b.Gaps = r.Gaps(&b, 0.5)
	}
	if r.Chance(0.1) {
		at := r.Below(6)
		b.Hint = &at
	}
	if r.Chance(0.1) {
		at := r.Below(6) * b.Align()
		b.Fixed = &at
	}
	return b
}

// state returns all that a session has, but for scratch and the number of marks: as text, to compare.
func (s *Session) state() string {
	var times []string
	var walk func(k int32)
	walk = func(k int32) {
		if k > 0 {
			n := s.load.nodes[k]
			times = append(times, "(")
			walk(n.left)
			times = append(times, fmt.Sprint(n.time, n.ends, n.step, n.sum, n.peak))
			walk(n.right)
			times = append(times, ")")
		}
	}
	walk(s.load.root)
	text := ""
	for i := range s.p.Buffers {
		b := s.p.Buffers[i]
		text += fmt.Sprint(b.ID, b.Lower, b.Upper, b.Size, b.Alignment, value(b.Fixed), value(b.Hint), b.Gaps)
		text += fmt.Sprintf(" %d %d %d %d ", s.at[i], s.poolOf(int32(i)), s.life[i], s.number[i])
		if b.Extra != nil {
			text += fmt.Sprint(b.Extra.Pools, b.Extra.Clocks)
		}
	}
	if s.p.Rules != nil {
		text += fmt.Sprintf("%+v %v", *s.p.Rules, s.unpinned)
	}
	return fmt.Sprint(text, s.p.Name, s.p.Capacity, s.bytes, s.next, len(s.journal), s.marks, s.index, times)
}

func value(p *int64) any {
	if p == nil {
		return nil
	}
	return *p
}

// same reports whether two problems have the same buffers.
func same(p, q *model.Problem) bool {
	return p.Capacity == q.Capacity && len(p.Buffers) == len(q.Buffers) && (len(p.Buffers) == 0 || reflect.DeepEqual(p.Buffers, q.Buffers))
}
