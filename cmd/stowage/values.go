package main

import (
	"errors"
	"math/big"
	"strconv"
	"strings"
	"time"

	"github.com/stowage-go/stowage/model"
)

// A size is a number of bytes as a flag takes it: a number, plain or with a unit.
// KiB, MiB, GiB and TiB are binary, and so are K, M, G and T alone; kB, MB, GB
// and TB are decimal. Case does not count, a fraction does as long as it comes
// out at whole bytes, and so does an exponent: 1.5MiB, 80mib, 1e6.
type size int64

// sizeHelp is what the help of a size says of its spelling.
const sizeHelp = "a number, or one with KiB, MiB, GiB, TiB (K, M, G, T) or the decimal kB, MB, GB, TB"

var units = []struct {
	suffix string
	bytes  int64
}{
	{"kib", 1 << 10},
	{"mib", 1 << 20},
	{"gib", 1 << 30},
	{"tib", 1 << 40},
	{"kb", 1e3},
	{"mb", 1e6},
	{"gb", 1e9},
	{"tb", 1e12},
	{"k", 1 << 10},
	{"m", 1 << 20},
	{"g", 1 << 30},
	{"t", 1 << 40},
	{"b", 1},
}

var (
	errNumber    = errors.New("must be a whole number")
	errSize      = errors.New("must be a number, or one with a suffix KiB, MiB, GiB, TiB (K, M, G, T) or kB, MB, GB, TB")
	errWhole     = errors.New("must come out at a whole number of bytes")
	errSmall     = errors.New("must be at least 1, or left out")
	errSizeLarge = errors.New("must be at most " + strconv.Itoa(model.MaxSum))
)

// Set parses a size of at least 1.
func (s *size) Set(text string) error {
	number, unit := strings.ToLower(strings.TrimSpace(text)), int64(1)
	for _, u := range units {
		if rest, ok := strings.CutSuffix(number, u.suffix); ok {
			number, unit = strings.TrimSpace(rest), u.bytes
			break
		}
	}
	n, err := scaled(number, unit)
	if err != nil {
		return err
	}
	*s = size(n)
	return nil
}

// decimal takes a number as it is written apart: a sign or none, digits, a fraction or
// none, an exponent of up to nine digits or none.
func decimal(text string) (negative bool, whole, fraction string, exponent int, ok bool) {
	digits := func() (d string) {
		n := 0
		for n < len(text) && text[n] >= '0' && text[n] <= '9' {
			n++
		}
		d, text = text[:n], text[n:]
		return d
	}
	sign := func() bool {
		minus := strings.HasPrefix(text, "-")
		if minus || strings.HasPrefix(text, "+") {
			text = text[1:]
		}
		return minus
	}
	negative = sign()
	whole = digits()
	if ok = whole != ""; ok && strings.HasPrefix(text, ".") {
		text = text[1:]
		fraction = digits()
		ok = fraction != ""
	}
	if ok && strings.HasPrefix(text, "e") {
		text = text[1:]
		minus := sign()
		power := digits()
		ok = power != "" && len(power) <= 9
		exponent, _ = strconv.Atoi(power)
		if minus {
			exponent = -exponent
		}
	}
	return negative, whole, fraction, exponent, ok && text == ""
}

// scaled multiplies a decimal number with a unit, exactly.
func scaled(text string, unit int64) (int64, error) {
	negative, whole, fraction, exponent, ok := decimal(text)
	if !ok {
		return 0, errSize
	}
	digits := strings.TrimLeft(whole+fraction, "0")
	exponent -= len(fraction)
	const most = 64 // digits that any size could need, and then some
	switch {
	case digits == "" || negative:
		return 0, errSmall
	case len(digits)+exponent > most:
		return 0, errSizeLarge
	case exponent < -2*most:
		return 0, errWhole
	}
	n, _ := new(big.Int).SetString(digits, 10)
	n.Mul(n, big.NewInt(unit))
	power := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(max(exponent, -exponent))), nil)
	if exponent >= 0 {
		n.Mul(n, power)
	} else if _, rest := n.QuoRem(n, power, new(big.Int)); rest.Sign() != 0 {
		return 0, errWhole
	}
	if !n.IsInt64() || n.Int64() > model.MaxSum {
		return 0, errSizeLarge
	}
	return n.Int64(), nil
}

func (s *size) String() string { return strconv.FormatInt(int64(*s), 10) }

// Type names the value in help.
func (s *size) Type() string { return "SIZE" }

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
