package gen

import (
	"slices"
	"strings"

	"github.com/stowage-go/stowage/model"
)

// Idea: between two uses a tensor may leave for a slower memory and come back. So each stretch between two uses is an
// eviction. Its price is the bytes that move: twice the size.
//
// A network for inference becomes a training step by running its steps backwards. The backward step reads the inputs
// of the step and the gradient of its result, and makes one gradient for each input. Sums and joins read no inputs.
// Gradients of one tensor add up in the order in which they come. Weights and their gradients are left out.

// TrainingSteps returns training steps with evictions at twice the size in bytes: ResNet-50 as
// ResNet50Training has it, and U-Net, GoogLeNet, DenseNet-121 and GPT-2 small from their inference.
func TrainingSteps() []*model.Problem {
	all := []*model.Problem{evictable(resNet50Training())}
	for _, network := range []func() (*graph, []tensorID){unetGraph, googleNetGraph, denseNetGraph, gpt2Graph} {
		g, results := network()
		g.name += "-training"
		g.train(results)
		all = append(all, evictable(g))
	}
	return all
}

// train appends the gradients of all steps.
func (g *graph) train(results []tensorID) {
	forward := slices.Clone(g.steps)
	gradient := map[tensorID]tensorID{}
	for _, t := range results {
		gradient[t] = g.same("d."+g.tensors[t].name, t)
	}
	made := map[tensorID]bool{} // by a step, and no input of the network
	for _, s := range forward {
		made[s.out] = true
	}
	for _, s := range slices.Backward(forward) {
		d, has := gradient[s.out]
		if !has {
			continue
		}
		reads := []tensorID{d}
		if !strings.Contains(s.name, "concat") && !strings.Contains(s.name, "add") {
			reads = append(reads, s.inputs...)
		}
		for _, in := range s.inputs {
			if !made[in] {
				continue
			}
			from := reads
			if old, again := gradient[in]; again {
				from = append(slices.Clone(reads), old)
			}
			h, w, c := g.shape(in)
			gradient[in] = g.op("d."+g.tensors[in].name, h, w, c, from...)
		}
	}
}

// evictable returns the tensors as buffers with an eviction between each two uses that are not next to one another.
func evictable(g *graph) *model.Problem {
	p := g.problem()
	p.Rules = &model.Rules{Objective: []model.Measure{model.MeasureEviction}}
	for i, t := range g.tensors {
		b := &p.Buffers[i]
		var evictions []model.Eviction
		for k := 1; k < len(t.uses); k++ {
			if lower, upper := t.uses[k-1]+1, t.uses[k]; lower < upper && lower > b.Lower && upper < b.Upper {
				evictions = append(evictions, model.Eviction{Lower: lower, Upper: upper, Cost: 2 * b.Size})
			}
		}
		if evictions != nil {
			b.Extra = &model.Extra{Evictions: evictions}
		}
	}
	return p
}
