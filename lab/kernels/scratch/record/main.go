// Record compares internal/kernelscratch with the size functions of CMSIS-NN and ESP-NN, in every build and version,
// and prints a page of the result.
//
// Usage, in the laboratory's folder, where the variables name clones of the two libraries:
//
//	STOWAGE_CMSIS_NN=… STOWAGE_ESP_NN=… go run ./kernels/scratch/record [-shapes 2000] [-seed 40] [-golden FILE] [MODELS…]
//
// MODELS are folders with .tflite files, whose operators are compared, too. With -golden it writes some of the
// functions' answers to a file, for tests without the sources.
package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/stowage-go/stowage/internal/distance"
	"github.com/stowage-go/stowage/internal/kernelscratch"
	"github.com/stowage-go/stowage/internal/testkit/scratchcase"
	"github.com/stowage-go/stowage/lab/kernels/scratch"
)

func main() {
	shapes := flag.Int("shapes", 2000, "random shapes for each operator, build and version")
	seed := flag.Uint64("seed", 40, "of the shapes")
	file := flag.String("golden", "", "file for what the functions say")
	each := flag.Int("each", 24, "shapes of each operator in that file, and more until every build requests something")
	flag.Parse()
	if err := record(context.Background(), *shapes, *seed, *file, *each, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "record:", err)
		os.Exit(1)
	}
}

// A model is a file and its operators for a library.
type model struct {
	path string
	ops  map[distance.Library][]*distance.Operator
}

func record(ctx context.Context, shapes int, seed uint64, file string, each int, folders []string) error {
	var models []model
	for _, folder := range folders {
		paths, err := scratch.Models(folder)
		if err != nil {
			return err
		}
		for _, path := range paths {
			m := model{path, map[distance.Library][]*distance.Operator{}}
			for _, l := range []distance.Library{distance.C, distance.ESP} {
				if m.ops[l], err = scratch.Operators(path, l); err != nil {
					return err
				}
			}
			if len(m.ops[distance.C])+len(m.ops[distance.ESP]) > 0 {
				models = append(models, m)
			}
		}
	}
	fmt.Printf("# Scratch of CMSIS-NN and ESP-NN, against their own size functions\n\nWritten by:\n\n```sh\n")
	fmt.Printf("STOWAGE_CMSIS_NN=CLONE STOWAGE_ESP_NN=CLONE go run ./lab/kernels/scratch/record -shapes %d MODELS\n```\n\n", shapes)
	fmt.Printf("The figures are of %s.\n\n", time.Now().UTC().Format(time.DateOnly))
	fmt.Printf("%s\n", `- *equal*: random shapes for which requests, and sums of weights that are kept, are those of the compiled functions.
- *nothing*: of these, nothing is requested. *open*: the answer depends on what the glue does not set; the formula says that it
  is unknown.
- *models*: the same for the operators of the models below.

| library | revision | operator | shapes | equal | nothing | open | models |
|---|---|---|---:|---:|---:|---:|---:|`)
	var answers []column
	wrong := 0
	for _, s := range kernelscratch.Sets() {
		if s.Library == distance.Reference {
			continue
		}
		if why := scratch.Missing(s); why != "" {
			return fmt.Errorf("%s: %s", s, why)
		}
		a, bad, err := one(ctx, s, shapes, seed, models)
		if err != nil {
			return err
		}
		answers, wrong = append(answers, a), wrong+bad
	}
	fmt.Print(listed(models))
	if file != "" {
		if err := os.WriteFile(file, golden(shapes, seed, each, models, answers), 0o644); err != nil {
			return err
		}
	}
	if wrong > 0 {
		return fmt.Errorf("%d formulas differ", wrong)
	}
	return nil
}

// listed names the models, in lines of at most 110 characters.
func listed(models []model) string {
	if len(models) == 0 {
		return ""
	}
	out, line := "\n", "Models:"
	for i, m := range models {
		word := " " + strings.TrimSuffix(filepath.Base(m.path), ".tflite") + ","
		if i == len(models)-1 {
			word = strings.TrimSuffix(word, ",") + "."
		}
		if len(line)+len(word) > 110 {
			out, line, word = out+line+"\n", "", word[1:]
		}
		line += word
	}
	return out + line + "\n"
}

// A column has the answers of a set's functions for the operators of the golden file, by line.
type column struct {
	set  kernelscratch.Set
	said map[string]string
}

