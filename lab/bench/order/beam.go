package main

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/stowage-go/stowage/internal/order"
	"github.com/stowage-go/stowage/internal/testkit/networks"
	"github.com/stowage-go/stowage/lab/experiment"
)

// Idea: a beam is what others use if an exact search for an order does not finish. It extends partial orders operator by
// operator, and each round keeps a few: those with the lowest peak so far, then the fewest live bytes. Here it runs from
// both ends, with widths of 8, 16, 32, … while states are left. It has the rule that helps the exact search most, too:
// an operator that fits below the peak so far, and leaves no more live, runs at once. It is in the laboratory only, to
// be measured against what package order does in its place, with the same number of states.
//
// Invariant: a state of a beam from the end stands for the operators that run after it; its costs are those of running
// forwards.
//
// Complexity: O(width × operators × what the ready operators touch) for each width and end.

// beamed is a program as a beam runs it. Values are not shared.
type beamed struct {
	p      *order.Program
	before [][]int // by operator: what must run before it
	after  [][]int // and after it
	users  []int   // by value: the operators that read or make it, and one more for outputs
	uses   [][]use // by operator: the values that it reads or makes, each once
}

// use is a value of an operator.
type use struct {
	value int32
	size  int64
	made  bool // by the operator
}

// partial is a state of a beam: a set of operators that have run, or, from the end, that have not.
type partial struct {
	ran        []bool
	wait, left []int // operators that hold back each operator; uses of each value that are to come
	order      []int32
	ready      []int // operators that may run next
	live, peak int64
}

func newBeamed(p *order.Program) (*beamed, error) {
	b := &beamed{p: p, before: make([][]int, len(p.Operators)), after: make([][]int, len(p.Operators)), users: make([]int, len(p.Sizes))}
	if p.Alias != nil || p.LateInputs {
		return nil, fmt.Errorf("a beam takes no aliases and no late inputs")
	}
	maker := make(map[int32]int, len(p.Sizes))
	for k := range p.Operators {
		for _, v := range p.Operators[k].Results {
			maker[v] = k
		}
	}
	for k := range p.Operators {
		o := &p.Operators[k]
		if len(o.Permits) > 0 {
			return nil, fmt.Errorf("a beam takes no permits")
		}
		link := func(q int) {
			if !slices.Contains(b.before[k], q) {
				b.before[k], b.after[q] = append(b.before[k], q), append(b.after[q], k)
			}
		}
		for _, v := range o.Operands {
			if q, there := maker[v]; there {
				link(q)
			}
		}
		for _, q := range o.After {
			link(int(q))
		}
		all := slices.Concat(o.Operands, o.Results)
		slices.Sort(all)
		var uses []use
		for _, v := range slices.Compact(all) {
			b.users[v]++
			uses = append(uses, use{v, p.Sizes[v], slices.Contains(o.Results, v)})
		}
		b.uses = append(b.uses, uses)
	}
	for _, v := range p.Outputs {
		b.users[v]++
	}
	return b, nil
}

// start returns the state before the first operator, or, from the end, the one after the last.
func (b *beamed) start(end bool) *partial {
	s := &partial{
		ran: make([]bool, len(b.p.Operators)), wait: make([]int, len(b.p.Operators)),
		left: slices.Clone(b.users),
	}
	begun := make([]bool, len(b.p.Sizes))
	for k := range s.wait {
		if s.wait[k] = len(b.before[k]); end {
			s.wait[k] = len(b.after[k])
		}
		if s.wait[k] == 0 {
			s.ready = append(s.ready, k)
		}
	}
	for _, v := range b.p.Inputs {
		begun[v] = true
		s.peak += b.p.Sizes[v]
	}
	if end {
		for k := range b.p.Operators {
			for _, u := range b.uses[k] {
				s.left[u.value]--
				begun[u.value] = begun[u.value] || u.made
			}
		}
	}
	for v, size := range b.p.Sizes {
		if begun[v] && s.left[v] > 0 {
			s.live += size
		}
	}
	s.peak = max(s.peak, s.live)
	return s
}

// cost returns what is live while k runs, and beyond it: afterwards, or, from the end, before.
func (b *beamed) cost(s *partial, k int, end bool) (during, beyond int64) {
	during, beyond = s.live+b.p.Operators[k].Scratch, s.live
	for _, u := range b.uses[k] {
		first, last := u.made, s.left[u.value] == 1 // it begins here, and ends here
		if end {
			first, last = s.left[u.value] == 0, u.made
		}
		if first {
			during += u.size
			beyond += u.size
		}
		if last {
			beyond -= u.size
		}
	}
	return during, beyond
}

