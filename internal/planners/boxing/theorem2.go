package boxing

import "slices"

// Idea: all items have one size, and H of them fit into a box. Time is split at critical points.
//
//   - Items that are live at some point are divided, by a binary split over the points, into groups that share a point.
//     Lemma 1 boxes each group. Items that it leaves are coloured, and each H rows become a box.
//   - Items between two points are solved in the same way, with new points: the gaps of the rows. So the boxes of the next
//     level fit into the holes of this one. If no gap is of use, the end of a random item is the point.
//
// These points are the only random choice of the algorithm, and plans differ much by them. So there are many tries.
//
// Invariant: each call has a point at which an item is live, so each call boxes something; every item is boxed once.
//
// Complexity: O(k log k) a level of the recursion for k items.
//
// Source: Theorem 2 of Buchsbaum et al., as idealloc (a21f84d) has it.

// theorem2 boxes items, which are sorted by start, into boxes of the given height for H items each, and appends them
// to t.out. points are the critical points, ascending; the first and the last are the bounds of the items' time. In
// the outermost call points is nil.
func (t *try) theorem2(items []id, units, height int64, eps float64, points []int32) {
	b := t.boxes
	pointsAt := len(t.points)
	defer func() { t.points = t.points[:pointsAt] }()
	if points == nil {
		from, to := b.lower[items[0]], b.upper[items[0]]
		for _, i := range items {
			to = max(to, b.upper[i])
		}
		t.points = append(t.points, from, t.random(items), to)
		points = t.points[pointsAt:]
	}

	// Live at an inner point, or strictly between two. items is sorted by
	// start, so the items of an interval come together.
	type interval struct {
		after    int32 // the point it begins at
		from, to int   // in t.between
	}
	live := t.live[:0]
	betweenAt := len(t.between)
	var intervals []interval
	q := int32(1)
	for _, i := range items {
		for points[q] <= b.lower[i] {
			q++
		}
		if points[q] < b.upper[i] {
			live = append(live, i)
			continue
		}
		if k := len(intervals) - 1; k < 0 || intervals[k].after != q-1 {
			intervals = append(intervals, interval{after: q - 1, from: len(t.between), to: len(t.between)})
		}
		t.between = append(t.between, i)
		intervals[len(intervals)-1].to++
	}
	t.live = live

	t.left = t.left[:0]
	t.byPoint(live, points[1:len(points)-1], units, height, eps)
	gaps := t.rows(units, height, points[0], points[len(points)-1])
	gapsAt := len(t.points)
	t.points = append(t.points, gaps...)
	gaps = t.points[gapsAt:]

	for _, v := range intervals {
		inside := t.between[v.from:v.to]
		from, to := points[v.after], points[v.after+1]
		low, _ := slices.BinarySearch(gaps, from+1)
		high, _ := slices.BinarySearch(gaps, to)
		at := len(t.points)
		t.points = append(t.points, from)
		t.points = append(t.points, gaps[low:high]...)
		if !b.anyLive(inside, gaps[low:high]) {
			p := t.random(inside)
			k, _ := slices.BinarySearch(t.points[at:], p)
			t.points = slices.Insert(t.points, at+k, p)
		}
		t.points = append(t.points, to)
		t.theorem2(inside, units, height, eps, t.points[at:])
		t.points = t.points[:at]
	}
	t.between = t.between[:betweenAt]
}

// byPoint splits live into groups that share a point, and hands each to Lemma 1. Each item is live at one of points
// at least.
func (t *try) byPoint(live []id, points []int32, units, height int64, eps float64) {
	if len(live) == 0 {
		return
	}
	if len(points) == 1 {
		t.left = t.lemma1(live, units, height, eps, t.left)
		return
	}
	b := t.boxes
	mid := len(points) / 2
	p := points[mid]
	// A stable three-way split: before, at, after.
	sideAt := len(t.side)
	k := 0
	for _, i := range live {
		if b.upper[i] <= p {
			live[k] = i
			k++
		} else {
			t.side = append(t.side, i)
		}
	}
	before := live[:k]
	rest := t.side[sideAt:]
	at := k
	for _, i := range rest {
		if b.lower[i] < p {
			live[k] = i
			k++
		}
	}
	now := live[at:k]
	at = k
	for _, i := range rest {
		if b.lower[i] >= p {
			live[k] = i
			k++
		}
	}
	after := live[at:]
	t.side = t.side[:sideAt]
	if len(now) > 0 {
		t.left = t.lemma1(now, units, height, eps, t.left)
	}
	t.byPoint(before, points[:mid], units, height, eps)
	t.byPoint(after, points[mid+1:], units, height, eps)
}

// rows colours the unresolved items and boxes each H rows. It returns the ends of the rows' gaps between from and to,
// ascending, valid until the next call.
func (t *try) rows(units, height int64, from, to int32) []int32 {
	b := t.boxes
	gaps := t.gaps[:0]
	b.sortByStart(t.left)
	row, rows := t.colours.colour(b, t.left)
	// end[r] is the end of the last item in row r so far.
	end := t.end[:0]
	for range rows {
		end = append(end, from)
	}
	for k, i := range t.left {
		if r := row[k]; end[r] < b.lower[i] {
			gaps = append(gaps, end[r], b.lower[i])
		}
		end[row[k]] = b.upper[i]
	}
	for _, e := range end {
		if e < to {
			gaps = append(gaps, e)
		}
	}
	t.end = end

	// Sort the items by the box that their row falls into, H rows each.
	perBox := min(units, int64(max(rows, 1)))
	count := (int64(rows) + perBox - 1) / perBox
	at := slices.Grow(t.boxAt[:0], int(count)+1)[:count+1]
	clear(at)
	for _, r := range row {
		at[int64(r)/perBox+1]++
	}
	for k := 1; k < len(at); k++ {
		at[k] += at[k-1]
	}
	byBox := slices.Grow(t.byBox[:0], len(t.left))[:len(t.left)]
	for k, i := range t.left {
		v := int64(row[k]) / perBox
		byBox[at[v]] = i
		at[v]++
	}
	begin := int32(0)
	for k := range count {
		t.out = append(t.out, b.box(byBox[begin:at[k]], height))
		begin = at[k]
	}
	t.boxAt, t.byBox = at, byBox

	slices.Sort(gaps)
	t.gaps = gaps
	return slices.Compact(gaps)
}

// anyLive reports whether any item is live at any of the points.
func (b *boxes) anyLive(items []id, points []int32) bool {
	if len(points) == 0 {
		return false
	}
	q := 0
	for _, i := range items {
		for q < len(points) && points[q] <= b.lower[i] {
			q++
		}
		if q == len(points) {
			return false
		}
		if points[q] < b.upper[i] {
			return true
		}
	}
	return false
}

// random returns a point just inside the start or the end of an item. The chooser draws one of these ends, which are
// counted in the order of time.
func (t *try) random(items []id) int32 {
	b := t.boxes
	k := t.choose(2 * len(items))
	if k%2 == 0 {
		return b.lower[items[k/2]] + 1
	}
	return b.upper[items[k/2]] - 1
}
