package ladder

import (
	"math/bits"

	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/model"
)

// Idea: latest(S, f) is the highest level that f may have if f has the lowest level of the set S:
//
//	latest(S, f) = min of
//	    (a) -load(S)
//	    (b) max over g in S-f of latest(S-f, g) - least(f, g)
//	    (c) latest(S-d, f) for each d in S-f
//	    (d) high(f)
//	rounded down to the alignment of f
//
// (a) Each section has room for all that S uses there between f and the ground. (b) Some buffer g has the lowest level
// of the rest S-f. It has a latest level of its own, and f is lower by at least their least free distance. It is not
// known which g it is, so the maximum counts. (c) A bound for a part of the set holds for the whole set. (d) f lies on
// the ground or above, or at its fixed offset.
//
// (c) can improve the bound only if leaving d out makes the sequence dearer: two other buffers
// need less distance by way of d than directly. This happens if d meets only one of the two, or if
// the two use parts of d that lie apart. Only these buffers d, called detours, are looked at.
//
// Invariant: in no plan does f have a higher level than latest(S, f) while all other buffers of S
// are at the level of f or above.
//
// Complexity: see ladder.go. The table has t·2ᵗ numbers.

// weigh returns load(S) for each set S:
//
//	load(S) = max over sections of (bytes that S uses there + min over j in S of first(j))
//
// j stands for the buffers that use the section. first(j) is the distance from the level of j to the first level that
// j uses in that section. weigh returns nil if the run is over.
func (l *Search) weigh(tl *timeline.Timeline, p *timeline.Partition) []int64 {
	sets := 1 << l.t
	loads, row, first := make([]int64, sets), make([]int64, sets), make([]int64, sets)
	uses, from := make([]int64, l.t), make([]int64, l.t)
	first[0] = noEnd
	for s := p.First; s < p.Last; s++ {
		if l.watch.Over() {
			return nil
		}
		live := 0
		for j := range uses {
			for _, span := range tl.Spans(int(p.Buffers[l.id[j]])) {
				if span.First <= s && s < span.Last {
					live |= 1 << j
					uses[j], from[j] = span.Upper-span.Lower, l.shift[j]-span.Upper
				}
			}
		}
		for set := live & -live; set != 0; set = (set - live) & live {
			j, rest := bits.TrailingZeros32(uint32(set)), set&(set-1)
			row[set], first[set] = row[rest]+uses[j], min(first[rest], from[j])
			loads[set] = max(loads[set], row[set]+first[set])
		}
	}
	for bit := 1; bit < sets; bit *= 2 {
		for set := range loads {
			loads[set] = max(loads[set], loads[set&^bit])
		}
	}
	return loads
}

// measure makes the table. It reports false if the run is over.
func (l *Search) measure(tl *timeline.Timeline, p *timeline.Partition) bool {
	loads := l.weigh(tl, p)
	if loads == nil {
		return false
	}
	t, table := l.t, make([]int64, l.t<<l.t)
	var members [TableMost]uint8
	var highest [TableMost]int64
	var least [TableMost][TableMost]int64
	for f := range t {
		copy(least[f][:], l.least[f*l.n:f*l.n+t])
	}
	for rest := range uint32(len(loads)) {
		if rest&1023 == 1023 && l.watch.Over() {
			return false
		}
		count := 0
		for q := rest; q != 0; q &= q - 1 {
			g := bits.TrailingZeros32(q)
			if at := table[int(rest)*t+g]; at > noStart {
				members[count&(TableMost-1)], highest[count&(TableMost-1)] = uint8(g), at
				count++
			}
		}
		for q := uint32(len(loads)-1) &^ rest; q != 0; q &= q - 1 {
			f := bits.TrailingZeros32(q)
			set := rest | 1<<f
			latest, least := int64(noStart), &least[f&(TableMost-1)]
			for k, g := range members[:count] {
				latest = max(latest, highest[k]-least[g&(TableMost-1)])
			}
			if rest == 0 {
				latest = noEnd
			}
			latest = min(latest, -loads[set], l.high[f])
			for d := l.detours & rest; d != 0; d &= d - 1 {
				latest = min(latest, table[int(set&^(d&-d))*t+f])
			}
			switch at := l.start[f]; {
			case at != notFixed && latest < at:
				latest = noStart
			case at != notFixed:
				latest = at
			case l.align[f] > 1:
				latest = floor(latest+l.shift[f], l.align[f]) - l.shift[f]
			}
			table[int(set)*t+f] = latest
		}
	}
	l.table, l.Bound = table, model.MaxSum+1
	for j := range t {
		if at := table[len(table)-t+j]; at > noStart {
			l.Bound = min(l.Bound, l.size[j]-at-l.shift[j])
		}
	}
	return true
}

// latest returns latest(set, j) from the table. If there are more buffers than the table covers,
// the others are left out of the set.
func (l *Search) latest(set uint32, j int) int64 {
	if l.t < l.n {
		if set &= 1<<l.t - 1; set>>j&1 == 0 {
			return l.high[j]
		}
	}
	return l.table[int(set)*l.t+j]
}
