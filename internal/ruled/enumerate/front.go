package enumerate

import (
	"slices"

	"github.com/stowage-go/stowage/internal/timeline"
)

// Idea: the bodies of a pool start at their least offsets. If the difference of two offsets lies in a forbidden range,
// one of two inequalities must hold: the difference is at most the lower end of the range, or at least the upper end.
// The search tries both. If no difference is forbidden, a pair may still pay a penalty. For the pair with the least
// penalty there are three cases: the pair pays, or one of its two inequalities holds.
//
// In a pool of objects whose number counts, two members that may begin at the same byte are another pair: they do, or
// that difference is forbidden, too.
//
// At the end of a branch is a point: a height, a penalty and a number of objects. The front is the points that no other
// point beats in all of them.
//
// A branch ends if a point of the front is as good as its bounds. With low[b] as the least offset of b,
//
//	height >= max over b of low[b] + size[b]
//	height >= max over sections and bytes x of x + sum of the bytes there of bodies whose bytes begin at x or above
//	height >= the least height of a part of the set
//
// Invariant: each plan of the set keeps one inequality of each pair, or is in the branch in which the pair pays. So for
// each plan some point is as low, pays as little and has as few objects.
//
// Complexity: exponential in the pairs that are in each other's way. O(pairs + uses) a node.
//
// Source: disjunctive temporal problems (Stergiou and Koubarakis 1998), in the meta-CSP for rectangle
// packing (Moffitt and Pollack 2006); a front by an archive of points that none dominates.

// front has plans of a set of bodies, the lowest first. For each plan of the set, one of them is at most as high and
// pays at most as much, with at most as many objects.
type front struct {
	points []point
	ideal  point // the least height, penalty and number of objects of the points
}

// point is a plan of a set.
type point struct {
	height, paid, objects int64
	bodies                []int32
	at                    []int64 // the offset of each
}

// packer looks for the front of a set.
type packer struct {
	lane   *lane
	search *search
	bodies []int32
	places []int32
	high   []int64 // of each body: no offset is above this
	pairs  []soft  // the penalised pairs; a and b are indices in the set
	pays   []bool  // of each pair, whether the branch lets it pay
	links  []link  // members of two bodies that may begin at one byte; a and b are indices in the set
	parted []bool  // of each link, whether the two begin at different bytes
	joined []bool  // of each link, whether the two begin at the same byte
	sums   [][]use // of each section with several bodies of the set; places are indices in the set
	above  []more
	least  int64 // no plan is lower
	front  front
	order  []use // scratch
}

// front looks for the front of a set. had is the front of a part of it.
func (l *lane) front(x *search, in set, had *front) *front {
	if l.boxes != nil {
		return l.boxed(x, in)
	}
	k := &packer{lane: l, search: x, least: had.ideal.height}
	number := make([]int32, len(l.body))
	top := l.highest // all bodies stacked above this are a plan, if each of them may lie there
	for _, end := range l.borders {
		top = max(top, end)
	}
	for place, body := range l.body {
		number[place] = -1
		if in.has(body) {
			number[place] = int32(len(k.places))
			k.places, k.bodies = append(k.places, int32(place)), append(k.bodies, body)
			top = max(top, l.fixed[place]+l.size[place])
		}
	}
	for _, place := range k.places {
		top += l.size[place] + l.align[place] - 1 + max(0, l.page-1)
	}
	if l.capacity > 0 {
		top = min(top, l.capacity)
	}
	low := make([]int64, len(k.places))
	for n, place := range k.places {
		at, high := l.lift(place, 0), top-l.size[place]
		if f := l.fixed[place]; f >= 0 {
			if l.lift(place, f) != f {
				return &k.front
			}
			at, high = f, min(f, high)
		}
		if at > high {
			return &k.front
		}
		low[n], k.high = at, append(k.high, high)
	}
	for _, y := range l.soft {
		if a, b := number[y.a], number[y.b]; a >= 0 && b >= 0 {
			y.a, y.b = a, b
			k.pairs = append(k.pairs, y)
		}
	}
	k.pays = make([]bool, len(k.pairs))
	for _, y := range l.links {
		if a, b := number[y.a], number[y.b]; a >= 0 && b >= 0 {
			y.a, y.b = a, b
			k.links = append(k.links, y)
		}
	}
	k.parted, k.joined = make([]bool, len(k.links)), make([]bool, len(k.links))
	for _, all := range l.load {
		var here []use
		for _, u := range all {
			if n := number[u.place]; n >= 0 {
				here = append(here, use{n, u.from, u.to})
			}
		}
		if len(here) > 1 {
			k.sums = append(k.sums, here)
		}
	}
	k.descend(low, 0)
	k.front.idealise()
	return &k.front
}

