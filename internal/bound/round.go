package bound

import (
	"math"

	"github.com/stowage-go/stowage/model"
)

// Up returns the least multiple of the given number that is at least x, for any
// sign of x. The number is at least 1.
func Up(x, multiple int64) int64 {
	if multiple <= 1 {
		return x
	}
	return up(x, multiple)
}

// up is the part of Up that is not worth a copy in each of its callers: it
// divides.
func up(x, multiple int64) int64 {
	r := x % multiple
	if r > 0 {
		r -= multiple
	}
	return x - r
}

// Down returns the greatest multiple of the given number that is at most x, for
// any sign of x. The number is at least 1.
func Down(x, multiple int64) int64 {
	if multiple <= 1 {
		return x
	}
	r := x % multiple
	if r < 0 {
		r += multiple
	}
	return x - r
}

// GCD returns the greatest number that divides both, for any sign of either; 0
// where both are 0.
func GCD(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	if a < 0 {
		return -a
	}
	return a
}

// LCM returns the least common multiple of two numbers of at least 1, 0 where it is
// above most.
func LCM(a, b, most int64) int64 {
	a /= GCD(a, b)
	if b > most/a {
		return 0
	}
	return a * b
}

// Period returns the least common multiple of alignments, or math.MaxInt64 where
// it is above any offset.
func Period(alignments []int64) int64 {
	period := int64(1)
	for _, a := range alignments {
		if period = LCM(a, period, model.MaxSum); period == 0 {
			return math.MaxInt64
		}
	}
	return period
}

// CommonAlignment returns the greatest number that divides where any byte in use
// may start: that of all alignments of the given buffers, or 1 where one of them
// has a window, since what it uses may then start anywhere.
func CommonAlignment(p *model.Problem, buffers []int32) int64 {
	var g int64
	for _, i := range buffers {
		b := &p.Buffers[i]
		if b.HasWindow() {
			return 1
		}
		if g = GCD(g, b.Align()); g == 1 {
			return 1
		}
	}
	return max(g, 1)
}
