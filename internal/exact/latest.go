package exact

import (
	"math/bits"

	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/model"
)

// Idea: where f has the least level of a set, it is so far from the ground as any section
// has of the set. And some g is the least of the others: f is less than that, which has a
// latest level of its own, by the least distance that is free. The highest that some g
// allows, rounded down to the alignment of f, is the latest level of f in the set; and it
// is no later than in a smaller one.
//
// The latter needs a look only at sets without a buffer by way of which two others need
// less than they need directly, as where it meets one of them only, or where the two use
// other parts of it than of each other: without it, the sequence is dearer.
//
// Invariant: no plan has f at a higher level than its entry with all others of the set at
// the level of f or above.
//
// Complexity: see ladder.go; t·2ᵗ numbers.

// weigh returns of each set how far under the top its lowest is, for what a section has of
// it; none where there was no time. What a section has begins where the lowest of the set
// does, or where the first of its own can, if that is higher.
func (l *ladder) weigh(tl *timeline.Timeline, p *timeline.Partition) []int64 {
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

// measure makes the table; it reports whether there was time.
func (l *ladder) measure(tl *timeline.Timeline, p *timeline.Partition) bool {
	loads := l.weigh(tl, p)
	if loads == nil {
		return false
	}
	t, table := l.t, make([]int64, l.t<<l.t)
	var members [tableMost]uint8
	var highest [tableMost]int64
	var least [tableMost][tableMost]int64
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
				members[count&(tableMost-1)], highest[count&(tableMost-1)] = uint8(g), at
				count++
			}
		}
		for q := uint32(len(loads)-1) &^ rest; q != 0; q &= q - 1 {
			f := bits.TrailingZeros32(q)
			set := rest | 1<<f
			latest, least := int64(noStart), &least[f&(tableMost-1)]
			for k, g := range members[:count] {
				latest = max(latest, highest[k]-least[g&(tableMost-1)])
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
	l.table, l.bound = table, model.MaxSum+1
	for j := range t {
		if at := table[len(table)-t+j]; at > noStart {
			l.bound = min(l.bound, l.size[j]-at-l.shift[j])
		}
	}
	return true
}

// latest returns how high buffer j may be, the lowest of a set.
func (l *ladder) latest(set uint32, j int) int64 {
	if l.t < l.n {
		if set &= 1<<l.t - 1; set>>j&1 == 0 {
			return l.high[j]
		}
	}
	return l.table[int(set)*l.t+j]
}
