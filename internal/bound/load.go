package bound

// Idea: what is in use in a row of sections is summed from changes: each stay
// adds where it begins and takes away where it ends, and one pass at the end
// turns changes into sums. O(1) for a stay of any length. Sections are numbered already; the
// load over time, from the model alone and for pictures, is in internal/profile.

// Loads is the space in use in a row of sections, while it is summed up: make
// it one longer than the row, Add every stay, and call Sum once.
type Loads []int64

// NewLoads returns the loads of so many sections.
func NewLoads(sections int) Loads { return make(Loads, sections+1) }

// Add counts so many bytes in the sections [first, last).
func (p Loads) Add(first, last int32, bytes int64) {
	p[first] += bytes
	p[last] -= bytes
}

// Sum returns the load of each section, in the memory of p.
func (p Loads) Sum() []int64 {
	for s := 1; s < len(p); s++ {
		p[s] += p[s-1]
	}
	return p[:len(p)-1]
}

// Peak returns the highest load and the first section that has it; 0 and 0 where
// there is no section.
func Peak(load []int64) (peak int64, section int32) {
	for s, x := range load {
		if x > peak {
			peak, section = x, int32(s)
		}
	}
	return peak, section
}
