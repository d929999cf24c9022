package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/stowage-go/stowage/lab/bench/internal/record"
)

// Idea: a table of heads for all models, and a table of arenas for the models that ran. Both have the models with a
// plan below the best one without overlaps, in the model's own order.

// best returns the outcome with the lowest head.
func (r *result) best() *outcome {
	return slices.MinFunc(r.plans(), func(a, b *outcome) int { return cmp.Compare(a.Head, b.Head) })
}

// lower returns the models of both tables, those that save most first.
func lower(results []result) []result {
	rows := slices.DeleteFunc(slices.Clone(results), func(r result) bool { return r.best().Head >= r.Planned.Head })
	slices.SortStableFunc(rows, func(a, b result) int {
		return cmp.Or(cmp.Compare(ratio(a.best().Head, a.Planned.Head), ratio(b.best().Head, b.Planned.Head)),
			cmp.Compare(a.Model, b.Model))
	})
	return rows
}

func ratio(a, b int64) float64 { return float64(a) / float64(b) }

// heads is the table of the heads.
func heads(results []result) string {
	rows := lower(results)
	var s strings.Builder
	s.WriteString("| model | from | greedy | load | in place | distances | order | order, distances | below load | largest tensor |\n")
	s.WriteString("|---|---|---:|---:|---:|---:|---:|---:|---:|---:|\n")
	var above, open []string
	for _, r := range rows {
		head := func(x *outcome, than ...*outcome) string {
			if slices.ContainsFunc(than, func(y *outcome) bool { return x.Head == y.Head }) {
				return "="
			}
			return fmt.Sprint(x.Head)
		}
		fmt.Fprintf(&s, "| %s | %s | %d | %d | %s | %s | %s | %s | %.1f%% | %d |\n", r.Model, r.From,
			r.AsItIs.EmulatedHead, r.Load,
			head(&r.InPlace, &r.Planned), head(&r.Distances), head(&r.Order, &r.Planned), head(&r.OrderDistances, &r.Distances),
			100*(1-ratio(r.best().Head, r.Load)), r.Largest)
	}
	for _, r := range results {
		if r.Planned.Head > r.Load && !r.Kept {
			above = append(above, fmt.Sprintf("%s (%d)", r.Model, r.Planned.Head))
		}
		if !r.Order.Proven {
			open = append(open, r.Model)
		}
	}
	fmt.Fprintf(&s, "\n%d of %d models have a plan below the load (%s).", len(rows), len(results), record.Today())
	s.WriteString(named(" Plans without overlaps are at the load", above))
	s.WriteString(named(" It is proven that no order has a lower plan without overlaps than that of the column *order*",
		open) + "\n")
	return s.String()
}

// named is a sentence that holds but for some.
func named(sentence string, but []string) string {
	if len(but) == 0 {
		return sentence + "."
	}
	return sentence + ", but for " + strings.Join(but, ", ") + "."
}

// arenas is the table of the smallest arenas.
func arenas(results []result, seeds, runs int) string {
	rows := slices.DeleteFunc(lower(results), func(r result) bool { return r.Error != "" })
	var s strings.Builder
	s.WriteString("| model | as it is | planned | in place | distances | order, distances | saved |\n")
	s.WriteString("|---|---:|---:|---:|---:|---:|---:|\n")
	same, exact, refused := 0, 0, 0
	all := func(r *result, holds func(*outcome) bool) int {
		if holds(&r.AsItIs) && !slices.ContainsFunc(r.plans(), func(x *outcome) bool { return !holds(x) }) {
			return 1
		}
		return 0
	}
	for _, r := range rows {
		same += all(&r, func(x *outcome) bool { return x.Same })
		exact += all(&r, func(x *outcome) bool { return x.Smallest == x.Predicted })
		refused += all(&r, func(x *outcome) bool { return x.Below == "refused" })
		least := min(r.InPlace.Smallest, r.Distances.Smallest, r.OrderDistances.Smallest)
		fmt.Fprintf(&s, "| %s | %d | %d | %d | %d | %d | %.1f%% |\n", r.Model, r.AsItIs.Smallest, r.Planned.Smallest,
			r.InPlace.Smallest, r.Distances.Smallest, r.OrderDistances.Smallest, 100*(1-ratio(least, r.Planned.Smallest)))
	}
	fmt.Fprintf(&s, "\n%d models ran, %d of them with the same outputs in all of these arenas as with tensors apart:"+
		" %d seeds × %d calls in those of the columns with distances, one seed × %d in the others."+
		" Of %d models all arenas are those that `stowage plan` prints. Of %d each arena is refused if it is 16 bytes smaller.\n",
		len(rows), same, seeds, runs, runs, exact, refused)
	return s.String()
}
