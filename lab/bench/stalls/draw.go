package main

import (
	"math"
	"math/rand/v2"
	"slices"
	"strconv"

	"github.com/stowage-go/stowage/model"
)

// Idea: generators of problems on which plans were seen to end above the load: memories that are always full, packings
// on coarse grids, mixed alignments, large random graphs. A seed decides a problem. The generators of `stowage gen` are
// used where it has the kind.

// A drawing draws buffers.
type drawing struct{ *rand.Rand }

// drawFor returns the random numbers of a kind and a seed.
func drawFor(kind string, seed uint64) drawing {
	h := uint64(14695981039346656037) // FNV-1a
	for _, c := range []byte(kind) {
		h = (h ^ uint64(c)) * 1099511628211
	}
	return drawing{rand.New(rand.NewPCG(seed, h))}
}

// within returns a number from least to most.
func (d drawing) within(least, most int64) int64 { return least + d.Int64N(most-least+1) }

// life returns a length whose mean is about so many slots.
func (d drawing) life(mean float64) int64 { return 1 + int64(mean*d.ExpFloat64()) }

// pareto returns a number from 1 with a heavy tail.
func (d drawing) pareto(exponent float64) float64 { return math.Pow(1-d.Float64(), -1/exponent) }

// lognormal returns a number whose logarithm has this mean and deviation.
func (d drawing) lognormal(mean, deviation float64) float64 {
	return math.Exp(mean + deviation*d.NormFloat64())
}

// one returns one of the numbers.
func (d drawing) one(of ...int64) int64 { return of[d.IntN(len(of))] }

// problem makes a problem of buffers, and names them.
func problem(name string, buffers []model.Buffer) *model.Problem {
	for i := range buffers {
		buffers[i].ID = strconv.Itoa(i)
	}
	return &model.Problem{Name: name, Buffers: buffers}
}

// refill runs an allocator through time: in each slot next draws the size of one more buffer for a memory with so much
// in use, until it returns 0. Lives have the mean in slots.
func (d drawing) refill(n int, mean float64, next func(used int64) int64) []model.Buffer {
	var all []model.Buffer
	var live []int
	for slot := int64(1); len(all) < n; slot++ {
		used := int64(0)
		live = slices.DeleteFunc(live, func(i int) bool { return all[i].Upper <= slot })
		for _, i := range live {
			used += all[i].Size
		}
		for len(all) < n {
			size := next(used)
			if size == 0 {
				break
			}
			live = append(live, len(all))
			all = append(all, model.Buffer{Lower: slot, Upper: slot + d.life(mean), Size: size})
			used += size
		}
	}
	return all
}

// full fills every moment by whatever fits; sizes have a heavy tail.
func (d drawing) full(n int) []model.Buffer {
	const memory = 1 << 16
	return d.refill(n, 15, func(used int64) int64 {
		if float64(used) >= memory*0.97 {
			return 0
		}
		return min(memory-used, int64(256*d.pareto(0.8))) / 16 * 16
	})
}

// two fills every moment by sizes of 2 and 3.
func (d drawing) two(n int, memory int64) []model.Buffer {
	return d.refill(n, 12, func(used int64) int64 {
		switch left := memory - used; {
		case left <= 1:
			return 0
		case left < 3:
			return 2
		}
		return d.within(2, 3)
	})
}

// sizes are those of the kind steady.
var sizes = map[string]func(d drawing) int64{
	"uni":  func(d drawing) int64 { return 16 * d.within(1, 64) },
	"logn": func(d drawing) int64 { return 16 * (1 + int64(24*d.lognormal(0, 0.7))) },
	"net":  func(d drawing) int64 { return d.one(196, 392, 784, 1568, 3136) * d.one(1, 1, 2, 3) },
	"six":  func(d drawing) int64 { return 64 * d.one(1, 2, 3, 4, 6, 8) },
}

// steady keeps a memory 97% full: of twenty buffers that it draws in a slot, those that fit begin.
func (d drawing) steady(n int, memory int64, size string) []model.Buffer {
	var all []model.Buffer
	var live []int
	for slot := int64(1); len(all) < n; slot++ {
		used := int64(0)
		live = slices.DeleteFunc(live, func(i int) bool { return all[i].Upper <= slot })
		for _, i := range live {
			used += all[i].Size
		}
		for range 20 {
			z := sizes[size](d)
			if used+z <= memory && len(all) < n && float64(used) < 0.97*float64(memory) {
				live = append(live, len(all))
				all = append(all, model.Buffer{Lower: slot, Upper: slot + d.life(12), Size: z})
				used += z
			}
		}
	}
	return all
}

// coarse cuts a rectangle into n pieces edge to edge, one of the eight largest next: the least height is its height.
func (d drawing) coarse(n int, width, height int64) []model.Buffer {
	area := func(b model.Buffer) int64 { return (b.Upper - b.Lower) * b.Size }
	pieces := []model.Buffer{{Upper: width, Size: height}}
	for len(pieces) < n {
		slices.SortStableFunc(pieces, func(a, b model.Buffer) int { return int(area(b) - area(a)) })
		k := d.IntN(min(len(pieces), 8))
		a := pieces[k]
		b := a
		switch wide := a.Upper - a.Lower; {
		case wide > 1 && (a.Size < 2 || d.IntN(2) == 0):
			a.Upper = d.within(a.Lower+1, a.Upper-1)
			b.Lower = a.Upper
		case a.Size > 1:
			a.Size = d.within(1, a.Size-1)
			b.Size -= a.Size
		default:
			continue
		}
		pieces[k] = a
		pieces = append(pieces, b)
	}
	d.Shuffle(n, func(i, j int) { pieces[i], pieces[j] = pieces[j], pieces[i] })
	return pieces
}

