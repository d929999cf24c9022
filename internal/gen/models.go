package gen

import (
	"strconv"

	"github.com/stowage-go/stowage/model"
)

// The activations of published networks, from the tables of their papers. The order of execution is the order in which
// a layer-by-layer runtime goes through the paper's figures, branch by branch; no step runs in place.

// MobileNetV2 returns the activations of an inference of one 224×224 image in int8 (Sandler et al., arXiv 1801.04381,
// table 2). A convolution, its normalisation and its activation are one step.
func MobileNetV2() *model.Problem {
	g := newGraph("mobilenet-v2", 1)
	x := g.conv("conv1", g.input("image", 224, 224, 3), 32, 2)
	block := 0
	for _, row := range [...]struct{ expand, channels, repeat, stride int64 }{
		{1, 16, 1, 1},
		{6, 24, 2, 2},
		{6, 32, 3, 2},
		{6, 64, 4, 2},
		{6, 96, 3, 1},
		{6, 160, 3, 2},
		{6, 320, 1, 1},
	} {
		for k := range row.repeat {
			block++
			name := "block" + strconv.Itoa(block) + "."
			stride := row.stride
			if k > 0 {
				stride = 1
			}
			_, _, channels := g.shape(x)
			y := x
			if row.expand > 1 {
				y = g.conv(name+"expand", y, channels*row.expand, 1)
			}
			y = g.conv(name+"depthwise", y, channels*row.expand, stride)
			y = g.conv(name+"project", y, row.channels, 1)
			if k > 0 {
				y = g.same(name+"add", y, x)
			}
			x = y
		}
	}
	x = g.conv("conv2", x, 1280, 1)
	x = g.op("pool", 1, 1, 1280, x)
	x = g.op("logits", 1, 1, 1000, x)
	return g.problem(g.same("softmax", x))
}

// UNet returns the activations of an inference of one 572×572 image in float16 (Ronneberger et al., arXiv 1505.04597,
// figure 1): unpadded 3×3 convolutions, and skips that stay live from each level of the way down to the same level of
// the way up, where they are cropped.
func UNet() *model.Problem {
	g, results := unetGraph()
	return g.problem(results...)
}

func unetGraph() (*graph, []tensorID) {
	g := newGraph("unet", 2)
	unpadded := func(name string, in tensorID, channels int64) tensorID {
		h, w, _ := g.shape(in)
		return g.op(name, h-2, w-2, channels, in)
	}
	x := g.input("image", 572, 572, 1)
	var skips []tensorID
	for level, channels := range [...]int64{64, 128, 256, 512, 1024} {
		name := "down" + strconv.Itoa(level+1) + "."
		if level > 0 {
			h, w, c := g.shape(x)
			x = g.op(name+"pool", h/2, w/2, c, x)
		}
		x = unpadded(name+"conv1", x, channels)
		x = unpadded(name+"conv2", x, channels)
		skips = append(skips, x)
	}
	for level := 3; level >= 0; level-- {
		name := "up" + strconv.Itoa(level+1) + "."
		h, w, c := g.shape(x)
		x = g.op(name+"upconv", 2*h, 2*w, c/2, x)
		crop := g.op(name+"crop", 2*h, 2*w, c/2, skips[level])
		x = g.concat(name+"concat", crop, x)
		x = unpadded(name+"conv1", x, c/2)
		x = unpadded(name+"conv2", x, c/2)
	}
	return g, []tensorID{g.conv("segmentation", x, 2, 1)}
}

// GoogLeNet returns the activations of an inference of one 224×224 image in int8 (Szegedy et al., arXiv 1409.4842,
// table 1), without the auxiliary classifiers.
func GoogLeNet() *model.Problem {
	g, results := googleNetGraph()
	return g.problem(results...)
}

