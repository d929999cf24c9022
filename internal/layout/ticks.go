package layout

import (
	"math"
	"math/bits"
	"strconv"
	"strings"

	"github.com/stowage-go/stowage/internal/units"
	"github.com/stowage-go/stowage/model"
)

// Idea: ticks are exact integers at multiples of a round step (1, 2 or 5 times a power of ten, or a power of two for
// bytes), and only their positions are floating point. A common factor of all ticks moves into the axis name, as KiB or
// ×10⁹, which keeps labels short without rounding any.
//
// Complexity: a step is tried at most 63·3 times, each with under 20 labels.

// A scale maps [lower, upper] to [from, to] on the page.
type scale struct {
	lower, upper int64
	from, to     float64
	stretches    []stretch // of lanes, from the bottom; nil for a linear scale
}

// at returns the position of v. The difference fits int64, since both are within ±MaxSum. The conversion keeps the
// compiler from fusing the product into the sum, which would give other last digits on other machines.
func (s scale) at(v int64) float64 {
	part := float64(v-s.lower) / float64(s.upper-s.lower)
	for k, x := range s.stretches {
		// The end of a lane is the base of the next one, and is drawn there only if it begins above.
		if v <= x.upper || k == len(s.stretches)-1 {
			part = x.from + float64(float64(v-x.lower)/float64(x.upper-x.lower)*(x.to-x.from))
			break
		}
	}
	return s.from + float64(part*(s.to-s.from))
}

type ticks struct {
	Values []int64
	Labels []string
	Unit   string // what to append to the axis name, such as " (KiB)"
}

// newTicks returns the densest ticks in [lower, upper] that fit.
func newTicks(lower, upper int64, binary bool, fits func(ticks) bool) ticks {
	step, last := int64(1), ticks{}
	for k := 0; ; k++ {
		if span := upper - lower; span/step < 40 { // more never fit
			last = ticksAt(lower, upper, step, binary)
			if len(last.Values) <= 2 || fits(last) {
				return last
			}
		}
		factor := int64(2)
		if !binary && k%3 == 1 {
			step /= 2
			factor = 5
		}
		if step > math.MaxInt64/2/factor {
			return last
		}
		step *= factor
	}
}

func ticksAt(lower, upper, step int64, binary bool) ticks {
	first := lower / step * step
	if first < lower {
		first += step
	}
	var t ticks
	for v := first; v <= upper; v += step {
		t.Values = append(t.Values, v)
		if v > math.MaxInt64-step {
			break
		}
	}
	unit, name := axisUnit(max(-lower, upper), step, binary)
	t.Unit = name
	for _, v := range t.Values {
		t.Labels = append(t.Labels, Thousands(v/unit))
	}
	return t
}

// axisUnit returns the factor to take out of ticks a step apart, and its name.
func axisUnit(most, step int64, binary bool) (int64, string) {
	if binary {
		k := (bits.Len64(uint64(step)) - 1) / 10
		if k == 0 {
			return 1, " (bytes)"
		}
		return 1 << (10 * k), " (" + units.Binary[k] + ")"
	}
	if most < 1e7 {
		return 1, ""
	}
	unit, exponent := int64(1), 0
	for unit <= step/1000 && step%(unit*1000) == 0 {
		unit *= 1000
		exponent += 3
	}
	if exponent == 0 {
		return 1, ""
	}
	return unit, " (×10" + superscript(exponent) + ")"
}

func superscript(n int) string {
	digits := []rune("⁰¹²³⁴⁵⁶⁷⁸⁹")
	var s strings.Builder
	for _, c := range strconv.Itoa(n) {
		s.WriteRune(digits[c-'0'])
	}
	return s.String()
}

// countsBytes guesses whether sizes are bytes of a real memory: they are
// multiples of 16, or the capacity is a power of two, and not tiny.
func countsBytes(p *model.Problem, capacity int64) bool {
	var all, sum int64
	for i := range p.Buffers {
		all |= p.Buffers[i].Size
		sum += p.Buffers[i].Size
	}
	if capacity >= 4096 && bits.OnesCount64(uint64(capacity)) == 1 {
		return true
	}
	return all%16 == 0 && sum >= 8192
}

// Thousands formats v with a comma between groups of three digits and a true minus sign.
func Thousands(v int64) string {
	digits := strconv.FormatInt(v, 10)
	var s strings.Builder
	if v < 0 {
		s.WriteString("−")
		digits = digits[1:]
	}
	for i, c := range digits {
		if i > 0 && (len(digits)-i)%3 == 0 {
			s.WriteByte(',')
		}
		s.WriteRune(c)
	}
	return s.String()
}

// percent formats part/whole with one digit, never as 0.0 or 100.0 unless it is exactly that.
func percent(part, whole int64) string {
	if whole == 0 {
		return "0 %"
	}
	if part == 0 || part == whole {
		return strconv.FormatInt(part/whole*100, 10) + " %"
	}
	x := 100 * float64(part) / float64(whole)
	if x < 0.1 {
		return "< 0.1 %"
	}
	if part < whole {
		x = min(x, 99.9)
	}
	return strconv.FormatFloat(x, 'f', 1, 64) + " %"
}
