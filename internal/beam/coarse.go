package beam

// Idea: if sizes are small multiples of one unit, as those of networks, memory has some hundred units, and a ceiling
// has few values. A long pass dies somewhere under all but the highest of them, and what it has placed is lost. So in
// coarse memories, where a pass with offsets dies for good, its ceiling goes up by half of the way to the best plan, at
// least by a unit, and it goes on. Layouts are few, too, so a wider beam comes further than in other memories. So
// passes with offsets get wide before they aim less low, and where their ceiling went up. Ejections have no turn
// before.
//
// Invariant: the plan of a pass is lower than the best one. Memories that are not coarse are planned as if this were
// not here.
//
// Complexity: a pass goes back up to goesBack times under each ceiling. It has as many ceilings as the logarithm of the
// units up to the best plan.
//
// Source: this project.
//
// Trials: docs/lab/planners.md (how far passes come with each width, steps of ceilings, other memories).

const (
	// coarseTall is how many granules the bound of a coarse memory has at most.
	coarseTall = 256
	// coarseWidth is how wide passes get before they aim less low, with at most coarseNodes layouts for all buffers.
	coarseWidth, coarseNodes = 1 << 10, 1 << 20
	// coarseEject is the most layouts by which turns of ejections get longer.
	coarseEject = 16
	// coarseRise is the part of the way to the best plan by which a ceiling goes up: one part in so many.
	coarseRise = 2
)

// coarsen sets whether the passes of a kind, which have offsets, are coarse, and how wide they get then.
func (s *search) coarsen(q *kind) {
	x := q.ways[0]
	if q.coarse = s.settings.coarse && s.lower/x.granule <= coarseTall; q.coarse {
		q.least = max(s.settings.width, min(coarseWidth, coarseNodes/len(x.order), s.settings.widest))
	}
}

// narrow reports whether the next pass of a kind is wider in any case.
func (q *kind) narrow() bool { return q.coarse && q.width < q.least }

// ejectWidth is the width of the passes that take about as long as a turn of ejections.
func (q *kind) ejectWidth() int64 {
	if q.coarse {
		return int64(min(q.width, coarseEject))
	}
	return int64(q.width)
}

// rise sets the ceiling of a pass that has died higher. It reports whether there is such a ceiling below the best plan.
func (x *pass) rise() bool {
	x.risen = true
	x.ceiling += max(1, (x.limit-x.ceiling)/coarseRise)
	return x.ceiling < x.limit
}
