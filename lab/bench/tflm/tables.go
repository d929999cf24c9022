package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/stowage-go/stowage/internal/testkit/interpreter"
	"github.com/stowage-go/stowage/lab/bench/internal/record"
	"github.com/stowage-go/stowage/tflm"
)

// ran is the table of the models that run, those that save most first.
func ran(results []result) string {
	rows := slices.DeleteFunc(slices.Clone(results), func(r result) bool { return r.Error != "" })
	saved := func(before, after int64) float64 { return 100 * (1 - float64(after)/float64(before)) }
	slices.SortStableFunc(rows, func(a, b result) int {
		return cmp.Or(
			-cmp.Compare(saved(a.AsItIs.Smallest, a.Planned.Smallest), saved(b.AsItIs.Smallest, b.Planned.Smallest)),
			-cmp.Compare(saved(a.AsItIs.Smallest, a.InPlace.Smallest), saved(b.AsItIs.Smallest, b.InPlace.Smallest)),
			-cmp.Compare(a.AsItIs.Smallest, b.AsItIs.Smallest), cmp.Compare(a.Model, b.Model))
	})
	var s strings.Builder
	s.WriteString("| model | from | head | planned | in place | smallest arena | planned | saved | in place | saved | predicted | 32 bit, predicted | planned | in place |\n")
	s.WriteString("|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---|---:|---:|---:|\n")
	smaller, inPlace, same, off := 0, 0, 0, int64(0)
	for _, r := range rows {
		name := r.Model
		if r.Folded > 0 {
			name += " ¹"
		}
		if r.Scratch > 0 {
			name += " ²"
		}
		if r.Planned.Limit == tflm.LimitPlanning {
			name += " ³"
		}
		predicted, arena32 := "exact", fmt.Sprintf("%d | %d | %d", r.Arena32Before, r.Arena32After, r.Arena32InPlace)
		d := int64(0)
		for _, side := range []interpreter.Side{r.AsItIs.Side, r.Planned.Side, r.InPlace.Side} {
			d = max(d, side.Predicted-side.Smallest, side.Smallest-side.Predicted)
		}
		switch {
		case len(r.Unknown) > 0:
			predicted, arena32 = "at least", " | | "
		case d > 0:
			predicted = fmt.Sprintf("± %d", d)
			off = max(off, d)
		}
		fmt.Fprintf(&s, "| %s | %s | %d | %d | %d | %d | %d | %.1f%% | %d | %.1f%% | %s | %s |\n", name, r.From,
			r.AsItIs.Side.Head, r.Planned.Side.Head, r.InPlace.Side.Head, r.AsItIs.Smallest,
			r.Planned.Smallest, saved(r.AsItIs.Smallest, r.Planned.Smallest),
			r.InPlace.Smallest, saved(r.AsItIs.Smallest, r.InPlace.Smallest), predicted, arena32)
		if r.Planned.Smallest < r.AsItIs.Smallest {
			smaller++
		}
		if r.InPlace.Smallest < r.AsItIs.Smallest {
			inPlace++
		}
		if r.AsItIs.Same && r.Planned.Same && r.InPlace.Same {
			same++
		}
	}
	fmt.Fprintf(&s, "\n%d models ran, %d with the same outputs before and after, in place too; %d in a smaller arena with a plan, %d in place; predictions are at most %d bytes off (%s).\n",
		len(rows), same, smaller, inPlace, off, record.Today())
	return s.String()
}

// notRun is the table of the models that the interpreter refuses.
func notRun(results []result) string {
	var s strings.Builder
	s.WriteString("| model | from | buffers | head, emulated | planned | what the interpreter says |\n|---|---|---:|---:|---:|---|\n")
	for _, r := range results {
		if r.Error != "" {
			why, _, _ := strings.Cut(r.Error, "; ")
			if strings.HasPrefix(why, "tensorflow/") { // the source that complains
				_, why, _ = strings.Cut(why, " ")
			}
			name := r.Model
			if r.Kept {
				name += " ⁴"
			}
			fmt.Fprintf(&s, "| %s | %s | %d | %d | %d | %s |\n", name, r.From, r.Buffers, r.AsItIs.EmulatedHead,
				min(r.Planned.Head, r.AsItIs.EmulatedHead), why)
		}
	}
	return s.String()
}
