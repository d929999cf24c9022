package tflm

import (
	"cmp"
	"context"
	"math"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/stowage-go/stowage/internal/strips"
	"github.com/stowage-go/stowage/internal/tiling"
)

// Idea: there are O(operators²) chains, in many numbers of strips. Nearly all are of no use, and it takes a
// millisecond to look at one. So each chain is looked at in few numbers of strips. Between them and beyond them, a
// promise says what the chain may be at best:
//
//	load   the fewest bytes in use in the numbers around it, for loads go up and down by a line or two. Beyond the
//	       largest number: what load(n) = a + b/n has at the end, but at least the whole operand or the whole result
//	tail   a little less than on the line through the numbers that were looked at: each strip adds about as much
//	macs   that of the next smaller number
//
// A promise is looked at if some choice with it, all promises kept, has a smaller arena than the best plan so far.
//
// Before that, two bounds leave out whole chains. No load is below the floor: the least, over all paths, of the largest
// operator as it is and of the largest end of a chain, where its operand or its result is there as a whole. A chain
// whose operators are all below the floor saves nothing. Neither does one whose ends and tail exceed the best arena.
//
// Invariant: two runs look at the same chains, however many processors they have.
//
// Complexity: O(operators²) chains; the promises take O(limits · chains), with at most mostCells limits.
//
// Source: Stowage.

// stripCounts are the numbers of strips that are tried, the others those at which each chain is looked at.
var (
	stripCounts = tiling.Counts
	fewCounts   = []int{2, 4, 8}
	loopCounts  = []int{5, 8, 14} // of loops, which have three equal strips at least
)

// mostCells is how many limits of the load the bounds of promises have.
const mostCells = 256

// A series is a chain, as it was looked at in several numbers of strips.
type series struct {
	was  int64     // the load of its operators as they are
	ends int64     // no load is below it
	at   []segment // in the order of their strips
	over int       // so many strips are refused, and all that are more
	not  []int     // so many strips are refused, too
}

// manyStrips is more than any number of strips.
const manyStrips = 1 << 30

// inParallel calls do for 0 to n-1, with a splitter of its own on each processor.
func (s *splitting) inParallel(ctx context.Context, n int, progress func(done, all int),
	do func(splitter *strips.Splitter, k int),
) {
	var next, done atomic.Int64
	var all sync.WaitGroup
	for range min(n, runtime.GOMAXPROCS(0)) {
		all.Go(func() {
			splitter := strips.Of(s.m)
			for ctx.Err() == nil {
				k := int(next.Add(1)) - 1
				if k >= n {
					return
				}
				do(splitter, k)
				if d := int(done.Add(1)); progress != nil {
					progress(d, n)
				}
			}
		})
	}
	all.Wait()
}

// look looks at all chains that may be part of an arena whose load and further tail are below most, in some numbers of
// strips.
func (s *splitting) look(ctx context.Context, counts []int, most int64, progress func(done, all int)) []series {
	floor := s.floor()
	found := make([][]series, len(s.m.Operators))
	s.inParallel(ctx, len(found), progress, func(splitter *strips.Splitter, last int) {
		if s.after[last] < most {
			found[last] = s.upTo(ctx, splitter, last, counts, floor, most)
		}
	})
	return slices.Concat(found...)
}

// floor returns a load that no choice of chains is below. A chain may leave out lines that no window reads, so a part
// of the ends does not count.
func (s *splitting) floor() int64 {
	splitter := strips.Of(s.m)
	least := make([]int64, len(s.load)+1) // by place: of the paths up to it
	for last := range s.load {
		least[last+1] = max(least[last], s.load[last])
		for _, axis := range s.axesOf(last) {
			for first := last; first >= 0 && splitter.Refused(first, first, axis) == nil; first-- {
				if n := max(least[first], max(s.before[first], s.after[last])*3/4); n < least[last+1] &&
					splitter.Refused(first, last, axis) == nil {
					least[last+1] = n
				}
			}
		}
	}
	return least[len(s.load)]
}

