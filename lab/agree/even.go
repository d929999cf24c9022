package agree

import (
	"slices"
	"sync"
)

// Idea: a problem that is drawn for one pair of features has other features, too, and so counts for all pairs of them. So
// the next problem is always drawn for the pair that has come up least. All pairs then are in so many problems after far
// fewer than if each were drawn as often.
//
// Invariant: the problem of a seed does not depend on what was drawn before, so -from SEED asks about it again.

// Even chooses seeds of BankCaseOf, for goroutines side by side.
type Even struct {
	mu    sync.Mutex
	least int
	from  uint64
	had   []int    // of each of BankPairs, in how many problems it was
	tried []uint64 // of each, how many were drawn for it
}

// NewEven returns a choice of seeds not below from. It ends once each of BankPairs is in so many problems that brute
// force has decided, or has been tried 20 times as often.
func NewEven(from uint64, least int) *Even {
	from += (uint64(len(BankPairs)) - from%uint64(len(BankPairs))) % uint64(len(BankPairs))
	return &Even{least: least, from: from, had: make([]int, len(BankPairs)), tried: make([]uint64, len(BankPairs))}
}

// Next returns the seed of a problem with the pair that has come up least. ok is false if all have come up often enough.
func (e *Even) Next() (seed uint64, ok bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	rarest := -1
	for k := range e.had {
		if e.had[k] < e.least && e.tried[k] < 20*uint64(e.least) && (rarest < 0 || e.had[k] < e.had[rarest]) {
			rarest = k
		}
	}
	if rarest < 0 {
		return 0, false
	}
	e.tried[rarest]++
	return e.from + (e.tried[rarest]-1)*uint64(len(BankPairs)) + uint64(rarest), true
}

// Had counts the features of a problem.
func (e *Even) Had(features []string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for k, pair := range BankPairs {
		if slices.Contains(features, pair[0]) && slices.Contains(features, pair[1]) {
			e.had[k]++
		}
	}
}
