package main

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/stowage-go/stowage/internal/comparison"
	"github.com/stowage-go/stowage/internal/picture"
	"github.com/stowage-go/stowage/lab/bench/internal/telamalloc"
	"github.com/stowage-go/stowage/lab/learn"
)

// strategies is figure 14.
func strategies(ctx context.Context, e *env) (*content, error) {
	c := &content{}
	all, err := e.searchInputs(c, e.size.seeds)
	if err != nil {
		return c, err
	}
	variants := telamalloc.Strategies()
	outcomes := make([][]telamalloc.Outcome, len(variants))
	done := 0
	for i := range all {
		in := &all[i*17%len(all)]
		var line []telamalloc.Outcome
		for _, v := range variants {
			o, err := remember(ctx, e, fmt.Sprintf("figure 14, %s, %s at %d, %d steps", v.Name, in.Name, in.Capacity, e.size.steps), func(ctx context.Context) (telamalloc.Outcome, error) {
				return telamalloc.Try(ctx, in, v, e.size.steps, 1)
			})
			if err == errCut {
				break
			}
			if err != nil {
				return c, err
			}
			line = append(line, o)
		}
		if len(line) < len(variants) {
			continue // others may be known
		}
		done++
		for v := range variants {
			outcomes[v] = append(outcomes[v], line[v])
		}
	}
	if done < len(all) {
		c.note("In its time the section ran %d of %d inputs. The same command goes on from there.", done, len(all))
	}
	if done == 0 {
		return c, errCut
	}
	header := []string{"strategy", "solved", "failed", "lost", "gained", "steps ×", "backtracks a step", "failures ×"}
	var rows [][]string
	p := &picture.Rows{Title: fmt.Sprintf("Inputs that fail, of %d", done), X: picture.Axis{Title: "inputs that fail"}, Series: []string{"failed"}, Bars: true}
	steps := &picture.Rows{Title: "Steps over those of all three strategies, where both succeed", X: picture.Axis{Title: "times the steps", Text: picture.Times}, Series: []string{"steps"}, Bars: true}
	base := telamalloc.Add(outcomes[1], outcomes[1])
	f := alone{inputs: done, failed: base.Inputs - base.Solved}
	for v := range variants {
		s := telamalloc.Add(outcomes[1], outcomes[v])
		failed := s.Inputs - s.Solved
		times := float64(failed) / float64(max(base.Inputs-base.Solved, 1))
		rows = append(rows, []string{
			variants[v].Name, strconv.Itoa(s.Solved), strconv.Itoa(failed), strconv.Itoa(s.Lost), strconv.Itoa(s.Gained),
			fmt.Sprintf("%.2f", s.Steps), fmt.Sprintf("%.2f", s.Backtracks), fmt.Sprintf("%.1f", times),
		})
		p.Rows = append(p.Rows, picture.Row{Name: variants[v].Name, Values: []float64{float64(failed)}})
		if s.Steps > 0 { // some inputs are solved by both
			steps.Rows = append(steps.Rows, picture.Row{Name: variants[v].Name, Values: []float64{s.Steps}})
		}
		if v > 1 { // the paper's side is the second
			f.fails, f.steps = append(f.fails, failed), append(f.steps, s.Steps)
			if f.failed > 0 {
				f.failures = append(f.failures, times)
			}
		}
	}
	here := "all three fail on none"
	if len(f.failures) > 0 {
		here = fmt.Sprintf("%.1f to %.1f times", slices.Min(f.failures), slices.Max(f.failures))
	}
	c.judge("failures of a strategy alone over those of all three", "27 to 37 times", here, f.verdict())
	c.add("steps of a strategy alone over those of all three, where both succeed", "1.36 to 1.80", fmt.Sprintf("%.2f to %.2f", slices.Min(f.steps), slices.Max(f.steps)))
	c.add("inputs, and steps at most", "1,192; 500,000", fmt.Sprintf("%d; %s", done, comparison.Grouped(e.size.steps)))
	c.pictures = append(c.pictures, p.HTML(), steps.HTML())
	c.tables = append(c.tables, comparison.NewTable(header, rows))
	c.say(f.say()...)
	c.about = "The ratios are to the paper's side, which is all strategies as published; tela's own techniques are in the first line of the table. The inputs are not the paper's: most were chosen to be hard."
	return c, nil
}

// searchInputs are the inputs of figure 14: generated problems, A to K and networks, each
// at several capacities.
func (e *env) searchInputs(c *content, seeds uint64) ([]learn.Input, error) {
	all, err := learn.Generated(learn.Seeds{Last: seeds}, learn.Packings, []int64{101, 103, 106, 110, 115, 120})
	if err != nil {
		return nil, err
	}
	nets, err := e.nets()
	if err != nil {
		return nil, err
	}
	hard, err := e.challenging(c)
	if err != nil {
		return nil, err
	}
	for _, in := range slices.Concat(hard, nets) {
		all = append(all, learn.Inputs(in.Name, in.Problem, []int64{105, 110, 115, 120, 130})...)
	}
	if e.size.models > 0 {
		all = all[:min(len(all), 6*e.size.models)]
	}
	if len(all)%17 == 0 {
		all = all[:len(all)-1] // a step of 17 goes through all of them
	}
	return all, nil
}
