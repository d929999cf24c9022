// Package thresholds holds the sizes at which the product changes what it does: from how many
// buffers on, or up to how many, a technique runs. No other package declares such a size,
// so no two of them disagree about what a large problem is.
//
// A name that ends in Most is the last size at which something runs. A name that ends in
// Least is the first one. A name that ends in Above is the last size at which it does not
// run. The unit is buffers of the problem unless a comment says otherwise.
//
// A name that ends in By is the n in 1/n of a height: two heights are close if they differ by no more than that part.
//
// A constant that only one technique understands, such as the size of a table or the number of its tries, stays in the
// file of that technique. How much effort each planner of auto gets is in internal/auto/policy.go.
package thresholds

// Sizes up to some hundreds of buffers.
const (
	// LadderMost is the number of buffers of a partition up to which exact search may choose them from the highest to
	// the lowest (internal/exact/ladder). It is also the size up to which auto's first look of exact search is long.
	// The ladder keeps sets of buffers in 32 bits, and its table takes 8 MiB for 16 buffers. Measured on the awkward
	// problems of lab/bench/awkward: all are decided, 64 without it.
	LadderMost = 24

	// ClausesMost is the number of buffers of a partition with different alignments up to which exact search may learn
	// from contradictions among pairs (internal/exact/clauses). Measured on 60 problems of 40, 50 and 60 buffers.
	ClausesMost = 128

	// MergeLeast is the first size at which auto merges buffers. On smaller problems exact search ends as soon as merge
	// does. Measured on 135 packings of 20 and 100 buffers and on A-K: first-fit orders solve no full problem of 48
	// buffers or more.
	MergeLeast = 48

	// OutwardLeast is the first size at which sweeps from the peak are among the first heuristics. On smaller problems
	// exact search ends as soon. Measured on the latency benchmark, problems of 20 and 100 buffers.
	OutwardLeast = 128

	// GlanceMost is the size up to which auto's first look of exact search has at least 16 nodes a buffer. It then
	// lasts until exact search has asked about short stretches of time, which may show that nothing fits.
	GlanceMost = 512

	// OneListMost: up to this many buffers, a partition that is placed once uses a list, not a tree (place/list.go).
	OneListMost = 256

	// BeamFirstLeast is the first size at which beam is the first in a round of auto. On smaller problems merge and
	// exact search go first. Measured on problems of 1,000 buffers in memories that are 97% full: the turns of merge
	// and of exact search take seconds there and lower no plan. J has 409 buffers and is solved by merge and exact
	// search.
	BeamFirstLeast = 512

	// BeamFullLeast is the same where memory is full at almost all times. Measured on the kinds steady and full of
	// lab/bench/stalls: on 300 buffers beam alone ends lower than with the others before it, and on 100 they are lower.
	BeamFullLeast = 256

	// MergeHopelessAbove is a number of composites (groups of buffers that merge treats as one). Inside another planner
	// merge ends its restarts if more composites are left, and nearly as many as there are buffers: an attempt takes
	// seconds and finds no more than exact search does. Measured on random problems of 4,000 buffers, of which 3,926
	// composites are left.
	MergeHopelessAbove = 512

	// MergeWalledMost is the number of composites up to which exact search attempts to plan them after the restart of
	// merge with walls (merge/walls). That restart takes a thousandth of the time of such an attempt.
	MergeWalledMost = 512
)

// Sizes of some thousand buffers.
const (
	// CoresLeast is the first size at which auto plans the sections around the peak right after the quickest
	// heuristics. Measured on training graphs, whose quick plans are within a fiftieth of the bound. From it on climb
	// plans peaks anew where repairs fail (internal/climb/rebuild.go).
	CoresLeast = 1024

	// TurnsLeast is the first size at which the heuristics turn plans upside down (internal/greedy/justify.go). On
	// smaller problems the searches find as much in the same time.
	TurnsLeast = CoresLeast

	// DigitsLeast is a number of keys. From it on keys are sorted digit by digit (internal/sorting). Fewer keys are
	// sorted by comparisons, which are then faster.
	DigitsLeast = 1024

	// FreeListsLeast is the first size at which the allocator that finishes a plan (place/finish.go) makes lists for
	// free ranges of all sizes. On smaller problems it is faster to add up the sizes, and to make lists only up to
	// their sum.
	FreeListsLeast = 1024

	// ListMost: up to this many buffers, a search that makes plans one after another keeps each plan as one sorted list
	// (place/list.go), not as trees. List and trees take equally long at a few thousand buffers, and at some hundreds
	// if only one plan is made. Measured on A-K: go test -bench Move ./internal/climb.
	ListMost = 2048

	// OneWideListMost: up to this many buffers, a partition that is placed once uses a list if its buffers live long on
	// average.
	OneWideListMost = 1024

	// ExactMost is the size up to which exact search takes turns in auto. Its trail takes 16 bytes for each conflict on
	// the way down. Measured on a training graph of 10,000 buffers: 900 MB.
	ExactMost = 4096

	// MergeAttemptsMost is the number of composites up to which exact search attempts to
	// plan them. It equals ExactMost: the limit is the memory of exact search in both cases.
	MergeAttemptsMost = ExactMost

	// WholeMost is the size up to which one placement of all buffers is never cut short by
	// a limit: it takes a few milliseconds, and the plan is then a function of the problem.
	WholeMost = 4096
	// WholeSpansMost is the same in spans. Gaps cut the lifespan of a buffer into spans.
	WholeSpansMost = 4 * WholeMost

	// CollideMost is a number of fixed buffers. Up to it, a run checks even after its limit whether they collide: that
	// takes a few milliseconds.
	CollideMost = 4096
)