// idealise computes the ideal point.
func (f *front) idealise() {
	for n, y := range f.points {
		if n == 0 {
			f.ideal = y
		}
		f.ideal.height, f.ideal.paid = min(f.ideal.height, y.height), min(f.ideal.paid, y.paid)
		f.ideal.objects = min(f.ideal.objects, y.objects)
	}
}

// descend goes on from offsets that keep all inequalities so far. paid is the penalty so far.
func (k *packer) descend(low []int64, paid int64) {
	if k.search.over() {
		return
	}
	height, fits := k.heightOf(low)
	if !fits || k.beaten(height, paid) {
		return
	}
	if a, b, f, clash := k.clash(low); clash {
		ways := [2]more{{from: a, to: b, by: f.Below}, {from: b, to: a, by: -f.Above}}
		if low[b]+ways[1].by+k.lane.size[k.places[a]] < low[a]+ways[0].by+k.lane.size[k.places[b]] {
			ways[0], ways[1] = ways[1], ways[0]
		}
		for _, m := range ways {
			k.try(low, paid, m)
		}
		return
	}
	if ways, clash := k.shared(low); clash {
		for _, m := range ways {
			k.try(low, paid, m)
		}
		return
	}
	for n, y := range k.pairs {
		if d := low[y.b] - low[y.a]; k.pays[n] || d <= y.above || d >= y.below {
			continue
		}
		k.pays[n] = true
		k.descend(low, paid+y.cost)
		k.pays[n] = false
		k.try(low, paid, more{from: y.a, to: y.b, by: y.below})
		k.try(low, paid, more{from: y.b, to: y.a, by: -y.above})
		return
	}
	for n, y := range k.links {
		if k.parted[n] || k.joined[n] {
			continue
		}
		k.joined[n] = true
		k.above = append(k.above, more{from: y.a, to: y.b, by: y.by}, more{from: y.b, to: y.a, by: -y.by})
		if next := slices.Clone(low); k.rise(next) {
			k.descend(next, paid)
		}
		k.above = k.above[:len(k.above)-2]
		k.joined[n], k.parted[n] = false, true
		if !k.search.cut {
			k.descend(low, paid)
		}
		k.parted[n] = false
		return
	}
	k.add(low)
}

// try goes on with one more inequality.
func (k *packer) try(low []int64, paid int64, m more) {
	if k.search.cut {
		return
	}
	k.above = append(k.above, m)
	if next := slices.Clone(low); k.rise(next) {
		k.descend(next, paid)
	}
	k.above = k.above[:len(k.above)-1]
}

// beaten reports whether some point of the front is as good as these bounds.
func (k *packer) beaten(height, paid int64) bool {
	return slices.ContainsFunc(k.front.points, func(y point) bool {
		return y.paid <= paid && (y.height <= height || !k.lane.tall) && y.objects <= min(1, int64(len(k.lane.begins)))
	})
}

