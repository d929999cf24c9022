package milp

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"

	"github.com/stowage-go/stowage/internal/bound"
	"github.com/stowage-go/stowage/internal/greedy"
	"github.com/stowage-go/stowage/internal/planners/pairwise"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/timeline"
)

// Idea: this is the program in CPLEX's LP format, which other solvers read, among them the commands of HiGHS and CBC.
// Names are short and safe in every reader. p3 is the position of buffer 3; comments say which buffer that is, and
// the multiple of an aligned one. b7 and c7 are the binaries of pair 7, and h is the height. Each row is a line.
//
// Complexity: linear in the program.
//
// Source: the LP format as HiGHS and CBC read it.

// WriteLP writes the whole problem as one program: to fit the capacity in bytes or, if minimize is set, for the
// lowest plan. The capacity is M. tight selects the formulation. A comment names the unit of offsets. The error is
// the writer's, or pairwise.ErrLimit if the context ends.
func WriteLP(ctx context.Context, to io.Writer, tl *timeline.Timeline, capacity int64, minimize, tight bool) error {
	var all []int32
	for _, p := range tl.Partitions {
		all = append(all, p.Buffers...)
	}
	w := run.NewWatch(ctx)
	defer w.Close()
	e, err := pairwise.Encode(w, tl, all, math.MaxInt)
	if err != nil {
		return err
	}
	units := capacity / e.Unit
	b := bufio.NewWriter(to)
	fmt.Fprintf(b, "\\ %d buffers, %d pairs, within %d units of %d\n", e.Len(), len(e.Pairs), units, e.Unit)
	for k, i := range e.ID {
		fmt.Fprintf(b, "\\ p%d is buffer %q", k, tl.Problem.Buffers[i].ID)
		if a := e.Align[k]; a > 1 {
			fmt.Fprintf(b, ", in multiples of %d", a)
		}
		fmt.Fprintln(b)
	}
	floor := min(bound.Up(tl.LowerBound, e.Unit)/e.Unit, units)
	build(e, units, floor, minimize, tight).write(b)
	return b.Flush()
}

// names returns the names of the columns.
func (f *formulation) names() []string {
	names := make([]string, len(f.cost))
	for k := range f.e.Len() {
		names[k] = "p" + strconv.Itoa(k)
	}
	for p := range f.e.Pairs {
		off, complement := f.switches(p)
		names[complement] = "c" + strconv.Itoa(p)
		names[off] = "b" + strconv.Itoa(p)
	}
	if f.minimize {
		names[f.height()] = "h"
	}
	return names
}

// write writes the program. The writer's error is sticky; Flush returns it.
func (f *formulation) write(b *bufio.Writer) {
	names := f.names()
	b.WriteString("Minimize\n obj:")
	if f.minimize {
		b.WriteString(" h\n")
	} else {
		b.WriteString(" 0 p0\n")
	}
	b.WriteString("Subject To\n")
	for r := range f.rowLower {
		fmt.Fprintf(b, " r%d:", r)
		for k := f.start[r]; k < f.start[r+1]; k++ {
			sign := '+'
			if f.value[k] < 0 {
				sign = '-'
			}
			fmt.Fprintf(b, " %c %s %s", sign, number(math.Abs(f.value[k])), names[f.index[k]])
		}
		relation := ">="
		if f.rowLower[r] == f.rowUpper[r] {
			relation = "="
		}
		fmt.Fprintf(b, " %s %s\n", relation, number(f.rowLower[r]))
	}
	b.WriteString("Bounds\n")
	binary := func(k int) bool { return f.lower[k] == 0 && f.upper[k] == 1 && f.integer[k] }
	for k, name := range names {
		if !binary(k) {
			fmt.Fprintf(b, " %s <= %s <= %s\n", number(f.lower[k]), name, number(f.upper[k]))
		}
	}
	list := func(title string, want func(k int) bool) {
		b.WriteString(title + "\n")
		for k, name := range names {
			if want(k) {
				b.WriteString(" " + name + "\n")
			}
		}
	}
	list("Generals", func(k int) bool { return f.integer[k] && !binary(k) })
	list("Binaries", binary)
	b.WriteString("End\n")
}

// number formats a coefficient so that every reader gets the same double.
func number(x float64) string {
	if x == math.Trunc(x) && math.Abs(x) < 1<<53 {
		return strconv.FormatInt(int64(x), 10)
	}
	return strconv.FormatFloat(x, 'g', -1, 64)
}

// export writes the LP file of a run. Without a capacity, M is the height of the plan that minimising would start from.
func (r *job) export(ctx context.Context) error {
	capacity := r.o.Capacity
	if capacity == 0 {
		_, height, _ := greedy.Best(ctx, r.tl, 0)
		capacity = max(height, r.tl.LowerBound)
	}
	file, err := os.Create(r.s.lp)
	if err != nil {
		return fmt.Errorf("planner milp: parameter lp: %w", err)
	}
	err = WriteLP(ctx, file, r.tl, capacity, r.o.Minimizing(), r.s.tight())
	if closed := file.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return fmt.Errorf("planner milp: parameter lp: %w", err)
	}
	return nil
}
