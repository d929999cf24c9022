package gen

import (
	"cmp"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/golden"
	"github.com/stowage-go/stowage/internal/verify"
	"github.com/stowage-go/stowage/model"
)

// TestExamples compares the files of examples/ with the generators.
func TestExamples(t *testing.T) {
	for name, p := range map[string]*model.Problem{
		"minimalloc":        MiniMalloc(),
		"mobilenet-v2":      MobileNetV2(),
		"unet":              UNet(),
		"resnet50-training": ResNet50Training(),
	} {
		golden.File(t, filepath.Join("..", "..", "examples", name+".csv"), []byte(csv(p)))
	}
}

// TestModels checks shapes that the papers print, and the loads that follow.
func TestModels(t *testing.T) {
	for _, tc := range []struct {
		p                *model.Problem
		buffer           string
		size, life, load int64
	}{
		// 112×112×96 from 112×112×16, the widest point of MobileNetV2; with
		// its depthwise result of 56×56×96 it is the load.
		{MobileNetV2(), "block2.expand", 112 * 112 * 96, 2, 112*112*96 + 56*56*96},
		// 568×568×64, live from the second step to the crop in step 31: 14 steps
		// down, 15 up, the up-convolution and the crop.
		{UNet(), "down1.conv2", 568 * 568 * 64 * 2, 30, 83681280},
		// 28×28×256, read last by the pool, the sixth step of the next module.
		{GoogLeNet(), "inception3a.concat", 28 * 28 * 256, 7, 1204224},
		{DenseNet121(), "dense1.concat", 56 * 56 * 256 * 2, 2, 4214784},
		{GPT2Prefill(), "block1.head1.scores", 128 * 128 * 2, 2, 6488064},
		// 107 gradients of weights, 140 of tensors and 16 sums, a norm, and 107
		// updates; 2,049,000 weights of 4 bytes, rounded up to 64.
		{ResNet50Training(), "dw.logits", 8196032, 107 + 140 + 16 + 1 + 107, 182951872},
	} {
		i := slices.IndexFunc(tc.p.Buffers, func(b model.Buffer) bool { return b.ID == tc.buffer })
		if i < 0 {
			t.Errorf("%s has no buffer %s", tc.p.Name, tc.buffer)
			continue
		}
		b := tc.p.Buffers[i]
		if b.Size != tc.size || b.Upper-b.Lower != tc.life {
			t.Errorf("%s: %s has size %d and life %d, want %d and %d", tc.p.Name, b.ID, b.Size, b.Upper-b.Lower,
				tc.size, tc.life)
		}
		if _, load := loads(tc.p); load != tc.load {
			t.Errorf("%s: load %d, want %d", tc.p.Name, load, tc.load)
		}
	}
}

// TestUNetNeedsThought shows that the example is worth a search: first-fit by
// decreasing size stays above the load, and yet a plan as low as the load exists.
func TestUNetNeedsThought(t *testing.T) {
	p := UNet()
	_, load := loads(p)
	fit := func(key func(b *model.Buffer) int64) int64 {
		order := make([]int, len(p.Buffers))
		for i := range order {
			order[i] = i
		}
		slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(key(&p.Buffers[j]), key(&p.Buffers[i])) })
		part := &model.Problem{}
		var offsets []int64
		for _, i := range order {
			part.Buffers = append(part.Buffers, p.Buffers[i])
			// The lowest place is on the floor or on top of another buffer.
			floors := []int64{0}
			for k, at := range offsets {
				floors = append(floors, at+part.Buffers[k].Size)
			}
			slices.Sort(floors)
			for _, at := range floors {
				if verify.Check(part, append(offsets[:len(offsets):len(offsets)], at), 0).OK() {
					offsets = append(offsets, at)
					break
				}
			}
		}
		return model.HeightOf(part, offsets)
	}
	if h := fit(func(b *model.Buffer) int64 { return b.Size }); h != 122221056 {
		t.Errorf("first-fit by size has height %d, want 122221056", h)
	}
	if h := fit(func(b *model.Buffer) int64 { return b.Size * (b.Upper - b.Lower) }); h != load {
		t.Errorf("first-fit by size × life has height %d, want the load %d", h, load)
	}
}

// TestResNet50Weights adds up the gradients: ResNet-50 has 25,557,032 weights.
func TestResNet50Weights(t *testing.T) {
	g := int64(0)
	for _, b := range ResNet50Training().Buffers {
		if len(b.ID) > 3 && b.ID[:3] == "dw." {
			g += b.Size
		}
	}
	const weights = 25_557_032
	if g < 4*weights || g > 4*weights+64*200 {
		t.Errorf("the gradients take %d bytes, want %d and some rounding", g, 4*weights)
	}
}
