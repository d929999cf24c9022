package command

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/spf13/cobra"

	"github.com/stowage-go/stowage/internal/gen"
	"github.com/stowage-go/stowage/internal/suggest"
)

type genFlags struct {
	options          gen.Options
	capacity         size
	horizon          size
	minSize, maxSize size
	minLife, maxLife size
	alignment        size
	output, format   string
	list, quiet      bool
	edit             editFlags
	msa              msaFlags
}

// problemNames are the formats that hold a problem.
func problemNames() []string { return []string{"csv", "json"} }

func newGen() *cobra.Command {
	var g genFlags
	cmd := &cobra.Command{
		Use:   "gen KIND",
		Short: "Make a problem",
		Long: `Gen makes a problem to plan. KIND says which: some kinds are random, some have a known optimum, some are examples from papers or the activations of published networks. 'stowage gen --list' lists them. Edit and msa make traces.

The same kind, options and seed make the same problem, byte for byte, on every machine. A known optimum is on standard error; only JSON has the capacity.`,
		Example: `  stowage gen random --buffers 500 --seed 7 -o random.csv
  stowage gen perfect --capacity 1MiB | stowage solve -
  stowage gen edit --base model.csv -o changes.jsonl`,
		Args:       arity(0, "KIND"),
		SuggestFor: []string{"generate", "make"},
		Annotations: map[string]string{
			exitsKey: "0  the problem was written\n1  internal failure, or an output that cannot be written\n2  bad usage",
		},
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return kindNames(), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error { return g.run(cmd, args) },
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.BoolVar(&g.list, "list", false, "list the kinds, each with its options and their defaults")
	f.IntVar(&g.options.Buffers, "buffers", 0, "make `N` buffers")
	f.Uint64Var(&g.options.Seed, "seed", 0, "start random choices from the number `N` [default: 0]")
	f.Var(&g.capacity, "capacity", "the capacity of the problem; also its optimum, if the kind has a known one")
	f.Var(&g.horizon, "horizon", "spread the lifespans over `N` time slots")
	f.Var(&g.minSize, "min-size", "make no buffer smaller than `SIZE`")
	f.Var(&g.maxSize, "max-size", "make no buffer larger than `SIZE`")
	f.Var(&g.minLife, "min-life", "make no lifespan shorter than `N` time slots")
	f.Var(&g.maxLife, "max-life", "make no lifespan longer than `N` time slots")
	f.Var(&g.alignment, "alignment", "align every buffer to `SIZE` bytes")
	f.Int64Var(&g.options.Threads, "threads", 0, "time lifespans by the clocks of `N` threads")
	f.StringVar(&g.options.Pattern, "pattern", "", "let threads exchange messages as `NAME` says: ring")
	f.Int64Var(&g.options.Messages, "messages", 0, "let the threads exchange `N` messages")
	f.Float64Var(&g.options.Gaps, "gaps", 0, "give gaps to this `SHARE` of the buffers, from 0 to 1")
	f.Float64Var(&g.options.Windows, "windows", 0,
		"let this `SHARE` of the gaps keep some of their bytes in use, from 0 to 1")
	f.Float64Var(&g.options.Holes, "holes", 0, "leave out this `SHARE` of the buffers of a full packing, from 0 to 0.9")
	f.VarP((*once)(&g.output), "output", "o",
		"write the problem to `FILE`, as .csv or .json [default: CSV on standard output]")
	f.StringVar(&g.format, "format", "", "write as `NAME` (csv, json), whatever the extension")
	f.BoolVarP(&g.quiet, "quiet", "q", false, "print nothing on standard error")
	g.edit.bind(cmd)
	g.msa.bind(cmd)
	for _, k := range kindsOfGen() {
		for _, name := range k.Takes {
			group(cmd, "Problem (each kind takes some of these; see --list)", name)
		}
	}
	group(cmd, "Output", "output", "format", "quiet")
	complete(cmd, "format", problemNames)
	complete(cmd, "pattern", gen.Patterns)
	return cmd
}

func (g *genFlags) run(cmd *cobra.Command, args []string) error {
	if g.list {
		width := columns(cmd.OutOrStdout())
		return writeTo(cmd, "", func(w io.Writer) error { return writeKinds(w, width) })
	}
	if len(args) == 1 && !slices.Contains(kindNames(), args[0]) {
		return usagef("no generator is named %q%s", args[0], oneOf(args[0], kindNames(), "stowage gen --list"))
	}
	if len(args) == 0 {
		return usagef("missing argument KIND; the choices are %s",
			suggest.Listed("random", kindNames(), "stowage gen --list"))
	}
	if args[0] == editKind {
		return g.edit.run(cmd, g)
	}
	if args[0] == msaKind {
		return g.msa.run(cmd, g)
	}
	if err := unused(cmd, args[0]); err != nil {
		return err
	}
	name, err := formatOf(g.format, g.output, problemNames())
	if err != nil {
		return err
	}
	if err := checkOutput(g.output); err != nil {
		return err
	}
	if cmd.Flags().Changed("buffers") && g.options.Buffers == 0 {
		// The generators take 0 for their default.
		return usagef(`invalid argument "0" for "--buffers" flag: must be at least 1`)
	}
	o := g.options
	o.Capacity, o.Horizon, o.Alignment = int64(g.capacity), int64(g.horizon), int64(g.alignment)
	o.MinSize, o.MaxSize = int64(g.minSize), int64(g.maxSize)
	o.MinLife, o.MaxLife = int64(g.minLife), int64(g.maxLife)
	in, err := gen.New(args[0], o)
	if err != nil {
		return usageError{err}
	}
	if err := writeDocument(cmd, g.output, name, &document{problem: in.Problem}); err != nil {
		return err
	}
	if !g.quiet {
		line := in.Problem.Name + ": " + count(len(in.Problem.Buffers), "buffer")
		if in.Problem.Capacity > 0 {
			line += fmt.Sprintf(", capacity %d", in.Problem.Capacity)
		}
		if in.Optimum > 0 {
			line += fmt.Sprintf(", optimum %d", in.Optimum)
		}
		if in.Infeasible {
			line += ", infeasible"
		}
		fmt.Fprintln(cmd.ErrOrStderr(), line)
	}
	return nil
}

// kindsOfGen returns the generators.
func kindsOfGen() []gen.Kind { return slices.Concat(gen.Kinds(), gen.Ruled()) }

// writeKinds lists the generators with their options and the defaults.
func writeKinds(w io.Writer, width int) error {
	t := newTable("kind", "summary", "options")
	for _, k := range kindsOfGen() {
		defaults := map[string]int64{
			"buffers": int64(k.Defaults.Buffers), "capacity": k.Defaults.Capacity, "horizon": k.Defaults.Horizon,
			"min-size": k.Defaults.MinSize, "max-size": k.Defaults.MaxSize,
			"min-life": k.Defaults.MinLife, "max-life": k.Defaults.MaxLife, "threads": k.Defaults.Threads,
			"messages": k.Defaults.Messages,
		}
		var takes []string
		for _, name := range k.Takes {
			if d := defaults[name]; d != 0 {
				name = fmt.Sprintf("%s=%d", name, d)
			} else if name == "pattern" {
				name += "=" + k.Defaults.Pattern
			}
			takes = append(takes, name)
		}
		t.AppendRow(table.Row{k.Name, k.Summary, wrap(strings.Join(takes, " "), 44, "")})
	}
	t.AppendRow(table.Row{
		editKind, "no problem: a trace of changes of a problem",
		"base changes=1000 slack=1.05 pins=0.05 rules=0 seed capacity ends",
	})
	t.AppendRow(table.Row{
		msaKind, "no problem: a trace of requests for fast memory",
		"base buffers=300 share=0.5 repacks=50 evict=0.04 seed capacity alignment=4096 ends",
	})
	_, err := fmt.Fprintln(w, fit(t, width))
	return err
}

func kindNames() []string {
	var names []string
	for _, k := range kindsOfGen() {
		names = append(names, k.Name)
	}
	return append(names, editKind, msaKind)
}
