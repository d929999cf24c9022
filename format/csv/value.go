package csv

import (
	"errors"
	"math"
	"strconv"
	"strings"

	"github.com/stowage-go/stowage/internal/units"
	"github.com/stowage-go/stowage/model"
)

// What can be wrong with an integer.
const (
	notInteger = "is not an integer"
	noInteger  = "is empty: expected an integer"
	tooLarge   = "does not fit into 64 bits"
	notGap     = "is not a gap: expected a-b or a-b@lo:hi"
	thousands  = "may mean thousands: expected it without the point"
)

// parseInt reads an integer. The fault is empty where it is one. Up to 18
// digits cannot overflow, which covers nearly every field.
func parseInt(s string) (v int64, fault string) {
	if len(s) == 0 || len(s) > 18 {
		return parseRare(s)
	}
	for i := range len(s) {
		d := s[i] - '0'
		if d > 9 {
			return parseRare(s)
		}
		v = v*10 + int64(d)
	}
	return v, ""
}

// parseRare is parseInt for signs, spaces, long numbers and faults.
func parseRare(s string) (int64, string) {
	s = trim(s)
	if s == "" {
		return 0, noInteger
	}
	v, err := strconv.ParseInt(s, 10, 64)
	switch {
	case errors.Is(err, strconv.ErrRange):
		return 0, tooLarge
	case err != nil:
		if whole, found := strings.CutSuffix(s, ".000"); found && len(whole) <= 4 && strings.Trim(whole, "+-0") != "" {
			return 0, thousands // 12.000 is 12 to some and 12000 to others
		}
		if v, err = units.Whole(s); err != nil { // spreadsheets have 3.0 and 1.05E+06
			return 0, notInteger
		}
	}
	return v, ""
}

// parseSize is parseInt for numbers of bytes, which may have a unit.
func parseSize(s string) (int64, string) {
	v, fault := parseInt(s)
	if fault != notInteger {
		return v, fault
	}
	v, err := units.Any(s)
	switch {
	case errors.Is(err, units.ErrSyntax):
		return 0, notInteger
	case err != nil:
		return 0, err.Error()
	}
	return v, ""
}

// parseEnd is parseInt for the end of a lifespan or gap, which an inclusive
// dialect counts one lower.
func parseEnd(s string, inclusive bool) (int64, string) {
	v, fault := parseInt(s)
	if fault == "" && inclusive {
		if v == math.MaxInt64 {
			return 0, tooLarge
		}
		v++
	}
	return v, fault
}

// parseOffset reads an offset or hint; none is true for an empty field and -1.
func parseOffset(s string) (v int64, none bool, fault string) {
	v, fault = parseSize(s)
	switch {
	case fault == noInteger, fault == "" && v == -1:
		return 0, true, ""
	case fault == "" && v < 0:
		return 0, false, "must be at least 0, or -1 for none"
	}
	return v, false, fault
}

// parseGap reads a-b or a-b@lo:hi. A number may have a sign of its own, as in
// -5--2: the separator is the first minus that is not at the start.
func parseGap(s string, inclusive bool) (g model.Gap, fault string) {
	span, window, windowed := strings.Cut(s, "@")
	if span == "" {
		return g, notGap
	}
	cut := 1 + strings.IndexByte(span[1:], '-')
	if cut == 0 {
		return g, notGap
	}
	var faults [4]string
	g.Lower, faults[0] = parseInt(span[:cut])
	g.Upper, faults[1] = parseEnd(span[cut+1:], inclusive)
	if windowed {
		lo, hi, ok := strings.Cut(window, ":")
		if !ok {
			return g, notGap
		}
		g.Window = new(model.Window)
		g.Window.Lower, faults[2] = parseInt(lo)
		g.Window.Upper, faults[3] = parseInt(hi)
	}
	for _, f := range faults {
		switch f {
		case "":
		case tooLarge:
			return g, "holds a number that does not fit into 64 bits"
		default:
			return g, notGap
		}
	}
	return g, ""
}

// trim cuts the spaces and tabs around a field.
func trim(s string) string { return strings.Trim(s, " \t") }
