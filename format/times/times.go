// Package times decides what the times of a file mean: whether ends are inclusive, and by which power of ten times with
// fractions are multiplied. The readers of CSV and JSON share it; Python and JavaScript have the same rules for their
// tables.
package times

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/stowage-go/stowage/internal/units"
)

// Idea: time is half-open in Stowage. The name upper says so. The name end does not say, and other programs use it both
// ways. It is read as inclusive, with a note, unless the user says otherwise. Other names are refused until the user
// says what they mean. A buffer whose end equals its start proves that ends are inclusive: otherwise it would never
// live.
//
// Planners count time in whole numbers, and only compare times. So if all times of a file are multiplied by the same
// number, every offset stays. A power of ten keeps the digits that the user wrote.
//
// Invariant: a plan that is written with the names of a file has the ends and the fractions of that file.

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

// Of returns the meaning of a name for the end of a lifespan, if the user said e, which may be empty. fault is set if
// the two contradict each other.
func (e Ends) Of(name string) (is Ends, fault string) {
	name = strings.ToLower(name)
	switch {
	case name == Upper && e == Inclusive:
		return HalfOpen, "is half-open, and --ends inclusive says otherwise: name it end if it has the last time " +
			"slot of the lifespan"
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

// Scale is the factor by which the times were multiplied; 1 if they are whole numbers.
func (r Read) Scale() int64 { return Power(r.Places) }

// Sure reports whether nothing about the ends was guessed.
func (r Read) Sure() bool { return r.Name == "" || r.Said || r.Point != "" }

// EndsNote says in a sentence how the ends were read, and how to choose the other meaning. It is empty if the name
// alone decides.
func (r Read) EndsNote() string {
	switch {
	case r.Name == "":
		return ""
	case r.Said:
		return fmt.Sprintf("%s is read as %s, as --ends says; --ends %s is the other way", r.Name, r.Ends, r.Ends.other())
	case r.Point != "":
		return fmt.Sprintf("%s is read as inclusive, and can be nothing else: buffer %s starts and ends in one time "+
			"slot; --ends half-open is the other way", r.Name, r.Point)
	}
	return fmt.Sprintf("%s is read as inclusive, the last time slot of each lifespan; if it is the first one after "+
		"the lifespan, say --ends half-open", r.Name)
}

// ScaleNote says by which factor the times were multiplied; it is empty if they were not.
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

// Parse reads a decimal number as v divided by Power(places), with the fewest places. fault is a message, empty if
// there is none.
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

// TooFine is the message for a time that is too large to be multiplied by Power(places).
func TooFine(places int) string {
	return fmt.Sprintf("does not fit into 64 bits if it is multiplied by %d, as the fractions of the times ask "+
		"for: round them", Power(places))
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

// Append appends a time that was multiplied by Power(places) in its original form.
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
