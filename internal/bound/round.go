package bound

import (
	"math"

	"github.com/stowage-go/stowage/model"
)

// Up returns the least multiple of the given number that is at least x. x may have any sign. The number is at least 1.
func Up(x, multiple int64) int64 {
	if multiple <= 1 {
		return x
	}
	return up(x, multiple)
}

// up is the part of Up that divides. It is apart so that the compiler inlines Up.
func up(x, multiple int64) int64 {
	r := x % multiple
	if r > 0 {
		r -= multiple
	}
	return x - r
}

// Down returns the greatest multiple of the given number that is at most x. x may have any
// sign. The number is at least 1.
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

// GCD returns the greatest common divisor of a and b, which may have any sign. It is 0 if both are 0.
func GCD(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	if a < 0 {
		return -a
	}
	return a
}

// LCM returns the least common multiple of two numbers of at least 1, or 0 if it is above most.
func LCM(a, b, most int64) int64 {
	a /= GCD(a, b)
	if b > most/a {
		return 0
	}
	return a * b
}

// Period returns the least common multiple of alignments, or math.MaxInt64 if it is above any offset.
func Period(alignments []int64) int64 {
	period := int64(1)
	for _, a := range alignments {
		if period = LCM(a, period, model.MaxSum); period == 0 {
			return math.MaxInt64
		}
	}
	return period
}

// CommonAlignment returns the greatest number that divides every address at which the use
// of a buffer can start: the greatest common divisor of the alignments. If one of the
// buffers has a window, it is 1, because a window may start anywhere in its buffer.
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
