package beam

// Idea: the best children of a beam mostly descend from few layouts some buffers ago. When these are dead ends the
// whole beam dies at once, and a wider one a little later. So the layouts that have one ancestor are a line, and each
// layout of a line that is in the next beam makes the next one of that line dearer, by less and less. A line that is
// much better than the others still has more layouts, but not all of them.
//
// Invariant: the children of a line come by their scores, the best first, and the first of each line pays nothing.
// Without this technique all layouts are one line, and nobody pays.
//
// Complexity: a walk of generations steps for each layout. Lines are a heap, too, so a layout of the next beam takes
// as many steps as the logarithm of their number.
//
// Source: this project. That the beams of decoders are alike, and need groups, is known (Vijayakumar et al., 2018).

const (
	// generations is how many buffers ago the ancestor of a line was the last one placed.
	generations = 12
	// lineCost is what the second layout of a line pays. The one after r others pays 1 + 1/2 + … + 1/r times as much.
	lineCost = 4 * weightUnit * unit
	// spreadLeast is the least width of such a beam: a narrow one has no room for others beside the best.
	spreadLeast = 32
)

// lines is who of a beam descends from whom.
type lines struct {
	of    []int   // by layout: its line
	order []int   // layouts, line by line
	from  []int   // by line: its first place in order
	list  []line  // those of layouts
	last  int     // the line of the layout that has children now
	price []int64 // by how many of a line are in the next beam
	heap  []int32 // places in list of those that have children, the one with the cheapest child first
	stale bool    // the first of heap has changed
}

// A line is a heap of children, and how many of them are in the next beam.
type line struct {
	children []child
	first    int // of pass.children
	there    int
	least    int64 // what the best child costs
}

// divide finds the lines of the layouts of the beam.
func (x *pass) divide() {
	l, g := &x.lines, &x.now
	l.of, l.order, l.list, l.last = l.of[:0], l.order[:0], l.list[:0], -1
	back, begin, count := 0, int32(-1), 1 // before all buffers there is one node, -1
	spread := x.settings.spread && x.width >= spreadLeast
	if spread {
		back = min(generations, len(x.levels))
		if level := len(x.levels) - back - 1; level >= 0 {
			if begin = 0; level > 0 {
				begin = x.levels[level-1]
			}
			count = int(x.levels[level] - begin)
		}
	}
	l.from = append(l.from[:0], make([]int, count+1)...)
	for _, node := range g.trace[:g.n] {
		for range back {
			node = x.parent[node]
		}
		if node -= begin; !spread {
			node = 0
		}
		l.of = append(l.of, int(node))
		l.from[node+1]++
	}
	for i := range count {
		l.from[i+1] += l.from[i]
	}
	l.order = append(l.order, l.of...)
	for s, i := range l.of {
		l.order[l.from[i]] = s
		l.from[i]++
	}
	for r := len(l.price); r <= x.width; r++ {
		price := int64(0)
		if r > 0 && x.settings.spread {
			price = l.price[r-1] + lineCost/int64(r)
		}
		l.price = append(l.price, price)
	}
}

// begin notes that the children from the given one on are those of layout s. Layouts come in the order of lines.
func (l *lines) begin(s, child int) {
	if l.of[s] != l.last {
		l.last = l.of[s]
		l.list = append(l.list, line{first: child})
	}
}

// gather makes the children of each line a heap, and the lines one.
func (x *pass) gather() {
	l, end := &x.lines, len(x.children)
	for i := len(l.list) - 1; i >= 0; i-- {
		q := &l.list[i]
		q.children, end = x.children[q.first:end], q.first
		for j := len(q.children)/2 - 1; j >= 0; j-- {
			sink(q.children, j)
		}
	}
	l.heap, l.stale = l.heap[:0], false
	for i := range l.list {
		if len(l.list[i].children) > 0 {
			l.heap = append(l.heap, int32(i))
			l.value(int32(i))
		}
	}
	for j := len(l.heap)/2 - 1; j >= 0; j-- {
		l.sink(j)
	}
}

// value sets what the best child of a line costs.
func (l *lines) value(i int32) {
	q := &l.list[i]
	q.least = q.children[0].score + q.children[0].chance + l.price[q.there]
}

// before orders lines, the one with the cheapest child first.
func (l *lines) before(i, j int32) bool {
	a, b := l.list[i].least, l.list[j].least
	return a < b || a == b && i < j
}

// sink moves a line down the heap to where it belongs.
func (l *lines) sink(i int) {
	h := l.heap
	for {
		c := 2*i + 1
		if c >= len(h) {
			return
		}
		if c+1 < len(h) && l.before(h[c+1], h[c]) {
			c++
		}
		if !l.before(h[c], h[i]) {
			return
		}
		h[i], h[c] = h[c], h[i]
		i = c
	}
}

// pop takes the best child out, and returns it and its line, which is nil if there is no child. The line may have one
// more in the next beam after that.
func (x *pass) pop() (best child, from *line) {
	l := &x.lines
	if l.stale {
		if i := l.heap[0]; len(l.list[i].children) > 0 {
			l.value(i)
		} else {
			last := len(l.heap) - 1
			l.heap[0], l.heap = l.heap[last], l.heap[:last]
		}
		l.sink(0)
	}
	if l.stale = len(l.heap) > 0; !l.stale {
		return best, nil
	}
	from = &l.list[l.heap[0]]
	h := from.children
	best, h[0] = h[0], h[len(h)-1]
	from.children = h[:len(h)-1]
	sink(from.children, 0)
	return best, from
}
