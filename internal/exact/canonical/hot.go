package canonical

// Idea: siblings often fail for the same reason. So the four sections that failed last are checked right after
// lifting, before any other section.
//
// Source: Stowage. The idea is that of last-conflict reasoning (Lecoutre et al. 2009).

// hotSections are the sections that failed last, the latest one first; -1 stands for none.
type hotSections [4]Section

// forget empties the list.
func (hot *hotSections) forget() { *hot = hotSections{-1, -1, -1, -1} }

// promote moves a section that has just failed to the front of the hot ones.
func (hot *hotSections) promote(s Section) {
	i := 0
	for i < len(hot)-1 && hot[i] != s {
		i++
	}
	copy(hot[1:i+1], hot[:i])
	hot[0] = s
}

// hotFit checks those hot sections that are dirty.
func (k *Kernel) hotFit(c component) bool {
	for _, s := range k.hot {
		if s < c.first || s >= c.last {
			continue
		}
		if s = k.runs.first(s); k.runs.take(s) && !k.checkSection(s) {
			k.hot.promote(s)
			return false
		}
	}
	return true
}
