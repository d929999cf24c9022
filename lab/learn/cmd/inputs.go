package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/stowage-go/stowage/lab/learn"
)

// corpus holds the flags that choose inputs.
type corpus struct {
	suite, kinds []string
	memory       []int64
}

// bind defines the flags of a corpus.
func (c *corpus) bind(f *command) {
	c.kinds, c.memory = learn.DefaultKinds, learn.DefaultPercents
	list(f, &c.suite, "suite",
		"add generated problems with the seeds `FROM:TO`, without TO; commas separate several ranges", word)
	list(f, &c.kinds, "kinds", "the `KINDS` of stowage gen to generate; KIND:N has N buffers", word)
	list(f, &c.memory, "memory", "capacities, in `PERCENT` of the lower bound", integer)
}

func word(s string) (string, error)     { return s, nil }
func integer(s string) (int64, error)   { return strconv.ParseInt(s, 10, 64) }
func decimal(s string) (float64, error) { return strconv.ParseFloat(s, 64) }

// list defines a flag for values with commas between them. What is at the address is the default.
func list[T any](f *command, at *[]T, name, usage string, read func(string) (T, error)) {
	if len(*at) > 0 {
		usage += fmt.Sprintf(" (default %s)", strings.Trim(strings.ReplaceAll(fmt.Sprint(*at), " ", ","), "[]"))
	}
	f.Func(name, usage, func(text string) error {
		*at = nil
		for part := range strings.SplitSeq(text, ",") {
			v, err := read(part)
			if err != nil {
				return fmt.Errorf("%q is no value of it", part)
			}
			*at = append(*at, v)
		}
		return nil
	})
}

// seeds reads --suite.
func (c *corpus) seeds() ([]learn.Seeds, error) {
	var all []learn.Seeds
	for _, text := range c.suite {
		s, err := learn.ParseSeeds(text)
		if err != nil {
			return nil, fmt.Errorf("invalid argument %q for --suite: %w", text, err)
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
		return nil, fmt.Errorf("invalid argument %d for --memory: %w", bad, err)
	}
	for _, kind := range c.kinds {
		if err := learn.CheckKind(kind); err != nil {
			return nil, fmt.Errorf("invalid argument %q for --kinds: %w", kind, err)
		}
	}
	all := learn.Corpus{Files: files, Seeds: seeds, Kinds: c.kinds, Percents: c.memory}
	inputs, err := all.Inputs()
	if err == nil && len(inputs) == 0 {
		err = errors.New("no inputs: give files, --suite, or both")
	}
	return inputs, err
}
