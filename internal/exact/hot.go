package exact

// Idea: siblings often fail for the same reason. The sections whose suffix
// bound failed last are checked one by one, straight after lifting, before any
// work is spent on all of them.
//
// Complexity: O(members of the section), sorted by insertion, for each of the
// few hot sections.
// Source: Stowage; the idea is that of last-conflict reasoning (Lecoutre et al.
// 2009).

// hotMost bounds the members of a hot section: they are sorted by insertion.
const hotMost = 1024

// maxMembers bounds the table of who is in which section: 16 MiB. Beyond it no
// section is hot.
const maxMembers = 1 << 22

// initMembers lists the buffers of each section, where none has gaps.
func (k *kernel) initMembers() {
	var incidences int
	for j := range k.n {
		incidences += int(k.last[j] - k.first[j])
	}
	if !k.plain || incidences > maxMembers {
		return
	}
	k.memberAt = make([]int32, k.m+1)
	for j := range k.n {
		for s := k.first[j]; s < k.last[j]; s++ {
			k.memberAt[s+1]++
		}
	}
	for s := range k.m {
		k.memberAt[s+1] += k.memberAt[s]
	}
	k.members = make([]Buffer, incidences)
	next := append([]int32(nil), k.memberAt...)
	for j := range k.n {
		for s := k.first[j]; s < k.last[j]; s++ {
			k.members[next[s]] = j
			next[s]++
		}
	}
}

// promote moves a section that has just failed to the front of the hot ones.
func (k *kernel) promote(s Section) {
	if k.members == nil || k.memberAt[s+1]-k.memberAt[s] > hotMost {
		return
	}
	hot := &k.hot
	i := 0
	for i < len(hot)-1 && hot[i] != s {
		i++
	}
	copy(hot[1:i+1], hot[:i])
	hot[0] = s
}

// hotFit checks the sections that failed last, one by one, before all are
// checked together: siblings often fail for the same reason.
func (k *kernel) hotFit(c component) bool {
	for _, s := range k.hot {
		if s < c.first || s >= c.last {
			continue
		}
		order := k.hotList[:0]
		for _, j := range k.members[k.memberAt[s]:k.memberAt[s+1]] {
			if k.placed[j] {
				continue
			}
			order = append(order, j)
			h := k.inf[j]
			p := len(order) - 1
			for p > 0 && k.inf[order[p-1]] < h {
				order[p] = order[p-1]
				p--
			}
			order[p] = j
		}
		k.hotList = order
		var sum int64
		for _, j := range order {
			sum += k.size[j]
			if k.bound(j)+sum > k.limit {
				k.promote(s)
				return false
			}
		}
	}
	return true
}
