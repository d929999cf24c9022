package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/stowage-go/stowage/lab/bench/internal/record"
)

// diagonal is the table of the models whose arena gets smaller if results lie over operands as
// closely as the reference kernels permit, those that save most first. All figures are of the
// interpreter, but for those of models that it does not run.
func diagonal(results []result) string {
	rows := slices.DeleteFunc(slices.Clone(results), func(r result) bool { return r.Diagonal.Head >= min(r.Head, r.InPlace.Head) })
	saved := func(r result) float64 { return 100 * (1 - float64(r.Diagonal.Head)/float64(r.Head)) }
	slices.SortStableFunc(rows, func(a, b result) int { return cmp.Or(-cmp.Compare(saved(a), saved(b)), cmp.Compare(a.Model, b.Model)) })
	var s strings.Builder
	s.WriteString("| model | from | the runtime's own | planned | in place | diagonal | below planned | largest tensor | smallest arena, planned | diagonal | saved |\n")
	s.WriteString("|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n")
	same, ran := 0, 0
	for _, r := range rows {
		arenas := " | | "
		if r.Error == "" {
			ran++
			if r.Diagonal.Same {
				same++
			}
			before, after := r.After.Smallest, r.Diagonal.After.Smallest
			arenas = fmt.Sprintf("%d | %d | %.1f%%", before, after, 100*(1-float64(after)/float64(before)))
		}
		fmt.Fprintf(&s, "| %s | %s | %d | %d | %d | %d | %.1f%% | %d | %s |\n", r.Model, r.From, r.Before.EmulatedHead,
			r.Head, r.InPlace.Head, r.Diagonal.Head, saved(r), r.Largest, arenas)
	}
	fmt.Fprintf(&s, "\n%d models have a smaller head than any other plan of theirs; %d of them ran, %d with the same outputs, in the smallest arena too (%s).\n",
		len(rows), ran, same, record.Today())
	return s.String()
}
