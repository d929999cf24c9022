package onnx

import (
	"strconv"

	"github.com/stowage-go/stowage/format/onnx/internal/graph"
	"github.com/stowage-go/stowage/format/onnx/internal/shape"
	"github.com/stowage-go/stowage/internal/bound"
)

// Idea: a model that ONNX Runtime saved has images in blocks of channels (internal/ops/blocked.go), and the file does
// not say how large a block is. A convolution that reads such an image has the channels in the shape of its weights.
// If no convolution reads the image, the weights of any other may tell the size of a block. If these do not tell
// either, a block is taken to be 16. An image in blocks of 8 is then too large, never too small.
//
// Invariant: channels from weights are right on the processor for which the model was saved.
//
// Complexity: O(nodes), once.

// The sizes of blocks that ONNX Runtime has.
const smallBlock, largeBlock = 8, 16

// blocks is what weights tell of blocks of channels.
type blocks struct {
	channels map[int32]int64 // of the image with a name, padded
	size     int64           // of a block; 0 if it is not known
}

// blocks looks at all convolutions on blocks in the model.
func (w *walker) blocks() *blocks {
	if w.blocked == nil {
		w.blocked = &blocks{channels: map[int32]int64{}}
		w.blocked.look(w.m.Graph)
	}
	return w.blocked
}

func (b *blocks) look(g *graph.Graph) {
	if g == nil {
		return
	}
	weights := map[int32][]int64{}
	for k := range g.Stored {
		weights[g.Stored[k].Name] = g.Stored[k].Tensor.Dims
	}
	made := map[int32]int64{} // the padded channels of what is in blocks, by name; 0 if they are not known
	for k := range g.Nodes {
		n := &g.Nodes[k]
		for a := range n.Attributes {
			b.look(n.Attributes[a].Graph)
		}
		if n.Domain != "com.microsoft.nchwc" || len(n.In) == 0 || len(n.Out) == 0 {
			continue
		}
		switch n.Op {
		case "Conv":
			if len(n.In) > 1 && len(weights[n.In[1]]) == 4 {
				made[n.Out[0]] = b.conv(n, weights[n.In[1]], made)
				break
			}
			made[n.Out[0]] = 0
		case "ReorderOutput":
			if a := find(n.Attributes, "channels"); made[n.In[0]] > 0 {
				b.suits(made[n.In[0]], a.Integer(0))
			}
		default:
			made[n.Out[0]] = 0
		}
	}
}

// conv learns from the weights of a convolution and returns the channels of its result.
func (b *blocks) conv(n *graph.Node, weights []int64, made map[int32]int64) int64 {
	out, in := weights[0], weights[1]
	if out%largeBlock != 0 {
		b.size = smallBlock
	}
	_, reordered := made[n.In[0]]
	groups := find(n.Attributes, "group").Integer(1)
	switch {
	case !reordered:
		if in >= smallBlock { // an image that is not in blocks has fewer channels than one
			b.size = largeBlock
		}
	case groups == 1:
		b.channels[n.In[0]] = in
		if in%largeBlock != 0 {
			b.size = smallBlock
		}
	case in == 1: // depthwise
		b.channels[n.In[0]] = out
	}
	return out
}

// suits learns from an image whose channels are known with and without padding.
func (b *blocks) suits(padded, channels int64) {
	if channels < 1 || channels > shape.MaxElements {
		return
	}
	if small, large := bound.Up(channels, smallBlock), bound.Up(channels, largeBlock); small != large {
		switch padded {
		case small:
			b.size = smallBlock
		case large:
			b.size = largeBlock
		}
	}
}

// Padded returns how many channels an image has after a node that brings it into blocks of channels.
func (w *walker) Padded(n *graph.Node, channels int64) int64 {
	b := w.blocks()
	if c, ok := b.channels[n.Out[0]]; ok && c >= channels {
		return c
	}
	if channels < 0 {
		return -1
	}
	size := b.size
	if size == 0 {
		if size = largeBlock; channels%largeBlock != 0 {
			w.note("the channels of " + w.Quote(n.Out[0]) + " are padded to blocks of " + strconv.Itoa(largeBlock) +
				": the file does not say if a block has " + strconv.Itoa(smallBlock) + " or " + strconv.Itoa(largeBlock))
		}
	}
	return shape.Fits(bound.Up(channels, size))
}
