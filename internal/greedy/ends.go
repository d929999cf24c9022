package greedy

import "github.com/stowage-go/stowage/internal/thresholds"

// Idea: a sweep needs the buffers by the sections in which they start and end. Sections are small whole numbers, so one
// count of each section puts the buffers in order. Few buffers start in the same section. These are sorted among
// themselves, the longest first, then the largest.
//
// Invariant: an order is that of a word (Sorted): of starts LuZ or, against time, uLZ, and of ends U or l. TestEnds
// compares them.
//
// Complexity: O(n + sections), and O(k log k) for k buffers that start in one section; by digits if k is large.

// order sets the starts and ends of a way. It returns false if there are many buffers and a limit comes first.
func (s *Sweeper) order(way int) bool {
	if len(s.parts) > 0 && s.parts[0].starts[way] != nil {
		return true
	}
	starts := s.bySection(way, false)
	if s.late() || !s.longest(starts, way) {
		return false
	}
	ends := s.bySection(way, true)
	if s.late() {
		return false
	}
	for k := range s.parts {
		if way == 1 {
			k = len(s.parts) - 1 - k
		}
		p := &s.parts[k]
		n := len(s.tl.Partitions[k].Buffers) - len(p.fixed)
		p.starts[way], starts = starts[:n], starts[n:]
		p.ends[way], ends = ends[:n], ends[n:]
	}
	return true
}

// late reports whether a limit has come. To order a few thousand buffers takes a millisecond, so it is then not asked.
func (s *Sweeper) late() bool { return len(s.tl.Problem.Buffers) > pollEvery && s.watch.Over() }

// bySection returns the buffers that a sweep places in ascending order of the section in which they start or, if end is
// set, end on a way. Ties are by index.
func (s *Sweeper) bySection(way int, end bool) []int32 {
	buffers, sections := s.tl.Problem.Buffers, int32(s.tl.Sections())
	late := end == (way == 0) // the later end in time
	// slot returns where a buffer is counted, or -1 if no sweep places it.
	slot := func(i int) int32 {
		first, last := s.tl.Extent(i)
		if first == last || !s.tl.Plain && buffers[i].Fixed != nil {
			return -1
		}
		if late {
			first = last
		}
		if way == 1 {
			return sections - first
		}
		return first
	}
	at, count := s.memory.lists.Take(int(sections)+2), 0
	for i := range buffers {
		if k := slot(i); k >= 0 {
			at[k+1]++
			count++
		}
	}
	for k := 1; k < len(at); k++ {
		at[k] += at[k-1]
	}
	order := s.memory.lists.Take(count)
	for i := range buffers {
		if k := slot(i); k >= 0 {
			order[at[k]] = int32(i)
			at[k]++
		}
	}
	return order
}

// longest sorts those that start in one section on a way: the longest first, then the largest. It returns false if a
// limit comes first.
func (s *Sweeper) longest(starts []int32, way int) bool {
	less := func(i, j int32) bool {
		_, x := s.extent(i, way)
		_, y := s.extent(j, way)
		return x > y || x == y && s.tl.Problem.Buffers[i].Size > s.tl.Problem.Buffers[j].Size
	}
	for begin, end := 0, 0; begin < len(starts); begin = end {
		from, _ := s.extent(starts[begin], way)
		for end = begin + 1; end < len(starts); end++ {
			if at, _ := s.extent(starts[end], way); at != from {
				break
			}
		}
		switch same := starts[begin:end]; {
		case len(same) == 1:
		case len(same) < thresholds.DigitsLeast:
			s.sort(same, less)
		case !s.longestOfMany(same, way):
			return false
		}
	}
	return !s.late()
}

// longestOfMany is longest, by digits, for buffers that start in one section.
func (s *Sweeper) longestOfMany(list []int32, way int) bool {
	const sign = 1 << 63
	ends, sizes := s.memory.keys.Take(len(list)), s.memory.keys.Take(len(list))
	for k, i := range list {
		_, to := s.extent(i, way)
		ends[k], sizes[k] = uint64(int64(to))^sign, uint64(s.tl.Problem.Buffers[i].Size)
	}
	w := s.watch
	if len(s.tl.Problem.Buffers) <= pollEvery {
		w = nil
	}
	order := s.memory.byColumns(w, len(list), [][]uint64{ends, sizes})
	if order == nil {
		return false
	}
	for k, at := range order {
		order[k] = list[at]
	}
	copy(list, order)
	return true
}
