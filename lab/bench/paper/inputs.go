package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"time"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/format/csv"
	"github.com/stowage-go/stowage/internal/comparison"
	"github.com/stowage-go/stowage/internal/gen"
	"github.com/stowage-go/stowage/lab/experiment"
)

// writeCSV writes a problem for a peer.
func writeCSV(w io.Writer, p *stowage.Problem) error { return csv.Write(w, p, nil) }

// published are the networks of the generator: there are those on a clone without
// the public instances, too.
var published = []string{"mobilenet-v2", "unet", "googlenet", "densenet-121", "gpt2-prefill", "resnet50-training"}

// nets returns the networks, without a capacity: the public TFLite models, where they
// are here, and the published ones that are generated.
func (e *env) nets() ([]comparison.Instance, error) {
	if e.networks != nil {
		return e.networks, nil
	}
	var all []comparison.Instance
	if e.data {
		models, err := experiment.Load("models", nil)
		if err != nil {
			return nil, err
		}
		for _, in := range models {
			in.Capacity = 0
			all = append(all, in)
		}
	}
	for _, kind := range published {
		p, err := gen.Generate(kind, gen.Options{})
		if err != nil {
			return nil, err
		}
		all = append(all, comparison.NewInstance(kind, p, 0))
	}
	// The one kind and the other in turn: a sweep that is cut short has seen both.
	slices.SortStableFunc(all[:len(all)-len(published)], func(a, b comparison.Instance) int { return cmp.Compare(len(a.Problem.Buffers), len(b.Problem.Buffers)) })
	if n := len(all) - len(published); n > 0 {
		mixed := make([]comparison.Instance, 0, len(all))
		step := 5
		if n%step == 0 {
			step = 1
		}
		for k := range all {
			if k < n {
				mixed = append(mixed, all[k*step%n])
			}
			if k < len(published) {
				mixed = append(mixed, all[n+k])
			}
		}
		all = mixed
	}
	if e.size.models > 0 {
		all = all[:min(e.size.models, len(all))]
	}
	e.networks = all
	return all, nil
}

// at returns an instance with a share of its height as capacity.
func at(in comparison.Instance, height int64, factor float64) comparison.Instance {
	in.Name = fmt.Sprintf("%s@%g", in.Name, factor)
	in.Capacity = int64(math.Floor(float64(height) * factor))
	return in
}

// patience is how long the exact planner may take for a least height.
const patience = 20 * time.Second

// A least is the least height of a problem, as far as it is known.
type least struct {
	Height int64
	Proven bool
}

// leastOf returns the least height of a problem.
func (e *env) leastOf(ctx context.Context, in *comparison.Instance) (least, error) {
	return remember(e.ctx, e, "least height of "+in.Name+" "+in.Digest, func(ctx context.Context) (least, error) {
		r, err := stowage.Minimize(ctx, in.Problem, stowage.Options{Planner: "exact", Timeout: patience})
		if err != nil {
			return least{}, err
		}
		return least{r.Height, r.Status == stowage.Optimal}, ctx.Err()
	})
}

// netsAt returns the networks at a multiple of their least height, as section 7.2 of
// the TelaMalloc and 8.1 of the MiniMalloc paper have theirs.
func (e *env) netsAt(ctx context.Context, c *content, factor float64) ([]comparison.Instance, error) {
	all, err := e.nets()
	if err != nil {
		return nil, err
	}
	var problems []comparison.Instance
	for _, in := range all {
		l, err := e.leastOf(ctx, &in)
		if err != nil {
			return nil, err
		}
		if !l.Proven {
			c.note("The least height of %s is not proven: %d is known.", in.Name, l.Height)
		}
		problems = append(problems, at(in, l.Height, factor))
	}
	return problems, nil
}

