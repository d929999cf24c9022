package bound

// Idea: what is in use in a row of sections is summed from changes: each stay
// adds where it begins and takes away where it ends, and one pass at the end
// turns changes into sums. O(1) for a stay of any length.

// A Profile is the space in use in a row of sections, while it is summed up: make
// it one longer than the row, Add every stay, and call Sum once.
type Profile []int64

// NewProfile returns the profile of so many sections.
func NewProfile(sections int) Profile { return make(Profile, sections+1) }

// Add counts so many bytes in the sections [first, last).
func (p Profile) Add(first, last int32, bytes int64) {
	p[first] += bytes
	p[last] -= bytes
}

// Sum returns the load of each section, in the profile's own memory.
func (p Profile) Sum() []int64 {
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
