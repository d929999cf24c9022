package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/spf13/cobra"

	"github.com/stowage-go/stowage/research/learn"
)

// learnExits are the exit codes of the three steps.
var learnExits = map[string]string{exitsKey: "0  done\n1  internal failure, or an output that cannot be written\n2  bad usage or input"}

func newLearn() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "learn",
		Short: "Train the backtracking model of tela-learned",
		Long: `Learn trains and measures the model that tells the planner tela-learned where to backtrack to. It is done once, offline, in three steps; planning needs none of them, since a model comes with the program.

The same inputs, options and seed give the same samples and, from the same version of XGBoost, the same model, byte for byte.`,
		Example: `  stowage learn collect --suite 0:20 -o samples.csv models/*.csv
  stowage learn train --python ~/venv/bin/python3 -o model.json samples.csv
  stowage learn eval --suite 100:110 --model model.json other/*.csv`,
		Args: arity(0),
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newLearnCollect(), newLearnTrain(), newLearnEval())
	return cmd
}

// corpus holds the flags that choose inputs.
type corpus struct {
	suite  string
	memory []int64
}

func (c *corpus) bind(cmd *cobra.Command) {
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVar(&c.suite, "suite", "", "add the generated problems with seeds `FROM:TO`, TO excluded")
	f.Int64SliceVar(&c.memory, "memory", learn.DefaultPercents, "search each problem at these `PERCENT` of its lower bound")
	group(cmd, "Inputs", "suite", "memory")
}

// inputs returns the inputs that the flags and the files stand for.
func (c *corpus) inputs(files []string) ([]learn.Input, error) {
	if bad, err := learn.CheckPercents(c.memory); err != nil {
		return nil, usagef("invalid argument %d for --memory: %w", bad, err)
	}
	all := learn.Corpus{Files: files, Percents: c.memory}
	if c.suite != "" {
		var err error
		if all.First, all.Last, err = learn.ParseSeeds(c.suite); err != nil {
			return nil, usagef("invalid argument %q for --suite: %w", c.suite, err)
		}
	}
	inputs, err := all.Inputs()
	if err == nil && len(inputs) == 0 {
		err = usagef("no inputs: give files, --suite, or both")
	}
	return inputs, err
}

func newLearnCollect() *cobra.Command {
	var c corpus
	var o learn.CollectOptions
	var output string
	cmd := &cobra.Command{
		Use:         "collect [INPUT...]",
		Short:       "Search inputs and write labelled backtracks as CSV",
		Long:        `Collect searches each input with tela and asks the exact planner, at each major backtrack, how far back is far enough. Half of the time the search goes there. It writes a line for each target of each backtrack: input, event, point, best and minimum target, the features, and the score to learn.`,
		Example:     `  stowage learn collect --suite 0:20 -o samples.csv models/*.csv`,
		Annotations: learnExits,
		RunE: func(cmd *cobra.Command, args []string) error {
			inputs, err := c.inputs(args)
			if err != nil {
				return err
			}
			if err := checkOutput(output); err != nil {
				return err
			}
			ctx, release := interruptible(cmd.Context())
			defer release()
			samples, with, err := learn.CollectAll(ctx, inputs, o)
			if err != nil {
				return err
			}
			fmt.Fprintf(cmd.ErrOrStderr(), "%d samples from %d of %d inputs\n", len(samples), with, len(inputs))
			return writeTo(cmd, output, func(w io.Writer) error { return learn.WriteSamples(w, samples) })
		},
	}
	c.bind(cmd)
	f := cmd.Flags()
	f.Int64Var(&o.Steps, "steps", 20000, "search an input for at most `N` steps")
	f.IntVar(&o.Events, "events", 200, "ask about at most `N` major backtracks of an input")
	f.Int64Var(&o.Nodes, "nodes", 10000, "spend at most `N` nodes of the exact planner on a question")
	f.Float64Var(&o.Mix, "mix", 0.5, "follow the exact planner in this `SHARE` of the backtracks")
	f.Uint64Var(&o.Seed, "seed", 0, "drive every random choice from the number `N` [default: 0]")
	f.StringVarP(&output, "output", "o", "", "write the samples to `FILE` [default: standard output]")
	group(cmd, "Search", "steps", "events", "nodes", "mix", "seed")
	group(cmd, "Output", "output")
	return cmd
}

