package exact

import (
	"math/bits"

	"github.com/stowage-go/stowage/internal/bound"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/model"
)

// Idea: where f is the lowest of a set, it is no higher than the capacity less what any
// section has of the set. And some g is the lowest of the others: f is lower than that,
// which has a latest offset of its own, by the least distance that is free. The highest
// that some g allows, rounded down to the alignment of f, is the latest offset of f in the
// set; and it is no later than in a smaller one.
//
// The latter needs a look only at sets without a buffer by way of which two others need
// less than they need directly, as where it meets one of them only, or where the two use
// other parts of it than of each other: without it, the sequence is dearer.
//
// For a capacity that is larger by a multiple of all alignments, all entries are larger by
// as much, unless a buffer is fixed. And the table of a larger capacity has bounds that
// are a little too high, which do for most questions that are not at the boundary.
//
// Invariant: no plan within the capacity (table's plus ahead) has f higher than its entry
// with all others of the set at the offset of f or above.
//
// Complexity: see ladder.go; t·2ᵗ numbers.

// tables is the memory of a table, for the ladders of an engine in turn.
type tables struct {
	of       *ladder // whose they are
	loads    []int64 // of each set: the most that a section has of it
	latest   []int64 // of each set and its lowest, at set*t+f
	measured int64   // the capacity of latest, -1 where it is not made
}

// adjust counts the table from the capacity that is asked, or from a larger one. It
// reports whether that is possible, and whether the table is then that of the capacity.
func (l *ladder) adjust() (usable, exact bool) {
	t := l.tables
	if t.of != l || t.measured < 0 {
		return false, false
	}
	l.ahead = 0
	if l.period <= model.MaxSum {
		l.ahead = -floor(t.measured-l.capacity, l.period)
	}
	at := t.measured + l.ahead
	return at >= l.capacity, at == l.capacity
}

// weigh sums what sections have of each set; it reports whether there was time.
func (l *ladder) weigh(tl *timeline.Timeline, p *timeline.Partition) bool {
	t := l.tables
	t.of, t.measured = nil, -1
	if sets := 1 << l.t; len(t.loads) < sets {
		t.loads, t.latest = make([]int64, sets), make([]int64, l.t*sets)
	}
	row, uses := make([]int64, 1<<l.t), make([]int64, l.t)
	clear(t.loads[:1<<l.t])
	for s := p.First; s < p.Last; s++ {
		if l.watch.Over() {
			return false
		}
		for j := range uses {
			uses[j] = 0
			for _, span := range tl.Spans(int(p.Buffers[l.id[j]])) {
				if span.First <= s && s < span.Last {
					uses[j] = span.Upper - span.Lower
				}
			}
		}
		for set := 1; set < len(row); set++ {
			row[set] = row[set&(set-1)] + uses[bits.TrailingZeros32(uint32(set))]
			t.loads[set] = max(t.loads[set], row[set])
		}
	}
	t.of = l
	return true
}

// measure makes the table for the capacity; it reports whether there was time.
func (l *ladder) measure(tl *timeline.Timeline, p *timeline.Partition) bool {
	if l.tables.of != l && !l.weigh(tl, p) {
		return false
	}
	t, loads, table := l.t, l.tables.loads[:1<<l.t], l.tables.latest
	l.tables.measured = -1
	var members [tableMost]int
	var highest [tableMost]int64
	for rest := range uint32(len(loads)) {
		if rest&1023 == 1023 && l.watch.Over() {
			return false
		}
		count := 0
		for q := rest; q != 0; q &= q - 1 {
			g := bits.TrailingZeros32(q)
			members[count], highest[count] = g, table[int(rest)*t+g]
			count++
		}
		for q := uint32(len(loads)-1) &^ rest; q != 0; q &= q - 1 {
			f := bits.TrailingZeros32(q)
			set := rest | 1<<f
			latest, least := int64(noStart), l.least[f*l.n:f*l.n+t]
			for k, g := range members[:count] {
				latest = max(latest, highest[k]-least[g])
			}
			if rest == 0 {
				latest = noEnd
			}
			latest = min(latest, l.capacity-loads[set], l.high[f])
			for d := l.detours & rest; d != 0; d &= d - 1 {
				latest = min(latest, table[int(set&^(d&-d))*t+f])
			}
			switch at := l.start[f]; {
			case at == notFixed:
				latest = floor(latest+l.shift[f], l.align[f]) - l.shift[f]
			case latest < at:
				latest = noStart
			default:
				latest = at
			}
			table[int(set)*t+f] = latest
		}
	}
	l.tables.measured, l.ahead = l.capacity, 0
	return true
}

// latest returns how high buffer j may be, the lowest of a set.
func (l *ladder) latest(set uint32, j int) int64 {
	if l.t < l.n {
		if set &= 1<<l.t - 1; set>>j&1 == 0 {
			return l.high[j]
		}
	}
	return l.tables.latest[int(set)*l.t+j] + l.ahead
}

// fitting returns a capacity under which the table shows that nothing fits; 0 where it does
// not. For a capacity that is larger by less than the period an entry is larger by the
// period at most.
func (l *ladder) fitting() int64 {
	all, most := uint32(1<<l.t-1), int64(noStart)
	for j := range l.t {
		most = max(most, l.latest(all, j)+l.shift[j])
	}
	if most >= 0 || l.period > model.MaxSum {
		return 0
	}
	return l.tables.measured + l.ahead + bound.Up(-most, l.period) - l.period + 1
}
