package gen

import "strconv"

// Idea: an accelerator with a small fast memory runs a layer tile by tile. While it computes one tile it loads the
// next and stores the one before. So each tile of input and output has two buffers that take turns (double
// buffering); here each use is a buffer of its own. Weights of a layer are loaded before its first tile and stay to
// its last, or pass through as tiles themselves. A reduction keeps an accumulator over several tiles. Tiles that
// overlap at the edges keep a halo for the next row.
//
//	op       …  k-1      k       k+1     k+2
//	load        in k
//	compute             uses in k, writes out k
//	store                        out k

// tiles makes pipelined layers.
func tiles(o Options) (*Instance, error) {
	p := newProgram(o, "tiles")
	p.tiles()
	return p.instance(o), nil
}

// tiles adds layers until the program is full.
func (p *program) tiles() {
	for k := 0; !p.full(); k++ {
		p.tiledLayer(strconv.Itoa(k))
	}
}

// tiledLayer adds one layer; the next one's first load overlaps its last store.
func (p *program) tiledLayer(name string) {
	prefix := p.prefix
	defer func() { p.prefix = prefix }()
	p.prefix += "l" + name + "."
	in, out := p.Within(4, 64)<<10, p.Within(4, 64)<<10
	resident := p.Chance(0.6)
	weights, table := bufferID(-1), p.write("table", p.Within(1, 16)<<8)
	if resident {
		weights = p.write("weights", p.Within(16, 256)<<10)
	}
	reduce, row := p.Pick(1, 1, 2, 4), p.Within(4, 16)
	count := p.Within(16, 96)
	coming, halo, sum := p.write("in", in), bufferID(-1), bufferID(-1)
	slice := bufferID(-1)
	p.next()
	for k := range count {
		now := coming
		if k+1 < count {
			size := in
			if (k+2)%row == 0 {
				size = in / 2 // the last tile of a row is cut short
			}
			coming = p.write("in", size)
		}
		if !resident {
			p.read(slice)
			slice = p.write("slice", in/2)
		}
		p.read(now, weights, table, slice, halo)
		if k%row == row-1 {
			halo = p.write("halo", in/8)
		}
		if k%reduce == 0 {
			sum = p.write("sum", 2*out)
		}
		p.read(sum)
		if k%reduce == reduce-1 {
			done := p.write("out", out)
			p.next()
			p.read(done) // the store runs beside the next compute
			continue
		}
		p.next()
	}
}