// heightOf returns a bound of the height, and whether it is within the capacity.
func (k *packer) heightOf(low []int64) (height int64, fits bool) {
	height = k.least
	for n, at := range low {
		height = max(height, at+k.lane.size[k.places[n]])
	}
	for _, all := range k.sums {
		k.order = k.order[:0]
		for _, u := range all {
			u.from, u.to = low[u.place]+u.from, u.to-u.from // where it begins, and how many bytes
			k.order = append(k.order, u)
		}
		slices.SortFunc(k.order, func(x, y use) int { return int(max(-1, min(1, y.from-x.from))) })
		bytes := int64(0)
		for _, u := range k.order {
			bytes += u.to
			height = max(height, u.from+bytes)
		}
	}
	return height, k.lane.capacity == 0 || height <= k.lane.capacity
}

// clash returns two bodies with a forbidden difference, the pair nearest the ground, and the range in which the
// difference lies.
func (k *packer) clash(low []int64) (a, b int32, f timeline.Forbidden, found bool) {
	nearest := int64(0)
	for i := range low {
		for j := i + 1; j < len(low); j++ {
			at := max(low[i], low[j])
			if found && at >= nearest {
				continue
			}
			d := low[j] - low[i]
			for _, r := range k.lane.hard[int(k.places[i])*len(k.lane.body)+int(k.places[j])] {
				if r.Above < d && d < r.Below {
					a, b, f, found, nearest = int32(i), int32(j), r, true, at
					break
				}
			}
		}
	}
	for n, y := range k.links {
		if at := max(low[y.a], low[y.b]); k.parted[n] && low[y.b]-low[y.a] == y.by && (!found || at < nearest) {
			f = timeline.Forbidden{Above: y.by - 1, Below: y.by + 1} // the bytes that follow are forbidden anyway
			a, b, found, nearest = y.a, y.b, true, at
		}
	}
	return a, b, f, found
}

// shared returns the ways out for two members of different kinds on one page.
func (k *packer) shared(low []int64) (ways [2]more, clash bool) {
	g := k.lane.page
	if g == 0 {
		return ways, false
	}
	for i := range low {
		for j := range low {
			if i == j || k.places[i] > k.places[j] {
				continue
			}
			for _, y := range k.lane.kinds[int(k.places[i])*len(k.lane.body)+int(k.places[j])] {
				a, b := low[i]+y.from, low[j]+y.at
				if a/g <= (b+y.bytes-1)/g && b/g <= (a+y.size-1)/g {
					return [2]more{
						{from: int32(i), to: int32(j), by: y.from + y.size, page: g, less: y.at},
						{from: int32(j), to: int32(i), by: y.at + y.bytes, page: g, less: y.from},
					}, true
				}
			}
		}
	}
	return ways, false
}

// add puts a plan into the front.
func (k *packer) add(low []int64) {
	y := point{bodies: k.bodies, at: low}
	for n, at := range low {
		y.height = max(y.height, at+k.lane.size[k.places[n]])
	}
	for _, p := range k.pairs {
		if d := low[p.b] - low[p.a]; p.above < d && d < p.below {
			y.paid += p.cost
		}
	}
	y.objects = k.objectsAt(low)
	k.front.put(k.lane, &y)
}

// put puts a point into the front, unless one of its points is as good in all that counts.
func (f *front) put(l *lane, y *point) {
	asGood := func(y, z *point) bool {
		return y.paid <= z.paid && y.objects <= z.objects && (y.height <= z.height || !l.tall)
	}
	if slices.ContainsFunc(f.points, func(z point) bool { return asGood(&z, y) }) {
		return
	}
	f.points = slices.DeleteFunc(f.points, func(z point) bool { return asGood(y, &z) })
	at, _ := slices.BinarySearchFunc(f.points, y.height,
		func(z point, h int64) int { return int(max(-1, min(1, z.height-h))) })
	f.points = slices.Insert(f.points, at, *y)
}

// objectsAt returns the number of objects, if it counts.
func (k *packer) objectsAt(low []int64) int64 {
	if k.lane.begins == nil {
		return 0
	}
	var at []int64
	for n, place := range k.places {
		for _, above := range k.lane.begins[place] {
			at = append(at, low[n]+above)
		}
	}
	slices.Sort(at)
	return int64(len(slices.Compact(at)))
}
