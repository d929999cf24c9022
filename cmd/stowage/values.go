package main

import (
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/model"
)

// A size is a number of bytes as a flag takes it: a plain integer, or one with
// a binary suffix. K, M and G mean the same as KiB, MiB and GiB. Decimal units
// (kB, MB) are refused rather than guessed at.
type size int64

var units = []struct {
	suffix string
	shift  uint
}{{"KiB", 10}, {"MiB", 20}, {"GiB", 30}, {"K", 10}, {"M", 20}, {"G", 30}}

// Set parses a size of at least 1.
func (s *size) Set(text string) error {
	digits, shift := text, uint(0)
	for _, u := range units {
		if rest, ok := strings.CutSuffix(text, u.suffix); ok {
			digits, shift = strings.TrimSpace(rest), u.shift
			break
		}
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	switch {
	case errors.Is(err, strconv.ErrRange), err == nil && n > model.MaxSum>>shift:
		return errors.New("must be at most " + strconv.Itoa(model.MaxSum))
	case err != nil:
		return errors.New("must be an integer, or one with a suffix KiB, MiB, GiB (K, M, G)")
	case n < 1:
		return errors.New("must be at least 1; leave it out for no limit")
	}
	*s = size(n << shift)
	return nil
}

func (s *size) String() string { return strconv.FormatInt(int64(*s), 10) }

// Type names the value in help.
func (s *size) Type() string { return "SIZE" }

// or returns the capacity that counts: the flag's, else the input's.
func (s *size) or(p *stowage.Problem) int64 {
	if *s > 0 {
		return int64(*s)
	}
	return p.Capacity
}

// A duration is a time limit as a flag takes it. What it adds to pflag's own is
// a message that says what is missing.
type duration time.Duration

// Set parses a duration that is not negative.
func (d *duration) Set(text string) error {
	v, err := time.ParseDuration(text)
	switch {
	case err != nil:
		return errors.New("must be a number with a unit, such as 500ms, 10s or 1h30m")
	case v < 0:
		return errors.New("must not be negative")
	}
	*d = duration(v)
	return nil
}

func (d *duration) String() string { return time.Duration(*d).String() }

// Type names the value in help.
func (d *duration) Type() string { return "D" }
