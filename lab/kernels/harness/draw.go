package harness

import (
	"math/rand/v2"

	"github.com/stowage-go/stowage/internal/testkit/kernelcase"
)

// A Path is a way through a library: an operator, with types, and with shapes that lead to one kernel.
type Path struct {
	Name string
	Draw func(r *rand.Rand) kernelcase.Case
}

// Paths returns the paths that cases are drawn on, for a machine. The bytes of a tensor are bounded, so that a case
// takes milliseconds: a sweep runs it once for each byte. Shapes are small but go past every block of the kernels: 2, 4
// and 16 channels, 2 and 4 pixels, 124 channels.
func (m Machine) Paths() []Path {
	most := 6000
	if !m.Traced() {
		most = 800
	}
	fit := func(draw func(r *rand.Rand) kernelcase.Case) func(r *rand.Rand) kernelcase.Case {
		return func(r *rand.Rand) kernelcase.Case {
			for {
				c := draw(r)
				y := c.Result()
				if y[1] < 1 || y[2] < 1 {
					continue
				}
				if x, y := c.Bytes(); x <= most && y <= most {
					return c
				}
			}
		}
	}
	var all []Path
	add := func(name string, draw func(r *rand.Rand) kernelcase.Case) { all = append(all, Path{name, fit(draw)}) }

	for _, types := range [][2]string{{"INT8", "INT8"}, {"INT8", "INT4"}, {"INT16", "INT8"}} {
		suffix := ", " + types[0]
		if types[1] == "INT4" {
			suffix = ", weights of 4 bits"
		}
		with := func(c kernelcase.Case) kernelcase.Case {
			c.Type, c.Other = types[0], types[1]
			return c
		}
		add("convolution 1×1, stride 1"+suffix, func(r *rand.Rand) kernelcase.Case {
			c := image(r, "CONV_2D")
			c.Filter, c.Stride, c.Dilate = [2]int{1, 1}, [2]int{1, 1}, [2]int{1, 1}
			return with(c)
		})
		add("convolution 1×1, other strides"+suffix, func(r *rand.Rand) kernelcase.Case {
			c := image(r, "CONV_2D")
			c.Filter, c.Dilate = [2]int{1, 1}, [2]int{1, 1}
			c.Stride = [2]int{1 + r.IntN(3), 2 + r.IntN(2)}
			return with(c)
		})
		add("convolution 1×n of a row"+suffix, func(r *rand.Rand) kernelcase.Case {
			c := image(r, "CONV_2D")
			c.Image[1], c.Image[2], c.Filter[0] = 1, 2+r.IntN(40), 1
			c.Filter[1], c.Dilate = 1+r.IntN(9), [2]int{1, 1}
			return with(c)
		})
		add("convolution"+suffix, func(r *rand.Rand) kernelcase.Case { return with(image(r, "CONV_2D")) })
		if types[0] == "INT8" && types[1] == "INT8" {
			add("convolution in groups"+suffix, func(r *rand.Rand) kernelcase.Case {
				c := image(r, "CONV_2D")
				c.Mult = 2 + r.IntN(2)
				c.Image[3], c.Out = c.Mult*(1+r.IntN(6)), c.Mult*(1+r.IntN(6))
				return with(c)
			})
		}
		add("depthwise"+suffix, func(r *rand.Rand) kernelcase.Case {
			c := image(r, "DEPTHWISE_CONV_2D")
			if r.IntN(2) > 0 {
				c.Dilate = [2]int{1, 1}
			}
			c.Out = c.Image[3]
			return with(c)
		})
		add("depthwise, a multiplier"+suffix, func(r *rand.Rand) kernelcase.Case {
			c := image(r, "DEPTHWISE_CONV_2D")
			if c.Mult = 2 + r.IntN(7); r.IntN(2) > 0 {
				c.Image[3] = 1
			}
			c.Out = c.Image[3] * c.Mult
			return with(c)
		})
		add("depthwise, over 124 channels"+suffix, func(r *rand.Rand) kernelcase.Case {
			c := image(r, "DEPTHWISE_CONV_2D")
			c.Image = [4]int{1 + r.IntN(5)/4, 1 + r.IntN(6), 1 + r.IntN(6), 110 + r.IntN(160)}
			if most < 1000 {
				c.Image[1], c.Image[2] = 1+r.IntN(3), 1+r.IntN(3)
			}
			c.Out = c.Image[3]
			return with(c)
		})
		add("fully connected"+suffix, func(r *rand.Rand) kernelcase.Case {
			c := single("FULLY_CONNECTED", 1+r.IntN(6), 1+r.IntN(80), 1+r.IntN(60))
			c.Extra = []int{2 + r.IntN(2), 0}
			if types[0] == "INT8" && types[1] == "INT8" {
				c.Extra[1] = r.IntN(2)
			}
			return with(c)
		})
		if types[1] == "INT4" {
			continue
		}
		for _, kind := range []string{"MAX_POOL_2D", "AVERAGE_POOL_2D"} {
			add(map[string]string{"MAX_POOL_2D": "max pool", "AVERAGE_POOL_2D": "average pool"}[kind]+suffix,
				func(r *rand.Rand) kernelcase.Case {
					c := image(r, kind)
					c.Dilate, c.Out = [2]int{1, 1}, c.Image[3]
					return with(c)
				})
		}
		for _, kind := range []string{"ADD", "MUL"} {
			add(map[string]string{"ADD": "add", "MUL": "multiply"}[kind]+suffix, func(r *rand.Rand) kernelcase.Case {
				c := single(kind, 1, 1+r.IntN(1500), 1)
				c.Out, c.Extra = c.Image[3], []int{r.IntN(2)}
				return with(c)
			})
		}
		add("softmax"+suffix, func(r *rand.Rand) kernelcase.Case {
			c := single("SOFTMAX", 1+r.IntN(9), 1+r.IntN(200), 1)
			c.Out = c.Image[3]
			c = with(c)
			if c.Other = c.Type; c.Type == "INT8" && r.IntN(3) == 0 {
				c.Other = "INT16"
			}
			return c
		})
		if types[0] == "INT16" {
			continue
		}
		for _, kind := range []string{"MAXIMUM", "MINIMUM"} {
			add(map[string]string{"MAXIMUM": "maximum", "MINIMUM": "minimum"}[kind]+suffix, func(r *rand.Rand) kernelcase.Case {
				c := image(r, kind)
				c.Filter, c.Stride, c.Dilate, c.Same = [2]int{1, 1}, [2]int{1, 1}, [2]int{1, 1}, false
				c.Out, c.Extra = c.Image[3], []int{r.IntN(2)}
				return with(c)
			})
		}
		add("pad"+suffix, func(r *rand.Rand) kernelcase.Case {
			c := image(r, "PAD")
			c.Filter, c.Stride, c.Dilate, c.Same = [2]int{1, 1}, [2]int{1, 1}, [2]int{1, 1}, false
			c.Extra = make([]int, 8)
			for i := range c.Extra {
				if c.Extra[i] = r.IntN(4) - 1; c.Extra[i] < 0 || i < 2 && r.IntN(3) > 0 || i > 5 && r.IntN(2) > 0 {
					c.Extra[i] = 0
				}
			}
			c.Out = c.Result()[3]
			return with(c)
		})
	}
	return all
}

