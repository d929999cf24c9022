package framework

// Idea: how many buffers does the fullest section have, as buffers come one by one? A segment tree keeps, for each
// node, how many cover all of it and the largest count below it, the cover included.
//
// Invariant: most[k] = cover[k] + the larger most of the two children.
//
// Complexity: O(log m) to add a buffer, for m sections.

// A counter counts the buffers of each section.
type counter struct {
	leaves      int
	cover, most []int32
}

func newCounter(sections int) *counter {
	c := &counter{leaves: 1}
	for c.leaves < sections {
		c.leaves *= 2
	}
	c.cover, c.most = make([]int32, 2*c.leaves), make([]int32, 2*c.leaves)
	return c
}

// add counts one more buffer in the sections [first, last).
func (c *counter) add(first, last int32) { c.change(first, last, 1) }

func (c *counter) change(first, last, by int32) {
	low, high := int(first)+c.leaves, int(last)+c.leaves
	for l, h := low, high; l < h; l, h = l/2, h/2 {
		if l&1 == 1 {
			c.cover[l] += by
			c.most[l] += by
			l++
		}
		if h&1 == 1 {
			h--
			c.cover[h] += by
			c.most[h] += by
		}
	}
	for _, k := range [...]int{low / 2, (high - 1) / 2} {
		for ; k >= 1; k /= 2 {
			c.most[k] = c.cover[k] + max(c.most[2*k], c.most[2*k+1])
		}
	}
}

// highest is the largest count of any section.
func (c *counter) highest() int32 { return c.most[1] }

// at returns the count of one section.
func (c *counter) at(section int32) int32 {
	var sum int32
	for k := int(section) + c.leaves; k >= 1; k /= 2 {
		sum += c.cover[k]
	}
	return sum
}

// within returns the largest count of the sections [first, last).
func (c *counter) within(first, last int32) int32 {
	return c.ask(1, 0, int32(c.leaves), first, last)
}

func (c *counter) ask(k int, low, high, first, last int32) int32 {
	if last <= low || high <= first {
		return 0
	}
	if first <= low && high <= last {
		return c.most[k]
	}
	mid := (low + high) / 2
	return c.cover[k] + max(c.ask(2*k, low, mid, first, last), c.ask(2*k+1, mid, high, first, last))
}
