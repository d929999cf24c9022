package networks

import "fmt"

// Idea: networks of repeated cells. A cell reads the results of the two cells before it, its states 0 and 1. Each
// block of a cell applies an operation to each of two states, adds the two, and is a further state; the cell's
// result has the channels of some states side by side. Every third part of the network begins with a reducing
// cell: stride 2 and twice the channels. Because a cell reads two others, no single tensor separates the cells.
//
// Source: the cells are those that DARTS lists (Liu, Simonyan and Yang, ICLR 2019): NASNet-A (Zoph et al., CVPR
// 2018), AmoebaNet-A (Real et al., AAAI 2019) and the second of DARTS.

// operation is what a cell does to a state.
type operation struct {
	kind  operationKind
	state int
}

type operationKind int

const (
	skip operationKind = iota
	pool3
	separable3
	separable5
	separable7
	dilated3
	dilated5
)

// cell is what a cell does: two operations for each block, and which states are its result.
type cell struct {
	blocks [][2]operation
	result []int
}

// Genotype is a kind of cells.
type Genotype struct {
	Name            string
	normal, reduced cell
}

// NASNet, AmoebaNet and DARTS are the cells that these searches found.
func NASNet() Genotype {
	return Genotype{
		"NASNet",
		cell{[][2]operation{
			{{separable5, 1}, {separable3, 0}},
			{{separable5, 0}, {separable3, 0}},
			{{pool3, 1}, {skip, 0}},
			{{pool3, 0}, {pool3, 0}},
			{{separable3, 1}, {skip, 1}},
		}, []int{2, 3, 4, 5, 6}},
		cell{[][2]operation{
			{{separable5, 1}, {separable7, 0}},
			{{pool3, 1}, {separable7, 0}},
			{{pool3, 1}, {separable5, 0}},
			{{skip, 3}, {pool3, 2}},
			{{separable3, 2}, {pool3, 1}},
		}, []int{4, 5, 6}},
	}
}

// AmoebaNet is described at [NASNet].
func AmoebaNet() Genotype {
	return Genotype{
		"AmoebaNet",
		cell{[][2]operation{
			{{pool3, 0}, {pool3, 1}},
			{{separable3, 0}, {separable5, 2}},
			{{separable3, 0}, {pool3, 3}},
			{{separable3, 1}, {skip, 1}},
			{{skip, 0}, {pool3, 1}},
		}, []int{4, 5, 6}},
		cell{[][2]operation{
			{{pool3, 0}, {separable3, 1}},
			{{pool3, 0}, {separable7, 2}},
			{{separable7, 0}, {pool3, 1}},
			{{pool3, 0}, {pool3, 1}},
			{{separable7, 0}, {separable3, 5}},
		}, []int{3, 4, 6}},
	}
}

// DARTS is described at [NASNet].
func DARTS() Genotype {
	return Genotype{
		"DARTS",
		cell{[][2]operation{
			{{separable3, 0}, {separable3, 1}},
			{{separable3, 0}, {separable3, 1}},
			{{separable3, 1}, {skip, 0}},
			{{skip, 0}, {dilated3, 2}},
		}, []int{2, 3, 4, 5}},
		cell{[][2]operation{
			{{pool3, 0}, {pool3, 1}},
			{{skip, 2}, {pool3, 1}},
			{{pool3, 0}, {skip, 2}},
			{{skip, 2}, {pool3, 1}},
		}, []int{2, 3, 4, 5}},
	}
}

// Cell is one normal cell that reads two tensors of size × size with 4 × channels.
func Cell(g Genotype, size, channels int, sharing Sharing) Network {
	b := &builder{sharing: sharing}
	s0, s1 := b.input(size, size, 4*channels), b.input(size, size, 4*channels)
	b.output(b.cell(&g.normal, s0, s1, channels, 1))
	return Network{g.Name, "normal cell", &b.p}
}

// Cells is a network of this many cells on an image of 224 × 224, with the given channels in its first third. stem
// chooses its beginning: two reducing cells on 112 × 112 with a quarter and half the channels, as in NASNet and
// AmoebaNet, or only convolutions, as in DARTS.
func Cells(g Genotype, cells, channels int, stem bool, sharing Sharing) Network {
	b := &builder{sharing: sharing}
	var s0, s1 tensor
	if stem {
		s1 = b.window(b.input(224, 224, 3), 32, 3, 2)
		s0, s1 = s1, b.cell(&g.reduced, s1, s1, channels/4, 2)
		s0, s1 = s1, b.cell(&g.reduced, s0, s1, channels/2, 2)
	} else {
		x := b.window(b.input(224, 224, 3), channels/2, 3, 2)
		s0 = b.window(b.each(x), channels, 3, 2)
		s1 = b.window(b.each(s0), channels, 3, 2)
	}
	for k := range cells {
		kind, stride := &g.normal, 1
		if k == cells/3 || k == 2*cells/3 {
			kind, stride = &g.reduced, 2
			channels *= 2
		}
		s0, s1 = s1, b.cell(kind, s0, s1, channels, stride)
	}
	b.classify(b.each(s1), 1000)
	return Network{g.Name, fmt.Sprintf("%d cells", cells), &b.p}
}

// cell appends a cell.
func (b *builder) cell(c *cell, s0, s1 tensor, channels, stride int) tensor {
	fit := s0.height / s1.height // 2 after a reducing cell
	states := []tensor{b.pointwise(b.each(s0), channels, max(1, fit)), b.pointwise(b.each(s1), channels, 1)}
	for _, block := range c.blocks {
		var halves [2]tensor
		for k, o := range block {
			step := 1
			if o.state < 2 {
				step = stride
			}
			halves[k] = b.apply(o.kind, states[o.state], step)
		}
		states = append(states, b.sum(halves[:]...))
	}
	var parts []tensor
	for _, k := range c.result {
		parts = append(parts, states[k])
	}
	return b.concat(parts...)
}

// apply appends an operation. A separable convolution stands twice, the first with the stride.
func (b *builder) apply(kind operationKind, x tensor, stride int) tensor {
	twice := func(kernel int) tensor {
		return b.separable(b.separable(x, x.channels, kernel, stride), x.channels, kernel, 1)
	}
	switch kind {
	case skip:
		if stride > 1 {
			return b.pointwise(b.each(x), x.channels, stride)
		}
		return x
	case pool3:
		return b.pool(x, stride)
	case separable3:
		return twice(3)
	case separable5:
		return twice(5)
	case separable7:
		return twice(7)
	case dilated3:
		return b.separable(x, x.channels, 5, stride)
	case dilated5:
		return b.separable(x, x.channels, 9, stride)
	}
	panic("no such operation")
}