// image draws an operator on images: its shape, filter, strides, padding and dilation.
func image(r *rand.Rand, kind string) kernelcase.Case {
	channels := func() int {
		if r.IntN(2) > 0 {
			return 4 * (1 + r.IntN(8))
		}
		return 1 + r.IntN(24)
	}
	size := func() int { return 1 + r.IntN(12) }
	filter := func() int { return []int{1, 2, 3, 3, 3, 5, 7}[r.IntN(7)] }
	stride := func() int { return []int{1, 1, 1, 2, 2, 3}[r.IntN(6)] }
	dilate := func() int { return []int{1, 1, 1, 1, 2, 3}[r.IntN(6)] }
	c := kernelcase.Case{
		Kind: kind, Image: [4]int{1, size(), size(), channels()}, Out: channels(),
		Filter: [2]int{filter(), filter()}, Stride: [2]int{stride(), stride()}, Same: r.IntN(2) > 0,
		Dilate: [2]int{dilate(), dilate()}, Mult: 1,
	}
	if r.IntN(4) == 0 {
		c.Image[0] = 2 + r.IntN(2)
	}
	if r.IntN(2) > 0 { // as most are
		c.Filter[1], c.Stride[1], c.Dilate = c.Filter[0], c.Stride[0], [2]int{1, 1}
	}
	return c
}

// single draws nothing: batches of vectors.
func single(kind string, batches, in, out int) kernelcase.Case {
	return kernelcase.Case{
		Kind: kind, Image: [4]int{batches, 1, 1, in}, Out: out, Filter: [2]int{1, 1}, Stride: [2]int{1, 1},
		Dilate: [2]int{1, 1}, Mult: 1,
	}
}