// mixed has any sizes, lives of up to a third of 60 slots, and one of the alignments for each buffer.
func (d drawing) mixed(n int, alignments []int64) []model.Buffer {
	const horizon, largest = 60, 200
	all := make([]model.Buffer, n)
	for i := range all {
		lower := d.Int64N(horizon)
		all[i] = model.Buffer{
			Lower: lower, Upper: max(min(horizon, lower+d.within(1, horizon/3)), lower+1),
			Size: d.within(1, largest), Alignment: d.one(alignments...),
		}
	}
	return all
}

// A family says how lives and sizes of a random problem are drawn.
type family struct{ life, size string }

// families are those of the kind random, as far as this many buffers are drawn in them.
func families(n int) []family {
	all := []family{{"short", "uni"}, {"exp", "logn"}, {"heavy", "uni"}, {"heavy", "pareto"}, {"long", "uni"}}
	if n > 100_000 {
		all = all[:4] // long lives of so many would all be live at once
	}
	return all
}

// random draws starts evenly.
func (d drawing) random(n int, f family) []model.Buffer {
	horizon := int64(n)
	if f.life == "short" && n < 100_000 {
		horizon = 1000
	}
	all := make([]model.Buffer, n)
	for i := range all {
		b := &all[i]
		b.Lower = d.Int64N(horizon)
		var life int64
		switch f.life {
		case "short":
			life = d.within(1, 200)
		case "exp":
			life = d.life(100)
		case "heavy":
			life = min(horizon/2, int64(5*d.pareto(1)))
		case "long":
			life = d.within(1, horizon/5)
		}
		b.Upper = max(min(horizon+500, b.Lower+life), b.Lower+1)
		switch f.size {
		case "uni":
			b.Size = d.within(1, 1024)
		case "logn":
			b.Size = 64 * (1 + int64(d.lognormal(4, 1.5)))
		case "pareto":
			b.Size = int64(64 * d.pareto(1.1))
		}
	}
	return all
}

// large draws how many buffers there are and how they are drawn, too: 9,000 to 40,000.
func (d drawing) large() []model.Buffer {
	n := d.one(9000, 12000, 20000, 40000)
	horizon := d.one(n/4, n, 3*n)
	life, mean := d.IntN(3), 0.0
	switch life {
	case 0:
		mean = float64(d.one(30, 100, 400))
	case 1:
		mean = float64(d.one(100, 800))
	default:
		mean = float64(d.one(3, 10))
	}
	mean *= float64(horizon) / float64(n)
	size := d.IntN(4)
	all := make([]model.Buffer, n)
	for i := range all {
		b := &all[i]
		b.Lower = d.Int64N(horizon)
		switch life {
		case 0:
			b.Upper = b.Lower + d.life(mean)
		case 1:
			b.Upper = b.Lower + d.within(1, max(1, int64(2*mean)))
		default:
			b.Upper = b.Lower + min(horizon/3, 1+int64(mean*d.pareto(1)))
		}
		switch size {
		case 0:
			b.Size = d.within(1, 1024)
		case 1:
			b.Size = 64 * (1 + int64(d.lognormal(3, 1)))
		case 2:
			b.Size = int64(64 * d.pareto(1.2))
		default:
			b.Size = d.one(196, 784, 3136, 12544) * d.one(1, 1, 2, 3, 4, 8)
		}
	}
	return all
}

// periodic draws long lives in a step that repeats.
func (d drawing) periodic(n int) *model.Problem {
	period := int64(n)
	all := make([]model.Buffer, n)
	for i := range all {
		lower := d.Int64N(period)
		all[i] = model.Buffer{
			Lower: lower, Upper: lower + min(period, d.life(60)), Size: 64 * (1 + int64(d.lognormal(3, 1.2))),
		}
	}
	p := problem("", all)
	p.Rules = &model.Rules{Period: period}
	return p
}

// apart adds pairs that share no byte, of buffers that are never live together.
func (d drawing) apart(p *model.Problem, pairs int) *model.Problem {
	q := *p
	q.Capacity, q.Rules = 0, &model.Rules{}
	seen := map[[2]int]bool{}
	for len(seen) < pairs {
		i, j := d.IntN(len(q.Buffers)), d.IntN(len(q.Buffers))
		if i > j {
			i, j = j, i
		}
		a, b := q.Buffers[i], q.Buffers[j]
		if i == j || seen[[2]int{i, j}] || a.Lower < b.Upper && b.Lower < a.Upper {
			continue
		}
		seen[[2]int{i, j}] = true
		q.Rules.Apart = append(q.Rules.Apart, model.Pair{int32(i), int32(j)})
	}
	return &q
}
