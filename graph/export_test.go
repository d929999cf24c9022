package graph

import "context"

// StripCounts sets the numbers of strips that are looked at, and returns what they were.
func StripCounts(counts []int) []int {
	was := stripCounts
	stripCounts = counts
	return was
}

// MostLooked sets how many chains in strips are looked at, and returns what it was.
func MostLooked(n int) int {
	was := mostLooked
	mostLooked = n
	return was
}

// A ChainIn is a chain in strips, for tests.
type ChainIn struct{ First, Last, Strips int }

// HeightOf returns the height of a plan of a graph in its order with these chains in strips.
func HeightOf(ctx context.Context, g *Graph, chains []ChainIn, o Options) int64 {
	s := newStripper(g, Given(g), o.Permits)
	var in []chainIn
	for _, c := range chains {
		in = append(in, chainIn{c.First, c.Last, c.Strips})
	}
	r, err := o.Solve(ctx, s.expand(in).low.Problem, o.Run)
	if err != nil {
		return -1
	}
	return r.Height
}
