package command

import (
	"fmt"
	"io"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/spf13/cobra"

	"github.com/stowage-go/stowage"
)

func newBarriers() *cobra.Command {
	var (
		capacity size
		flags    modelFlags
		asJSON   bool
	)
	cmd := &cobra.Command{
		Use:   "barriers PROBLEM [PLAN]",
		Short: "List which buffers must wait for others whose bytes they take over",
		Long: `Barriers lists, for each buffer of a plan, the buffers whose bytes it takes over and must wait for. A machine that runs ahead of its program, such as a GPU or a DMA engine, needs a barrier or an event for each of these waits. The list is the least one: a wait is left out if a chain of other waits, or of uses of one buffer, implies it.

The plan is in PROBLEM, or in PLAN, which is matched to the buffers of PROBLEM by id. It is verified first. A buffer with gaps, windows or evictions may wait several times. If time repeats, a buffer may wait for one of the turn before: the column turn is then -1.`,
		Example: `  stowage barriers plan.csv
  stowage barriers --json model.csv plan.csv`,
		Args:       arity(1, "PROBLEM", "PLAN"),
		SuggestFor: []string{"waits", "aliasing", "alias", "hazards", "sync"},
		Annotations: map[string]string{
			exitsKey: "0  printed\n1  internal failure, or an output that cannot be written\n" +
				"2  the plan is invalid, or bad usage or input",
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			own, err := readBoth(args, &flags, capacity)
			if err != nil {
				return err
			}
			p, path := own.Problem, args[len(args)-1]
			warnEnds(cmd, args[0], own.File)
			noteRead(cmd, args[0], own.File)
			if len(args) == 2 {
				noteOthers(cmd, args[0], args[1], own.File)
			}
			made := &stowage.Plan{Offsets: own.offsets, Pools: own.pools, Parts: own.parts, Height: -1}
			report, err := stowage.VerifyPlan(p, made)
			switch {
			case err != nil:
				return err
			case !report.OK():
				return invalid(cmd, path, p, report, 0, false)
			}
			waits, err := stowage.Barriers(p, made)
			if err != nil {
				return err
			}
			return writeReport(cmd, asJSON, func() any { return barriersOf(p, waits) }, func(w io.Writer) error {
				return writeBarriers(w, p, waits)
			})
		},
	}
	flags.ruled = true
	f := cmd.Flags()
	f.SortFlags = false
	f.VarP(&capacity, "capacity", "c", "the plan must fit `SIZE` bytes [default: the problem's, or none]")
	flags.bindHeap(cmd)
	flags.bindEnds(cmd)
	f.BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// A barrier is what one buffer waits for at one time. Names and meanings are a contract with scripts.
type barrier struct {
	Buffer string        `json:"buffer"`
	At     int64         `json:"at"`
	Waits  []barrierWait `json:"waits"`
}

type barrierWait struct {
	For   string `json:"for"`
	Until int64  `json:"until"`
	Turn  int    `json:"turn,omitempty"`
}

// barriersOf groups waits, which come sorted, by the buffer that waits and its time.
func barriersOf(p *stowage.Problem, waits []stowage.Wait) any {
	out := struct {
		Barriers []barrier `json:"barriers"`
		Waits    int       `json:"waits"`
	}{[]barrier{}, len(waits)}
	for k, w := range waits {
		if k == 0 || waits[k-1].Buffer != w.Buffer || waits[k-1].At != w.At {
			out.Barriers = append(out.Barriers, barrier{Buffer: p.Buffers[w.Buffer].ID, At: w.At})
		}
		last := &out.Barriers[len(out.Barriers)-1]
		last.Waits = append(last.Waits, barrierWait{p.Buffers[w.For].ID, w.Until, w.Turn})
	}
	return out
}

// writeBarriers prints the waits as a table, and then how many there are.
func writeBarriers(w io.Writer, p *stowage.Problem, waits []stowage.Wait) error {
	if len(waits) > 0 {
		repeats := p.Rules != nil && p.Rules.Period > 0
		head := []any{"buffer", "at", "waits for", "until"}
		columns := []int{2, 4}
		if repeats {
			head, columns = append(head, "turn"), append(columns, 5)
		}
		t := newTable(head...)
		numbers(t, columns...)
		for _, x := range waits {
			row := table.Row{cell(p.Buffers[x.Buffer].ID), x.At, cell(p.Buffers[x.For].ID), x.Until}
			if repeats {
				row = append(row, x.Turn)
			}
			t.AppendRow(row)
		}
		if _, err := fmt.Fprintln(w, t.Render()); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(w, "%s among %s\n", count(len(waits), "wait"), count(len(p.Buffers), "buffer"))
	return err
}
