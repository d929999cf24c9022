package command

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"
)

// Idea: this reads command lines as absl::ParseCommandLine does, into a pflag set that help and completions use too. It
// differs from pflag in five ways. One dash is enough for a long name. A hyphen may stand for an underscore. A boolean
// can be negated as --noflag, and takes more words. Durations may be infinite. Arguments that are no flags are ignored.
//
// Source: the Abseil flags guide, and absl/time/duration.cc for the durations.

// parseAbsl sets the flags that args has. help reports whether args ask for help.
func parseAbsl(flags *pflag.FlagSet, args []string) (help bool, err error) {
	for len(args) > 0 {
		arg := args[0]
		args = args[1:]
		if arg == "--" {
			break
		}
		if len(arg) < 2 || arg[0] != '-' {
			continue
		}
		name, value, given := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(arg, "-"), "-"), "=")
		name = strings.ReplaceAll(name, "-", "_")
		switch name {
		case "help_all":
			return true, flags.Set(helpAllFlag, "true")
		case "help", "h":
			return true, nil
		}
		flag := flags.Lookup(name)
		negated := false
		if flag == nil && !given {
			if positive, ok := strings.CutPrefix(name, "no"); ok {
				if flag = flags.Lookup(positive); flag != nil {
					negated = true
				}
			}
		}
		if flag == nil {
			var names []string
			flags.VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
			return false, fmt.Errorf("unknown flag %q%s", arg, isIt(name, names))
		}
		boolean := flag.Value.Type() == "bool"
		switch {
		case negated && !boolean:
			return false, fmt.Errorf("%s: only a boolean can be negated", arg)
		case negated:
			value = "false"
		case boolean:
			if !given {
				value = "true"
			}
			if value, err = abslBool(value); err != nil {
				return false, fmt.Errorf("invalid argument %q for --%s: %w", arg, flag.Name, err)
			}
		case !given:
			if len(args) == 0 {
				return false, fmt.Errorf("--%s needs a value", flag.Name)
			}
			value, args = args[0], args[1:]
		}
		if err := flags.Set(flag.Name, value); err != nil {
			return false, err
		}
	}
	return false, nil
}

// abslBool translates Abseil's words for a boolean into Go's.
func abslBool(word string) (string, error) {
	switch strings.ToLower(word) {
	case "true", "t", "yes", "y", "1":
		return "true", nil
	case "false", "f", "no", "n", "0":
		return "false", nil
	}
	return "", errors.New("must be true, t, yes, y, 1, false, f, no, n or 0")
}

// An abslInt is an integer: decimal, or hexadecimal after 0x.
type abslInt int64

// Set parses the integer.
func (i *abslInt) Set(text string) error {
	digits, base := strings.TrimSpace(text), 10
	if rest, ok := strings.CutPrefix(strings.ToLower(digits), "0x"); ok {
		digits, base = rest, 16
	}
	n, err := strconv.ParseInt(digits, base, 64)
	if err != nil {
		return errors.New("must be an integer")
	}
	*i = abslInt(n)
	return nil
}

func (i *abslInt) String() string { return strconv.FormatInt(int64(*i), 10) }

// Type names the value in help.
func (i *abslInt) Type() string { return "N" }

// An abslDuration is a duration as Abseil writes it: 1h2m3.5s, 500ms, a bare 0, or inf for none.
type abslDuration time.Duration

const abslInfinite abslDuration = math.MaxInt64

// Set parses the duration. A duration above 292 years is infinite.
func (d *abslDuration) Set(text string) error {
	switch text = strings.TrimSpace(text); text {
	case "inf", "+inf":
		*d = abslInfinite
		return nil
	case "-inf":
		*d = 0
		return nil
	}
	v, err := time.ParseDuration(text)
	if err != nil {
		if tooLong(text) {
			*d = abslInfinite
			return nil
		}
		return errors.New("must be a duration such as 500ms or 1h2m3.5s, or inf")
	}
	*d = abslDuration(v)
	return nil
}

// tooLong reports whether text is a number and a unit, and is wrong only because it is too long.
func tooLong(text string) bool {
	number := strings.TrimRight(text, "nusmh")
	if _, err := time.ParseDuration("1" + text[len(number):]); err != nil {
		return false
	}
	x, err := strconv.ParseFloat(number, 64)
	return err == nil && x > 1
}

func (d *abslDuration) String() string {
	if *d == abslInfinite {
		return "inf"
	}
	return time.Duration(*d).String()
}

// Type names the value in help.
func (d *abslDuration) Type() string { return "D" }
