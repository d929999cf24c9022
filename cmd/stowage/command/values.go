package command

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/stowage-go/stowage/format/times"
	"github.com/stowage-go/stowage/internal/units"
)

// A size is a number of bytes as a flag takes it, in the spelling of package units.
type size int64

var errNumber = errors.New("must be a whole number")

// Set parses a size of at least 1.
func (s *size) Set(text string) error {
	n, err := units.Parse(text)
	if below, ok := units.Below(text); ok {
		return fmt.Errorf("%w: %d or %d", err, below, below+1)
	}
	if err != nil {
		return err
	}
	*s = size(n)
	return nil
}

func (s *size) String() string { return strconv.FormatInt(int64(*s), 10) }

// Type names the value in help.
func (s *size) Type() string { return "SIZE" }

// A limit is the capacity of a command that reads problems: a size, or none, with which a file's own does not count.
type limit size

// unlimited is the value of none.
const unlimited = -1

// Set parses a size of at least 1, or none.
func (l *limit) Set(text string) error {
	if text == "none" {
		*l = unlimited
		return nil
	}
	return (*size)(l).Set(text)
}

func (l *limit) String() string {
	if *l == unlimited {
		return "none"
	}
	return (*size)(l).String()
}

// Type names the value in help.
func (l *limit) Type() string { return "SIZE" }

// A percentage is a part of a whole as a flag takes it.
type percentage float64

// Set parses a percentage, such as 5%.
func (s *percentage) Set(text string) error {
	number, ok := strings.CutSuffix(text, "%")
	v, err := strconv.ParseFloat(number, 64)
	if !ok || err != nil || !(v >= 0 && v <= 1000) {
		return errors.New("must be a percentage from 0% to 1000%, such as 5%")
	}
	*s = percentage(v / 100)
	return nil
}

func (s *percentage) String() string { return strconv.FormatFloat(float64(*s)*100, 'g', -1, 64) + "%" }

// Type names the value in help.
func (s *percentage) Type() string { return "N%" }

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

// ends is the user's meaning of the ends of lifespans: a word of package times, or empty.
type ends times.Ends

func (e *ends) Set(text string) error {
	v, err := times.ParseEnds(text)
	if err != nil {
		return err
	}
	if *e != "" && *e != ends(v) {
		return fmt.Errorf("it is %s by the one before", *e)
	}
	*e = ends(v)
	return nil
}

func (e *ends) String() string { return string(*e) }

// Type names the value in help.
func (e *ends) Type() string { return "WORD" }

// once is the file name of a command that writes one file. A second name is refused: only one
// of the two files would be written.
type once string

func (o *once) String() string { return string(*o) }
func (o *once) Type() string   { return "string" }

func (o *once) Set(text string) error {
	if *o != "" {
		return fmt.Errorf("%s is given already, and this command writes one file", *o)
	}
	*o = once(text)
	return nil
}