func newLearnTrain() *cobra.Command {
	var o learn.TrainOptions
	var output string
	cmd := &cobra.Command{
		Use:         "train -o MODEL SAMPLES",
		Short:       "Train a model with XGBoost",
		Long:        `Train fits gradient-boosted trees to the samples that collect wrote. It runs XGBoost through its Python package, on one thread, and saves XGBoost's own JSON.`,
		Example:     `  stowage learn train --python ~/venv/bin/python3 -o model.json samples.csv`,
		Args:        arity(1, "SAMPLES"),
		Annotations: learnExits,
		RunE: func(cmd *cobra.Command, args []string) error {
			if output == "" {
				return usagef("train needs -o MODEL")
			}
			o.Log = cmd.ErrOrStderr()
			ctx, release := interruptible(cmd.Context())
			defer release()
			return learn.Train(ctx, args[0], output, o)
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVar(&o.Python, "python", "python3", "an `INTERPRETER` that has the package xgboost")
	f.IntVar(&o.Trees, "trees", 100, "train `N` trees")
	f.IntVar(&o.Depth, "depth", 4, "let a tree be `N` decisions deep")
	f.Float64Var(&o.Rate, "rate", 0.1, "learn at the `RATE`, from 0 to 1")
	f.Uint64Var(&o.Seed, "seed", 0, "drive every random choice from the number `N` [default: 0]")
	f.StringVarP(&output, "output", "o", "", "write the model to `FILE`, gzipped where it ends in .gz")
	group(cmd, "Training", "python", "trees", "depth", "rate", "seed")
	group(cmd, "Output", "output")
	return cmd
}

func newLearnEval() *cobra.Command {
	var c corpus
	var model string
	var all bool
	e := learn.Evaluation{Scorer: learn.DefaultScorer}
	cmd := &cobra.Command{
		Use:         "eval [INPUT...]",
		Short:       "Compare backtracks with a model and without",
		Long:        `Eval searches each input twice, by tela's own rules and with the model, and counts the hard inputs, those with over 1,000 backtracks, that got better, got worse or are newly solved. Measure on other inputs than those that were learned from.`,
		Example:     `  stowage learn eval --suite 100:110 --model model.json other/*.csv`,
		Annotations: learnExits,
		RunE: func(cmd *cobra.Command, args []string) error {
			inputs, err := c.inputs(args)
			if err != nil {
				return err
			}
			if err := e.Check(); err != nil {
				return usagef("invalid argument %q for --rules-without: %w", strings.Join(e.Without, ","), err)
			}
			if model == "" {
				e.Scorer.Forest, err = learn.Shipped()
			} else {
				e.Scorer.Forest, err = learn.ReadForestFile(model)
			}
			if err != nil {
				return err
			}
			ctx, release := interruptible(cmd.Context())
			defer release()
			tally, rows, err := e.Run(ctx, inputs)
			if err != nil {
				return err
			}
			return writeTo(cmd, "", func(w io.Writer) error { return writeTally(w, &tally, rows, all) })
		},
	}
	c.bind(cmd)
	f := cmd.Flags()
	f.StringVar(&model, "model", "", "use the model in `FILE` [default: the one that comes with the program]")
	f.Float64Var(&e.Scorer.Weight, "depth-weight", e.Scorer.Weight, "weigh targets by their depth to the power `W`")
	f.Float64Var(&e.Scorer.Threshold, "score-threshold", e.Scorer.Threshold, "follow no weighted score under `T`")
	f.Int64Var(&e.Scorer.After, "model-after", e.Scorer.After, "ask the model after `N` backtracks of a partition")
	f.Float64Var(&e.Scorer.Share, "model-share", e.Scorer.Share, "after that ask it in this `SHARE` of the major backtracks")
	f.BoolVar(&e.Scorer.Spread, "spread", e.Scorer.Spread, "under the threshold stay and try all unplaced buffers, as in the paper, rather than follow the rules")
	f.Int64Var(&e.Oracle, "oracle", 0, "in place of a model ask the exact planner, with at most `N` nodes for a question: what a model could win")
	f.StringSliceVar(&e.Without, "rules-without", nil, "search by the rules without the techniques `T1,T2`")
	f.Int64Var(&e.Steps, "steps", 50000, "give up after `N` steps")
	f.BoolVar(&all, "all", false, "list every input, not only the sums")
	group(cmd, "Model", "model", "depth-weight", "score-threshold", "model-after", "model-share", "spread", "oracle")
	group(cmd, "Rules", "rules-without")
	group(cmd, "Limits", "steps")
	return cmd
}

func writeTally(w io.Writer, s *learn.Tally, rows []learn.Comparison, all bool) error {
	if all {
		t := newTable("input", "rules", "backtracks", "learned", "backtracks")
		for k := range rows {
			r := &rows[k]
			t.AppendRow(table.Row{r.Input, r.Rules.Status, r.Rules.Backtracks, r.Learned.Status, r.Learned.Backtracks})
		}
		if _, err := fmt.Fprintf(w, "%s\n\n", t.Render()); err != nil {
			return err
		}
	}
	t := newTable("", "inputs")
	for _, line := range s.Lines() {
		t.AppendRow(table.Row{line.Name, line.Count})
	}
	_, err := fmt.Fprintf(w, "%s\n\nseconds: %.1f by the rules, %.1f with the model\n", t.Render(), s.RulesSeconds, s.LearnedSeconds)
	return err
}
