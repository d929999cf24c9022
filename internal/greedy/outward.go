package greedy

import (
	"github.com/stowage-go/stowage/internal/bound"
	"github.com/stowage-go/stowage/internal/sorting"
	"github.com/stowage-go/stowage/internal/timeline"
)

// Idea: wasted space counts only where the load is at its peak; everywhere else there is room. So planning begins at
// the peak. All buffers that are live there form a pile, without a byte between them. From there, one sweep goes
// forwards through the buffers that begin later, and one goes backwards through those that ended earlier. On both ways
// the buffers of the pile end one by one and the load falls, so there is more and more room.
//
// Only the pile connects the two sweeps. Three orders of the pile are tried:
//
//	by start         frees memory from the top, in one stretch, on the backward sweep
//	by end           does the same on the forward sweep
//	by both ranks    does so approximately on both
//
// A sweep puts each buffer at the highest place under the bound, or else into the smallest hole.
//
// If the plan still ends above the bound, other sections next to the peak are almost full as
// well. A sweep does not see this when it comes to the first of them. So several sections
// around the peak are planned together (Again, with exact search: internal/climb/core.go). The
// buffers that are live in all of them are the pile, and only the others are searched.
//
// Invariant: the free space is the bytes that no buffer live at the section of the sweep uses.
//
// Complexity: up to twelve sweeps (sweep.go). A sweep that gets too high ends at once, usually near the peak.
//
// If there are gaps or fixed offsets, there are no such plans.
//
// Source: this project. The sweeps from time zero (sweep.go) end S_1 (28,526 buffers) above its load, and local search
// does not come down from there; this is at the load after two sweeps (go test -bench Outward ./internal/greedy).
//
// Trials: docs/lab/greedy.md (random peaks lower nothing, other places only what climb lowers anyway).

// A PlaceLoose places loose, the buffers that are live in some of the sections [low, high) but not in all, between the
// floor and the target. It writes their offsets into at, and reports whether they fit.
type PlaceLoose func(loose []int32, low, high int32, floor, target int64, at []int64) bool

// Outward prepares sweeps from the peaks. It returns false if there are gaps or fixed
// offsets, or if the limit comes first.
func (s *Sweeper) Outward() bool {
	if s.tl.HasGaps() || !MovableAll(s.tl) || !s.order(0) || !s.order(1) {
		return false
	}
	if s.rank[0] == nil {
		n := len(s.trial)
		s.rank = [2][]int32{s.memory.lists.Take(n), s.memory.lists.Take(n)}
	}
	return true
}

// FromPeaks sweeps each partition that is above the goal from its peak, and then from its beginning and from its end.
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

// Again sweeps the highest partition from the sections around its n-th peak, half of them to
// either side. It returns a lower plan, or nil.
func (s *Sweeper) Again(n int, half int32, target int64, loose PlaceLoose) (offsets []int64, height int64) {
	worst := 0
	for k := range s.parts {
		if s.parts[k].height > s.parts[worst].height {
			worst = k
		}
	}
	if before := s.parts[worst].height; before == s.from(worst, n, half, target, loose) {
		return nil, 0
	}
	return s.Plan(), s.Height()
}

// from sweeps partition k from the sections around its n-th peak, half of them to either side.
// A peak is a section whose load is at least that before it and more than that after it. It
// returns the height of the partition's lowest plan.
func (s *Sweeper) from(k, n int, half int32, target int64, loose PlaceLoose) int64 {
	part, load, p := &s.tl.Partitions[k], s.tl.Load, &s.parts[k]
	if len(p.peaks) == 0 {
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
		s.sort(p.peaks, func(a, b int32) bool { return load[a] > load[b] })
	}
	peak := p.peaks[n%len(p.peaks)]
	s.try(p, max(peak-half, part.First), min(peak+half+1, part.Last), target, loose)
	return p.height
}

// try places the buffers that are live in the sections [low, high), then sweeps both ways from there. It keeps the plan
// if it is lower than the lowest of the partition.
func (s *Sweeper) try(p *sweptPart, low, high int32, target int64, placeLoose PlaceLoose) {
	s.ceiling = bound.Down(target, s.step)
	cuts := [2]int32{high, -low}
	rest := p.starts // buffers that begin after these sections
	pile, loose := s.list[:0], []int32(nil)
	for way, cut := range cuts {
		for k, i := range p.starts[way] {
			if from, _ := s.extent(i, way); from >= cut {
				break
			}
			rest[way] = p.starts[way][k+1:]
			switch first, last := s.tl.Extent(int(i)); {
			case first <= low && last >= high:
				if s.rank[way][i] = int32(k); way == 0 {
					pile = append(pile, i)
				}
			case way == 0 && last > low:
				loose = append(loose, i)
			}
		}
	}
	// The loose buffers are placed once, above the pile. Its order does not matter to them.
	floor := s.pile(pile, 0)
	top := int64(0) // of the loose buffers
	if len(loose) > 0 {
		if !placeLoose(loose, low, high, floor, target, s.trial) {
			return
		}
		for _, i := range loose {
			top = max(top, s.trial[i]+s.tl.Size(i))
		}
		sorting.By(loose, func(i, j int32) bool { return s.trial[i] < s.trial[j] })
	}
	s.cross = append(pile, loose...)
	s.list = s.cross
	for order := range 3 {
		height := s.pile(s.cross[:len(pile)], order)
		if height > floor && len(loose) > 0 {
			continue // alignments make this order of the pile higher than the first
		}
		height = max(height, top)
		s.ways(p, cuts, rest, height, all, snug)
		if p.height <= max(target, height) || s.watch.Over() {
			return
		}
	}
}

// pile stacks the buffers of the list from offset 0, in the order of their starts (0), of their
// ends (1), or of the sum of both ranks (2). It returns the height of the stack.
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
	s.sort(list, func(i, j int32) bool { return key(i) < key(j) })
	for _, i := range list {
		if s.trial[i] = height; !s.tl.Plain {
			s.trial[i] = bound.Up(height, s.tl.Problem.Buffers[i].Align())
		}
		height = s.trial[i] + s.tl.Size(i)
	}
	return height
}

// sort is sorting.By in memory that is there.
func (s *Sweeper) sort(list []int32, less func(a, b int32) bool) {
	sorting.Within(list, s.room(len(list)), less, nil)
}

// room returns n numbers of any values, until the next call.
func (s *Sweeper) room(n int) []int32 {
	if len(s.scratch) < n {
		s.scratch = make([]int32, n)
	}
	return s.scratch[:n]
}

// MovableAll reports whether no buffer has a fixed offset.
func MovableAll(tl *timeline.Timeline) bool {
	if tl.Plain {
		return true
	}
	for i := range tl.Problem.Buffers {
		if tl.Problem.Buffers[i].Fixed != nil {
			return false
		}
	}
	return true
}