// upTo looks at the chains that end with an operator, the shortest first. A longer one computes at least as many lines
// of the operators of a shorter one, so it is as costly.
func (s *splitting) upTo(ctx context.Context, splitter *strips.Splitter, last int, counts []int, floor, most int64,
) (out []series) {
	for _, axis := range s.axesOf(last) {
		over := slices.Repeat([]int{manyStrips}, len(ways))
		was := int64(0)
		for first := last; first >= 0 && ctx.Err() == nil && splitter.Refused(first, first, axis) == nil; first-- {
			was = max(was, s.load[first])
			if was <= floor || s.before[first] >= most || !slices.Contains(s.axesOf(first), axis) ||
				splitter.Refused(first, last, axis) != nil {
				continue
			}
			of := len(out)
			for w, c := range ways {
				at := counts
				if c.Loop && !s.loops {
					continue
				} else if c.Loop {
					at = loopCounts
				}
				c.First, c.Last, c.Axis = first, last, axis
				x := series{was: was, ends: max(s.before[first], s.after[last]), over: over[w]}
				if over[w] = s.counted(splitter, c, at, most, out[of:], &x); len(x.at) > 0 {
					out = append(out, x)
				}
			}
		}
	}
	return out
}

// counted looks at a chain in several numbers of strips. It returns the number from which on longer chains are costly.
// others are the chain in other ways: if its figures are those of one of them in the first number of strips, there is
// nothing to crop or to keep, so the two are one.
func (s *splitting) counted(splitter *strips.Splitter, c strips.Chain, counts []int, most int64, others []series,
	out *series,
) int {
	for _, c.Strips = range counts {
		if c.Strips >= out.over {
			return out.over
		}
		x, of := s.segment(splitter, c)
		switch {
		case of == costly:
			out.over = c.Strips
			return c.Strips
		case of == refused:
			continue
		case out.ends+x.tail-x.shared >= most:
			over := out.over
			out.over = c.Strips
			return over
		}
		if len(out.at) == 0 && slices.ContainsFunc(others, func(y series) bool { return y.at[0].same(&x) }) {
			return out.over
		}
		out.at = append(out.at, x)
	}
	return out.over
}

// same reports whether two segments have the same figures in as many strips.
func (x *segment) same(y *segment) bool {
	other := *y
	other.chain.Ring, other.chain.Crop = x.chain.Ring, x.chain.Crop
	return *x == other
}

// useful returns the segments of series that save something.
func useful(all []series, most int64) (out []segment) {
	for k := range all {
		for _, x := range all[k].at {
			if x.load < all[k].was && x.load+x.tail-x.shared < most {
				out = append(out, x)
			}
		}
	}
	return thinned(out)
}

// worse reports whether another way of the same chain is better in each number of strips that was looked at.
func (x *series) worse(y series) bool {
	a, b := x.at[0].chain, y.at[0].chain
	if a.First != b.First || a.Last != b.Last || a.Axis != b.Axis || len(y.at) < len(x.at) {
		return false
	}
	less := false
	for k := range x.at {
		p, q := &x.at[k], &y.at[k]
		if p.chain.Strips != q.chain.Strips || p.load < q.load || p.least < q.least || p.tail < q.tail || p.macs < q.macs {
			return false
		}
		less = less || !p.same(q)
	}
	return less
}

// promises returns those of a series.
func (x *series) promises() (out []segment) {
	for _, n := range stripCounts {
		at, seen := slices.BinarySearchFunc(x.at, n, func(y segment, n int) int { return y.chain.Strips - n })
		if seen || at == 0 || n >= x.over || slices.Contains(x.not, n) {
			continue
		}
		y := x.at[at-1]
		y.chain.Strips = n
		from, to, few := &x.at[at-1], &x.at[min(at, len(x.at)-1)], int64(0)
		if at == len(x.at) {
			to = from
			if at > 1 {
				from = &x.at[at-2]
			}
		}
		if few = int64(from.chain.Strips); from == to { // it was looked at in one number of strips
			if y.load = x.ends; !y.chain.Loop {
				y.tail = y.tail * int64(n) / few * 9 / 10
			}
		} else {
			many := int64(to.chain.Strips)
			if y.load = min(from.load, to.load); at == len(x.at) {
				first := &x.at[0] // far away, for the loads of near numbers go up and down
				fewest := int64(first.chain.Strips)
				y.load = max(x.ends, min(y.load, (many*to.load-fewest*first.load)/(many-fewest)))
			}
			y.tail = from.tail + (to.tail-from.tail)*(int64(n)-few)/(many-few)*19/20
		}
		if y.load < x.was {
			out = append(out, y)
		}
	}
	return out
}

