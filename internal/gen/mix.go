package gen

import "strconv"

// Idea: a device runs several things at once. Two streams share one memory. Each is a succession of parts of the
// other kinds: inference, training steps, tiles, prefill and decode. A few buffers, such as tables of weights, live
// all the time. Long lives of one stream meet short lives of the other, and sizes range over six orders of magnitude.
// Large planners have to handle such a mix, which has a million buffers by default.
//
// Complexity: O(n).

// mix makes two streams of parts.
func mix(o Options) (*Instance, error) {
	p := newProgram(o, "mix")
	resident := make([]bufferID, 0, 16)
	for range min(16, o.Buffers/100) {
		resident = append(resident, p.write("resident", p.Within(1, 64)<<16))
	}
	var end int64
	for stream := range 2 {
		p.step = 0
		p.limit = o.Buffers
		if stream == 0 {
			p.limit = o.Buffers / 2
		}
		p.stream(stream, p.limit)
		end = max(end, p.step)
	}
	p.step = end
	p.read(resident...)
	return p.instance(o), nil
}

// stream adds parts until the program has limit buffers.
func (p *program) stream(stream, limit int) {
	kinds := [...]struct {
		name string
		add  func()
	}{
		{"inference", p.inference},
		{"training", p.training},
		{"tiles", p.tiles},
		{"prefill", p.prefill},
		{"decode", p.decode},
	}
	// A part is between a hundredth and a tenth of a stream.
	for part := 0; len(p.buffers) < limit; part++ {
		k := kinds[p.Below(int64(len(kinds)))]
		share := p.Within(int64(limit)/100+1, int64(limit)/10+1)
		p.limit = min(limit, len(p.buffers)+int(share))
		p.prefix = string(rune('a'+stream)) + strconv.Itoa(part) + "." + k.name + "."
		k.add()
	}
	p.limit, p.prefix = limit, ""
}
