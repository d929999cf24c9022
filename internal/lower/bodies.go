package lower

import (
	"fmt"
	"math/bits"

	"github.com/stowage-go/stowage/model"
)

// Idea: a body is one buffer of the strip. Its bytes reach from the lowest of its members to the highest. Each
// member's bytes are a window of it while the member lives.
//
// The members' alignments ask for an offset that leaves a remainder: base = r modulo m. The body therefore has r bytes
// of padding below, in no window, and is aligned to m:
//
//	offset of the body = base - r = 0 modulo m, and base >= 0 if and only if offset >= 0
//
// Source: the Chinese remainder theorem, for moduli that need not be coprime.

// A Grid is the origins of a body, the offsets of its lowest byte, that suit alignments: First, First + Step and so on,
// with First below Step. Any origin suits Grid{0, 1}.
type Grid struct{ First, Step int64 }

// And leaves only the origins that align a member: its offset, at bytes above the origin, is a multiple of align. ok
// is false if no origin is left.
func (g Grid) And(at, align int64) (both Grid, ok bool) {
	both.First, both.Step, ok = remainder(g.First, g.Step, mod(-at, align), align)
	return both, ok
}

// Down returns the greatest number of the grid, or of what continues it below 0, that is at most x.
func (g Grid) Down(x int64) int64 { return x - mod(x-g.First, g.Step) }

// Up returns the least number of it that is at least x.
func (g Grid) Up(x int64) int64 { return x + mod(g.First-x, g.Step) }

// makeBodies makes the buffers of the strip, still without lives.
func (l *Lowering) makeBodies(s *Strip, poolAlign int64) {
	of := make(map[int32]int32, len(s.Members))
	var grids []Grid // of each body
	s.Body, s.At = make([]int32, len(s.Members)), make([]int64, len(s.Members))
	for k, i := range s.Members {
		b := &l.Problem.Buffers[i]
		root, at := i, int64(0)
		if l.body != nil {
			root, at = l.body[i], l.at[i]
		}
		body, known := of[root]
		if !known {
			body = int32(len(s.Problem.Buffers))
			of[root] = body
			s.Problem.Buffers = append(s.Problem.Buffers, model.Buffer{ID: b.ID, Alignment: 1})
			grids = append(grids, Grid{0, 1})
		}
		s.Body[k], s.At[k] = body, at
		q := &s.Problem.Buffers[body]
		q.Size = max(q.Size, at+b.Size)
		for _, m := range []int64{b.Align(), max(poolAlign, 1)} {
			g, ok := grids[body].And(at, m)
			if !ok {
				s.Impossible = fmt.Sprintf("no offset suits the alignments of all buffers that are together with %s", b.ID)
				return
			}
			grids[body], q.Alignment = g, g.Step
		}
	}
	for k, i := range s.Members {
		s.At[k] += grids[s.Body[k]].First
		q, b := &s.Problem.Buffers[s.Body[k]], &l.Problem.Buffers[i]
		if b.Fixed != nil {
			at := *b.Fixed - s.At[k]
			if at < 0 || at%q.Alignment != 0 {
				s.Impossible = fmt.Sprintf("the offset %d of %s puts a buffer that is together with it below 0 or "+
					"off its alignment", *b.Fixed, b.ID)
				return
			}
			q.Fixed = &at
		}
		if b.Hint != nil && q.Hint == nil && *b.Hint >= s.At[k] {
			at := *b.Hint - s.At[k]
			q.Hint = &at
		}
	}
	for body, g := range grids {
		s.Problem.Buffers[body].Size += g.First
	}
}

func mod(a, m int64) int64 {
	if a %= m; a < 0 {
		a += m
	}
	return a
}

// remainder solves x = r modulo m and x = q modulo n: the answer is modulo the least common multiple.
// ok is false if there is no such x.
func remainder(r, m, q, n int64) (x, both int64, ok bool) {
	g, inverse := gcdInverse(m, n)
	if mod(q-r, g) != 0 {
		return 0, 0, false
	}
	// x = r + m·k with m·k = q - r modulo n.
	k := mulMod(mod((q-r)/g, n/g), inverse, n/g)
	return r + m*k, m / g * n, true
}

// gcdInverse returns g, the greatest common divisor of m and n, and the inverse of m/g modulo n/g.
func gcdInverse(m, n int64) (g, inverse int64) {
	a, b, u, v := m, n, int64(1), int64(0)
	for b != 0 {
		k := a / b
		a, b, u, v = b, a-k*b, v, u-k*v
	}
	return a, mod(u, n/a)
}

func mulMod(a, b, m int64) int64 {
	hi, lo := bits.Mul64(uint64(a), uint64(b))
	_, rem := bits.Div64(hi%uint64(m), lo, uint64(m))
	return int64(rem)
}
