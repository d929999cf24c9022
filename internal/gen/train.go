package gen

// Idea: reverse-mode differentiation of a graph, for its memory only. Each forward step records its input and output,
// the tensors that its gradient reads, and the size of its weights. The backward pass goes over the records in reverse.
// For each record it adds a step that makes the gradient of the weights, and a step that makes the gradient of each
// input. If a tensor was read twice, a step adds up the two gradients. Tensors that backward steps read stay live from
// the forward pass on. Their lives are long and end in the reverse order of their starts. That is how training differs
// from inference.

// record is a forward step on the tape.
type record struct {
	name    string
	out     tensorID
	inputs  []tensorID
	saved   []tensorID // read again by the backward steps
	weights int64      // number of weights; 0 for none
}

// layer adds a forward step and records it. The backward step reads the inputs if saveIn is set, and the output if
// saveOut is set.
func (g *graph) layer(name string, h, w, c, weights int64, saveIn, saveOut bool, inputs ...tensorID) tensorID {
	out := g.op(name, h, w, c, inputs...)
	r := record{name: name, out: out, inputs: inputs, weights: weights}
	if saveIn {
		r.saved = append(r.saved, inputs...)
	}
	if saveOut {
		r.saved = append(r.saved, out)
	}
	g.tape = append(g.tape, r)
	return out
}

// backward adds the backward pass from the loss, whose gradient is seed, and returns the gradients of the weights in
// the order of the layers. Tensors that frozen reports need no gradient.
func (g *graph) backward(loss, seed tensorID, frozen func(tensorID) bool) []tensorID {
	grads := map[tensorID]tensorID{loss: seed}
	var weights []tensorID
	for k := len(g.tape) - 1; k >= 0; k-- {
		r := g.tape[k]
		from := grads[r.out]
		reads := append([]tensorID{from}, r.saved...)
		if r.weights > 0 {
			weights = append(weights, g.op("dw."+r.name, 1, 1, r.weights, reads...))
		}
		for _, in := range r.inputs {
			if frozen(in) {
				continue
			}
			h, w, c := g.shape(in)
			grad := g.op("d."+g.tensors[in].name, h, w, c, reads...)
			if before, ok := grads[in]; ok {
				grad = g.op("sum.d."+g.tensors[in].name, h, w, c, before, grad)
			}
			grads[in] = grad
		}
	}
	for i, j := 0, len(weights)-1; i < j; i, j = i+1, j-1 {
		weights[i], weights[j] = weights[j], weights[i]
	}
	return weights
}