// Sizes of tens of thousands of buffers and more.
const (
	// LargeAbove is the size above which a plan within a thousandth of the bound is good enough: the sweep comes first
	// and may be the only heuristic, and a run without a limit ends after one look at the peak. What local search could
	// still win takes longer than its first turn. Measured on the training graphs of lab/bench/scale.
	// Above it climb changes the order of all buffers only if it cannot mend (internal/climb/mend.go), and with a limit
	// it comes before the heuristics that take longest. beam has turns only if memory is full at almost all times.
	LargeAbove = 1 << 13

	// MergeMost is the size up to which auto and exact search merge buffers. Above it there are too many composites for
	// exact search. Measured on packings of 5,000 and 10,000 buffers (docs/planners/merge.md).
	MergeMost = 1 << 14

	// CloseAbove is the size above which the heuristics stop at a plan within a
	// hundred-thousandth of the bound. On smaller problems they stop at the bound.
	CloseAbove = 1 << 14

	// EarlyLeast is the first size at which exact search makes its plan to fall back on at
	// the start of a run. On smaller problems it makes that plan only if a limit comes.
	// The plan of 65,536 buffers takes some tens of milliseconds.
	EarlyLeast = 1 << 16

	// PreparedMost is a number of pieces: a buffer is one, and each of its gaps adds one. Up to it the whole timeline
	// is prepared even if the context has ended: that takes a few milliseconds.
	PreparedMost = 1 << 16

	// HugeAbove is the size above which one plan of a first-fit order takes seconds. Heuristics then end after the
	// sweep and first-fit, and local search looks at the peak only. With a limit climb has a whole turn before other
	// orders. It is also the size up to which merge goes over the walls of a packing without an unused byte. Measured on
	// training graphs to ten million buffers (docs/compare.md).
	HugeAbove = 1 << 17

	// OrdersMost is the size up to which local search changes the order of all buffers and places them again. Above it
	// one placement takes seconds, and only the buffers around the peak move.
	OrdersMost = 1 << 18
)

// How close one height is to another. A value of n means within 1/n of the height: see Within.
const (
	// CloseBy is how close to the bound a plan of more than LargeAbove buffers is good enough: within a thousandth of
	// it. A sweep that ends there is the only heuristic, and auto looks at the peak alone. Measured on the training
	// graphs of lab/bench/scale: what is left takes local search longer than its first turn.
	CloseBy = 1000

	// EqualBy is how close to the bound a plan of more than CloseAbove buffers is as good as a
	// plan at the bound: within a hundred-thousandth of it. No other order is tried then.
	// Chosen for the training graphs of lab/bench/scale. Other parts were not compared.
	EqualBy = 100_000

	// FarBy is how far above a height another one is far: more than an eighth. auto leaves a capacity that first-fit is
	// far above to the searches, and a plan that a limit has cut is stacked anew if it is far above the bound
	// (internal/place, place/finish.go). Measured for auto on 135 problems of 20 and 100 buffers and on A-K: the best
	// order ends up to an eighth lower than first-fit. For cut plans no other part was compared.
	FarBy = 8
)

// Within returns the greatest height that is within one part-th of another: height + height/part.
func Within(height, part int64) int64 { return height + height/part }

// EndingTimes is the time that the end of a run takes, divided by the time of its preparation. At the end a run places
// the buffers that a limit has left without an offset, and verifies the plan. Both are linear in the buffers, as the
// preparation is. Measured on training graphs (sweep/specs/late.yaml has some).
const EndingTimes = 2

// EndingTimesWithGaps is EndingTimes for problems with gaps. Their pieces are sorted for the
// check, but not for the preparation.
const EndingTimesWithGaps = 5
