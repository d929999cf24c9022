package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/spf13/cobra"

	"github.com/stowage-go/stowage/internal/baseline/tela"
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
  stowage learn eval --suite 300:310 --model model.json other/*.csv`,
		Args: arity(0),
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newLearnCollect(), newLearnTrain(), newLearnEval())
	return cmd
}

// corpus holds the flags that choose inputs.
type corpus struct {
	suite, kinds []string
	memory       []int64
}

func (c *corpus) bind(cmd *cobra.Command) {
	f := cmd.Flags()
	f.SortFlags = false
	f.StringSliceVar(&c.suite, "suite", nil, "add the generated problems with seeds `FROM:TO`, TO excluded; several are separated by commas")
	f.StringSliceVar(&c.kinds, "kinds", learn.DefaultKinds, "generate problems of these `KINDS` of stowage gen, each with the number of buffers after a colon or without")
	f.Int64SliceVar(&c.memory, "memory", learn.DefaultPercents, "search each problem at these `PERCENT` of its lower bound")
	group(cmd, "Inputs", "suite", "kinds", "memory")
}

// seeds reads --suite.
func (c *corpus) seeds() ([]learn.Seeds, error) {
	var all []learn.Seeds
	for _, text := range c.suite {
		s, err := learn.ParseSeeds(text)
		if err != nil {
			return nil, usagef("invalid argument %q for --suite: %w", text, err)
		}
		all = append(all, s)
	}
	return all, nil
}

// inputs returns the inputs that the flags and the files stand for.
func (c *corpus) inputs(files []string) ([]learn.Input, error) {
	seeds, err := c.seeds()
	if err != nil {
		return nil, err
	}
	return c.some(files, seeds)
}

// some returns the inputs of files and seeds.
func (c *corpus) some(files []string, seeds []learn.Seeds) ([]learn.Input, error) {
	if bad, err := learn.CheckPercents(c.memory); err != nil {
		return nil, usagef("invalid argument %d for --memory: %w", bad, err)
	}
	for _, kind := range c.kinds {
		if err := learn.CheckKind(kind); err != nil {
			return nil, usagef("invalid argument %q for --kinds: %w", kind, err)
		}
	}
	all := learn.Corpus{Files: files, Seeds: seeds, Kinds: c.kinds, Percents: c.memory}
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
		Long:        `Collect searches each input with tela several times. From some moment on, another one each time, it asks the exact planner at each major backtrack how far back is far enough. Half of the time the search goes there. It writes a line for each target of each backtrack: input, event, point, best and minimum target, the features, and the score to learn.`,
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
			if err := learn.CheckTechniques(o.Without); err != nil {
				return usagef("invalid argument %q for --without: %w", strings.Join(o.Without, ","), err)
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
	f.Int64Var(&o.Steps, "steps", 50000, "search an input for at most `N` steps each time")
	f.IntVar(&o.Draws, "draws", 4, "search an input `N` times, and begin to ask at another moment each time")
	f.IntVar(&o.Latest, "latest", 6000, "begin to ask before the major backtrack number `N`")
	f.IntVar(&o.Events, "events", 60, "ask about at most `N` major backtracks of a search")
	f.Int64Var(&o.Nodes, "nodes", 3000, "spend at most `N` nodes of the exact planner on a question")
	f.Int64Var(&o.Look, "look-ahead", learn.DefaultScorer.Nodes, "spend at most `N` nodes of the exact planner on a question of the look-ahead, whose answers are features; 0 for none")
	f.StringSliceVar(&o.Without, "without", nil, "search without the techniques `T1,T2`")
	f.Float64Var(&o.Mix, "mix", 0.5, "follow the exact planner in this `SHARE` of the backtracks")
	f.Uint64Var(&o.Seed, "seed", 0, "drive every random choice from the number `N` [default: 0]")
	f.StringVarP(&output, "output", "o", "", "write the samples to `FILE` [default: standard output]")
	group(cmd, "Search", "steps", "draws", "latest", "events", "nodes", "look-ahead", "without", "mix", "seed")
	group(cmd, "Output", "output")
	return cmd
}

func newLearnTrain() *cobra.Command {
	var o learn.TrainOptions
	var output string
	cmd := &cobra.Command{
		Use:         "train -o MODEL SAMPLES",
		Short:       "Train a model with XGBoost",
		Long:        `Train fits gradient-boosted trees to the samples that collect wrote, but for those of a fifth of the problems, and ends where another tree no longer helps on these. It runs XGBoost through its Python package, on one thread, and saves XGBoost's own JSON.`,
		Example:     `  stowage learn train --python ~/venv/bin/python3 -o model.json samples.csv`,
		Args:        arity(1, "SAMPLES"),
		Annotations: learnExits,
		RunE: func(cmd *cobra.Command, args []string) error {
			if output == "" {
				return usagef("train needs -o MODEL")
			}
			if o.Label != "stands" && o.Label != "paper" {
				return usagef("invalid argument %q for --label: must be stands or paper", o.Label)
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
	f.IntVar(&o.Trees, "trees", 300, "train at most `N` trees")
	f.IntVar(&o.Depth, "depth", 4, "let a tree be `N` decisions deep")
	f.Float64Var(&o.Rate, "rate", 0.1, "learn at the `RATE`, from 0 to 1")
	f.StringVar(&o.Label, "label", "stands", "learn this `LABEL`: stands, whether a target can be completed; or paper, the score of the paper")
	f.BoolVar(&o.Blind, "blind", false, "set what the look-ahead has said to 0, for searches without one")
	f.Uint64Var(&o.Seed, "seed", 0, "drive every random choice from the number `N` [default: 0]")
	f.StringVarP(&output, "output", "o", "", "write the model to `FILE`, gzipped where it ends in .gz")
	group(cmd, "Training", "python", "trees", "depth", "rate", "label", "blind", "seed")
	group(cmd, "Output", "output")
	return cmd
}

// evaluation holds the flags of eval.
type evaluation struct {
	learn.Evaluation
	corpus  corpus
	model   string
	scorer  learn.Scorer
	noModel bool
	coins   []float64
	oracle  int64
	exact   int64
	look    int64
	all     bool
}

func newLearnEval() *cobra.Command {
	e := evaluation{scorer: learn.DefaultScorer}
	var without, rulesWithout []string
	cmd := &cobra.Command{
		Use:   "eval [INPUT...]",
		Short: "Compare backtracks with a model and without",
		Long: `Eval searches each input by tela's own rules, with the model and with coins, and counts the hard inputs, those with over 1,000 backtracks by the rules, that got better, got worse or are newly solved. Measure on other inputs than those that were learned from.

A coin follows the rules but stays at a failed point, to try all unplaced buffers there, in a share of the major backtracks: what a model does better than a coin is what it has learned. A look-ahead is the model's way with what the look-ahead refutes in place of scores. An oracle asks the exact planner in the model's place.`,
		Example: `  stowage learn eval --suite 300:310 --model model.json other/*.csv
  stowage learn eval --suite 300:303,400:403 --without starved,sections,twins,widening,restarts`,
		Annotations: learnExits,
		RunE: func(cmd *cobra.Command, args []string) error {
			e.Without, e.RulesWithout = without, append(rulesWithout, without...)
			if err := e.Check(); err != nil {
				return usagef("invalid argument %q for --without or --rules-without: %w", strings.Join(e.RulesWithout, ","), err)
			}
			if err := e.contenders(); err != nil {
				return err
			}
			return e.run(cmd, args)
		},
	}
	e.corpus.bind(cmd)
	f := cmd.Flags()
	f.StringVar(&e.model, "model", "", "use the model in `FILE` [default: the one that comes with the program]")
	f.BoolVar(&e.scorer.Best, "best", e.scorer.Best, "go to the best score, as in the paper, rather than to the deepest over the threshold")
	f.Float64Var(&e.scorer.Doubt, "score-doubt", e.scorer.Doubt, "follow the rules where the score of their own target is at least `T`, but for --best")
	f.Float64Var(&e.scorer.Weight, "depth-weight", e.scorer.Weight, "weigh targets by their depth to the power `W`")
	f.Float64Var(&e.scorer.Threshold, "score-threshold", e.scorer.Threshold, "follow no weighted score under `T`")
	f.Int64Var(&e.scorer.After, "model-after", e.scorer.After, "ask the model after `N` backtracks of a tree")
	f.Float64Var(&e.scorer.Share, "model-share", e.scorer.Share, "after that ask it in this `SHARE` of the major backtracks")
	f.BoolVar(&e.scorer.Narrow, "model-narrow", e.scorer.Narrow, "ask it, and toss coins, in narrow trees, too")
	f.Float64Var(&e.scorer.Patience, "model-patience", e.scorer.Patience, "leave trees in which it is asked, or coins are tossed, after this `SHARE` of their backtracks; 0 for all of them")
	f.BoolVar(&e.scorer.Spread, "spread", e.scorer.Spread, "under the threshold stay and try all unplaced buffers, as in the paper, rather than follow the rules")
	f.Int64Var(&e.scorer.Nodes, "model-look-ahead", e.scorer.Nodes, "tell the model what the exact planner refutes, with at most `N` nodes for a question; 0 for none, with a model that was trained blind")
	f.BoolVar(&e.noModel, "no-model", false, "measure no model")
	f.Float64SliceVar(&e.coins, "coin", []float64{0.05, 0.1}, "measure coins that stay in these `SHARES` of the major backtracks")
	f.Lookup("coin").DefValue = "0.05,0.1" // which pflag writes with six digits
	f.Int64Var(&e.oracle, "oracle", 0, "measure the exact planner as an oracle, with at most `N` nodes for a question: what a model could win")
	f.Int64Var(&e.exact, "exact", 0, "measure the exact planner by itself, with at most `N` nodes")
	f.Int64Var(&e.look, "look-ahead", 0, "measure the exact planner looking ahead in the model's place, with at most `N` nodes for a question")
	f.StringSliceVar(&without, "without", nil, "search without the techniques `T1,T2`, on both sides")
	f.StringSliceVar(&rulesWithout, "rules-without", nil, "search by the rules without the techniques `T1,T2`, too")
	f.Int64Var(&e.Steps, "steps", 50000, "give up after `N` steps")
	f.BoolVar(&e.all, "all", false, "list every input, not only the sums")
	group(cmd, "Model", "model", "best", "depth-weight", "score-threshold", "score-doubt", "model-after", "model-share", "model-narrow", "model-patience", "spread", "model-look-ahead", "no-model")
	group(cmd, "Beside it", "coin", "oracle", "exact", "look-ahead")
	group(cmd, "Techniques", "without", "rules-without")
	group(cmd, "Limits", "steps")
	return cmd
}

// contenders sets who is compared with the rules.
func (e *evaluation) contenders() error {
	add := func(name string, policy func(context.Context, *learn.Input) tela.Policy) {
		e.Contenders = append(e.Contenders, learn.Contender{Name: name, Policy: policy})
	}
	if !e.noModel {
		var err error
		if e.model == "" {
			e.scorer.Forest, err = learn.Shipped()
		} else {
			e.scorer.Forest, err = learn.ReadForestFile(e.model)
		}
		if err != nil {
			return err
		}
		add("model", func(ctx context.Context, in *learn.Input) tela.Policy { return e.scorer.For(ctx, in.Timeline) })
	}
	for _, share := range e.coins {
		if !(share >= 0 && share <= 1) {
			return usagef("invalid argument %g for --coin: must be from 0 to 1", share)
		}
		add(fmt.Sprintf("coin %g", share), func(context.Context, *learn.Input) tela.Policy {
			return &learn.Coin{Stay: share, Turn: e.scorer.Turn}
		})
	}
	if e.look > 0 {
		add("look-ahead", func(ctx context.Context, in *learn.Input) tela.Policy {
			alone := e.scorer
			alone.Forest, alone.Nodes = nil, e.look
			return alone.For(ctx, in.Timeline)
		})
	}
	if e.oracle > 0 {
		add("oracle", func(ctx context.Context, in *learn.Input) tela.Policy {
			return learn.NewGuide(ctx, in.Timeline, e.oracle)
		})
	}
	if e.exact > 0 {
		e.Contenders = append(e.Contenders, learn.Contender{Name: "exact", Nodes: e.exact})
	}
	return nil
}

// run compares block by block: the files, then each range of seeds.
func (e *evaluation) run(cmd *cobra.Command, files []string) error {
	ctx, release := interruptible(cmd.Context())
	defer release()
	seeds, err := e.corpus.seeds()
	if err != nil {
		return err
	}
	type block struct {
		name   string
		inputs []learn.Input
	}
	var blocks []block
	if len(files) > 0 || len(seeds) == 0 {
		inputs, err := e.corpus.some(files, nil)
		if err != nil {
			return err
		}
		blocks = append(blocks, block{"files", inputs})
	}
	for _, s := range seeds {
		inputs, err := e.corpus.some(nil, []learn.Seeds{s})
		if err != nil {
			return err
		}
		blocks = append(blocks, block{"seeds " + s.String(), inputs})
	}
	rows := newTable("input", "", "rules", "backtracks", "", "backtracks")
	if e.all {
		e.Each = func(n int, c *learn.Comparison) {
			rows.AppendRow(table.Row{c.Input, e.Contenders[n].Name, c.Rules.Status, c.Rules.Backtracks, c.Learned.Status, c.Learned.Backtracks})
		}
	}
	sums := make([]learn.Tally, len(e.Contenders))
	var text strings.Builder
	for _, b := range blocks {
		tallies, err := e.Run(ctx, b.inputs)
		if err != nil {
			return err
		}
		fmt.Fprintf(&text, "%s\n%s\n\n", b.name, e.table(tallies))
		for n := range sums {
			sums[n].Join(&tallies[n])
		}
	}
	if len(blocks) > 1 {
		fmt.Fprintf(&text, "all together\n%s\n", e.table(sums))
	}
	return writeTo(cmd, "", func(w io.Writer) error {
		if e.all {
			if _, err := fmt.Fprintf(w, "%s\n\n", rows.Render()); err != nil {
				return err
			}
		}
		_, err := io.WriteString(w, strings.TrimSuffix(text.String(), "\n"))
		return err
	})
}

// table has a line for each count and a column for each contender.
func (e *evaluation) table(tallies []learn.Tally) string {
	header := []any{""}
	for _, c := range e.Contenders {
		header = append(header, c.Name)
	}
	t := newTable(header...)
	for k, line := range tallies[0].Lines() {
		row := table.Row{line.Name}
		for n := range tallies {
			row = append(row, tallies[n].Lines()[k].Value)
		}
		t.AppendRow(row)
	}
	return t.Render()
}
