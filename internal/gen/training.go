package gen

// Idea: a training step runs forward, backward and through the optimiser. Tensors that the backward pass of a layer
// reads live from its forward pass on. The backward pass begins with the last layer, so these lifespans nest. The
// gradients of the weights are made on the way back and live until the optimiser has used them. Besides, there are
// short lives: workspaces, gradients of activations, masks, the temporaries of the optimiser.
//
// Layers come in blocks of transformer shape, with the residual kept across them. Some blocks are checkpointed: only
// their input is kept, and the rest is computed again before their backward pass.

// layersPerBlock is the number of layers of a block; six blocks make about
// buffersPerSix buffers over the whole step, a little less on average.
const (
	layersPerBlock = 6
	buffersPerSix  = 190
)

// training makes one training step.
func training(o Options) (*Instance, error) {
	p := newProgram(o, "training")
	p.training()
	return p.instance(o), nil
}

// layer has what the backward pass needs of a layer.
type layer struct {
	out, weights int64    // bytes
	saved, mask  bufferID // read by the backward pass; -1 if it is not kept
	again        bool     // not kept but computed again
}

// training adds a training step that fills the program.
func (p *program) training() {
	tokens, width := p.Pick(512, 1024, 2048), p.Pick(256, 512, 768, 1024)
	activation := func(factor int64) int64 { return tokens * width * factor * 2 }
	blocks := max(1, p.room()*6/buffersPerSix)
	layers := make([]layer, 0, blocks*layersPerBlock)

	x := p.op("input", activation(1))
	for block := range blocks {
		if block%32 == 31 { // another stage of the model
			tokens, width = p.Pick(512, 1024, 2048), p.Pick(256, 512, 768, 1024)
		}
		again := p.Chance(0.1)
		input := x
		for k := range layersPerBlock {
			// norm, qkv, attention, projection, up, down
			l := layer{
				out:     activation([...]int64{1, 3, 1, 1, 4, 1}[k]),
				weights: 2 * width * width * [...]int64{0, 3, 0, 1, 4, 4}[k],
				again:   again && k > 0, saved: -1, mask: -1,
			}
			if l.weights == 0 {
				l.weights = 4 * width
			}
			workspace := bufferID(-1)
			if p.Chance(0.25) {
				workspace = p.write("workspace", p.Within(1, 8)<<20)
			}
			p.read(workspace, x)
			if k == layersPerBlock-1 {
				p.read(input) // the residual
			}
			out := p.op("act", l.out)
			if !l.again {
				l.saved = out
				if p.Chance(0.5) { // statistics of a norm, or the mask of a dropout
					l.mask = p.write("mask", l.out/p.Pick(2, 16, 64))
				}
			}
			layers = append(layers, l)
			x = out
		}
	}
	p.read(x)
	p.backward(layers, p.op("loss", tokens*4, x))
}

// backward adds the backward pass and the optimiser. Buffers that are still to be made become the optimiser's
// temporaries.
func (p *program) backward(layers []layer, gradient bufferID) {
	gradients := make([]bufferID, 0, len(layers))
	for k := len(layers) - 1; k >= 0; k-- {
		l := &layers[k]
		if l.again && !layers[min(k+1, len(layers)-1)].again {
			// The last layer of a checkpointed block: compute its layers again.
			for j := k; j >= 0 && layers[j].again; j-- {
				layers[j].saved = p.op("again", layers[j].out, layers[j].saved)
			}
		}
		workspace := bufferID(-1)
		if p.Chance(0.25) {
			workspace = p.write("workspace", p.Within(1, 8)<<20)
		}
		p.read(workspace, gradient, l.saved, l.mask)
		gradients = append(gradients, p.op("dw", l.weights))
		p.read(gradient, l.saved, l.mask)
		gradient = p.op("dx", l.out, gradient)
	}
	p.op("norm", 64, gradients...)
	for k := 0; !p.full(); k++ {
		g := int64(1)
		id := bufferID(-1)
		if len(gradients) > 0 {
			// The first round goes over all gradients. Later rounds have only steps that need no gradient.
			id = gradients[k%len(gradients)]
			if id >= 0 {
				g = p.buffers[id].Size
			}
			if k >= len(gradients) {
				id = -1
			}
		}
		t := p.op("update", g, id)
		p.read(t)
	}
}
