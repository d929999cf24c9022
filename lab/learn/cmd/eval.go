package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/stowage-go/stowage/internal/planners/tela"
	"github.com/stowage-go/stowage/lab/learn"
)

const evalAbout = `Eval searches each input by tela's own rules and with the model. It counts the hard inputs (over
1,000 backtracks by the rules) that got better, got worse or are newly solved. Use other inputs than
those of the training.

It also measures coins. A coin follows the rules but, in a random share of the backtracks, stays
where it is. A model has learned something only if it beats the coins.`

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

func eval(ctx context.Context, f *command) error {
	e := evaluation{scorer: learn.DefaultScorer, coins: []float64{0.05, 0.1}}
	var without, rulesWithout []string
	e.corpus.bind(f)
	f.StringVar(&e.model, "model", "", "use the model in `FILE` and not the built-in one")
	f.BoolVar(&e.scorer.Best, "best", e.scorer.Best,
		"go to the point with the best score, as in the paper, "+
			"not to the deepest whose score is above the threshold")
	f.Float64Var(&e.scorer.Doubt, "score-doubt", e.scorer.Doubt, "follow the rules if their point scores `T`")
	f.Float64Var(&e.scorer.Weight, "depth-weight", e.scorer.Weight, "multiply scores by the depth to the power `W`")
	f.Float64Var(&e.scorer.Threshold, "score-threshold", e.scorer.Threshold, "go to no point that scores less than `T`")
	f.Int64Var(&e.scorer.After, "model-after", e.scorer.After, "start to ask after `N` backtracks of a tree")
	f.Float64Var(&e.scorer.Share, "model-share", e.scorer.Share, "then ask at this `SHARE` of backtracks")
	f.BoolVar(&e.scorer.Narrow, "model-narrow", e.scorer.Narrow, "ask in narrow trees, too; coins likewise")
	f.Float64Var(&e.scorer.Patience, "model-patience", e.scorer.Patience,
		"leave a tree after this `SHARE` of its backtracks; 0 is never")
	f.BoolVar(&e.scorer.Spread, "spread", e.scorer.Spread, "if no point scores enough, try all unplaced buffers")
	f.Int64Var(&e.scorer.Nodes, "model-look-ahead", e.scorer.Nodes,
		"`N` nodes of the exact planner for a feature; 0 if the model was trained with --blind")
	f.BoolVar(&e.noModel, "no-model", false, "measure no model")
	list(f, &e.coins, "coin", "measure coins with these `SHARES`", decimal)
	f.Int64Var(&e.oracle, "oracle", 0,
		"measure the exact planner in the model's place, with `N` nodes for each answer: "+
			"the best that a model could do")
	f.Int64Var(&e.exact, "exact", 0, "measure the exact planner alone, with `N` nodes")
	f.Int64Var(&e.look, "look-ahead", 0, "measure the features alone, with `N` nodes for each")
	list(f, &without, "without", "search without the techniques `T1,T2`", word)
	list(f, &rulesWithout, "rules-without", "also search by the rules without `T1,T2`", word)
	f.Int64Var(&e.Steps, "steps", 50000, "stop a search after `N` steps")
	f.BoolVar(&e.all, "all", false, "list every input, not only the totals")
	if err := f.parse(); err != nil {
		return err
	}
	e.Without, e.RulesWithout = without, append(rulesWithout, without...)
	if err := e.Check(); err != nil {
		return fmt.Errorf("invalid argument %q for --without or --rules-without: %w",
			strings.Join(e.RulesWithout, ","), err)
	}
	if err := e.contenders(); err != nil {
		return err
	}
	return e.run(ctx, f, f.Args())
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
			return fmt.Errorf("invalid argument %g for --coin: must be from 0 to 1", share)
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
func (e *evaluation) run(ctx context.Context, c *command, files []string) error {
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
	rows := [][]any{{"INPUT", "", "RULES", "BACKTRACKS", "", "BACKTRACKS"}}
	if e.all {
		e.Each = func(n int, c *learn.Comparison) {
			rows = append(rows, []any{
				c.Input, e.Contenders[n].Name, c.Rules.Status, c.Rules.Backtracks, c.Learned.Status, c.Learned.Backtracks,
			})
		}
	}
	sums := make([]learn.Tally, len(e.Contenders))
	var parts []string
	for _, b := range blocks {
		tallies, err := e.Run(ctx, b.inputs)
		if err != nil {
			return err
		}
		parts = append(parts, b.name+"\n"+e.table(tallies))
		for n := range sums {
			sums[n].Join(&tallies[n])
		}
	}
	if len(blocks) > 1 {
		parts = append(parts, "all together\n"+e.table(sums))
	}
	if e.all {
		parts = append([]string{aligned(rows)}, parts...)
	}
	return c.writeTo("", func(w io.Writer) error {
		_, err := io.WriteString(w, strings.Join(parts, "\n"))
		return err
	})
}

// table has a line for each count and a column for each contender.
func (e *evaluation) table(tallies []learn.Tally) string {
	header := []any{""}
	for _, c := range e.Contenders {
		header = append(header, strings.ToUpper(c.Name))
	}
	rows := [][]any{header}
	for k, line := range tallies[0].Lines() {
		row := []any{line.Name}
		for n := range tallies {
			row = append(row, tallies[n].Lines()[k].Value)
		}
		rows = append(rows, row)
	}
	return aligned(rows)
}

// aligned returns rows as lines of text, with two spaces between the columns.
func aligned(rows [][]any) string {
	var text strings.Builder
	w := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	for _, row := range rows {
		for k, cell := range row {
			if k > 0 {
				fmt.Fprint(w, "\t")
			}
			fmt.Fprint(w, cell)
		}
		fmt.Fprintln(w)
	}
	w.Flush() // into memory: no error
	return text.String()
}
