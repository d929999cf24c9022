package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/spf13/cobra"

	"github.com/stowage-go/stowage/lab/baseline/tela"
	"github.com/stowage-go/stowage/lab/learn"
)

// learnExits are the exit codes of the three steps.
var learnExits = map[string]string{exitsKey: "0  done\n1  internal failure, or an output that cannot be written\n2  bad usage or input"}

func newLearn() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "learn",
		Short: "Train the backtracking model of tela-learned",
		Long: `Learn is for research: it trains and measures the model that tells the planner tela-learned how far to backtrack. You do not need it to plan, because a trained model comes with the program.

There are three steps: collect samples, train a model on them, and evaluate it. The same inputs, options and seed give the same samples, byte for byte. With the same version of XGBoost they also give the same model.`,
		Example: `  stowage learn collect --suite 0:20 -o samples.csv models/*.csv
  stowage learn train -o model.json samples.csv
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

// inputsSection is the section of the flags of a corpus.
const inputsSection = "Inputs"

// bind defines the flags on a command.
func (c *corpus) bind(cmd *cobra.Command) {
	f := cmd.Flags()
	f.SortFlags = false
	f.StringSliceVar(&c.suite, "suite", nil, "add generated problems with the seeds `FROM:TO`, without TO; commas separate several ranges")
	f.StringSliceVar(&c.kinds, "kinds", learn.DefaultKinds, "the `KINDS` of stowage gen to generate; KIND:N has N buffers")
	f.Int64SliceVar(&c.memory, "memory", learn.DefaultPercents, "capacities, in `PERCENT` of the lower bound")
	group(cmd, inputsSection, "suite", "kinds", "memory")
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
		Use:   "collect [INPUT...]",
		Short: "Collect labelled backtracks as CSV",
		Long: `Collect searches each input several times with the planner tela. After a random number of major backtracks, it starts to ask the exact planner at each one how far back the search must go. The search goes there in a --mix share of the cases.

