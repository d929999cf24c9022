package beam

// Idea: what lies next above and next below a buffer is known for each moment. A buffer that moves pushes only these,
// and each of them pushes the next. A buffer that leaves makes room only for these, and for others only as far as their
// bounds hang on it. So bounds stay exact, and a node takes the same time at any size of the problem.
//
// Invariant: at each moment the placed buffers that are live are a list in the order of their offsets. Both bounds of
// each placed buffer are those that its neighbours in these lists leave it, once loosen has run.
//
// Complexity: a buffer that is looked at takes one step for each of its moments. The lists take as much memory as
// buffers have moments, which is no more than pairs of buffers that are live together.
//
// Source: this project. Job shops have such lists by machine; here a moment is a machine, and a buffer needs several.

// none stands for no buffer.
const none = int32(-1)

// links are the lists. The entries of run q begin at start[q], one for each moment from began[q] on. Those of the runs
// of a buffer follow each other.
type links struct {
	start           []int32
	own             []int32 // those of buffer k are own[k]:own[k+1]
	up, down        []int32 // the buffers next above and next below, or none
	lowest, highest []int32 // by moment. highest counts only while chain runs
	beside          []int32 // buffers that lay next to one that has left
}

// newLinks makes room for the lists.
func (e *ejection) newLinks(moments int) {
	n := len(e.whose)
	l := &e.links
	l.start = make([]int32, n+1)
	for q := range n {
		l.start[q+1] = l.start[q] + e.done[q] - e.began[q]
	}
	l.own = make([]int32, len(e.of))
	for k, q := range e.of {
		l.own[k] = l.start[q]
	}
	l.up, l.down = make([]int32, l.start[n]), make([]int32, l.start[n])
	l.lowest, l.highest = make([]int32, moments), make([]int32, moments)
	for m := range l.lowest {
		l.lowest[m] = none
	}
}

// ups and downs are the buffers next above and next below a buffer, by moment.
func (e *ejection) ups(k int32) []int32 { return e.links.up[e.links.own[k]:e.links.own[k+1]] }

func (e *ejection) downs(k int32) []int32 { return e.links.down[e.links.own[k]:e.links.own[k+1]] }

// slot is where the lists have buffer k at a moment, at which it is live.
func (e *ejection) slot(k, moment int32) int32 {
	q := k
	if e.several {
		for q = e.of[k]; moment >= e.done[q]; {
			q++
		}
	}
	return e.links.start[q] + moment - e.began[q]
}

// chain makes the lists of all placed buffers, which e.keys has in the order of their offsets.
func (e *ejection) chain() {
	l := &e.links
	l.beside = l.beside[:0]
	for m := range l.lowest {
		l.lowest[m], l.highest[m] = none, none
	}
	for _, key := range e.keys {
		k := int32(key & costMost)
		for q := e.of[k]; q < e.of[k+1]; q++ {
			for m := e.began[q]; m < e.done[q]; m++ {
				j := l.highest[m]
				if l.highest[m] = k; j == none {
					l.lowest[m] = k
				} else {
					l.up[e.slot(j, m)] = k
				}
				at := l.start[q] + m - e.began[q]
				l.down[at], l.up[at] = j, none
			}
		}
	}
}

// link puts buffer k above those of a list, which are in the order of their offsets, and below all others.
func (e *ejection) link(k int32, below []int32) {
	for q := e.of[k]; q < e.of[k+1]; q++ {
		e.linkRun(q, below)
	}
}

// linkRun is link for one run.
func (e *ejection) linkRun(q int32, below []int32) {
	l, k, began, done := &e.links, e.whose[q], e.began[q], e.done[q]
	ups, downs := l.up[l.start[q]:l.start[q+1]], l.down[l.start[q]:l.start[q+1]]
	for m := range downs {
		downs[m] = none
	}
	left := len(downs)
	for r := len(below) - 1; r >= 0 && left > 0; r-- { // the highest first
		j := below[r]
		for p := e.of[j]; p < e.of[j+1]; p++ {
			for m := max(began, e.began[p]) - began; m < min(done, e.done[p])-began; m++ {
				if downs[m] == none {
					downs[m] = j
					left--
				}
			}
		}
	}
	for m, j := range downs {
		moment := began + int32(m)
		next := &l.lowest[moment]
		if j != none {
			next = &l.up[e.slot(j, moment)]
		}
		ups[m] = *next
		if *next = k; ups[m] != none {
			l.down[e.slot(ups[m], moment)] = k
		}
	}
}

// unlink takes a buffer out of the lists.
func (e *ejection) unlink(k int32) {
	l := &e.links
	lastUp, lastDown := none, none
	for q := e.of[k]; q < e.of[k+1]; q++ {
		began, ups := e.began[q], l.up[l.start[q]:l.start[q+1]]
		for m, j := range l.down[l.start[q]:l.start[q+1]] {
			moment, i := began+int32(m), ups[m]
			if j == none {
				l.lowest[moment] = i
			} else {
				if l.up[e.slot(j, moment)] = i; j != lastDown {
					lastDown, l.beside = j, append(l.beside, j)
				}
			}
			if i != none {
				if l.down[e.slot(i, moment)] = j; i != lastUp {
					lastUp, l.beside = i, append(l.beside, i)
				}
			}
		}
	}
}

// loosen makes bounds exact after buffers have left: what lay above them can sink, and what lay below can rise.
func (e *ejection) loosen() {
	a, beside, spots := &e.agenda, e.links.beside, e.spots
	for _, j := range beside {
		if spots[j].placed {
			a.push(j, spots[j].high)
		}
	}
	for !a.empty() {
		k := a.pop()
		s, bound, last := &spots[k], int64(0), none
		for _, j := range e.downs(k) {
			if j != last && j != none {
				last, bound = j, max(bound, spots[j].top)
			}
		}
		at := roundUp(bound, e.align[k])
		if at >= s.at {
			continue
		}
		before := s.top
		s.at, s.top, last = at, at+e.size[k], none
		for _, j := range e.ups(k) {
			if j != last && j != none {
				if last = j; spots[j].at == roundUp(before, e.align[j]) {
					a.push(j, spots[j].high)
				}
			}
		}
	}
	for _, j := range beside {
		if spots[j].placed {
			a.push(j, -spots[j].at)
		}
	}
	for !a.empty() {
		k := a.pop()
		s, bound, last := &spots[k], e.roof, none
		for _, j := range e.ups(k) {
			if j != last && j != none {
				last, bound = j, min(bound, spots[j].high)
			}
		}
		high := roundDown(bound-e.size[k], e.align[k])
		if high <= s.high {
			continue
		}
		before := s.high
		s.high, last = high, none
		for _, j := range e.downs(k) {
			if j != last && j != none {
				if last = j; spots[j].high == roundDown(before-e.size[j], e.align[j]) {
					a.push(j, -spots[j].at)
				}
			}
		}
	}
	e.links.beside = beside[:0]
}