// more looks at a share of the promises that are worth it, the best ones first, and adds them to their series. It
// returns false if there are no others.
func (s *splitting) more(ctx context.Context, all []series, most int64, share float64, progress func(done, all int),
) bool {
	var promises []segment
	var of []int // by promise: its series
	for k := range all {
		if slices.ContainsFunc(all[max(k-len(ways), 0):min(k+len(ways), len(all))], all[k].worse) {
			continue
		}
		for _, x := range all[k].promises() {
			promises, of = append(promises, x), append(of, k)
		}
	}
	kept := s.worth(useful(all, most), promises, most)
	n := len(kept)
	kept = kept[:int(math.Ceil(float64(n)*share))]
	found := make([]*segment, len(kept))
	s.inParallel(ctx, len(kept), progress, func(splitter *strips.Splitter, k int) {
		if x, is := s.segment(splitter, promises[kept[k]].chain); is == possible {
			found[k] = &x
		}
	})
	for k, x := range found {
		to := &all[of[kept[k]]]
		if x == nil {
			to.not = append(to.not, promises[kept[k]].chain.Strips)
		} else {
			at := slices.IndexFunc(to.at, func(y segment) bool { return y.chain.Strips > x.chain.Strips })
			if at < 0 {
				at = len(to.at)
			}
			to.at = slices.Insert(to.at, at, *x)
		}
	}
	return len(kept) < n
}

// worth returns the promises, by their index, that may be part of a choice whose load and further tail are below most,
// if all promises are kept: those of the least such sums first.
func (s *splitting) worth(all, promises []segment, most int64) (out []int) {
	both := slices.Concat(promises, all)
	limits := slices.Clone(s.load)
	for k := range both {
		limits = append(limits, both[k].load)
	}
	slices.Sort(limits)
	limits = slices.Compact(limits)
	if n := len(limits); n > mostCells {
		few := make([]int64, mostCells)
		for k := range few {
			few[k] = limits[k*(n-1)/(mostCells-1)]
		}
		limits = few
	}
	least := slices.Repeat([]int64{most}, len(promises)) // by promise: of load and further tail
	n := len(s.load)
	ends, begins := s.endings(both), make([][]int, n)
	for k := range both {
		begins[both[k].chain.First] = append(begins[both[k].chain.First], k)
	}
	ahead, behind := make([]int64, n+1), make([]int64, n+1) // the least tails of paths up to a place, and from it on
	for at, limit := range limits {
		below := int64(math.MaxInt64) // the loads of this cell are from limit to below
		if at+1 < len(limits) {
			below = limits[at+1]
		}
		for k := range n {
			ahead[k+1] = tiling.NoPath
			if s.load[k] < below {
				ahead[k+1] = ahead[k]
			}
			for _, i := range ends[k] {
				if x := &both[i]; x.load < below {
					ahead[k+1] = min(ahead[k+1], ahead[x.chain.First]+x.tail)
				}
			}
		}
		if limit+ahead[n] >= most {
			continue
		}
		for k := n - 1; k >= 0; k-- {
			behind[k] = tiling.NoPath
			if s.load[k] < below {
				behind[k] = behind[k+1]
			}
			for _, i := range begins[k] {
				if x := &both[i]; x.load < below {
					behind[k] = min(behind[k], behind[x.chain.Last+1]+x.tail)
				}
			}
		}
		for i := range promises {
			if x := &promises[i]; x.load < below {
				least[i] = min(least[i], max(limit, x.load)+ahead[x.chain.First]+x.tail+behind[x.chain.Last+1])
			}
		}
	}
	for i, sum := range least {
		if sum < most {
			out = append(out, i)
		}
	}
	slices.SortStableFunc(out, func(i, j int) int { return cmp.Compare(least[i], least[j]) })
	return out
}
