// Package lower turns a problem with rules into problems without rules. Each pool becomes one plain
// problem, its strip. A strip has one buffer for each body (buffers that are tied together), and its
// times are slots. Any planner can plan a strip.
//
// Idea: every conflict graph is a plain problem. Cover its edges by cliques, and make each clique a time slot. A buffer
// lives in the slots of its cliques and has gaps between them. Then two buffers conflict if and only if the graph has
// their edge. A section of time is such a clique already, so only what rules touch is covered anew:
//
//	may_overlap, together   a section in which two do not conflict becomes several slots (split.go)
//	apart                   a slot is put in after a section (apart.go)
//	clocks                  an interval order is a line of time; any other order is covered as a graph (clocks.go)
//	distances               the two get a slot of their own, with windows (split.go)
//	objects                 each two get slots of their own, with windows (objects.go)
//	period                  time is cut where the fewest bytes are live (period.go); so is time if gaps say that the
//	                        step repeats (seam.go)
//	together                the members' bytes become windows of one buffer (bodies.go)
//	reserved ranges         stay beside the strip, for they count in no height (internal/ruled)
//
// Invariant, reserved ranges aside:
//
//	offsets of the bodies are valid for the strip  if and only if  what Lift makes of them is valid for the pool
//
// A byte of a window is a byte that the member uses at that time. Padding below a body is in no window.
//
// Complexity: O(n log n) for a pool without rules. A section with t buffers that rules touch takes O(t³). Each slot
// that is put in takes O(live buffers).
//
// Source: the argument and the first trials are this project's (600 random graphs equal brute force).
package lower

import (
	"cmp"
	"slices"

	"github.com/stowage-go/stowage/internal/sorting"
	"github.com/stowage-go/stowage/model"
)

// A Lowering is a valid problem whose rules have been sorted out once, for all of its strips.
type Lowering struct {
	Problem   *model.Problem
	Conflicts *model.Conflicts
	Pools     []model.Pool
	body      []int32 // as Bodies of Conflicts has them, and at too
	at        []int64
	free      [][]int32
	apart     [][]int32
	dist      []model.Distance // the distances that forbid something
	turn      int64            // with a period: the slot at which time is cut
	lives     []life           // lifespans that replace those of the problem if clocks are an interval order; else nil
	tangled   bool             // there are clocks that are no interval order
}

type life struct{ lower, upper int64 }

// New sorts out the rules of a valid problem.
func New(p *model.Problem) *Lowering {
	l := &Lowering{Problem: p, Conflicts: model.NewConflicts(p), Pools: p.AllPools()}
	l.body, l.at = l.Conflicts.Bodies()
	r := p.Rules
	if r == nil {
		return l
	}
	l.apart = l.partners(r.Apart, func(i, j int32) bool { return !l.Conflicts.SameBody(int(i), int(j)) })
	l.free = l.partners(r.MayOverlap, func(i, j int32) bool {
		return !l.Conflicts.SameBody(int(i), int(j)) && !l.Conflicts.Apart(int(i), int(j))
	})
	for _, d := range r.Distances {
		i, j := int(d.Buffers[0]), int(d.Buffers[1])
		if l.Conflicts.Conflict(i, j) && !l.Conflicts.Apart(i, j) && d.Distance < p.Buffers[j].Size {
			l.dist = append(l.dist, d)
		}
	}
	if r.Threads > 0 {
		l.lives = l.linearise()
		l.tangled = l.lives == nil
	}
	if r.Period > 0 {
		l.turn = l.cut()
	}
	return l
}

// partners returns for each buffer its partners in the pairs that count, ascending.
func (l *Lowering) partners(pairs []model.Pair, counts func(i, j int32) bool) [][]int32 {
	if len(pairs) == 0 {
		return nil
	}
	of := make([][]int32, len(l.Problem.Buffers))
	for _, x := range pairs {
		if counts(x[0], x[1]) {
			of[x[0]], of[x[1]] = append(of[x[0]], x[1]), append(of[x[1]], x[0])
		}
	}
	for i := range of {
		slices.Sort(of[i])
		of[i] = slices.Compact(of[i])
	}
	return of
}

// A Strip is one pool as a problem without rules.
type Strip struct {
	// Problem has a buffer for each body. It has no capacity.
	Problem *model.Problem
	// Members are the buffers in the strip, as indices into the problem that was lowered.
	Members []int32
	// Body has the buffer of Problem for each of Members, and At how far above its offset the member begins.
	Body []int32
	At   []int64
	// Reserved has the reserved ranges of the pool, ascending and disjoint.
	Reserved []model.Range
	// Edges is the conflict graph: a row of bits for each of Members, (members + 63) / 64 words long. It is set if
	// clocks are no interval order and each body is one member with all of its bytes, in the order of Members. It is
	// nil otherwise.
	Edges []uint64
	// ClocksAlone says that there are Edges, and that clocks alone decide them. It is known up to 1,024 members, and
	// false above.
	ClocksAlone bool
	// Shared is set in a pool of objects if nothing else decides where a body lies: no range is reserved, no offset is
	// fixed, and all members of a body begin at its offset.
	Shared *Sharing
	// TooMany says that the rule of objects is in Shared alone, because there are more than MostObjects members, or
	// sizes of several dimensions.
	TooMany bool
	// Impossible says why there is no plan whatever the capacity; empty if that is not known.
	Impossible string
}

// Lift computes the offsets of the members from those of the bodies. out has the order of the problem that was lowered.
func (s *Strip) Lift(offsets, out []int64) {
	for k, i := range s.Members {
		out[i] = offsets[s.Body[k]] + s.At[k]
	}
}

// Lower is the inverse of Lift: it returns the offsets of the bodies from those of all buffers.
func (s *Strip) Lower(offsets []int64) []int64 {
	of := make([]int64, len(s.Problem.Buffers))
	for k, i := range s.Members {
		of[s.Body[k]] = offsets[i] - s.At[k]
	}
	return of
}

// Strip lowers one pool. members are the buffers in it, ascending. A body is in it with all of its members or with
// none. apart has further pairs of members to keep apart.
func (l *Lowering) Strip(pool int32, members []int32, apart []model.Pair) *Strip {
	s := &Strip{Problem: &model.Problem{Name: l.Problem.Name}, Members: members, Reserved: Merged(l.Pools[pool].Reserved)}
	l.makeBodies(s, l.Pools[pool].Alignment)
	if s.Impossible != "" || len(members) == 0 {
		return s
	}
	c := newCliqueCover(l, s, apart)
	if l.tangled {
		c.coverGraph()
	} else {
		c.coverTime()
	}
	if l.Pools[pool].Objects {
		if c.shareObjects(); s.Impossible != "" {
			return s
		}
	}
	c.write()
	if !l.tangled { // the slots of a graph are not in the order of time
		s.Problem = Turned(s.Problem)
	}
	return s
}

// Merged returns ranges ascending, with those that touch or overlap in one.
func Merged(ranges []model.Range) (out []model.Range) {
	sorted := slices.Clone(ranges)
	sorting.Structs(sorted, func(a, b model.Range) int { return cmp.Compare(a.Lower, b.Lower) })
	for _, r := range sorted {
		if n := len(out); n > 0 && r.Lower <= out[n-1].Upper {
			out[n-1].Upper = max(out[n-1].Upper, r.Upper)
		} else {
			out = append(out, r)
		}
	}
	return out
}
