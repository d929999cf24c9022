package gen

// Idea: an inference is a chain of ops on feature maps, with branches that part and meet again. A residual keeps the
// input of a block alive across it. An inception module runs two to four branches side by side and joins them. A
// U-shaped network keeps a map of each level on the way down for the same level on the way up. Convolutions take a
// workspace now and then. Maps shrink in area and grow in channels with depth, so the load is high early on.
//
// A long program is one network after the other, as in a pipeline of detectors and classifiers. Each result is read
// by the second next network.

// inference makes a chain of networks.
func inference(o Options) (*Instance, error) {
	p := newProgram(o, "inference")
	p.inference()
	return p.instance(o), nil
}

// inference adds networks until the program is full.
func (p *program) inference() {
	before, last := bufferID(-1), bufferID(-1)
	for !p.full() {
		before, last = last, p.network(before)
	}
}

// featureMap is a buffer with its shape; elements are of 1 or 2 bytes.
type featureMap struct {
	id             bufferID
	side, channels int64
}

// network adds a network and returns its result. It reads the result of an earlier one.
func (p *program) network(earlier bufferID) bufferID {
	element := p.Pick(1, 2)
	conv := func(in featureMap, side, channels int64) featureMap {
		workspace := bufferID(-1)
		if p.Chance(0.2) {
			workspace = p.write("workspace", side*side*in.channels*9/4)
		}
		p.read(workspace)
		return featureMap{p.op("map", side*side*channels*element, in.id), side, channels}
	}
	side := p.Pick(128, 160, 224, 256, 320)
	x := conv(featureMap{p.op("image", side*side*3, earlier), side, 3}, side/2, p.Pick(16, 24, 32, 64))
	var skips []featureMap
	for stage := int64(0); stage < 4 && !p.full(); stage++ {
		for range p.Within(2, 6) {
			switch p.Below(4) {
			case 0: // plain
				x = conv(x, x.side, x.channels)
			case 1: // residual with an expansion inside
				y := conv(x, x.side, x.channels*p.Pick(1, 4, 6))
				y = conv(y, x.side, y.channels)
				y = conv(y, x.side, x.channels)
				x = featureMap{p.op("add", x.side*x.side*x.channels*element, x.id, y.id), x.side, x.channels}
			case 2: // inception
				var branches []bufferID
				channels := int64(0)
				for range p.Within(2, 4) {
					part := max(8, x.channels/p.Pick(2, 4, 8))
					y := x
					for range p.Within(1, 3) {
						y = conv(y, x.side, part)
					}
					branches = append(branches, y.id)
					channels += part
				}
				x = featureMap{p.op("concat", x.side*x.side*channels*element, branches...), x.side, channels}
			case 3: // squeeze and excite: small vectors beside a large map
				s := p.op("pool", x.channels*element, x.id)
				s = p.op("squeeze", x.channels/4*element, s)
				s = p.op("excite", x.channels*element, s)
				x = featureMap{p.op("scale", x.side*x.side*x.channels*element, x.id, s), x.side, x.channels}
			}
		}
		skips = append(skips, x)
		x = conv(x, max(4, x.side/2), min(2048, 2*x.channels))
	}
	if p.Chance(0.4) { // a way up
		for k := len(skips) - 1; k >= 0; k-- {
			s := skips[k]
			y := conv(x, s.side, s.channels)
			y = featureMap{p.op("concat", s.side*s.side*2*s.channels*element, y.id, s.id), s.side, 2 * s.channels}
			x = conv(y, s.side, s.channels)
		}
	}
	x.id = p.op("pool", x.channels*element, x.id)
	return p.op("result", 1000*element, x.id)
}
