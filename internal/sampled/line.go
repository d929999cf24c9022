package sampled

import (
	"math/big"
	"strconv"
)

// Idea: while one symbol v varies, a size is a polynomial in u = floor((v+c)/s): s is the product of the strides that the
// symbol met, and c what windows and paddings added. Floors of floors are floors of that form. The size changes only
// where u does, so the first change leaves one c for each s. The smallest s wins for which a polynomial of at most
// mostDegree has all values.
//
// Complexity: O(mostStride × values), and less where an s fails early.

const (
	mostDegree = 3
	mostStride = 512
)

// A quotient is what a symbol v is to a size: floor((v+c)/s), to at most a power.
type quotient struct{ s, c, degree int64 }

func (q quotient) of(v int64) int64 { return (v + q.c) / q.s }

// text returns the quotient of a symbol as formulas have it, less base.
func (q quotient) text(name string, base int64) string {
	text := name
	if q.c > 0 {
		text += "+" + strconv.FormatInt(q.c, 10)
	}
	switch {
	case q.s > 1:
		text = "floor(" + group(text, q.c > 0) + "/" + strconv.FormatInt(q.s, 10) + ")"
	case q.c > 0:
		text = group(text, true)
	}
	if base > 0 {
		text = "(" + text + "-" + strconv.FormatInt(base, 10) + ")"
	}
	return text
}

func group(text string, needed bool) string {
	if needed {
		return "(" + text + ")"
	}
	return text
}

// quotientOf returns the quotient that sizes at ascending values have. all says that the symbol has no other values.
func quotientOf(values, sizes []int64, all bool) (q quotient, ok bool) {
	at := 1
	for at < len(sizes) && sizes[at] == sizes[at-1] {
		at++
	}
	if at == len(sizes) {
		return quotient{s: 1}, true
	}
	first, gap := values[at], values[at]-values[at-1]
	for s := int64(1); s <= mostStride; s++ {
		// A multiple of s is above values[at-1]+c and at most values[at]+c.
		for d := int64(0); d < min(gap, s); d++ {
			q := quotient{s: s, c: ((d-first)%s + s) % s}
			if q.degreeOf(values, sizes, all) {
				return q, true
			}
		}
	}
	return q, false
}

// degreeOf sets the degree of a quotient, and reports whether a polynomial in it has all the sizes.
func (q *quotient) degreeOf(values, sizes []int64, all bool) bool {
	var us, ys []int64
	for k, v := range values {
		u := q.of(v)
		if n := len(us); n > 0 && us[n-1] == u {
			if ys[n-1] != sizes[k] {
				return false
			}
			continue
		}
		us, ys = append(us, u), append(ys, sizes[k])
	}
	n := int64(len(us))
	for q.degree = 1; q.degree <= mostDegree; q.degree++ {
		if q.degree >= n || !all && q.degree+1 >= n {
			return false
		}
		var x, y []*big.Rat
		for k := range q.degree + 1 {
			at := k * (n - 1) / q.degree
			x, y = append(x, big.NewRat(us[at], 1)), append(y, big.NewRat(ys[at], 1))
		}
		c := interpolated(x, y)
		fits := true
		for k := 0; fits && k < len(us); k++ {
			fits = valueOf(c, us[k]).Cmp(big.NewRat(ys[k], 1)) == 0
		}
		if fits {
			return true
		}
	}
	return false
}

// interpolated returns the coefficients, the constant first, of the polynomial that has the values y at x.
func interpolated(x, y []*big.Rat) []*big.Rat {
	n := len(x)
	d := make([]*big.Rat, n) // divided differences
	for k := range y {
		d[k] = new(big.Rat).Set(y[k])
	}
	for j := 1; j < n; j++ {
		for k := n - 1; k >= j; k-- {
			d[k].Sub(d[k], d[k-1])
			d[k].Quo(d[k], new(big.Rat).Sub(x[k], x[k-j]))
		}
	}
	c := make([]*big.Rat, n)
	for k := range c {
		c[k] = new(big.Rat)
	}
	for k := n - 1; k >= 0; k-- { // Horner's rule: c = c·(u - x[k]) + d[k]
		for j := n - 1; j >= 0; j-- {
			c[j].Mul(c[j], new(big.Rat).Neg(x[k]))
			if j > 0 {
				c[j].Add(c[j], c[j-1])
			}
		}
		c[0].Add(c[0], d[k])
	}
	return c
}

// valueOf returns the value of a polynomial.
func valueOf(c []*big.Rat, u int64) *big.Rat {
	v, at := new(big.Rat), big.NewRat(u, 1)
	for k := len(c) - 1; k >= 0; k-- {
		v.Mul(v, at)
		v.Add(v, c[k])
	}
	return v
}
