package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/stowage-go/stowage/lab/learn"
)

const collectAbout = `Collect searches each input several times with the planner tela. After a random number of major
backtracks, it starts to ask the exact planner at each one how far back the search must go. The
search goes there in a --mix share of the cases.

It writes CSV with a line for each point that a backtrack could go to: the input, the backtrack, the
point, the best and the lowest possible point, the features, and the score to learn.`

func collect(ctx context.Context, f *command) error {
	var c corpus
	var o learn.CollectOptions
	c.bind(f)
	f.Int64Var(&o.Steps, "steps", 50000, "stop a search after `N` steps")
	f.IntVar(&o.Draws, "draws", 4, "search each input `N` times")
	f.IntVar(&o.Latest, "latest", 6000, "start to ask before major backtrack `N`")
	f.IntVar(&o.Events, "events", 60, "ask about at most `N` backtracks of a search")
	f.Int64Var(&o.Nodes, "nodes", 3000, "stop the exact planner after `N` nodes of a question")
	f.Int64Var(&o.Look, "look-ahead", learn.DefaultScorer.Nodes,
		"stop it after `N` nodes of a question whose answer is a feature; 0 asks no such question")
	list(f, &o.Without, "without", "search without the techniques `T1,T2`", word)
	f.Float64Var(&o.Mix, "mix", 0.5, "follow the exact planner's answer in this `SHARE` of cases")
	f.Uint64Var(&o.Seed, "seed", 0, "start random choices from the number `N`")
	output := f.String("o", "", "write the samples to `FILE`, not to standard output")
	if err := f.parse(); err != nil {
		return err
	}
	inputs, err := c.inputs(f.Args())
	if err != nil {
		return err
	}
	if err := learn.CheckTechniques(o.Without); err != nil {
		return fmt.Errorf("invalid argument %q for --without: %w", strings.Join(o.Without, ","), err)
	}
	samples, with, err := learn.CollectAll(ctx, inputs, o)
	if err != nil {
		return err
	}
	fmt.Fprintf(f.errors, "%d samples from %d of %d inputs\n", len(samples), with, len(inputs))
	return f.writeTo(*output, func(w io.Writer) error { return learn.WriteSamples(w, samples) })
}
