package run

import "math"

// Numbers are read here rather than by strconv: its errors, and its conversion of
// any text to the nearest float, add more to a program than a few parameters are
// worth.

// wholeNumber reads decimal digits with a sign or without.
func wholeNumber(text string) (x int64, ok bool) {
	digits, sign := text, int64(1)
	if digits != "" && (digits[0] == '-' || digits[0] == '+') {
		if digits[0] == '-' {
			sign = -1
		}
		digits = digits[1:]
	}
	for k := range len(digits) {
		d := int64(digits[k]) - '0'
		if d < 0 || d > 9 {
			return 0, false
		}
		// Downwards or upwards, so that the least number can be read as well.
		d *= sign
		if sign > 0 && x > (math.MaxInt64-d)/10 || sign < 0 && x < (math.MinInt64-d)/10 {
			return 0, false
		}
		x = 10*x + d
	}
	return x, digits != ""
}

// number reads a decimal number such as 2, -0.5 or 1e-3. Up to fifteen digits, with
// an exponent up to 22, it is the nearest float; beyond that one close to it.
func number(text string) (x float64, ok bool) {
	sign := 1.0
	if text != "" && (text[0] == '-' || text[0] == '+') {
		if text[0] == '-' {
			sign = -1
		}
		text = text[1:]
	}
	point, seen := -1, 0
	k := 0
	for ; k < len(text); k++ {
		if c := text[k]; c == '.' && point < 0 {
			point = seen
		} else if c >= '0' && c <= '9' {
			x = 10*x + float64(c-'0')
			seen++
		} else {
			break
		}
	}
	if seen == 0 {
		return 0, false
	}
	exponent := int64(0)
	if point >= 0 {
		exponent = int64(point - seen)
	}
	if k < len(text) {
		if text[k] != 'e' && text[k] != 'E' {
			return 0, false
		}
		e, ok := wholeNumber(text[k+1:])
		if !ok {
			return 0, false
		}
		exponent += max(-400, min(e, 400))
	}
	// Powers of ten up to 22 are exact, and so is one operation on exact numbers.
	for ; exponent > 0; exponent -= min(exponent, 22) {
		x *= power(min(exponent, 22))
	}
	for ; exponent < 0; exponent += min(-exponent, 22) {
		x /= power(min(-exponent, 22))
	}
	return sign * x, true
}

// power returns ten to the power of n.
func power(n int64) float64 {
	x := 1.0
	for ; n > 0; n-- {
		x *= 10
	}
	return x
}
