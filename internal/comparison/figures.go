package comparison

import (
	"fmt"
	"strconv"
)

// Count writes a number in at most three digits and a suffix: 618, 3.4k, 12.0M.
func Count(n int64) string {
	switch x := float64(n); {
	case n < 1000:
		return strconv.FormatInt(n, 10)
	case n < 999_950:
		return fmt.Sprintf("%.1fk", x/1e3)
	case n < 999_950_000:
		return fmt.Sprintf("%.1fM", x/1e6)
	default:
		return fmt.Sprintf("%.1fG", x/1e9)
	}
}

// Milliseconds writes a time with three significant digits at most.
func Milliseconds(seconds float64) string { return threeDigits(seconds*1e3, 10, 100) }

// Ratio writes a ratio with about two significant digits.
func Ratio(x float64) string { return threeDigits(x, 9.95, 99.5) }

// threeDigits writes x with two decimals up to one bound, with one up to the next, and whole beyond.
func threeDigits(x, two, one float64) string {
	switch {
	case x < two:
		return strconv.FormatFloat(x, 'f', 2, 64)
	case x < one:
		return strconv.FormatFloat(x, 'f', 1, 64)
	default:
		return Grouped(int64(x + 0.5))
	}
}

// Grouped writes a number that is not negative with a comma between thousands.
func Grouped(n int64) string {
	text := strconv.FormatInt(n, 10)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// overLoad writes a height over the load with three decimals. One that is not 1 never shows as 1.
func overLoad(x float64) string {
	if x > 1 && x < 1.0005 {
		return ">1.000"
	}
	return strconv.FormatFloat(x, 'f', 3, 64)
}

// secondsText writes a time with two or three digits.
func secondsText(s float64) string {
	switch {
	case s < 0.0001:
		return "<0.0001"
	case s < 0.01:
		return strconv.FormatFloat(s, 'f', 4, 64)
	case s < 1:
		return strconv.FormatFloat(s, 'f', 3, 64)
	case s < 100:
		return strconv.FormatFloat(s, 'f', 1, 64)
	}
	return strconv.FormatFloat(s, 'f', 0, 64)
}

// numberOr writes a number, or nothing for 0, which means that there is none.
func numberOr(v int64) string {
	if v == 0 {
		return ""
	}
	return strconv.FormatInt(v, 10)
}
