package main

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/stowage-go/stowage/lab/bench/internal/record"
)

// strips returns the arena in strips, as the table has it.
func (w *way) strips() string {
	switch {
	case w.Limit == 0:
		return fmt.Sprint(w.Arena)
	case w.Split:
		return fmt.Sprintf("%d, stopped", w.Arena)
	}
	return fmt.Sprintf("not within %.0f minutes", w.Limit.Minutes())
}

// A tally counts what the sentences below the table say, in models or in ways.
type tally struct {
	models, split, run, missing, not, limited, larger, lite, same int
	shares, bounds, times                                         []float64
	commits                                                       map[string]int // "": of unnamed ones
}

// text returns the table of all models of a list, and what is to be said of them.
func (t *table) text(names [][]string) string {
	var out strings.Builder
	out.WriteString("| model | as it is | plan | strips | distances | strips, distances | of as it is | head | tail |" +
		" arithmetic | time | operators | file |\n|---|" + strings.Repeat("---:|", 12) + "\n")
	n := tally{commits: map[string]int{}}
	for _, x := range names {
		switch r := t.results[x[0]]; {
		case r == nil:
			n.missing++
			fmt.Fprintf(&out, "| %s | not measured |%s\n", x[1], strings.Repeat(" |", 11))
		case r.Error != "":
			n.not++
			fmt.Fprintf(&out, "| %s | cannot be planned |%s\n", x[1], strings.Repeat(" |", 11))
		default:
			t.row(&out, r, &n)
		}
	}
	fmt.Fprintf(&out, "\n%d models, %d of which strips make smaller, and %d larger; the interpreter runs %d. Over the "+
		"%d convolution models the median of the smallest arena is %.1f%% of that as it is, and that of what no choice of the "+
		"strips is below is %.1f%%. The median of the time is %.2f (%s).",
		n.models, n.split, n.larger, n.run, len(n.shares), 100*middle(n.shares), 100*middle(n.bounds), middle(n.times),
		record.Today())
	if n.lite > 0 {
		fmt.Fprintf(&out, " LiteRT runs %d of the models in strips, and the outputs of %d are the same bits, with its "+
			"reference kernels and with its default ones.", n.lite, n.same)
	}
	if n.limited > 0 {
		fmt.Fprintf(&out, " %d searches were stopped by the limit of time; what they had is in the table.", n.limited)
	}
	for _, c := range slices.Sorted(maps.Keys(n.commits)) {
		if k := n.commits[c]; k < n.models {
			fmt.Fprintf(&out, " %d were measured at %s.", k, cmp.Or(c, "earlier commits"))
		}
	}
	if n.missing+n.not > 0 {
		fmt.Fprintf(&out, " %d models are not measured, and %d cannot be planned.", n.missing, n.not)
	}
	return out.String() + "\n"
}

// middle returns the median, 0 of none.
func middle(of []float64) float64 {
	if len(of) == 0 {
		return 0
	}
	slices.Sort(of)
	return (of[(len(of)-1)/2] + of[len(of)/2]) / 2
}

// row adds the row of a model.
func (t *table) row(out *strings.Builder, r *result, n *tally) {
	n.models++
	n.commits[r.Commit]++
	best, lite, same := &r.Ways[0], 0, 1
	if w := &r.Ways[1]; w.Arena < best.Arena || w.Arena == best.Arena && w.Split {
		best = w
	}
	for k := range r.Ways {
		w := &r.Ways[k]
		if w.Fault != "" {
			t.faults++
			fmt.Fprintf(os.Stderr, "%s: %s\n", r.Name, w.Fault)
		}
		n.limited += min(1, int(w.Limit))
		if w.Arena > w.Plan {
			n.larger++
		}
		if w.LiteRT != "" {
			lite = 1
		}
		if w.LiteRT == "differ" {
			same = 0
		}
	}
	n.lite, n.same = n.lite+lite, n.same+lite*same
	share := float64(best.Arena) / float64(r.Own)
	if r.Images {
		n.shares = append(n.shares, share)
		n.bounds = append(n.bounds, float64(min(r.Ways[0].Bound, r.Ways[1].Bound))/float64(r.Own))
	}
	fmt.Fprintf(out, "| %s | %d | %d | %s | %d | %s | %.1f%% |", r.Name, r.Own, r.Ways[0].Plan, r.Ways[0].strips(),
		r.Ways[1].Plan, r.Ways[1].strips(), 100*share)
	ratio := "not run"
	if r.NotRun == "" {
		if n.run++; best.Ratio > 0 {
			ratio = fmt.Sprintf("%.2f", best.Ratio)
			n.times = append(n.times, best.Ratio)
		} else {
			ratio = ""
		}
	}
	if best.Split {
		n.split++
		fmt.Fprintf(out, " %d | %d | %+.1f%% | %s | %d | %+d |\n", best.Head, best.Tail, 100*best.MACs, ratio,
			best.Operators, best.File)
	} else {
		fmt.Fprintf(out, " | | | %s | | |\n", ratio)
	}
}

// capacities returns the table of the models of a list, each with its capacities.
func (t *table) capacities(names [][]string) string {
	var out strings.Builder
	out.WriteString("| model | as it is | capacity | arena | arithmetic | time |\n|---|---:|---:|---:|---:|---:|\n")
	for _, x := range names {
		r := t.results[x[0]]
		if r == nil || r.Error != "" {
			fmt.Fprintf(&out, "| %s | not measured | | | | |\n", x[1])
			continue
		}
		for k := range r.Ways {
			w := &r.Ways[k]
			if w.Fault != "" {
				t.faults++
				fmt.Fprintf(os.Stderr, "%s, %d: %s\n", r.Name, w.Capacity, w.Fault)
			}
			fmt.Fprintf(&out, "| %s | %d | %d | %s", r.Name, r.Own, w.Capacity, w.strips())
			if w.Limit == 0 && w.Arena > w.Capacity {
				fmt.Fprintf(&out, ", does not fit; the bound is %d | | |\n", w.Bound)
			} else {
				fmt.Fprintf(&out, " | %+.1f%% | %.2f |\n", 100*w.MACs, w.Ratio)
			}
		}
	}
	return out.String() + "\n" + record.Today() + ".\n"
}
