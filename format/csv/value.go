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
	notGap     = "is not a gap: expected a-b or a-b@lo:hi, each a plain number"
	thousands  = "may mean thousands: write it without the point"
)

// parseInt reads an integer. The fault is empty if it is one. Up to 18
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
		return 0, spelled(notInteger, s)
	case err != nil:
		return 0, err.Error()
	}
	return v, ""
}

// spelled adds to a fault what is wrong with a number as a spreadsheet shows it: 4,096 or 4 096 or 4'096.
func spelled(fault, s string) string {
	parts := strings.FieldsFunc(strings.TrimLeft(trim(s), "+-"),
		func(r rune) bool { return strings.ContainsRune(",'_ \u00a0\u202f", r) })
	switch {
	case fault != notInteger || len(parts) < 2 || !digits(strings.Join(parts, "")):
		return fault
	case len(parts) == 2 && strings.Contains(s, ","):
		return fault + ": leave out a comma between thousands, and begin a fraction with a point"
	}
	for _, p := range parts[1:] {
		if len(p) != 3 {
			return fault
		}
	}
	return fault + ": leave out what separates thousands"
}

// unitOfTime adds to a fault that a time such as 10ms has no unit.
func unitOfTime(fault, s string) string {
	if number := strings.TrimRight(trim(s),
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZµμ "); fault != notInteger ||
		number == trim(s) || !digits(strings.Replace(number, ".", "", 1)) {
		return ""
	}
	return ": times have no unit"
}

// digits reports whether a text is digits alone.
func digits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

// after returns the first time slot after an end, which an inclusive dialect counts one lower.
func after(v int64, fault string, inclusive bool) (int64, string) {
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

// parseGap reads one gap, by the grammar that testdata/gaptext.json has examples of; the
// Python package reads the gaps of tables by the same:
//
//	gap     = time "-" time [ "@" integer ":" integer ]
//	time    = integer [ "." digit { digit } ]
//	integer = [ "-" ] digit { digit }    digit is one of 0 to 9
//
// Other numbers of a file may be spelled as spreadsheets do (+3, 1E3). A gap has two to four of them in one field, with
// minus signs between: it stays unambiguous only if they are plain.
func parseGap(s string, inclusive bool, p *points) (g model.Gap, fault string) {
	ok, large := true, false
	digits := func(from int) (to int) {
		for to = from; to < len(s) && '0' <= s[to] && s[to] <= '9'; to++ {
		}
		ok = ok && to > from
		return to
	}
	sign := func() int {
		if strings.HasPrefix(s, "-") {
			return 1
		}
		return 0
	}
	take := func() int64 {
		n := digits(sign())
		v, err := strconv.ParseInt(s[:n], 10, 64)
		large = large || errors.Is(err, strconv.ErrRange)
		s = s[n:]
		return v
	}
	time := func() int64 {
		n := digits(sign())
		if n < len(s) && s[n] == '.' {
			n = digits(n + 1)
		}
		if !ok {
			return 0
		}
		v, why := p.time(s[:n])
		large = large || why == tooLarge
		if why != "" && why != tooLarge && fault == "" {
			fault = why
		}
		s = s[n:]
		return v
	}
	skip := func(mark string) {
		var found bool
		s, found = strings.CutPrefix(s, mark)
		ok = ok && found
	}
	g.Lower = time()
	skip("-")
	g.Upper = time()
	if strings.HasPrefix(s, "@") {
		skip("@")
		g.Window = new(model.Window)
		g.Window.Lower = take()
		skip(":")
		g.Window.Upper = take()
	}
	switch {
	case !ok || s != "":
		return model.Gap{}, notGap
	case large || inclusive && g.Upper == math.MaxInt64:
		return model.Gap{}, "holds a number that does not fit into 64 bits"
	case fault != "":
		return model.Gap{}, fault
	case inclusive:
		g.Upper++
	}
	return g, ""
}

// gapSpace reports what may stand between the gaps of a field.
func gapSpace(r rune) bool { return r == ' ' || r == '\t' || r == '\n' || r == '\r' }

// trim cuts the spaces and tabs around a field.
func trim(s string) string {
	if s == "" || s[0] > ' ' && s[len(s)-1] > ' ' {
		return s
	}
	return strings.Trim(s, " \t")
}
