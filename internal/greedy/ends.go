package greedy

import "github.com/stowage-go/stowage/internal/thresholds"

// Idea: a sweep needs the buffers by the sections in which they start and end. The ends of one way are the starts of
// the other, read backwards, so there are two lists. The partitions have the first. Sections are small whole numbers, so
// one count of each section makes the second. Few buffers start in the same section. These are sorted among
// themselves, the longest first, then the largest, once a sweep goes that way.
//
// Invariant: a list that is sorted is that of a word (Sorted): LuZ or, against time, uLZ. One that is not differs only
// among buffers of one section. That is enough for ends: which of them is given back first does not matter.
// TestEnds compares them.
//
// Complexity: O(n + sections), and O(k log k) for k buffers that start in one section; by digits if k is large.

// order sorts the starts of a way. It returns false if there are many buffers and a limit comes first.
func (s *Sweeper) order(way int) bool {
	if s.sorted[way] {
		return true
	}
	if s.starts[0] == nil {
		first := s.byFirst()
		if s.late() {
			return false
		}
		s.starts = [2][]int32{first, s.byLast(len(first))}
		last := s.starts[1]
		for k := range s.parts {
			p := &s.parts[k]
			n := len(s.tl.Partitions[k].Buffers) - len(p.fixed)
			p.starts[0], first = first[:n], first[n:]
			p.starts[1], last = last[len(last)-n:], last[:len(last)-n]
		}
	}
	s.sorted[way] = !s.late() && s.longest(s.starts[way], way)
	return s.sorted[way]
}

// late reports whether a limit has come. To order a few thousand buffers takes a millisecond, so it is then not asked.
func (s *Sweeper) late() bool { return len(s.tl.Problem.Buffers) > pollEvery && s.watch.Over() }

// byFirst returns the buffers that a sweep places in ascending order of the section in which they start. Ties are by
// index.
func (s *Sweeper) byFirst() []int32 {
	count := 0
	for k := range s.parts {
		count += len(s.tl.Partitions[k].Buffers) - len(s.parts[k].fixed)
	}
	order := s.memory.lists.Take(count)[:0]
	for k := range s.parts {
		if len(s.parts[k].fixed) == 0 {
			order = append(order, s.tl.Partitions[k].Buffers...)
			continue
		}
		for _, i := range s.tl.Partitions[k].Buffers {
			if s.tl.Problem.Buffers[i].Fixed == nil {
				order = append(order, i)
			}
		}
	}
	return order
}

// byLast returns the same buffers in descending order of the section in which they end. Ties are by index.
func (s *Sweeper) byLast(count int) []int32 {
	buffers, sections := s.tl.Problem.Buffers, int32(s.tl.Sections())
	// slot returns where a buffer is counted, or -1 if no sweep places it.
	slot := func(i int) int32 {
		first, last := s.tl.Extent(i)
		if first == last || !s.tl.Plain && buffers[i].Fixed != nil {
			return -1
		}
		return sections - last
	}
	at := s.room(int(sections) + 1)
	clear(at)
	for i := range buffers {
		if k := slot(i); k >= 0 {
			at[k+1]++
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
		return x > y || x == y && s.tl.Size(i) > s.tl.Size(j)
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
		ends[k], sizes[k] = uint64(int64(to))^sign, uint64(s.tl.Size(i))
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