// run runs k, or, from the end, takes it out of what has run.
func (b *beamed) run(s *partial, k int, end bool) {
	during, beyond := b.cost(s, k, end)
	s.peak, s.live = max(s.peak, during), beyond
	next, step := b.after[k], -1
	if end {
		next, step = b.before[k], 1
	}
	for _, u := range b.uses[k] {
		s.left[u.value] += step
	}
	s.ready = slices.DeleteFunc(s.ready, func(q int) bool { return q == k })
	for _, q := range next {
		if s.wait[q]--; s.wait[q] == 0 {
			s.ready = append(s.ready, q)
		}
	}
	s.ran[k] = true
	s.order = append(s.order, int32(k))
}

// atOnce runs what fits below the peak so far and leaves no more live.
func (b *beamed) atOnce(s *partial, end bool) {
	for again := true; again; {
		again = false
		for _, k := range slices.Clone(s.ready) {
			if during, beyond := b.cost(s, k, end); during <= s.peak && beyond <= s.live {
				b.run(s, k, end)
				again = true
			}
		}
	}
}

// beam returns the lowest peak that beams with so many states find.
func beam(ctx context.Context, p *order.Program, states int) (int64, error) {
	b, err := newBeamed(p)
	if err != nil {
		return 0, err
	}
	best, most := int64(-1), states
	for width := 8; states > 0 && width <= most && ctx.Err() == nil; width *= 2 {
		for _, end := range []bool{false, true} {
			if peak := b.pass(width, &states, end); peak >= 0 && (best < 0 || peak < best) {
				best = peak
			}
		}
	}
	return best, ctx.Err()
}

// pass returns the peak that one beam finds; -1 if the states are used up before.
func (b *beamed) pass(width int, states *int, end bool) int64 {
	type step struct {
		from         *partial
		k            int
		peak, beyond int64
	}
	first := b.start(end)
	b.atOnce(first, end)
	for all := []*partial{first}; ; {
		var steps []step
		for _, s := range all {
			if len(s.order) == len(b.p.Operators) {
				return s.peak // the lowest, as they are sorted
			}
			for _, k := range s.ready {
				during, beyond := b.cost(s, k, end)
				steps = append(steps, step{s, k, max(s.peak, during), beyond})
			}
		}
		slices.SortStableFunc(steps, func(a, b step) int { return cmp.Or(cmp.Compare(a.peak, b.peak), cmp.Compare(a.beyond, b.beyond)) })
		seen := map[string]bool{}
		all = all[:0:0]
		for _, x := range steps {
			if len(all) == width {
				break
			}
			s := *x.from
			s.ran, s.wait, s.left = slices.Clone(s.ran), slices.Clone(s.wait), slices.Clone(s.left)
			s.ready, s.order = slices.Clone(s.ready), slices.Clone(s.order)
			b.run(&s, x.k, end)
			b.atOnce(&s, end)
			if key := keyOf(s.ran); !seen[key] {
				seen[key] = true
				all = append(all, &s)
				if *states--; *states < 0 {
					return -1
				}
			}
		}
		slices.SortStableFunc(all, func(a, b *partial) int { return cmp.Or(cmp.Compare(a.peak, b.peak), cmp.Compare(a.live, b.live)) })
	}
}

func keyOf(set []bool) string {
	words := make([]uint64, (len(set)+63)/64)
	for k, is := range set {
		if is {
			words[k>>6] |= 1 << (k & 63)
		}
	}
	var key []byte
	for _, word := range words {
		key = binary.LittleEndian.AppendUint64(key, word)
	}
	return string(key)
}

// beams compares package order with beams on the stages that it does not finish easily, and returns a table.
func beams(ctx context.Context) (string, error) {
	var rows [][]string
	runs, lower, same := 0, 0, 0
	for _, n := range networks.Large(networks.Apart) {
		if len(n.Program.Operators) < 300 { // stages of 48 and 64 nodes are proven
			continue
		}
		row := []string{n.Name, strconv.Itoa(len(n.Program.Operators))}
		for _, states := range []int{5000, 20_000, 80_000} {
			began := time.Now()
			r, err := order.Best(ctx, n.Program, order.Options{States: states})
			if err != nil {
				return "", err
			}
			mid := time.Now()
			peak, err := beam(ctx, n.Program, states)
			if err != nil {
				return "", err
			}
			if runs++; r.Peak < peak {
				lower++
			} else if r.Peak == peak {
				same++
			}
			row = append(row, bytes(r.Peak), bytes(peak), fmt.Sprintf("%.1f, %.1f", mid.Sub(began).Seconds(), time.Since(mid).Seconds()))
		}
		rows = append(rows, row)
	}
	columns := []string{"network", "operators", "5,000 states", "beams", "seconds", "20,000 states", "beams", "seconds", "80,000 states", "beams", "seconds"}
	text := experiment.NewTable(columns, rows).Markdown()
	return text + fmt.Sprintf("\nOf %d runs, package order is lower in %d and as low in %d.\n", runs, lower, same), nil
}
