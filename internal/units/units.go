// Package units reads numbers of bytes and times as people write them, plain or with a
// unit, and counts things as people say it.
//
// KiB, MiB, GiB and TiB are binary, and so are K, M, G and T alone; kB, MB, GB and TB are decimal. Case does not count,
// a fraction does as long as it comes out at whole bytes, and so does an exponent: 1.5MiB, 80mib, 1e6.
package units

import (
	"errors"
	"math"
	"math/big"
	"strconv"
	"strings"
	"time"

	"github.com/stowage-go/stowage/model"
)

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

// What can be wrong with a time.
var (
	ErrTime     = errors.New("must be a number of seconds, or a time with a unit, such as 500ms, 10s or 1h30m")
	ErrNegative = errors.New("must not be negative")
	ErrLong     = errors.New("must be at most " + strconv.Itoa(mostSeconds) + " seconds")
)

// mostSeconds is what a time.Duration holds.
const mostSeconds = math.MaxInt64 / 1_000_000_000

// Duration reads a time that is not negative: a number of seconds, with an exponent or without, or one or more numbers
// with a unit, as in 1h30m. The units are those of time.ParseDuration, with space around them or without. Seconds are
// rounded to the nanosecond.
func Duration(text string) (time.Duration, error) {
	fields := strings.Fields(text)
	for k := 1; k < len(fields); k++ {
		if before := fields[k-1]; isDigit(before[len(before)-1]) == isDigit(fields[k][0]) {
			return 0, ErrTime // space may be between a number and a unit alone
		}
	}
	text = strings.Join(fields, "")
	if negative, _, _, _, ok := decimal(strings.ToLower(text)); ok {
		seconds, err := strconv.ParseFloat(text, 64)
		switch {
		case negative && seconds != 0:
			return 0, ErrNegative
		case err != nil || seconds > mostSeconds:
			return 0, ErrLong
		}
		// The whole seconds apart, so that those of a large number stay exact.
		whole, part := math.Modf(seconds)
		return time.Duration(whole)*time.Second + time.Duration(math.Round(part*1e9)), nil
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		zeros := strings.Map(func(r rune) rune {
			if r >= '0' && r <= '9' {
				return '0'
			}
			return r
		}, text)
		if _, why := time.ParseDuration(zeros); why == nil {
			return 0, ErrLong // it is well written
		}
		return 0, ErrTime
	}
	if d < 0 {
		return 0, ErrNegative
	}
	return d, nil
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// Plural returns the name of a thing as it is after a number.
func Plural[T int | int64](n T, thing string) string {
	if n == 1 {
		return thing
	}
	return thing + "s"
}

// What can be wrong with a size.
var (
	ErrSyntax = errors.New("must be a number, or one with a suffix KiB, MiB, GiB, TiB (K, M, G, T) or kB, MB, GB, TB")
	ErrWhole  = errors.New("must be a whole number of bytes")
	ErrSmall  = errors.New("must be at least 1, or left out")
	ErrLarge  = errors.New("must be at most " + strconv.Itoa(model.MaxSum))
)

// Parse reads a size of at least 1.
func Parse(text string) (int64, error) {
	n, err := Any(text)
	if err == nil && n < 1 || err == ErrWhole && strings.HasPrefix(strings.TrimSpace(text), "-") {
		return 0, ErrSmall
	}
	return n, err
}

// Any reads a number of bytes that may be 0 or below.
func Any(text string) (int64, error) {
	return scaled(withUnit(text))
}

// withUnit divides a size into its number and the bytes of its unit, 1 if it has none.
func withUnit(text string) (number string, unit int64) {
	number = strings.ToLower(strings.TrimSpace(text))
	for _, u := range units {
		if rest, ok := strings.CutSuffix(number, u.suffix); ok {
			return strings.TrimSpace(rest), u.bytes
		}
	}
	return number, 1
}

// Below returns the largest whole number of bytes below a size with a part of a byte, such as 943718 for 0.9MiB. ok is
// false for any other text, and for a number with an exponent.
func Below(text string) (bytes int64, ok bool) {
	number, unit := withUnit(text)
	if _, err := Any(text); err != ErrWhole || strings.ContainsAny(number, "e-") {
		return 0, false
	}
	n, ok := new(big.Rat).SetString(number)
	if !ok {
		return 0, false
	}
	n.Mul(n, new(big.Rat).SetInt64(unit))
	whole := new(big.Int).Quo(n.Num(), n.Denom())
	return whole.Int64(), whole.IsInt64() && whole.Sign() > 0
}

// Whole reads a whole number without a unit, such as 3.0 or 1.05E+06.
func Whole(text string) (int64, error) {
	return scaled(strings.ToLower(strings.TrimSpace(text)), 1)
}

// Decimal reads a decimal number as whole, divided by ten to the power of places, with the fewest places: 1.250 is 125
// and 2. It knows no unit. The error is ErrSyntax, or ErrLarge if whole or places does not fit.
func Decimal(text string) (whole int64, places int, err error) {
	negative, before, after, exponent, ok := decimal(strings.ToLower(strings.TrimSpace(text)))
	if !ok {
		return 0, 0, ErrSyntax
	}
	digits := strings.TrimLeft(before+after, "0")
	places = len(after) - exponent
	for places > 0 && strings.HasSuffix(digits, "0") {
		digits, places = digits[:len(digits)-1], places-1
	}
	switch {
	case digits == "":
		return 0, 0, nil
	case len(digits) > mostDigits || places < len(digits)-mostDigits || places > mostDigits:
		return 0, 0, ErrLarge
	case places < 0:
		digits, places = digits+strings.Repeat("0", -places), 0
	}
	if whole, err = strconv.ParseInt(digits, 10, 64); err != nil {
		return 0, 0, ErrLarge
	}
	if negative {
		whole = -whole
	}
	return whole, places, nil
}

// mostDigits is the number of digits that any number of 64 bits could need.
const mostDigits = 19

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
		return 0, ErrSyntax
	}
	digits := strings.TrimLeft(whole+fraction, "0")
	exponent -= len(fraction)
	const most = 64 // digits that any size could need, and then some
	switch {
	case digits == "":
		return 0, nil
	case len(digits)+exponent > most:
		return 0, ErrLarge
	case exponent < -2*most:
		return 0, ErrWhole
	}
	n, _ := new(big.Int).SetString(digits, 10)
	n.Mul(n, big.NewInt(unit))
	power := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(max(exponent, -exponent))), nil)
	if exponent >= 0 {
		n.Mul(n, power)
	} else if _, rest := n.QuoRem(n, power, new(big.Int)); rest.Sign() != 0 {
		return 0, ErrWhole
	}
	if !n.IsInt64() || n.Int64() > model.MaxSum {
		return 0, ErrLarge
	}
	if negative {
		return -n.Int64(), nil
	}
	return n.Int64(), nil
}
