package colour

import (
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/stowage-go/stowage/internal/gen"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/model"
)

// random makes n buffers, a few long-lived and most short.
func random(n int, seed uint64) *model.Problem {
	r := rand.New(rand.NewPCG(seed, 0))
	p := &model.Problem{}
	for i := range n {
		life := 1 + r.Int64N(1+int64(n)/8)
		if r.IntN(4) > 0 {
			life = 1 + r.Int64N(12)
		}
		lower := r.Int64N(int64(n))
		p.Buffers = append(p.Buffers, model.Buffer{
			ID: "t" + strconv.Itoa(i), Lower: lower, Upper: lower + life, Size: 64 << r.IntN(11) * (1 + r.Int64N(3)),
		})
	}
	return p
}

// firstFit places each buffer as low as those before it allow.
func firstFit(p *model.Problem) []int64 {
	offsets := make([]int64, len(p.Buffers))
	for i := range p.Buffers {
		b := &p.Buffers[i]
		for moved := true; moved; {
			moved = false
			for j := range i {
				c := &p.Buffers[j]
				if b.Lower < c.Upper && c.Lower < b.Upper && offsets[i] < offsets[j]+c.Size && offsets[j] < offsets[i]+b.Size {
					offsets[i], moved = offsets[j]+c.Size, true
				}
			}
		}
	}
	return offsets
}

// TestNeighboursDiffer counts pairs that touch along an edge and look alike.
func TestNeighboursDiffer(t *testing.T) {
	touching, alike := 0, 0
	for seed := range uint64(10) {
		p := random(300, seed)
		offsets := firstFit(p)
		of := Apart(p, offsets)
		for i := range p.Buffers {
			for j := range i {
				a, b := &p.Buffers[i], &p.Buffers[j]
				shareTime := min(a.Upper, b.Upper) - max(a.Lower, b.Lower)
				shareSpace := min(offsets[i]+a.Size, offsets[j]+b.Size) - max(offsets[i], offsets[j])
				if shareTime > 0 && shareSpace == 0 || shareTime == 0 && shareSpace > 0 {
					touching++
					if of[i] == of[j] {
						alike++
					}
				}
			}
		}
	}
	// By chance it would be one in eight.
	if touching < 1000 || alike*200 > touching {
		t.Errorf("of %d touching pairs %d look alike", touching, alike)
	}
}

// TestGroups compares the groups with names as compilers give them.
func TestGroups(t *testing.T) {
	unet := must.Get(gen.New("unet", gen.Options{}))(t)
	training := must.Get(gen.New("training", gen.Options{Buffers: 3000}))(t)
	named := func(names ...string) *model.Problem {
		p := &model.Problem{}
		for i, name := range names {
			p.Buffers = append(p.Buffers, model.Buffer{ID: name, Upper: 1, Size: int64(1000 - i)})
		}
		return p
	}
	for name, c := range map[string]struct {
		p    *model.Problem
		want string
	}{
		"u-net": {
			unet.Problem, "operator conv concat upconv crop pool image segmentation; prefix down up image segmentation",
		},
		"training":          {training.Problem, "operator act dw mask dx workspace again update input +"},
		"numbers only":      {named("b1", "b2", "b3", "b4"), ""},
		"nothing in common": {named("x", "y", "z", "w"), ""},
		"none":              {named(), ""},
		"one and the rest":  {named("t1", "t2", "t3", "t4", "t5", "t6", "t7", "t8", "t9", "t10", "t11", "spike"), ""},
		"no names":          {named("", "1", "2", "3"), ""},
		"ONNX": {
			named("/layer1/conv/Conv_output_0", "/layer1/relu/Relu_output_0", "/layer2/conv/Conv_output_0",
				"/layer2/relu/Relu_output_0"),
			"operator Conv Relu; prefix layer1 layer2",
		},
		"TensorFlow Lite": {
			named("model/block_1/conv2d_3/Conv2D;model/bn/Fused", "model/block_1/re_lu/Relu6",
				"model/block_2/conv2d_4/Conv2D", "model/block_2/re_lu_1/Relu6"),
			"operator Conv2D Relu; prefix block_1 block_2",
		},
		"XLA":     {named("fusion.12", "fusion.13", "copy.2", "copy.3", "%dot.1"), "operator fusion copy dot"},
		"letters": {named("conv2a", "conv2b", "conv2d_1", "conv2d", "pool1", "pool2"), "operator conv conv2d pool"},
		"paths":   {named("net/a/x.1", "net/a/x.2", "net/b/x.3", "net/b/x.4"), "prefix a b"},
	} {
		var got []string
		for _, g := range Groups(c.p) {
			s := g.By + " " + strings.Join(g.Names, " ")
			if g.Rest {
				s += " +"
			}
			got = append(got, s)
			for i, k := range g.Of {
				if int(k) > Rest || int(k) < Rest && int(k) >= len(g.Names) || int(k) == Rest && !g.Rest {
					t.Fatalf("%s: buffer %d has colour %d of %d", name, i, k, len(g.Names))
				}
			}
		}
		if s := strings.Join(got, "; "); s != c.want {
			t.Errorf("%s: %q, want %q", name, s, c.want)
		}
	}
}
