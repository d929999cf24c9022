package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/stowage-go/stowage/internal/comparison"
	"github.com/stowage-go/stowage/internal/gen"
	"github.com/stowage-go/stowage/lab/experiment"
	"github.com/stowage-go/stowage/model"
)

// A kind is a row of the table: problems of one kind and size.
type kind struct {
	name   string
	size   string // buffers
	target string // what a run should reach
	// draw makes the problems of a seed. The error is experiment.ErrNoData if they need the public instances.
	draw func(seed uint64) ([]*model.Problem, error)
	// capacity asks for a plan that fits, in place of the lowest one.
	capacity int64
	// parts divide the limit of a run.
	parts int
	// bySeed gives the seed to the planner, since the problem is always the same.
	bySeed bool
	// outside says that CP-SAT can be asked: no rules, and few buffers.
	outside bool
	// families are named by the seed modulo their number; none if all problems are alike.
	families []string
	// peak is how many buffers a window has that is cut around the peak; 0 for windows all over the time.
	peak int
	// known is a height that a plan has by construction; 0 for none.
	known int64
}

// familyOf names the family of a seed, if there are several.
func (k *kind) familyOf(seed uint64) string {
	if len(k.families) == 0 {
		return ""
	}
	return k.families[seed%uint64(len(k.families))]
}

// sized is a number of buffers, or of pairs, and what to reach there.
type sized struct {
	n      int
	target string
}

// key names a kind on the command line and in the file of runs.
func (k *kind) key() string { return strings.TrimSpace(k.name + " " + k.size) }

// drawn makes a kind of one problem a seed.
func drawn(name string, n int, target string, outside bool, draw func(d drawing, seed uint64) []model.Buffer) kind {
	k := kind{name: name, size: comparison.Grouped(int64(n)), target: target, outside: outside}
	k.draw = func(seed uint64) ([]*model.Problem, error) {
		buffers := draw(drawFor(fmt.Sprintf("%s %d", name, n), seed), seed)
		label := strings.ReplaceAll(strings.ReplaceAll(name, ",", ""), " ", "-")
		return []*model.Problem{problem(fmt.Sprintf("%s-%d-%d", label, len(buffers), seed), buffers)}, nil
	}
	return k
}

// kinds are the rows, in the order in which they are measured.
func kinds() []kind {
	var all []kind
	for _, at := range []sized{{100, "at most 0.25%"}, {1000, "at most 8.5%"}, {10000, "at most 13.5%"}} {
		n, target := at.n, at.target
		all = append(all, drawn("full", n, target, n == 100, func(d drawing, _ uint64) []model.Buffer { return d.full(n) }))
	}
	for _, at := range []sized{{300, "at most 2%"}, {1000, "at most 5%"}} {
		for _, size := range []string{"uni", "logn", "net", "six"} {
			n, target, memory := at.n, at.target, int64(1<<14)
			if size == "six" && n == 300 {
				target = "at most 2.3%"
			}
			if n == 1000 {
				memory = 1 << 15
			}
			all = append(all, drawn("steady "+size, n, target, false,
				func(d drawing, _ uint64) []model.Buffer { return d.steady(n, memory, size) }))
		}
	}
	for _, at := range []sized{{100, "at most 2.5% (41)"}, {1000, "at most 4% (104)"}, {10000, "at most 8% (108)"}} {
		n, target := at.n, at.target
		memory := int64(100)
		if n == 100 {
			memory = 40
		}
		all = append(all, drawn("two", n, target, n == 100,
			func(d drawing, _ uint64) []model.Buffer { return d.two(n, memory) }))
	}
	for _, at := range []sized{{1000, "at most 3%"}, {10000, "at most 6%"}} {
		n, target := at.n, at.target
		k := kind{name: "full-placed", size: comparison.Grouped(int64(n)), target: target, known: 1 << 20}
		k.draw = func(seed uint64) ([]*model.Problem, error) {
			p, err := gen.Generate("full-placed", gen.Options{Buffers: n, Seed: seed, Capacity: k.known})
			if err == nil {
				p.Capacity = 0
			}
			return []*model.Problem{p}, err
		}
		all = append(all, k)
	}
	const units = 1024
	fits := drawn("coarse", 1000, "15 of 20 at the load", false,
		func(d drawing, _ uint64) []model.Buffer { return d.coarse(1000, 120, units) })
	lowest := fits
	fits.name, fits.capacity, fits.known, lowest.known = "coarse, at the load", units, units, units
	lowest.name, lowest.target = "coarse, minimised", "at most 0.5%"
	all = append(all, fits, lowest)
	all = append(all, kind{
		name: "J by seed", size: "409", target: "18 of 20 in a tenth of the limit", parts: 10, bySeed: true,
		draw: func(uint64) ([]*model.Problem, error) { return challenging("J.") },
	})
	for _, at := range []sized{{5, "11 of 11"}, {20, "8 of 11"}} {
		n, target := at.n, at.target
		all = append(all, kind{
			name: fmt.Sprintf("A to K, %d pairs apart", n), size: "154 to 454", target: target,
			draw: func(seed uint64) ([]*model.Problem, error) {
				problems, err := challenging("")
				for k, p := range problems {
					problems[k] = drawFor(fmt.Sprintf("%s %d", p.Name, n), seed).apart(p, n)
				}
				return problems, err
			},
		})
	}
	all = append(all, kind{
		name: "periodlong", size: "1,000", target: "at most 0.2%",
		draw: func(seed uint64) ([]*model.Problem, error) {
			p := drawFor("periodlong", seed).periodic(1000)
			p.Name = fmt.Sprintf("periodlong-%d", seed)
			return []*model.Problem{p}, nil
		},
	})
	wide := drawn("random, mixed", 9000, "80% within 0.5%", false,
		func(d drawing, _ uint64) []model.Buffer { return d.large() })
	wide.size, wide.peak = "9,000 to 40,000", peakWindow
	all = append(all, wide)
	for _, at := range []sized{{5000, "80% within 0.5%"}, {14000, "80% within 0.5%"}, {140000, "80% within 0.5%"}} {
		n, target := at.n, at.target
		f := families(n)
		k := drawn("random", n, target, false, func(d drawing, seed uint64) []model.Buffer {
			return d.random(n, f[seed%uint64(len(f))])
		})
		k.peak = peakWindow
		for _, f := range f {
			k.families = append(k.families, f.life+" "+f.size)
		}
		all = append(all, k)
	}
	for _, set := range []struct {
		name string
		of   []int64
	}{{"A", []int64{12, 18, 20, 45}}, {"B", []int64{6, 10, 15, 14}}, {"C", []int64{48, 64, 80}}} {
		k := drawn("alignments "+set.name, 0, "16 of 20 closed, at most 1%", true,
			func(d drawing, seed uint64) []model.Buffer { return d.mixed(40+int(seed%3)*10, set.of) })
		k.size = "40 to 60"
		all = append(all, k)
	}
	return all
}

// challenging returns the problems of the public suite whose file's name begins so, to be minimised.
func challenging(prefix string) ([]*model.Problem, error) {
	files, err := experiment.Load("challenging", nil)
	var all []*model.Problem
	for _, f := range files {
		if len(f.Name) == 1 && (prefix == "" || f.Name+"." == prefix) {
			p := *f.Problem
			p.Name, p.Capacity = f.Name, 0
			all = append(all, &p)
		}
	}
	return slices.Clip(all), err
}
