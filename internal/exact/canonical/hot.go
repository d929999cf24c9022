package canonical

// Idea: siblings often fail for the same reason. So the four sections that failed last are checked right after
// lifting, before any other section.
//
// Source: Stowage. The idea is that of last-conflict reasoning (Lecoutre et al. 2009).

// promote moves a section that has just failed to the front of the hot ones.
func (k *Kernel) promote(s Section) {
	hot := &k.hot
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
		if s = k.runOf(s); k.dirty[s>>6]>>(s&63)&1 == 0 {
			continue
		}
		k.dirty[s>>6] &^= 1 << (s & 63)
		if !k.checkSection(s) {
			k.promote(s)
			return false
		}
	}
	return true
}
