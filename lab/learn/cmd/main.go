// Command cmd trains and measures the model that tells the planner tela-learned how far to
// backtrack. Nobody needs it to plan, because a trained model comes with the planner.
//
//	go run ./lab/learn/cmd collect --suite 0:20 -o samples.csv models/*.csv
//	go run ./lab/learn/cmd train -o model.json samples.csv
//	go run ./lab/learn/cmd eval --suite 300:310 --model model.json other/*.csv
//
// The same inputs, flags and seed give the same samples, byte for byte. With the same version of
// XGBoost they also give the same model.
//
//	main.go     the steps, and what a mistake in the command line looks like
//	inputs.go   the flags that choose inputs, and lists as flags
//	collect.go  collect: searches that leave samples behind
//	train.go    train: a model from samples
//	eval.go     eval: the search with the model against the search without
package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
)

// steps are the steps by name, in their order.
var steps = []struct {
	name, arguments, about string
	run                    func(ctx context.Context, c *command) error
}{
	{"collect", "[INPUT...]", collectAbout, collect},
	{"train", "-o MODEL SAMPLES", trainAbout, train},
	{"eval", "[INPUT...]", evalAbout, eval},
}

// A command is one run of a step: its flags, and where it writes.
type command struct {
	*flag.FlagSet
	arguments   []string
	out, errors io.Writer
}

// parse reads the command line, after the step has defined its flags.
func (c *command) parse() error {
	err := c.Parse(c.arguments)
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		err = reported{err} // Parse has written it
	}
	return err
}

// A reported error has been shown to the user.
type reported struct{ error }

// An outputError is an output that cannot be written.
type outputError struct{ error }

func (e outputError) Unwrap() error { return e.error }

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	os.Exit(execute(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// execute runs one command line. It returns 0 if the step is done, 1 if its output cannot be written,
// and 2 if its flags or inputs are wrong.
func execute(ctx context.Context, arguments []string, out, errs io.Writer) int {
	err := dispatch(ctx, arguments, out, errs)
	switch {
	case err == nil, errors.Is(err, flag.ErrHelp):
		return 0
	case !errors.As(err, new(reported)):
		fmt.Fprintln(errs, "learn:", err)
	}
	if errors.As(err, new(outputError)) {
		return 1
	}
	return 2
}

func dispatch(ctx context.Context, arguments []string, out, errs io.Writer) error {
	if len(arguments) == 0 {
		return fmt.Errorf("missing argument: collect, train or eval")
	}
	for _, s := range steps {
		if s.name != arguments[0] {
			continue
		}
		c := &command{flag.NewFlagSet(s.name, flag.ContinueOnError), arguments[1:], out, errs}
		c.SetOutput(errs)
		c.Usage = func() {
			fmt.Fprintf(errs, "usage: %s [FLAGS] %s\n\n%s\n\n", s.name, s.arguments, s.about)
			c.PrintDefaults()
		}
		return s.run(ctx, c)
	}
	return fmt.Errorf("unexpected argument %q: must be collect, train or eval", arguments[0])
}

// writeTo writes to a file, or to standard output if the path is empty.
func (c *command) writeTo(path string, write func(io.Writer) error) error {
	out := c.out
	if path != "" {
		f, err := os.Create(path)
		if err != nil {
			return outputError{err}
		}
		defer f.Close() // again, after an error
		out = f
	}
	b := bufio.NewWriter(out)
	err := errors.Join(write(b), b.Flush())
	if f, ok := out.(*os.File); ok && path != "" {
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		return outputError{err}
	}
	return nil
}
