package order

import "math/bits"

// Idea: a set of operators that was reached within the limit need not be reached again: what follows depends on
// the set alone, not on the way to it. The states are kept in arrays, one after the other, and a table with open
// addresses finds a state by its set.
//
// Complexity: memory is 8 × words + 33 bytes a state, at most.

// none stands for no state or no operator.
const none = -1

// states has the states of a search.
type states struct {
	words  int      // of a set
	sets   []uint64 // of state s: sets[s*words:(s+1)*words]
	live   []int64
	limit  []int64 // the limit within which the state was reached; way finds the operators again with it
	parent []int32
	first  []int32 // the operator that ran first, after parent; none if only collapse did
	table  []int32 // state + 1; 0 is empty
}

func newStates(operators int) *states {
	return &states{words: (operators + 63) / 64, table: make([]int32, 1<<8)}
}

func (t *states) count() int         { return len(t.live) }
func (t *states) set(s int32) bitset { return t.sets[int(s)*t.words : (int(s)+1)*t.words] }

func hash(set bitset) uint64 {
	h := uint64(0x9e3779b97f4a7c15)
	for _, word := range set {
		hi, lo := bits.Mul64(h^word, 0xa0761d6478bd642f)
		h = hi ^ lo + 0x8ebc6af09c88c6e3
	}
	return h
}

// slot returns where a set is in the table, or would be.
func (t *states) slot(set bitset) int {
	last := len(t.table) - 1
	at := int(hash(set)) & last
	for {
		s := t.table[at]
		if s == 0 {
			return at
		}
		same := true
		for k, word := range t.set(s - 1) {
			if word != set[k] {
				same = false
				break
			}
		}
		if same {
			return at
		}
		at = (at + 1) & last
	}
}

// add enters a state, and returns its number and whether it is new.
func (t *states) add(set bitset, live, limit int64, parent, first int32, memory bool) (int32, bool) {
	at := 0
	if memory {
		if at = t.slot(set); t.table[at] != 0 {
			return t.table[at] - 1, false
		}
	}
	s := int32(t.count())
	t.sets = append(t.sets, set...)
	t.live = append(t.live, live)
	t.limit = append(t.limit, limit)
	t.parent = append(t.parent, parent)
	t.first = append(t.first, first)
	if memory {
		t.table[at] = s + 1
		if 2*t.count() > len(t.table) {
			t.grow()
		}
	}
	return s, true
}

func (t *states) grow() {
	old := t.table
	t.table = make([]int32, 2*len(old))
	for _, s := range old {
		if s != 0 {
			t.table[t.slot(t.set(s-1))] = s
		}
	}
}
