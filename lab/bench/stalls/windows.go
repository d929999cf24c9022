package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/stowage-go/stowage/internal/comparison"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/model"
)

// Idea: which side of a gap is open? The buffers that are live in a stretch of time are a problem of their own, and no
// plan of the whole is lower than the least height of such a window. Where only the peak is high, the window is there,
// else windows lie all over the time. If a window is proven above the bound of the
// whole, the bound is at fault. If all windows have plans as low as the bound, no window of this size explains the
// gap. Then the plan is at fault, or windows do not fit together.

// windowsOf returns so many windows of a problem, evenly spaced, of about so many buffers each. Lives are cut at the
// ends of a window.
func windowsOf(p *model.Problem, windows, buffers int) (all []*model.Problem) {
	order := slices.Clone(p.Buffers)
	slices.SortStableFunc(order, func(a, b model.Buffer) int { return int(a.Lower - b.Lower) })
	buffers = min(buffers, len(order))
	for k := range windows {
		at := (len(order) - buffers) * (k + 1) / (windows + 1)
		from := order[at].Lower
		var in []model.Buffer
		to := from
		for i, b := range order {
			if b.Upper > from && (b.Lower <= from || len(in) < buffers) {
				in = append(in, order[i])
				to = max(to, b.Lower+1)
			}
		}
		for i := range in {
			in[i].Lower, in[i].Upper = max(in[i].Lower, from), min(in[i].Upper, to)
		}
		all = append(all, &model.Problem{Name: fmt.Sprintf("%s@%d-%d", p.Name, from, to), Buffers: in})
	}
	return all
}

// peakWindow is how many buffers such a window has, beside those that live throughout.
const peakWindow = 1000

// aroundPeak returns the stretch of time around the highest load in which about so many buffers begin or end. Those
// that live throughout are one buffer: below all others they lie as well as anywhere, so the least height is the same.
func aroundPeak(p *model.Problem, buffers int) *model.Problem {
	type event struct{ at, size int64 }
	var events []event
	for _, b := range p.Buffers {
		events = append(events, event{b.Lower, b.Size}, event{b.Upper, -b.Size})
	}
	slices.SortStableFunc(events, func(a, b event) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.size, b.size)) // at one moment ends come first
	})
	load, most, at := int64(0), int64(0), 0
	for k, e := range events {
		if load += e.size; load > most {
			most, at = load, k
		}
	}
	low, high := max(0, at-buffers/2), min(len(events)-1, at+buffers/2)
	from, to := events[low].at, max(events[high].at, events[at].at+1)
	w := &model.Problem{Name: fmt.Sprintf("%s@%d-%d", p.Name, from, to)}
	pile := model.Buffer{ID: "throughout", Lower: from, Upper: to}
	for _, b := range p.Buffers {
		switch {
		case b.Upper <= from || b.Lower >= to:
		case b.Lower <= from && b.Upper >= to:
			pile.Size += b.Size
		default:
			b.Lower, b.Upper = max(b.Lower, from), min(b.Upper, to)
			w.Buffers = append(w.Buffers, b)
		}
	}
	if pile.Size > 0 {
		w.Buffers = append(w.Buffers, pile)
	}
	return w
}

// windowsKey names the windows of a kind and a family in the file of runs.
func (b *bench) windowsKey(k *kind, family string) string {
	if k.peak > 0 {
		return strings.TrimSpace(fmt.Sprintf("%s, %d around the peak %s", k.key(), k.peak, family))
	}
	return fmt.Sprintf("%s, windows of %d", k.key(), b.window)
}

// perProblem is how many windows of a problem are planned that are not around its peak.
const perProblem = 4

// lookAt plans the windows of a problem. The bound that is kept with each is that of the whole.
func (b *bench) lookAt(ctx context.Context, k *kind, p *model.Problem, seed uint64) error {
	if p.Ruled() || len(p.Buffers) <= b.window {
		return nil
	}
	whole := timeline.New(p).LowerBound
	of := kind{name: b.windowsKey(k, k.familyOf(seed)), parts: k.parts}
	var windows []*model.Problem
	if k.peak > 0 {
		windows = []*model.Problem{aroundPeak(p, k.peak)}
	} else {
		windows = windowsOf(p, perProblem, b.window)
	}
	for _, w := range windows {
		if err := b.one(ctx, &of, w, seed, auto, whole); err != nil {
			return err
		}
	}
	return nil
}

// windowsTable has a row for each kind, or each family of it, whose windows were planned.
func (b *bench) windowsTable() string {
	var rows [][]string
	all := kinds()
	for i := range all {
		k := &all[i]
		families := k.families
		if families == nil {
			families = []string{""}
		}
		for _, family := range families {
			if row := b.windowsRow(k, family); row != nil && b.wanted(k) {
				rows = append(rows, row)
			}
		}
	}
	if rows == nil {
		return ""
	}
	head := []string{
		"kind", "buffers", "in a window", "windows", "fit the bound", "proven above it", "open", "highest plan over it, %",
	}
	return comparison.NewTable(head, rows).Markdown() + fmt.Sprintf("\n%v for each window.\n", b.limit)
}

// windowsRow sums up the windows of a family.
func (b *bench) windowsRow(k *kind, family string) []string {
	key, in := b.windowsKey(k, family), fmt.Sprint(b.window)
	if k.peak > 0 {
		in = comparison.Grouped(int64(k.peak)) + " around the peak"
	}
	windows, fit, above, worst := 0, 0, 0, 0.0
	for j := range b.runs {
		r := &b.runs[j]
		if r.Kind != key || r.Limit != b.limit || r.Height == 0 {
			continue
		}
		windows++
		switch {
		case r.Bound > r.Whole:
			above++
		case r.Height <= r.Whole:
			fit++
		}
		worst = max(worst, gapOf(r.Height, r.Whole))
	}
	if windows == 0 {
		return nil
	}
	return []string{
		strings.TrimSpace(k.name + " " + family), k.size, in, fmt.Sprint(windows), fmt.Sprint(fit), fmt.Sprint(above),
		fmt.Sprint(windows - fit - above), fmt.Sprintf("%.2f", max(worst, 0)),
	}
}
