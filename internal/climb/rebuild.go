package climb

import (
	"slices"

	"github.com/stowage-go/stowage/internal/greedy"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/thresholds"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// Idea: a repair (mend.go) fails where the load is nearly as high as the target for some time: at a peak almost all
// bytes must be in use, and what lies there lies badly. Heuristics plan such a peak well if they begin with it. In a
// large problem they begin with the highest peak, and meet the next one with offsets that the first has left. So where
// a repair has failed, the time around that peak is planned anew and alone. It reaches on both sides to a valley, where
// the load is lower than the target by some sixteenths. The plan is then put in place of what lay there. Beyond the
// valleys it displaces others. These come back by a repair, which succeeds since the valleys have room.
//
// Buffers that are live at a valley are part of that plan, as far as they reach into it. If they live long beyond it,
// they displace too many, and nothing is tried.
//
// Invariant: that of mend.go. If the plan of the peak is above the target, or the repair fails, all is as before.
//
// Complexity: for k buffers around the peak, some heuristics, or as many steps of climb as a repair of buffers with a
// hundred neighbours takes, and a repair. That is done three times at most.
//
// Source: this project. Large neighbourhoods by windows of time, after Shaw, "Using constraint programming and local
// search methods to solve vehicle routing problems" (1998).
//
// Trials: docs/lab/climb.md (long lives that stay where they are leave no plan of the peak).

const (
	// rebuildMost is the most buffers around a peak, and displacedMost how many others they may displace by a guess.
	rebuildMost, displacedMost = 4096, 4096
	// rebuildEach is how many steps the heuristics count for each buffer.
	rebuildEach = 200
	// replanEach is how many steps climb may take around a peak for each placement that a repair may take.
	replanEach = 200
	// settled is how many times its first price a buffer costs more that lies as the plan of the peak has it, and
	// displacedEach how many buffers the repair may place for each one that is displaced.
	settled, displacedEach = 4, 8
)

// valleys are how far below the target the load is in a valley, in sixteenths, in the order in which they are tried.
var valleys = []int64{3, 5, 1}

// rebuild brings a buffer under the target by planning the time around its peak anew.
func (w *worker) rebuild(i int32) bool {
	m := &w.mender
	if !w.sw.rebuild || len(m.bodies) < thresholds.CoresLeast || m.tl.HasGaps() {
		return false
	}
	load, peak := m.tl.Load, m.bodies[i].first
	for s := peak; s < m.bodies[i].last; s++ {
		if load[s] > load[peak] {
			peak = s
		}
	}
	before := [2]int32{} // the sections that were tried last
	for _, depth := range valleys {
		if w.taken >= w.most || w.watch.Over() {
			return false
		}
		valley, low, high := m.target-m.target/16*depth, peak, peak+1
		if load[peak] <= valley { // the buffer is large, and has no place although there is room
			low, high = m.bodies[i].first, m.bodies[i].last
		}
		for low > 0 && load[low] > valley {
			low--
		}
		for int(high) < len(load) && load[high-1] > valley {
			high++
		}
		if before == [2]int32{low, high} {
			continue
		}
		before = [2]int32{low, high}
		if m.surround(low, high) && w.replace(low, high) && m.spots[i].top <= m.target {
			return true
		}
	}
	return false
}

// surround lists the buffers that are live in the sections [low, high). It reports whether they are few, and would
// displace few if they lay anywhere.
func (m *mender) surround(low, high int32) bool {
	m.inside = m.inside[:0]
	for s, most := range m.reach {
		from, to := s*block, min(len(m.bodies), s*block+block)
		if m.bodies[from].first >= high {
			break
		}
		if most <= low {
			continue
		}
		for k := from; k < to; k++ {
			if b := &m.bodies[k]; b.first < high && low < b.last {
				m.inside = append(m.inside, int32(k))
			}
		}
	}
	if n := len(m.inside); n > rebuildMost || 2*n > len(m.bodies) {
		return false
	}
	displaced := 0.0
	for _, k := range m.inside {
		if b := &m.bodies[k]; b.first < low || b.last > high {
			displaced += float64(b.size) / float64(m.target) * float64(len(m.neighbours(k).low))
		}
	}
	return displaced <= displacedMost
}

// replace plans the buffers inside, as far as they are live in the sections [low, high), puts that plan in place, and
// repairs what is around it.
func (w *worker) replace(low, high int32) bool {
	m := &w.mender
	p := &model.Problem{Buffers: make([]model.Buffer, len(m.inside))}
	for r, k := range m.inside {
		m.tl.Part(&p.Buffers[r], int(m.starts[k]), low, high)
	}
	offsets := w.planned(p)
	if offsets == nil {
		return false
	}
	m.begin()
	for r, k := range m.inside {
		m.note(k)
		m.paid[k] += settled * m.asked[k]
		m.put(k, offsets[r])
	}
	for _, k := range m.inside {
		if b := &m.bodies[k]; b.first < low || b.last > high {
			for _, j := range m.neighbours(k).low {
				if s := &m.spots[j]; s.price > 0 && s.at < m.spots[k].top && m.spots[k].at < s.top {
					m.drop(j)
				}
			}
		}
	}
	if w.settle(m.patience + displacedEach*int64(len(m.out))) {
		return true
	}
	for _, k := range m.inside {
		m.paid[k] -= settled * m.asked[k]
		m.spots[k].price = m.paid[k]
	}
	return false
}

// planned plans a problem under the target, by heuristics or else by climb itself. It returns nil if there is no such
// plan in reach.
func (w *worker) planned(p *model.Problem) []int64 {
	m, tl := &w.mender, timeline.New(p)
	if tl.LowerBound > m.target {
		return nil
	}
	first := greedy.NewPortfolio(w.ctx, tl, m.target)
	first.Quick(false)
	w.taken += rebuildEach * int64(len(p.Buffers))
	if first.Height <= m.target || first.Offsets == nil {
		return first.Offsets
	}
	o := plan.Options{
		Capacity: m.target, Start: first.Offsets, NodeLimit: min(replanEach*m.patience, w.most-w.taken), Seed: w.rng.Uint64(),
		Without: append(slices.Clone(w.o.Without), "rebuild", "crests"), Params: w.o.Params,
	}
	if o.NodeLimit < 1 {
		return nil
	}
	r, err := run.Run(w.ctx, &Planner{}, tl, o)
	w.taken += r.Stats.Nodes
	if err != nil || !r.Status.HasPlan() {
		return nil
	}
	return r.Offsets
}
