package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/stowage-go/stowage/lab/learn"
)

const trainAbout = `Train fits gradient-boosted trees to the samples that collect wrote. It leaves out the samples of a
fifth of the problems, and stops when another tree no longer improves the predictions for these. It
runs the Python package xgboost on one thread, and writes the model as XGBoost's own JSON.`

func train(ctx context.Context, f *command) error {
	var o learn.TrainOptions
	f.StringVar(&o.Python, "python", "python3", "the Python `INTERPRETER`; it needs the package xgboost")
	f.IntVar(&o.Trees, "trees", 300, "train at most `N` trees")
	f.IntVar(&o.Depth, "depth", 4, "let a tree have at most `N` levels of decisions")
	f.Float64Var(&o.Rate, "rate", 0.1, "the learning `RATE`, from 0 to 1")
	f.StringVar(&o.Label, "label", "stands", "what to learn: the `LABEL` stands, which says whether a point can "+
		"still lead to a plan, or paper, the score of the paper")
	f.BoolVar(&o.Blind, "blind", false, "set the features of the exact planner to 0, for searches without them")
	f.Uint64Var(&o.Seed, "seed", 0, "start random choices from the number `N`")
	output := f.String("o", "", "write the model to `FILE`; gzipped if it ends in .gz")
	if err := f.parse(); err != nil {
		return err
	}
	switch {
	case f.NArg() != 1:
		return fmt.Errorf("train needs one file of samples, not %d", f.NArg())
	case *output == "":
		return errors.New("train needs -o MODEL")
	case o.Label != "stands" && o.Label != "paper":
		return fmt.Errorf("invalid argument %q for --label: must be stands or paper", o.Label)
	}
	o.Log = f.errors
	return learn.Train(ctx, f.Arg(0), *output, o)
}