The CSV has a line for each point that a backtrack could go to: the input, the backtrack, the point, the best and the lowest possible point, the features, and the score to learn.`,
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
	f.Int64Var(&o.Steps, "steps", 50000, "stop a search after `N` steps")
	f.IntVar(&o.Draws, "draws", 4, "search each input `N` times")
	f.IntVar(&o.Latest, "latest", 6000, "start to ask before major backtrack `N`")
	f.IntVar(&o.Events, "events", 60, "ask about at most `N` backtracks of a search")
	f.Int64Var(&o.Nodes, "nodes", 3000, "stop the exact planner after `N` nodes of a question")
	f.Int64Var(&o.Look, "look-ahead", learn.DefaultScorer.Nodes, "stop it after `N` nodes of a question whose answer is a feature; 0 asks no such question")
	f.StringSliceVar(&o.Without, "without", nil, "search without the techniques `T1,T2`")
	f.Float64Var(&o.Mix, "mix", 0.5, "follow the exact planner's answer in this `SHARE` of cases")
	f.Uint64Var(&o.Seed, "seed", 0, "start random choices from the number `N` [default: 0]")
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
		Long:        `Train fits gradient-boosted trees to the samples that collect wrote. It leaves out the samples of a fifth of the problems, and stops when another tree no longer improves the predictions for these. It runs the Python package xgboost on one thread, and writes the model as XGBoost's own JSON.`,
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
	f.StringVar(&o.Python, "python", "python3", "the Python `INTERPRETER`; it needs the package xgboost")
	f.IntVar(&o.Trees, "trees", 300, "train at most `N` trees")
	f.IntVar(&o.Depth, "depth", 4, "let a tree have at most `N` levels of decisions")
	f.Float64Var(&o.Rate, "rate", 0.1, "the learning `RATE`, from 0 to 1")
	f.StringVar(&o.Label, "label", "stands", "what to learn: the `LABEL` stands, which says whether a point can still lead to a plan, or paper, the score of the paper")
	f.BoolVar(&o.Blind, "blind", false, "set the features of the exact planner to 0, for searches without them")
	f.Uint64Var(&o.Seed, "seed", 0, "start random choices from the number `N` [default: 0]")
	f.StringVarP(&output, "output", "o", "", "write the model to `FILE`; gzipped if it ends in .gz")
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
		Short: "Compare the search with a model and without",
		Long: `Eval searches each input by tela's own rules and with the model. It counts the hard inputs (over 1,000 backtracks by the rules) that got better, got worse or are newly solved. Use other inputs than those of the training.

It also measures coins. A coin follows the rules but, in a random share of the backtracks, stays where it is. A model has learned something only if it beats the coins.`,
		Example: `  stowage learn eval --suite 300:310 --model model.json other/*.csv
  stowage learn eval --suite 300:303,400:403 --without restarts`,
		Annotations: map[string]string{exitsKey: learnExits[exitsKey], briefKey: inputsSection + "=stowage learn collect --help"},
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
	f.StringVar(&e.model, "model", "", "use the model in `FILE` [default: the built-in one]")
	f.BoolVar(&e.scorer.Best, "best", e.scorer.Best, "go to the point with the best score, as in the paper, not to the deepest whose score is above the threshold")
	f.Float64Var(&e.scorer.Doubt, "score-doubt", e.scorer.Doubt, "follow the rules if their point scores `T`")
	f.Float64Var(&e.scorer.Weight, "depth-weight", e.scorer.Weight, "multiply scores by the depth to the power `W`")
	f.Float64Var(&e.scorer.Threshold, "score-threshold", e.scorer.Threshold, "go to no point that scores less than `T`")
	f.Int64Var(&e.scorer.After, "model-after", e.scorer.After, "start to ask after `N` backtracks of a tree")
	f.Float64Var(&e.scorer.Share, "model-share", e.scorer.Share, "then ask at this `SHARE` of backtracks")
	f.BoolVar(&e.scorer.Narrow, "model-narrow", e.scorer.Narrow, "ask in narrow trees, too; coins likewise")
	f.Float64Var(&e.scorer.Patience, "model-patience", e.scorer.Patience, "leave a tree after this `SHARE` of its backtracks; 0 is never")
	f.BoolVar(&e.scorer.Spread, "spread", e.scorer.Spread, "if no point scores enough, try all unplaced buffers")
	f.Int64Var(&e.scorer.Nodes, "model-look-ahead", e.scorer.Nodes, "`N` nodes of the exact planner for a feature; 0 if the model was trained with --blind")
	f.BoolVar(&e.noModel, "no-model", false, "measure no model")
	f.Float64SliceVar(&e.coins, "coin", []float64{0.05, 0.1}, "measure coins with these `SHARES`")
	f.Lookup("coin").DefValue = "0.05,0.1" // which pflag writes with six digits
	f.Int64Var(&e.oracle, "oracle", 0, "measure the exact planner in the model's place, with `N` nodes for each answer: the best that a model could do")
	f.Int64Var(&e.exact, "exact", 0, "measure the exact planner alone, with `N` nodes")
	f.Int64Var(&e.look, "look-ahead", 0, "measure the features alone, with `N` nodes for each")
	f.StringSliceVar(&without, "without", nil, "search without the techniques `T1,T2`")
	f.StringSliceVar(&rulesWithout, "rules-without", nil, "also search by the rules without `T1,T2`")
	f.Int64Var(&e.Steps, "steps", 50000, "stop a search after `N` steps")
	f.BoolVar(&e.all, "all", false, "list every input, not only the totals")
	group(cmd, "Model", "model", "best", "depth-weight", "score-threshold", "score-doubt", "model-after", "model-share", "model-narrow", "model-patience", "spread", "model-look-ahead", "no-model")
	group(cmd, "Also measure", "coin", "oracle", "exact", "look-ahead")
	group(cmd, "Search", "without", "rules-without", "steps")
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
