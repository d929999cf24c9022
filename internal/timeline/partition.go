package timeline

// partition groups the buffers that touch one another in time, directly or through others.
// If no buffer's extent crosses from one section to the next, both sides can be planned
// apart. A buffer with a gap ties both sides of the gap together, because it has one offset.
//
// Complexity: O(n + sections).
func (t *Timeline) partition(memory *Memory) {
	m := t.Sections()
	if m == 0 {
		return
	}
	// cuts[s] counts the extents that cross from section s to s+1.
	cuts := memory.shorts.Take(m + 1)
	n := len(t.Problem.Buffers)
	active := 0
	for i := range n {
		first, last := t.Extent(i)
		if first == last {
			continue
		}
		active++
		cuts[first]++
		cuts[last-1]--
	}
	of := memory.shorts.Take(m) // of[s] is the partition of section s
	open := int32(0)
	t.Partitions = append(memory.parts[:0], Partition{First: 0})
	for s := range m {
		of[s] = int32(len(t.Partitions) - 1)
		open += cuts[s]
		if open == 0 {
			t.Partitions[len(t.Partitions)-1].Last = int32(s + 1)
			if s+1 < m {
				t.Partitions = append(t.Partitions, Partition{First: int32(s + 1)})
			}
		}
	}
	memory.parts = t.Partitions
	order := t.byFirstSection(memory, active)
	begin := 0
	for k, i := range order {
		first, _ := t.Extent(int(i))
		if k+1 < len(order) {
			if next, _ := t.Extent(int(order[k+1])); of[next] == of[first] {
				continue
			}
		}
		t.Partitions[of[first]].Buffers = order[begin : k+1 : k+1]
		begin = k + 1
	}
}

// byFirstSection returns the buffers that are ever active, in the order of their first
// section, then of their index. It is a counting sort.
func (t *Timeline) byFirstSection(memory *Memory, active int) []int32 {
	n := len(t.Problem.Buffers)
	at := memory.shorts.Take(t.Sections() + 1)
	for i := range n {
		if first, last := t.Extent(i); first < last {
			at[first+1]++
		}
	}
	for s := 1; s < len(at); s++ {
		at[s] += at[s-1]
	}
	order := memory.shorts.Take(active)
	for i := range n {
		if first, last := t.Extent(i); first < last {
			order[at[first]] = int32(i)
			at[first]++
		}
	}
	return order
}
