package canonical

import "math"

// Idea: for each level h of a section s, the unplaced pieces that start at h or above all lie above h:
//
//	h + sum of size(x) over unplaced x in s with start(x) >= h  <=  limit
//
// For the smallest h this is the section inference of the paper. In terms of one-machine scheduling, a section is a
// machine, a buffer is a job, and its offset is the start time. The bound is then that of the latest release dates.
//
// The members are visited in ascending order of their starts. The sum from one member on is the total minus
// the sizes before it. The same pass finds the two least ends for not-first.
//
// Complexity: O(live members).
//
// Source: Carlier 1982 for the machine bound. Its use here is Stowage's.
//
// Trials: docs/lab/exact.md (narrower numbers and merged passes are no faster).

// tops bounds the least offsets of a section's members. A section in which nothing can be found is skipped.
type tops struct {
	of      []int64 // per section: no piece started above it when the section was last looked at
	highest int64   // the highest start that inference has given a piece since the last placement or its undoing
}

func (t *tops) add(a *arrays) { a.numbers.Add(a.m, &t.of) }

// reset says that nothing is known of any section.
func (t *tops) reset() {
	for s := range t.of {
		t.of[s] = gone
	}
}

// checkSection applies the suffix bound and not-first to section s. It returns false if the unplaced members
// do not fit, and raises the bounds that not-first finds.
//
// Nothing can be found if even the highest member could be the lowest one. top[s] bounds the least offsets at the
// last look at the section, highest bounds those raised since.
func (k *Kernel) checkSection(s Section) bool {
	slack := k.limit - k.total[s]
	if top := max(k.tops.of[s], k.tops.highest); top <= slack {
		k.tops.of[s] = top
		return true
	}
	all := k.members.of(s)
	list := all[:k.live[s]]
	blocks := k.block
	most := slack
	if !k.sw.SuffixBound {
		most = gone / 2 // only placed pieces start that high
	}
	for sorted := false; ; sorted = true {
		least, second := int64(math.MaxInt64), int64(math.MaxInt64)
		// A later member may belong before this one, and placed members start above everything.
		// So a failed test counts only if the list is in order.
		last, before := int64(math.MinInt64), int64(0)
		at := 0
		for ; at < len(list); at++ {
			b := blocks[list[at]]
			if b.start >= second || b.start-before > most || b.start < last {
				break
			}
			last = b.start
			before += b.size
			end := b.start + b.size
			second = min(second, max(least, end))
			least = min(least, end)
		}
		for ; at < len(list); at++ {
			b := blocks[list[at]]
			if b.start-before > most || b.start < last {
				break
			}
			last = b.start
			before += b.size
		}
		switch {
		case at == len(list):
			k.tops.of[s] = last
			return !k.sw.NotFirst || second <= slack || k.notFirst(list, slack, least, second)
		case sorted:
			return false
		}
		k.sortMembers(all, at, len(list))
	}
}
