package engine

// Idea: siblings often fail for the same reason. The sections that failed last
// are checked straight after lifting, before any work is spent on others.
//
// Source: Stowage; the idea is that of last-conflict reasoning (Lecoutre et al.
// 2009).

// promote moves a section that has just failed to the front of the hot ones.
func (k *kernel) promote(s Section) {
	hot := &k.hot
	i := 0
	for i < len(hot)-1 && hot[i] != s {
		i++
	}
	copy(hot[1:i+1], hot[:i])
	hot[0] = s
}

// hotFit checks the dirty ones of the hot sections.
func (k *kernel) hotFit(c component) bool {
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