func googleNetGraph() (*graph, []tensorID) {
	g := newGraph("googlenet", 1)
	x := g.conv("conv1", g.input("image", 224, 224, 3), 64, 2)
	x = g.conv("pool1", x, 64, 2)
	x = g.same("norm1", x)
	x = g.conv("conv2.reduce", x, 64, 1)
	x = g.conv("conv2", x, 192, 1)
	x = g.same("norm2", x)
	x = g.conv("pool2", x, 192, 2)
	for _, m := range [...]struct {
		name                             string
		one, red3, three, red5, five, pp int64
	}{
		{"3a", 64, 96, 128, 16, 32, 32},
		{"3b", 128, 128, 192, 32, 96, 64},
		{"4a", 192, 96, 208, 16, 48, 64},
		{"4b", 160, 112, 224, 24, 64, 64},
		{"4c", 128, 128, 256, 24, 64, 64},
		{"4d", 112, 144, 288, 32, 64, 64},
		{"4e", 256, 160, 320, 32, 128, 128},
		{"5a", 256, 160, 320, 32, 128, 128},
		{"5b", 384, 192, 384, 48, 128, 128},
	} {
		if m.name == "4a" || m.name == "5a" {
			_, _, c := g.shape(x)
			x = g.conv("pool"+m.name[:1], x, c, 2)
		}
		name := "inception" + m.name + "."
		a := g.conv(name+"1x1", x, m.one, 1)
		b := g.conv(name+"3x3.reduce", x, m.red3, 1)
		b = g.conv(name+"3x3", b, m.three, 1)
		c := g.conv(name+"5x5.reduce", x, m.red5, 1)
		c = g.conv(name+"5x5", c, m.five, 1)
		d := g.same(name+"pool", x)
		d = g.conv(name+"pool.project", d, m.pp, 1)
		x = g.concat(name+"concat", a, b, c, d)
	}
	x = g.op("pool6", 1, 1, 1024, x)
	x = g.op("logits", 1, 1, 1000, x)
	return g, []tensorID{g.same("softmax", x)}
}

// DenseNet121 returns the activations of an inference of one 224×224 image in float16 (Huang et al., arXiv 1608.06993,
// table 1, growth rate 32). Each dense layer joins all features of its block so far, normalises, and convolves twice;
// the features themselves stay live to the end of the block.
func DenseNet121() *model.Problem {
	g, results := denseNetGraph()
	return g.problem(results...)
}

func denseNetGraph() (*graph, []tensorID) {
	const growth = 32
	g := newGraph("densenet-121", 2)
	x := g.conv("conv1", g.input("image", 224, 224, 3), 64, 2)
	x = g.conv("pool1", x, 64, 2)
	for block, layers := range [...]int{6, 12, 24, 16} {
		features := []tensorID{x}
		for layer := range layers {
			name := "dense" + strconv.Itoa(block+1) + "." + strconv.Itoa(layer+1) + "."
			y := x
			if layer > 0 {
				y = g.concat(name+"concat", features...)
			}
			y = g.same(name+"norm", y)
			y = g.conv(name+"1x1", y, 4*growth, 1)
			features = append(features, g.conv(name+"3x3", y, growth, 1))
		}
		x = g.concat("dense"+strconv.Itoa(block+1)+".concat", features...)
		if block < 3 {
			name := "transition" + strconv.Itoa(block+1) + "."
			_, _, c := g.shape(x)
			x = g.same(name+"norm", x)
			x = g.conv(name+"1x1", x, c/2, 1)
			x = g.conv(name+"pool", x, c/2, 2)
		}
	}
	x = g.same("norm", x)
	x = g.op("pool", 1, 1, 1024, x)
	x = g.op("logits", 1, 1, 1000, x)
	return g, []tensorID{g.same("softmax", x)}
}

// GPT2Prefill returns the activations of GPT-2 small (Radford et al., 2019: 12 blocks, 12 heads, width 768) over a
// prompt of 128 tokens in float16. Attention is computed head by head; the keys and values are results, as the decoding
// that follows reads them.
func GPT2Prefill() *model.Problem {
	g, results := gpt2Graph()
	return g.problem(results...)
}

