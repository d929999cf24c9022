package networks

import "fmt"

// Idea: small irregular cells for microcontrollers, like SwiftNet's cells in the SERENITY paper: some twenty nodes,
// few channels that differ from node to node, joined by concatenations and not by sums. SwiftNet's wiring is not
// published, so the wiring here is drawn, and figures are comparable only in kind.
//
// Source: Cheng et al., "SwiftNet: using graph propagation as meta-knowledge to search highly representative neural
// architectures", arXiv 1906.08305; the sizes 21, 19 and 22 nodes are those of SERENITY's three cells.

// SwiftLike is a cell with this many nodes on a tensor of size × size with 3 × channels.
func SwiftLike(nodes, size, channels int, seed uint64, sharing Sharing) Network {
	b, r := &builder{sharing: sharing}, newRNG(seed, "swift")
	b.output(b.swift(r, b.input(size, size, 3*channels), nodes, channels))
	return Network{"SwiftNet-like", fmt.Sprintf("cell of %d, seed %d", nodes, seed), &b.p}
}

// SwiftLikeNet is three cells with a stride of 2 between them, on an image of 112 × 112.
func SwiftLikeNet(channels int, seed uint64, sharing Sharing) Network {
	b, r := &builder{sharing: sharing}, newRNG(seed, "swift")
	x := b.window(b.input(112, 112, 3), channels, 3, 2)
	for _, nodes := range []int{21, 19, 22} {
		x = b.swift(r, b.window(x, x.channels, 3, 2), nodes, channels)
		x = b.pointwise(x, 2*channels, 1)
		channels *= 2
	}
	b.classify(x, 2)
	return Network{"SwiftNet-like", fmt.Sprintf("3 cells, seed %d", seed), &b.p}
}

func (b *builder) swift(r *rng, x tensor, nodes, channels int) tensor {
	results := []tensor{x}
	unread := []bool{true}
	for len(results) <= nodes {
		var operands []tensor
		for range r.within(1, 3) {
			k := len(results) - 1 - r.below(min(len(results), 8))
			if unread[k] || r.chance(0.5) || len(operands) == 0 {
				unread[k] = false
				if !holds(operands, results[k]) {
					operands = append(operands, results[k])
				}
			}
		}
		y := b.concat(operands...)
		if width := channels * r.within(1, 3); r.chance(0.5) {
			y = b.pointwise(y, width, 1)
		} else {
			y = b.separable(y, width, 3, 1)
		}
		results, unread = append(results, y), append(unread, true)
	}
	var last []tensor
	for k, y := range results {
		if unread[k] {
			last = append(last, y)
		}
	}
	return b.concat(last...)
}

func holds(list []tensor, t tensor) bool {
	for _, x := range list {
		if x.value == t.value {
			return true
		}
	}
	return false
}
