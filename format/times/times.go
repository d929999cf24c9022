// Package times says what the times of a file mean: whether its ends are inclusive, and by what times with fractions
// are multiplied. The readers of CSV and JSON share it; Python and JavaScript have the same rules for their tables.
package times

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/stowage-go/stowage/internal/units"
)

// Idea: time is half-open in Stowage. The name upper says so. The name end says nothing, and other programs use it both
// ways: it is read as inclusive, and that is said, unless the user says otherwise. Other names are refused until the
// user says what they mean. A buffer whose end is its start tells more: half-open, it would never live.
//
// Planners count time in whole numbers, and only compare times. So if all times of a file are multiplied by the same
// number, every offset stays. A power of ten keeps the digits that the user wrote.
//
// Invariant: what is written under the names of a file has the ends and the fractions of that file.

// Ends say whether the last time slot of a lifespan is the one that the file names. The empty value leaves it to the
// names of the columns.
type Ends string

// The two meanings of an end.
const (
	Inclusive Ends = "inclusive" // the last time slot of the life
	HalfOpen  Ends = "half-open" // the first one after it
)

// ParseEnds reads the value of --ends.
func ParseEnds(text string) (Ends, error) {
	for _, e := range []Ends{Inclusive, HalfOpen} {
		if strings.EqualFold(text, string(e)) {
			return e, nil
		}
	}
	return "", fmt.Errorf("must be %s or %s", Inclusive, HalfOpen)
}

// other returns the other meaning.
func (e Ends) other() Ends {
	if e == HalfOpen {
		return Inclusive
	}
	return HalfOpen
}

// Names for the end of a lifespan.
const (
	Upper = "upper" // half-open
	End   = "end"   // inclusive, unless the user says otherwise
)

// Ambiguous are names for the end of a lifespan that are read only if the user says what they mean.
var Ambiguous = []string{"stop", "last", "until", "to"}

// Of returns what a name for the end of a lifespan means if the user said e, which may be empty. The fault is what is
// wrong with the two together; empty for nothing.
func (e Ends) Of(name string) (is Ends, fault string) {
	name = strings.ToLower(name)
	switch {
	case name == Upper && e == Inclusive:
		return HalfOpen, "is half-open, and --ends inclusive says otherwise: name it end if it has the last time slot of the lifespan"
	case name == Upper:
		return HalfOpen, ""
	case e != "":
		return e, ""
	case slices.Contains(Ambiguous, name):
		return Inclusive, "could mean two things: --ends half-open if it has the first time slot after the lifespan, " +
			"--ends inclusive if it has the last one in it; the names upper and end say the same"
	}
	return Inclusive, ""
}

// Read says how the times of a file were read.
type Read struct {
	// Name is the file's name for the end of a lifespan if the name alone does not say what it means, such as end;
	// empty for upper.
	Name string
	// Ends is how Name was read; empty if Name is.
	Ends Ends
	// Said reports whether the user said so.
	Said bool
	// Point is the ID of a buffer that starts and ends in the same time slot, which only inclusive ends allow; empty if
	// there is none.
	Point string
	// Places is the number of decimal places of the times: they were multiplied by ten to the power of it.
	Places int
}

// Inclusive reports whether the ends are inclusive.
func (r Read) Inclusive() bool { return r.Ends == Inclusive }

// Scale is what the times were multiplied by; 1 if they are whole numbers.
func (r Read) Scale() int64 { return Power(r.Places) }

// Sure reports whether nothing about the ends was guessed.
func (r Read) Sure() bool { return r.Name == "" || r.Said || r.Point != "" }

// EndsNote says how the ends were read and how to say the other, in a sentence; it is empty if the name alone says it.
func (r Read) EndsNote() string {
	switch {
	case r.Name == "":
		return ""
	case r.Said:
		return fmt.Sprintf("%s is read as %s, as --ends says; --ends %s is the other way", r.Name, r.Ends, r.Ends.other())
	case r.Point != "":
		return fmt.Sprintf("%s is read as inclusive, and can be nothing else: buffer %s starts and ends in one time slot; --ends half-open is the other way", r.Name, r.Point)
	}
	return fmt.Sprintf("%s is read as inclusive, the last time slot of each lifespan; if it is the first one after the lifespan, say --ends half-open", r.Name)
}

// ScaleNote says what the times were multiplied by; it is empty if they were not.
func (r Read) ScaleNote() string {
	if r.Places == 0 {
		return ""
	}
	return fmt.Sprintf("the times have fractions and are multiplied by %d here, which changes no offset", r.Scale())
}

// MostPlaces is the largest number of decimal places that times may have.
const MostPlaces = 18

// Power returns ten to the power of a number of places, from 0 to MostPlaces.
func Power(places int) int64 {
	p := int64(1)
	for range places {
		p *= 10
	}
	return p
}

// Parse reads a decimal number, as the number v divided by Power(places), with the fewest places. The fault is what is
// wrong with it; empty for nothing.
func Parse(text string) (v int64, places int, fault string) {
	v, places, err := units.Decimal(text)
	switch {
	case err == units.ErrLarge || places > MostPlaces:
		return 0, 0, fmt.Sprintf("does not fit into 64 bits, or has more than %d decimal places: round it", MostPlaces)
	case err != nil:
		return 0, 0, "is not an integer"
	}
	return v, places, ""
}

// TooFine is what is wrong with a time that is too large to be multiplied by Power(places).
func TooFine(places int) string {
	return fmt.Sprintf("does not fit into 64 bits if it is multiplied by %d, as the fractions of the times ask for: round them", Power(places))
}

// Scaled multiplies a time, which is v divided by Power(places), by Power(all). It reports whether the product is a
// whole number that fits.
func Scaled(v int64, places, all int) (int64, bool) {
	if places > all {
		return 0, false
	}
	by := Power(all - places)
	out := v * by
	return out, out/by == v
}

// Append appends a time that was multiplied by Power(places), as it was before.
func Append(dst []byte, v int64, places int) []byte {
	if places == 0 {
		return strconv.AppendInt(dst, v, 10)
	}
	by := Power(places)
	if v < 0 && v/by == 0 {
		dst = append(dst, '-')
	}
	dst = strconv.AppendInt(dst, v/by, 10)
	rest := v % by
	if rest < 0 {
		rest = -rest
	}
	if rest == 0 {
		return dst
	}
	digits := strconv.FormatInt(rest, 10)
	dst = append(dst, '.')
	dst = append(dst, strings.Repeat("0", places-len(digits))...)
	return append(dst, strings.TrimRight(digits, "0")...)
}