func gpt2Graph() (*graph, []tensorID) {
	const tokens, width, heads, blocks, vocabulary = 128, 768, 12, 12, 50257
	g := newGraph("gpt2-prefill", 2)
	x := g.op("embedding", 1, tokens, width, g.input("tokens", 1, tokens, 2))
	var results []tensorID
	for block := range blocks {
		name := "block" + strconv.Itoa(block+1) + "."
		y := g.same(name+"norm1", x)
		q := g.same(name+"query", y)
		k := g.same(name+"key", y)
		v := g.same(name+"value", y)
		results = append(results, k, v)
		var contexts []tensorID
		for head := range heads {
			at := name + "head" + strconv.Itoa(head+1) + "."
			s := g.op(at+"scores", 1, tokens, tokens, q, k)
			s = g.same(at+"softmax", s)
			contexts = append(contexts, g.op(at+"context", 1, tokens, width/heads, s, v))
		}
		y = g.concat(name+"concat", contexts...)
		y = g.same(name+"project", y)
		x = g.same(name+"add1", x, y)
		y = g.same(name+"norm2", x)
		y = g.op(name+"fc1", 1, tokens, 4*width, y)
		y = g.same(name+"gelu", y)
		y = g.op(name+"fc2", 1, tokens, width, y)
		x = g.same(name+"add2", x, y)
	}
	x = g.same("norm", x)
	return g, append(results, g.op("logits", 1, 1, vocabulary, x))
}

// ResNet50Training returns the activations and gradients of a training step of one 224×224 image in float32 (He et
// al., arXiv 1512.03385, table 1). Tensors that the backward pass reads stay live from the forward pass: the input of
// each convolution and of each normalisation, and the output of each activation for its mask. The gradients of the
// weights stay live to the end, where all are read together for their norm, and then one by one for the update.
func ResNet50Training() *model.Problem { return resNet50Training().problem() }

func resNet50Training() *graph {
	g := newGraph("resnet50-training", 4)
	image := g.input("image", 224, 224, 3)
	// convNorm is a convolution and its normalisation, the latter with the activation that may follow.
	convNorm := func(name string, in tensorID, kernel, channels, stride int64) tensorID {
		h, w, c := g.shape(in)
		h, w = ceilDiv(h, stride), ceilDiv(w, stride)
		y := g.layer(name+".conv", h, w, channels, kernel*kernel*c*channels, true, false, in)
		return g.layer(name+".norm", h, w, channels, 2*channels, true, true, y)
	}
	x := convNorm("conv1", image, 7, 64, 2)
	x = g.layer("pool1", 56, 56, 64, 0, true, true, x)
	for stage, blocks := range [...]int{3, 4, 6, 3} {
		channels := int64(64) << stage
		for block := range blocks {
			name := "conv" + strconv.Itoa(stage+2) + "_" + strconv.Itoa(block+1)
			stride := int64(1)
			if stage > 0 && block == 0 {
				stride = 2
			}
			y := convNorm(name+".a", x, 1, channels, stride)
			y = convNorm(name+".b", y, 3, channels, 1)
			y = convNorm(name+".c", y, 1, 4*channels, 1)
			if block == 0 {
				x = convNorm(name+".shortcut", x, 1, 4*channels, stride)
			}
			h, w, c := g.shape(y)
			x = g.layer(name+".add", h, w, c, 0, false, true, y, x)
		}
	}
	x = g.layer("pool5", 1, 1, 2048, 0, false, false, x)
	x = g.layer("logits", 1, 1, 1000, 2048*1000+1000, true, false, x)
	loss := g.same("softmax", x)
	seed := g.same("d.logits", loss)
	weights := g.backward(x, seed, func(t tensorID) bool { return t == image })
	norm := g.op("norm", 1, 1, 1, weights...)
	for _, w := range weights {
		g.read(w, norm)
	}
	return g
}
