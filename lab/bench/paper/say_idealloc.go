package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/stowage-go/stowage/internal/comparison"
)

// The sentences of idealloc's sections: figures in, sentences out (judge.go).

// heights is figure 6.
type heights struct {
	real      bool      // A to K themselves
	boxing    []float64 // its height over the load, problem by problem, of the most tries
	gains     []float64 // the height of the fewest tries over that of the most
	tries     int       // the most that came to an end
	problems  int
	fits      int // problems on which exact keeps the capacity
	compared  int // problems that boxing was run on
	onlyExact int // exact is lower than boxing and nothing else is
	tied      int // boxing is as low as exact, and nothing is lower

	climbs, climbLower int // problems that TVM's hill climb was compared on, and is lower on
}

// spread is how far boxing is above the load.
func (f heights) spread() string {
	return fmt.Sprintf("%.0f%% to %.0f%% above, of up to %s tries", 100*(slices.Min(f.boxing)-1), 100*(slices.Max(f.boxing)-1), comparison.Grouped(int64(f.tries)))
}

// verdict compares the middle of boxing's heights with the paper's range.
func (f heights) verdict() string {
	switch {
	case len(f.boxing) == 0:
		return notRun
	case !f.real:
		return differs
	case len(f.boxing) < fewest:
		return tooFew
	}
	switch x := comparison.Median(f.boxing); {
	case x < 1.2:
		return ahead
	case x > 1.4:
		return behind
	}
	return level
}

func (f heights) say() []string {
	var s []string
	if f.problems > 0 {
		s = append(s, fmt.Sprintf("The exact search keeps the capacity on %d of %d.", f.fits, f.problems))
	}
	if f.compared > 0 {
		if f.tied == f.compared {
			return append(s, "On all of them boxing is as low as the exact search: these problems distinguish nothing.")
		}
		s = append(s, fmt.Sprintf("On %d of %d it is lower than boxing and nothing else is; on %d boxing is as low as it.", f.onlyExact, f.compared, f.tied))
	}
	if n := len(f.gains); n >= fewest {
		switch x := comparison.GeometricMean(f.gains); {
		case !finite(x):
		case near(x, 1, 1.005):
			s = append(s, "The most tries are within half a percent of the fewest (geometric mean).")
		default:
			s = append(s, fmt.Sprintf("The fewest tries are %.1f%% above the most (geometric mean).", 100*(x-1)))
		}
	}
	if f.climbs > 0 {
		text := fmt.Sprintf("TVM's hill climb is lower than boxing on %d of %d", f.climbLower, f.climbs)
		if f.real {
			text += "; in the paper on none of the seven that only MiniMalloc is lower on"
		}
		s = append(s, text+".")
	}
	return said(s...)
}

// growing is table 1, in seconds.
type growing struct {
	same  []sameSize
	auto  solvedShare
	peer  solvedShare // google/minimalloc
	fails []string    // problems without a plan of its
	limit time.Duration
}

// A sameSize is a single run of boxing, at a size of the paper's.
type sameSize struct {
	name        string
	buffers     int
	paper, here float64
	made        bool // a generated problem of the size, and not the paper's
}

// verdict is of the time; that of a generated problem is none.
func (q sameSize) verdict() string {
	if q.made {
		return differs
	}
	return compare(q.paper, q.here, less)
}

// add takes a run of boxing on so many buffers, where the paper has as many: the first of
// each size, as problems of the paper's own come before generated ones.
func (f *growing) add(name string, buffers int, seconds float64, made bool) {
	for _, q := range table1 {
		if q.buffers == buffers && !slices.ContainsFunc(f.same, func(s sameSize) bool { return s.buffers == buffers }) {
			f.same = append(f.same, sameSize{name, buffers, q.idealloc / 1000, seconds, made})
		}
	}
}

func (f growing) say() []string {
	var s []string
	quicker, slower, ties, made := 0, 0, 0, 0
	var where []string
	for _, q := range f.same {
		if q.made {
			made++
		}
		switch {
		case !finite(q.here) || q.here <= 0:
		case near(q.paper, q.here, tieFactor):
			ties++
			where = append(where, fmt.Sprintf("tied at %s buffers", comparison.Grouped(int64(q.buffers))))
		case q.here < q.paper:
			quicker++
		default:
			slower++
			where = append(where, fmt.Sprintf("slower at %s", comparison.Grouped(int64(q.buffers))))
		}
	}
	switch n := quicker + slower + ties; {
	case n == 0:
	case quicker == n && n == len(table1):
		s = append(s, fmt.Sprintf("On another machine than the paper's, a single run of boxing takes less time than idealloc's at all %d sizes of the paper.", n))
	case quicker == n:
		s = append(s, fmt.Sprintf("On another machine than the paper's, a single run of boxing takes less time than idealloc's at the %d of the paper's %d sizes that were run.", n, len(table1)))
	default:
		s = append(s, fmt.Sprintf("On another machine than the paper's, a single run of boxing takes less time than idealloc's at %d of %d sizes: it is %s.", quicker, n, list(where)))
	}
	if made > 0 && quicker+slower+ties > 0 {
		s = append(s, fmt.Sprintf("Problems that were generated at the paper's sizes, and are not the paper's: %d of %d.", made, quicker+slower+ties))
	}
	if f.peer.of > 0 {
		s = append(s, fmt.Sprintf("google/minimalloc's program, asked for the capacities of the table and not tuned, plans %s within %v.", of(f.peer.part, f.peer.of), f.limit))
	}
	if f.auto.of > 0 {
		text := fmt.Sprintf("auto plans %s within %v", of(f.auto.part, f.auto.of), f.limit)
		if f.peer.of > 0 && len(f.fails) > 0 {
			text += "; minimalloc has no plan of " + strings.Join(f.fails, ", ")
		}
		s = append(s, text+".")
	}
	return said(s...)
}
