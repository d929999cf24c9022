package bound

// Idea: loads are summed from changes. A stay adds its bytes at its first section and takes them away after its last.
// One pass at the end turns changes into sums. So a stay of any length costs O(1). Sections are numbered already.
// internal/profile has the load over time, computed from the model alone, for pictures.

// Loads is the space in use per section while it is summed. It has one entry more than
// there are sections. Add every stay, then call Sum once.
type Loads []int64

// NewLoads returns empty loads for a number of sections.
func NewLoads(sections int) Loads { return make(Loads, sections+1) }

// Add adds bytes to the sections [first, last).
func (p Loads) Add(first, last int32, bytes int64) {
	p[first] += bytes
	p[last] -= bytes
}

// Sum returns the load of each section. It reuses the memory of p.
func (p Loads) Sum() []int64 {
	for s := 1; s < len(p); s++ {
		p[s] += p[s-1]
	}
	return p[:len(p)-1]
}

// Peak returns the highest load and the first section that has it, or 0 and 0 if there is no section.
func Peak(load []int64) (peak int64, section int32) {
	for s, x := range load {
		if x > peak {
			peak, section = x, int32(s)
		}
	}
	return peak, section
}
