package source

import (
	"fmt"
	"slices"
)

// CheckOrder says why the operators of a model cannot run in an order: the order must have each of them once, behind
// those that it needs. prior has these. one and whole are the words for an operator and for all of them, and label
// names an operator by its number. The error wraps bad.
func CheckOrder[K int | int32](order []int, prior [][]K, bad error, one, whole string, label func(k int) string) error {
	n := len(prior)
	if len(order) != n {
		return fmt.Errorf("%w: it has %d %ss, %s has %d", bad, len(order), one, whole, n)
	}
	place := slices.Repeat([]int{-1}, n)
	for at, k := range order {
		switch {
		case k < 0 || k >= n:
			return fmt.Errorf("%w: there is no %s %d; %s has %d", bad, one, k, whole, n)
		case place[k] >= 0:
			return fmt.Errorf("%w: %s %d stands twice", bad, one, k)
		}
		place[k] = at
	}
	for k, before := range prior {
		for _, b := range before {
			if place[b] > place[k] {
				return fmt.Errorf("%w: %s needs %s, which stands behind it", bad, label(k), label(int(b)))
			}
		}
	}
	return nil
}