// one compares a set, and prints its rows.
func one(ctx context.Context, s kernelscratch.Set, shapes int, seed uint64, models []model) (c column, wrong int,
	err error,
) {
	folder, err := os.MkdirTemp("", "scratch")
	if err != nil {
		return c, 0, err
	}
	defer os.RemoveAll(folder)
	program, err := scratch.Build(ctx, s, folder)
	if err != nil {
		return c, 0, err
	}
	c = column{s, map[string]string{}}
	ask := func(ops []*distance.Operator, keep int) (r scratch.Row, err error) {
		if len(ops) == 0 {
			return r, nil
		}
		said, err := scratch.Ask(ctx, program, ops)
		if err != nil {
			return r, err
		}
		r = scratch.Compare(s, ops, said)
		for _, why := range r.Wrong {
			fmt.Fprintln(os.Stderr, why)
		}
		wrong += len(r.Wrong)
		for i := range min(keep, len(ops)) {
			c.said[scratchcase.Line(ops[i])] = text(said[i])
		}
		return r, nil
	}
	library := distance.C
	if s.Library == distance.ESP {
		library = distance.ESP
	}
	_, revision := s.Source()
	for _, kind := range scratch.Kinds(s.Library) {
		drawn, err := ask(scratch.Drawn(kind, shapes+shapes/40, seed), shapes) // a few more, since some are open
		if err != nil {
			return c, wrong, err
		}
		var ops []*distance.Operator
		for _, m := range models {
			for _, op := range m.ops[library] {
				if op.Kind == kind {
					ops = append(ops, op)
				}
			}
		}
		real, err := ask(ops, len(ops))
		if err != nil {
			return c, wrong, err
		}
		fmt.Printf("| %s | %.8s | %s | %d | %d | %d | %d | %d |\n", s, revision, kind,
			drawn.Compared, drawn.Compared-drawn.Open-len(drawn.Wrong), drawn.Empty, drawn.Open, real.Compared-len(real.Wrong))
	}
	return c, wrong, nil
}

// text returns an answer in the form of a golden file: requests and, after |, the kept bytes; - for nothing, ? for
// open.
func text(s scratch.Said) string {
	if s.Open {
		return "?"
	}
	out := strings.ReplaceAll(strings.Trim(fmt.Sprint(s.Requests), "[]"), " ", "+")
	if s.Kept > 0 {
		out += fmt.Sprintf("|%d", s.Kept)
	}
	if out == "" {
		return "-"
	}
	return out
}

// golden returns the file: the sets, each with a letter, then a line for each operator. After a colon the line has
// the answers, each with the letters of its sets.
func golden(shapes int, seed uint64, each int, models []model, answers []column) []byte {
	var b bytes.Buffer
	fmt.Fprintln(&b, "# What the size functions of CMSIS-NN and ESP-NN say of some operators: requests + requests | kept; - is nothing, ? not set.")
	fmt.Fprintln(&b, "# Written by lab/kernels/scratch/record.")
	for i, c := range answers {
		fmt.Fprintf(&b, "%c = %s\n", 'a'+i, c.set)
	}
	seen := map[string]bool{}
	write := func(op *distance.Operator) {
		line := scratchcase.Line(op)
		if seen[line] {
			return
		}
		seen[line] = true
		var order []string
		by := map[string]string{}
		for i, c := range answers {
			if said, ok := c.said[line]; ok {
				if by[said] == "" {
					order = append(order, said)
				}
				by[said] += string(rune('a' + i))
			}
		}
		fmt.Fprintf(&b, "%s ;", line)
		for _, said := range order {
			fmt.Fprintf(&b, " %s %s", said, by[said])
		}
		fmt.Fprintln(&b)
	}
	for _, kind := range append(scratch.Kinds(distance.C), "SOFTMAX") {
		some, rows := make([]int, len(answers)), 0 // operators with a request of a set; rows of an image
		for n, op := range scratch.Drawn(kind, shapes, seed) {
			need, line := n < each, scratchcase.Line(op)
			for i, c := range answers {
				said, ok := c.said[line]
				need = need || ok && said != "-" && some[i] < each/4
			}
			if kind == "CONV_2D" && op.Operands[0].Shape[1] == 1 && op.Operands[1].Shape[2] > 1 && rows < each {
				need, rows = true, rows+1
			}
			if !need {
				continue
			}
			for i, c := range answers {
				if said, ok := c.said[line]; ok && said != "-" {
					some[i]++
				}
			}
			write(op)
		}
		for _, m := range models {
			for _, op := range append(slices.Clone(m.ops[distance.C]), m.ops[distance.ESP]...) {
				if op.Kind == kind {
					write(op)
				}
			}
		}
	}
	return b.Bytes()
}
