package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/stowage-go/stowage/internal/comparison"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/model"
)

// Idea: which side of a gap is open? The buffers that are live in a stretch of time are a problem of their own, and no
// plan of the whole is lower than the least height of such a window. If a window is proven above the bound of the
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

// windowsKey names the windows of a kind in the file of runs.
func (b *bench) windowsKey(k *kind) string {
	return fmt.Sprintf("%s, windows of %d", k.key(), b.window)
}

// perProblem is how many windows of a problem are planned.
const perProblem = 4

// lookAt plans the windows of a problem. The bound that is kept with each is that of the whole.
func (b *bench) lookAt(ctx context.Context, k *kind, p *model.Problem, seed uint64) error {
	if p.Ruled() || len(p.Buffers) <= b.window {
		return nil
	}
	whole := timeline.New(p).LowerBound
	of := kind{name: b.windowsKey(k), parts: k.parts}
	for _, w := range windowsOf(p, perProblem, b.window) {
		if err := b.one(ctx, &of, w, seed, auto, whole); err != nil {
			return err
		}
	}
	return nil
}

// windowsTable has a row for each kind whose windows were planned.
func (b *bench) windowsTable() string {
	var rows [][]string
	all := kinds()
	for i := range all {
		k := &all[i]
		key := b.windowsKey(k)
		count, fit, above, worst := 0, 0, 0, 0.0
		for j := range b.runs {
			r := &b.runs[j]
			if r.Kind != key || r.Limit != b.limit || r.Height == 0 {
				continue
			}
			count++
			switch {
			case r.Bound > r.Whole:
				above++
			case r.Height <= r.Whole:
				fit++
			}
			worst = max(worst, gapOf(r.Height, r.Whole))
		}
		if count > 0 && b.wanted(k) {
			rows = append(rows, []string{
				k.name, k.size, fmt.Sprint(count), fmt.Sprint(fit), fmt.Sprint(above), fmt.Sprint(count - fit - above),
				fmt.Sprintf("%.2f", worst),
			})
		}
	}
	if rows == nil {
		return ""
	}
	head := []string{"kind", "buffers", "windows", "fit the bound", "proven above it", "open", "highest plan over it, %"}
	return comparison.NewTable(head, rows).Markdown() +
		fmt.Sprintf("\nWindows of %d buffers, %v each.\n", b.window, b.limit)
}
