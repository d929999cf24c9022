package canonical

import (
	"math/bits"

	"github.com/stowage-go/stowage/internal/exact/common"
)

// Idea: the completions of a component depend only on three things: which of its buffers are unplaced, their least
// offsets, and the canonical bound. So a state that failed once fails again, on any path to it.
//
//	key = sum over unplaced j of hash(j, lb(j), whether j waits)
//
// Dominance reads the least offsets of all buffers, so those of waiting buffers are in the key, too.
// Of the canonical bound, the key holds only which buffers wait. All bounds that leave the same
// buffers waiting allow the same completions, and so do all ranks.
//
// Only exhausted states are kept, never aborted ones. The key has 128 bits and is salted by order and
// capacity. So the table survives restarts of the same order, which skip what earlier rounds have
// refuted. With two million states the odds of a false match are under 2^-86.
//
// Complexity: O(buffers) to hash. The table has open addresses and buckets of four. Once it has its
// largest size, new entries replace old ones.

type memoKey struct{ a, b uint64 }

const (
	memoWays    = 4
	memoInitial = 1 << 10
	memoMost    = 1 << 21 // entries: 32 MiB
)

// memo has the keys of states that failed. It outlives a run. A lost key costs time, never soundness.
type memo struct {
	entries []memoKey // buckets of memoWays
	used    int       // entries
	clock   uint64    // picks the entry that a new one replaces
	salt    []uint64  // two random words for each buffer
	run     uint64    // the salt of a run: its order and capacity
}

func (m *memo) add(a *arrays) { a.words.Add(2*a.n, &m.salt) }

// recall reports whether the state of the component is known to fail. It also returns the key of the
// state, or zero if there is nothing to compare it with.
func (k *Kernel) recall(c component) (key memoKey, known bool) {
	if k.Dominates() {
		return memoKey{}, k.beaten(k.setOf(c), common.Nobody)
	}
	if k.memo.used == 0 {
		return memoKey{}, false
	}
	key = k.key(c)
	return key, k.memo.has(key)
}

// remember records that the state of the component failed. key is what recall returned. A dive without
// a failure hashes nothing.
func (k *Kernel) remember(c component, key memoKey) {
	if k.Dominates() {
		k.beat(k.setOf(c))
		return
	}
	if !k.sw.Memo {
		return
	}
	if key.b == 0 {
		k.findWaiting(c) // it was last called for others
		key = k.key(c)
	}
	k.memo.remember(key)
}

// key hashes the component's state.
func (k *Kernel) key(c component) memoKey {
	a, b := k.memo.run, ^k.memo.run
	if !k.sw.Canonical {
		// No buffer waits, but the monotonic floor reads the offset itself.
		a ^= common.Mix(uint64(c.off)+0x9e3779b97f4a7c15, 0xe7037ed1a0b428db)
	}
	low, high := k.buffersOf(c)
	for w := low >> 6; w<<6 < high; w++ {
		for rest := k.wordOf(w, low, high); rest != 0; rest &= rest - 1 {
			j := w<<6 + common.Buffer(bits.TrailingZeros64(rest))
			lb := uint64(k.lb[j])
			if k.waiting.has(j) {
				lb = ^lb
			}
			x := common.Mix(lb^k.memo.salt[2*j], k.memo.salt[2*j+1])
			a += x
			b += common.Mix(x^0xa0761d6478bd642f, lb+k.memo.salt[2*j+1])
		}
	}
	return memoKey{a, b | 1} // never the empty entry
}

func (m *memo) has(key memoKey) bool {
	at := m.bucket(key)
	for _, e := range m.entries[at : at+memoWays] {
		if e == key {
			return true
		}
	}
	return false
}

func (m *memo) bucket(key memoKey) int {
	return int(key.a) & (len(m.entries) - 1) &^ (memoWays - 1)
}

// remember adds the key. The table grows if a bucket is full, until it has its largest size. Until then no key is lost.
func (m *memo) remember(key memoKey) {
	if len(m.entries) == 0 || len(m.entries) < memoMost &&
		(2*m.used >= len(m.entries) || m.entries[m.bucket(key)+memoWays-1].b != 0) {
		m.grow()
	}
	if m.insert(key) {
		m.used++
	}
}

// insert puts the key into its bucket. It reports whether it took an empty entry.
func (m *memo) insert(key memoKey) bool {
	at := m.bucket(key)
	for i := at; i < at+memoWays; i++ {
		if m.entries[i].b == 0 {
			m.entries[i] = key
			return true
		}
	}
	m.clock++
	m.entries[at+int(m.clock)&(memoWays-1)] = key
	return false
}

func (m *memo) grow() {
	old := m.entries
	m.entries = make([]memoKey, max(memoInitial, 2*len(old)))
	m.used = 0
	for _, e := range old {
		if e.b != 0 && m.insert(e) {
			m.used++
		}
	}
}