// challenging returns A to K, or where they are not here packings of the same sizes,
// which fill their capacity too.
func (e *env) challenging(c *content) ([]comparison.Instance, error) {
	if e.data {
		all, err := experiment.Load("challenging", nil)
		if e.size.models > 0 && err == nil {
			all = all[:min(len(all), e.size.models)]
		}
		return all, err
	}
	c.note("A to K are not on this machine. Generated networks with as many buffers, at 103%% of their load, stand for them.")
	var all []comparison.Instance
	for k, n := range []int{154, 170, 203, 213, 215, 296, 308, 316, 374, 409, 454} {
		p, err := gen.Generate("inference", gen.Options{Buffers: n, Seed: uint64(k)})
		if err != nil {
			return nil, err
		}
		in := comparison.NewInstance(fmt.Sprintf("inference-%d", n), p, 0)
		in.Capacity = in.Load + in.Load*3/100
		all = append(all, in)
	}
	if e.size.models > 0 {
		all = all[:e.size.models]
	}
	return all, nil
}

// synthetic returns each problems of each step-th size of the synthetic suite (0: all
// 25): one of each size, then another of each, so that a sweep that is cut short has
// seen all sizes alike.
func synthetic(each, step int) []comparison.Instance {
	if each <= 0 || each > gen.SyntheticEach {
		each = gen.SyntheticEach
	}
	ranks := make([][]comparison.Instance, each) // k-th problems of each size
	sizes, of, last := -1, 0, 0
	for in := range gen.Synthetic() {
		if n := len(in.Problem.Buffers); n != last {
			sizes, of, last = sizes+1, 0, n
		}
		if sizes%max(step, 1) == 0 && of < each {
			ranks[of] = append(ranks[of], comparison.NewInstance(in.Problem.Name, in.Problem, in.Problem.Capacity))
		}
		of++
	}
	return slices.Concat(ranks...)
}

// extended returns the inputs of figure 9: the networks at 100% to 130% of their load,
// and generated ones of six kinds and several sizes, at the same; n of them, the first
// of which are a fair sample of all.
func (e *env) extended(n int) ([]comparison.Instance, error) {
	nets, err := e.nets()
	if err != nil {
		return nil, err
	}
	var all []comparison.Instance
	for percent := 100; percent <= 130; percent++ {
		for _, in := range nets {
			all = append(all, at(in, in.Load, float64(percent)/100))
		}
	}
	kinds := []string{"inference", "training", "tiles", "prefill", "decode", "mix"}
	for seed := uint64(0); len(all) < n; seed++ {
		for k, kind := range kinds {
			buffers := []int{60, 120, 250, 500}[int(seed)%4]
			p, err := gen.Generate(kind, gen.Options{Buffers: buffers, Seed: seed})
			if err != nil {
				return nil, err
			}
			in := comparison.NewInstance(fmt.Sprintf("%s-%d-seed-%d", kind, buffers, seed), p, 0)
			all = append(all, at(in, in.Load, 1+float64((int(seed)*len(kinds)+k)*7%31)/100))
		}
	}
	all = all[:n]
	// A prime step goes through all of them, near ones far apart.
	mixed := make([]comparison.Instance, 0, n)
	for k := range n {
		mixed = append(mixed, all[k*389%n])
	}
	if n%389 == 0 {
		return nil, errors.New("a multiple of 389 inputs")
	}
	return mixed, nil
}

// named returns the instance of a name, or the first.
func named(all []comparison.Instance, name string) comparison.Instance {
	k := slices.IndexFunc(all, func(in comparison.Instance) bool { return in.Name == name })
	return all[max(k, 0)]
}

// largestNet is the network with the most buffers among the public models, or of all.
func (e *env) largestNet() (comparison.Instance, error) {
	nets, err := e.nets()
	if err != nil {
		return comparison.Instance{}, err
	}
	if e.data {
		return named(nets, "pose_landmark_heavy"), nil
	}
	return slices.MaxFunc(nets, func(a, b comparison.Instance) int {
		return cmp.Compare(len(a.Problem.Buffers), len(b.Problem.Buffers))
	}), nil
}
