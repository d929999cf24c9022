package common

import "github.com/stowage-go/stowage/internal/run"

// Switches turns each technique of the search on or off. Every combination is sound and complete: a technique removes a
// partial plan only if a better or equal one is explored elsewhere.
type Switches struct {
	Canonical        bool
	SectionInference bool
	MonotonicFloor   bool
	UnallocatedFloor bool
	Dominance        bool
	Hatless          bool
	Preordering      bool
	DynamicOrdering  bool
	Decomposition    bool
	CheapReject      bool
	Memo             bool
	Lifting          bool
	NotFirst         bool
	SuffixBound      bool
	Symmetry         bool
	Postponement     bool
	Shifts           bool
	Stretches        bool
	Ladders          bool
	Clauses          bool
	Cliques          bool
	Stacks           bool
	Spares           bool
	EffectiveSizes   bool
	Fronts           bool
	Holes            bool
}

// Declare lists the techniques.
func (s *Switches) Declare(d *run.Declaration) {
	for _, t := range [...]struct {
		on            *bool
		name, summary string
	}{
		{&s.Canonical, "canonical", "explore only plans that are built in ascending order of offset, then of rank"},
		{&s.SectionInference, "section-inference", "bound each section by its floor plus the sizes of its unplaced buffers"},
		{&s.MonotonicFloor, "monotonic-floor", "do not place a later buffer lower than the one just placed"},
		{&s.UnallocatedFloor, "unallocated-floor", "raise a section's floor to the lowest possible offset of its " +
			"unplaced buffers"},
		{&s.Dominance, "dominance", "never leave a space below a buffer that an unplaced buffer could fill"},
		{&s.Hatless, "hatless", "try no alternative to a buffer if nothing can lie above it"},
		{&s.Preordering, "preordering", "rank buffers by static keys; without it, by their order in the input"},
		{&s.DynamicOrdering, "dynamic-ordering", "try the buffer with the lowest possible offset first"},
		{&s.Decomposition, "decomposition", "split the problem between two sections if no unplaced buffer is live in both"},
		{&s.CheapReject, "cheap-reject", "discard a candidate before it is placed if a section has no room for it"},
		{&s.Memo, "memo", "remember partial plans that no completion makes fit"},
		{&s.Lifting, "lifting", "raise a buffer's lowest offset to make room for the buffers that must lie below it"},
		{&s.NotFirst, "not-first", "raise the lowest offset of a buffer that cannot be the lowest in a section"},
		{&s.SuffixBound, "suffix-bound", "in every section, check that the buffers that cannot lie below a level " +
			"fit above it"},
		{&s.Symmetry, "symmetry", "place identical buffers in the order of their indices"},
		{&s.Postponement, "postponement", "raise bounds because a failed candidate is not placed next, before " +
			"another one is tried"},
		{&s.EffectiveSizes, "effective-sizes", "count with each buffer the space above it that no other buffer can use"},
		{&s.Fronts, "fronts", "skip partial plans that are no better than one that has failed"},
		{&s.Holes, "holes", "keep each buffer to the offsets at which it collides with no fixed buffer"},
		{&s.Ladders, "ladders", "for small partitions that stay undecided: choose buffers in the order of their " +
			"offsets, with bounds on the room that each set of buffers needs"},
		{&s.Clauses, "clauses", "for small partitions with different alignments that stay undecided: search orders of pairs, " +
			"and learn from contradictions"},
		{&s.Cliques, "cliques", "in searches that learn: count the sizes of buffers that are live at once"},
		{&s.Stacks, "stacks", "in cliques: count what alignments take, in tables of the lowest stacks"},
		{&s.Spares, "spares", "in ladders, leave out buffers that have a place wherever the others lie"},
		{&s.Stretches, "stretches", "search stretches of time separately"},
		{&s.Shifts, "shifts", "count each buffer's offset from a level of its own, so that the upper of two buffers " +
			"has the higher offset even with windows"},
	} {
		d.Technique(t.on, t.name, t.summary)
	}
}
