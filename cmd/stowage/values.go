package main

import (
	"errors"
	"strconv"
	"time"

	"github.com/stowage-go/stowage/internal/units"
)

// A size is a number of bytes as a flag takes it, in the spelling of package units.
type size int64

// sizeHelp is what the help of a size says of its spelling.
const sizeHelp = units.SizeHelp

var errNumber = errors.New("must be a whole number")

// Set parses a size of at least 1.
func (s *size) Set(text string) error {
	n, err := units.Parse(text)
	if err != nil {
		return err
	}
	*s = size(n)
	return nil
}

func (s *size) String() string { return strconv.FormatInt(int64(*s), 10) }

// Type names the value in help.
func (s *size) Type() string { return "SIZE" }

// A duration is a time limit as a flag takes it, in the spelling of package units.
type duration time.Duration

// Set parses a duration that is not negative.
func (d *duration) Set(text string) error {
	v, err := units.Duration(text)
	if err != nil {
		return err
	}
	*d = duration(v)
	return nil
}

func (d *duration) String() string { return time.Duration(*d).String() }

// Type names the value in help.
func (d *duration) Type() string { return "D" }
