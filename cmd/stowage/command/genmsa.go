package command

import (
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/stowage-go/stowage/format/trace"
	"github.com/stowage-go/stowage/internal/gen/traces"
	"github.com/stowage-go/stowage/model"
)

// Idea: internal/gen draws a program and decides what goes to fast memory, as XLA does; this file has the flags.

// msaKind is the kind of gen that makes traces of requests.
const msaKind = "msa"

type msaFlags struct {
	share, evict float64
	repacks      int
}

// msaOwn are the flags that only this kind takes, msaTakes all its flags.
var (
	msaOwn   = []string{"share", "repacks", "evict"}
	msaTakes = append([]string{"base", "buffers", "seed", "capacity", "alignment", "output", "quiet", "list", "ends"},
		msaOwn...)
)

func (m *msaFlags) bind(cmd *cobra.Command) {
	f := cmd.Flags()
	f.Float64Var(&m.share, "share", 0.5, "capacity: this `SHARE` of the load")
	f.IntVar(&m.repacks, "repacks", 50, "pack anew at most `N` times")
	f.Float64Var(&m.evict, "evict", 0.04, "undo after this `SHARE` of requests")
	group(cmd, traceSection, msaOwn...)
}

// only refuses flags that a kind does not take.
func only(cmd *cobra.Command, kind string, takes []string) (err error) {
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if err == nil && !slices.Contains(takes, f.Name) {
			err = usagef("%s: takes no %s", kind, f.Name)
		}
	})
	return err
}

func (m *msaFlags) run(cmd *cobra.Command, g *genFlags) error {
	if err := only(cmd, msaKind, msaTakes); err != nil {
		return err
	}
	n := g.options.Buffers
	switch {
	case cmd.Flags().Changed("buffers") && (n < 1 || n > 1<<14):
		return usagef(`invalid argument "%d" for "--buffers" flag: must be from 1 to %d`, n, 1<<14)
	case !(m.share > 0 && m.share <= 1):
		return usagef(`invalid argument "%v" for "--share" flag: must be above 0 and at most 1`, m.share)
	case m.repacks < 0:
		return usagef(`invalid argument "%d" for "--repacks" flag: must not be negative`, m.repacks)
	case !(m.evict >= 0 && m.evict <= 1):
		return usagef(`invalid argument "%v" for "--evict" flag: must be from 0 to 1`, m.evict)
	case g.alignment > 1<<30:
		return usagef(`invalid argument "%d" for "--alignment" flag: must be at most %d`, g.alignment, 1<<30)
	}
	if err := checkOutput(g.output); err != nil {
		return err
	}
	var base *model.Problem
	if g.edit.base != "" {
		if samePlace(g.edit.base, g.output) {
			return usagef("the trace would replace its base %s", g.edit.base)
		}
		f, err := g.edit.readBase(cmd, g, false)
		if err != nil {
			return err
		}
		if base = f.Problem; n == 0 {
			n = min(len(base.Buffers), 1<<14)
		}
	}
	t, err := traces.MSA(base, traces.MSAOptions{
		Seed: g.options.Seed, Tensors: n, Share: m.share, Capacity: int64(g.capacity), Alignment: int64(g.alignment),
		Repacks: m.repacks, Evict: m.evict,
	})
	if err != nil {
		return usageError{err}
	}
	if err := writeTo(cmd, g.output, func(w io.Writer) error { return trace.Write(w, t) }); err != nil {
		return err
	}
	if !g.quiet {
		placed, oom, repacks := 0, 0, 0
		for i := range t.Ops {
			switch op := &t.Ops[i]; {
			case op.Kind == trace.Result && op.Outcome == "oom":
				oom++
			case op.Kind == trace.Result:
				placed++
			case op.Kind == trace.Replan:
				repacks++
			}
		}
		fmt.Fprintf(cmd.ErrOrStderr(), "%s, capacity %d: %d placed, %d without room, %s\n", count(placed+oom, "request"),
			t.Capacity, placed, oom, count(repacks, "repack"))
	}
	return nil
}
