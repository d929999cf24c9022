package greedy

import (
	"github.com/stowage-go/stowage/internal/bound"
	"github.com/stowage-go/stowage/internal/sorting"
	"github.com/stowage-go/stowage/internal/timeline"
)

// Idea: what a plan wastes, it wastes where the load is at its peak; everywhere else
// there is room. So begin there. All that is live at the peak is put on one pile, without
// a byte between, and from there sweeps go both ways: forwards through what begins
// later, and backwards through what ended before. Either way the pile ends bit by bit, what
// comes is put where there is room, and the load falls, so that there is more and more of it.
//
// The two ways have nothing to do with one another but for the pile. In the order of the
// starts (a stack, as the forward pass of training makes it) it is given back from its top
// on the way back, in one stretch; in the order of the ends so it is on the way on; with
// both ranks added up, about so on either. What comes goes to the highest place under the
// bound, or else into the smallest hole.
//
// Where that ends above the bound, other sections next to the peak are as good as full,
// which a sweep does not know when it comes to the first of them. Then some sections
// around the peak are settled as one (Again, with exact search: internal/climb/core.go): what
// is live in all of them is the pile, which leaves little to search for.
//
// Invariant: what is free is what no live buffer uses, at the section where a sweep is.
//
// Complexity: that of a sweep (sweep.go), of which there are twelve at most,
// but a sweep that gets too high ends there, as a rule near the peak.
//
// There are no such plans where there are gaps or fixed offsets.
//
// Source: this project. The sweeps from time zero (sweep.go) end S_1 (28,526 buffers)
// above its load, and local search does not come down from there; this is at the load
// after two sweeps (go test -bench Outward ./internal/greedy).
//
// Tried and dropped: peaks drawn at random with piles of drawn weights and noise: of eight
// training graphs that end above the load none came down to it in 700 tries. Holes from
// their upper end, the lowest place, and thresholds of lifespan between these: each wins
// here and there, and settling the peak's surroundings all of it.

// A Settle puts what is live between the sections low and high, but not in all of them,
// above a floor and under the target. It reports whether it could.
type Settle func(loose []int32, low, high int32, floor, target int64, at []int64) bool

// Outward prepares sweeps from the peaks. It returns false where there are gaps or fixed
// offsets, or the limit comes first.
func (s *Sweeper) Outward() bool {
	if s.tl.HasGaps() || !movableAll(s.tl) || !s.order(0) || !s.order(1) {
		return false
	}
	if s.half == nil {
		n := len(s.trial)
		s.half = make([]int64, n)
		ranks := make([]int32, 2*n)
		s.rank = [2][]int32{ranks[:n], ranks[n:]}
		for k := range s.parts {
			for way, starts := range s.parts[k].starts {
				for r, i := range starts {
					s.rank[way][i] = int32(r)
				}
			}
		}
	}
	return true
}

// FromPeaks tries each partition that is above the goal from its peak, and from where it
// begins and ends.
func (s *Sweeper) FromPeaks(goal int64) {
	if !s.Outward() {
		return
	}
	for k := range s.parts {
		p := &s.parts[k]
		enough := max(goal, s.least)
		if p.height > enough {
			s.from(k, 0, 0, s.tl.LowerBound, nil)
		}
		s.cross = nil
		for way := range 2 {
			if rest := [2][]int32{}; p.height > enough {
				rest[way] = p.starts[way]
				s.ways(p, noCut, rest, 0, all, snug)
			}
		}
	}
}

// Again tries the highest partition anew: from so many sections to either side of its
// n-th peak. It returns a lower plan, nil for none.
func (s *Sweeper) Again(n int, half int32, target int64, settle Settle) (offsets []int64, height int64) {
	worst := 0
	for k := range s.parts {
		if s.parts[k].height > s.parts[worst].height {
			worst = k
		}
	}
	if before := s.parts[worst].height; before == s.from(worst, n, half, target, settle) {
		return nil, 0
	}
	return s.Plan(), s.Height()
}

// from tries a partition from so many sections to either side of its n-th peak: of the
// sections no other near which is as full. It returns its height.
func (s *Sweeper) from(k, n int, half int32, target int64, settle Settle) int64 {
	part, load, p := &s.tl.Partitions[k], s.tl.Load, &s.parts[k]
	if p.peaks == nil {
		before := int64(0)
		for at := part.First; at < part.Last; at++ {
			now, after := load[at], int64(0)
			if at+1 < part.Last {
				after = load[at+1]
			}
			if before <= now && after < now {
				p.peaks = append(p.peaks, at)
			}
			before = now
		}
		sorting.By(p.peaks, func(a, b int32) bool { return load[a] > load[b] })
	}
	peak := p.peaks[n%len(p.peaks)]
	s.try(p, max(peak-half, part.First), min(peak+half+1, part.Last), target, settle)
	return p.height
}

// try settles what is live in the sections [low, high) and sweeps both ways from there. It
// keeps what is lower than the lowest plan of the partition.
func (s *Sweeper) try(p *sweptPart, low, high int32, target int64, settle Settle) {
	s.ceiling = bound.Down(target, s.step)
	cuts := [2]int32{high, -low}
	rest := p.starts // what begins after these sections
	var pile, loose []int32
	for way, cut := range cuts {
		for len(rest[way]) > 0 {
			i := rest[way][0]
			from, to := s.extent(i, way)
			if from >= cut {
				break
			}
			rest[way] = rest[way][1:]
			if way == 1 || to <= low {
				continue
			}
			list := &loose
			if from <= low && to >= high {
				list = &pile
			}
			*list = append(*list, i)
		}
	}
	// What is loose is settled once, above a pile in any order.
	floor := s.pile(pile, 0)
	top := int64(0) // of what is loose
	if len(loose) > 0 {
		if !settle(loose, low, high, floor, target, s.trial) {
			return
		}
		for _, i := range loose {
			top = max(top, s.trial[i]+s.tl.Problem.Buffers[i].Size)
		}
		sorting.By(loose, func(i, j int32) bool { return s.trial[i] < s.trial[j] })
	}
	s.cross = append(pile, loose...)
	for order := range 3 {
		height := s.pile(s.cross[:len(pile)], order)
		if height > floor && len(loose) > 0 {
			continue // of mixed alignments
		}
		height = max(height, top)
		s.ways(p, cuts, rest, height, all, snug)
		if p.height <= max(target, height) || s.watch.Over() {
			return
		}
	}
}

// pile puts what is live in all sections that are settled one on the other, by the order
// of the starts (0), of the ends (1), or of both, and returns how high that is.
func (s *Sweeper) pile(list []int32, order int) (height int64) {
	key := func(i int32) (rank int32) {
		if order != 1 {
			rank = s.rank[0][i]
		}
		if order != 0 {
			rank += s.rank[1][i]
		}
		return rank
	}
	sorting.By(list, func(i, j int32) bool { return key(i) < key(j) })
	for _, i := range list {
		b := &s.tl.Problem.Buffers[i]
		s.trial[i] = bound.Up(height, b.Align())
		height = s.trial[i] + b.Size
	}
	return height
}

// movableAll reports whether no buffer has a fixed offset.
func movableAll(tl *timeline.Timeline) bool {
	for i := range tl.Problem.Buffers {
		if tl.Problem.Buffers[i].Fixed != nil {
			return false
		}
	}
	return true
}
