package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/format"
	"github.com/stowage-go/stowage/internal/explain"
)

// A conflict is an explanation with its buffers as a problem of their own.
type conflict struct {
	explanation *stowage.Explanation
	subset      *stowage.Problem
}

// goOn looks for further subsets that cannot fit, each among the buffers that are in no subset so far, and writes all
// of them. So no two subsets share a buffer. To make the problem fit, something has to change in each of them.
func (e *explainFlags) goOn(ctx context.Context, cmd *cobra.Command, file *format.File, x *stowage.Explanation,
	ask func(context.Context, *stowage.Problem, stowage.Options) (*stowage.Explanation, error), o stowage.Options,
	name string,
) error {
	p := file.Problem
	began := time.Now()
	rest := &stowage.Problem{Name: p.Name, Capacity: p.Capacity, Buffers: p.Buffers}
	found := []conflict{{x, explain.Subset(p, x)}}
	union := &stowage.Problem{Name: p.Name, Capacity: x.Capacity, Buffers: found[0].subset.Buffers}
	for x.Status == stowage.Infeasible {
		rest = without(rest, x.Buffers)
		if len(found) == e.several || len(rest.Buffers) == 0 || ctx.Err() != nil {
			break
		}
		if o.Timeout > 0 {
			if o.Timeout -= time.Since(began); o.Timeout <= 0 {
				break
			}
			began = time.Now()
		}
		next, err := ask(ctx, rest, o)
		if errors.Is(err, stowage.ErrNoCapacity) { // no more fixed offsets collide
			next, err = &stowage.Explanation{Status: stowage.Feasible}, nil
		}
		if err != nil {
			return err
		}
		x = next
		if x.Status == stowage.Infeasible {
			c := conflict{x, explain.Subset(rest, x)}
			found = append(found, c)
			union.Buffers = append(union.Buffers[:len(union.Buffers):len(union.Buffers)], c.subset.Buffers...)
		}
	}
	if e.output != "" {
		d := &document{problem: union, header: file.Header.Known(), times: file.Times}
		if slices.Contains(pictureNames(), name) {
			d = misfit(ctx, p, o, found[0].explanation, placesOf(p, union),
				fmt.Sprintf("%s cannot fit %d: %s", count(len(union.Buffers), "buffer"), union.Capacity,
					count(len(found), "conflict")))
		}
		if err := writeDocument(cmd, e.output, name, d); err != nil {
			return err
		}
	}
	left := leftOver(x, rest)
	err := writeReport(cmd, e.asJSON, func() any { return conflictsOf(found, left) }, func(w io.Writer) error {
		return writeConflicts(w, columns(cmd.OutOrStdout()), found, len(p.Buffers), len(rest.Buffers), left)
	})
	if err != nil {
		return err
	}
	return outcomeOf(stowage.Infeasible)
}

// placesOf returns the indices in the whole of the buffers of a part.
func placesOf(whole, part *stowage.Problem) []int {
	in := map[string]bool{}
	for i := range part.Buffers {
		in[part.Buffers[i].ID] = true
	}
	var out []int
	for i := range whole.Buffers {
		if in[whole.Buffers[i].ID] {
			out = append(out, i)
		}
	}
	return out
}

// writeConflicts writes the subsets in turn, and then what is known of the other buffers.
func writeConflicts(w io.Writer, width int, found []conflict, all, rest int, left string) error {
	for k, c := range found {
		if _, err := fmt.Fprintf(w, "Conflict %d\n", k+1); err != nil {
			return err
		}
		if err := writeExplanation(w, width, c.explanation, c.subset, all, false); err != nil {
			return err
		}
		fmt.Fprintln(w)
	}
	shared := ""
	if len(found) > 1 {
		shared = " that share no buffer"
	}
	_, err := fmt.Fprintf(w, "%s%s; what is left, %s, %s\n", count(len(found), "conflict"), shared,
		count(rest, "buffer"), left)
	return err
}

// without returns a problem without some of its buffers.
func without(p *stowage.Problem, buffers []int) *stowage.Problem {
	gone := make([]bool, len(p.Buffers))
	for _, i := range buffers {
		gone[i] = true
	}
	out := &stowage.Problem{Name: p.Name, Capacity: p.Capacity}
	for i := range p.Buffers {
		if !gone[i] {
			out.Buffers = append(out.Buffers, p.Buffers[i])
		}
	}
	return out
}

// leftOver says what is known about the buffers in no conflict. x is the last answer, used if it is about them.
func leftOver(x *stowage.Explanation, rest *stowage.Problem) string {
	switch {
	case len(rest.Buffers) == 0 || x.Status.HasPlan():
		return "fits"
	case x.Status == stowage.Unknown:
		return "may fit or not: a limit came"
	}
	return "was not looked at"
}

// conflictsJSON is the report of explain --conflicts. The keys are a contract with scripts.
type conflictsJSON struct {
	Conflicts []*explanationJSON `json:"conflicts"`
	Rest      string             `json:"rest"`
}

func conflictsOf(found []conflict, left string) *conflictsJSON {
	out := &conflictsJSON{Rest: left}
	for _, c := range found {
		out.Conflicts = append(out.Conflicts, explanationOf(c.explanation, c.subset))
	}
	return out
}
