// Command pools measures how well `auto` chooses which buffers go into a small fast memory, beside a greedy choice and
// beside the bound.
//
//	go run ./lab/bench/pools [-timeout 10s] [-into lab/bench/pools/README.md] [FILE]...
//
// Without files it takes five networks of internal/testkit/networks, whose programs say which operator reads what. Each is
// planned with an SRAM of 25, 50 and 75% of its load and a DRAM without a capacity. A buffer in SRAM costs nothing. In DRAM it costs its
// traffic: its bytes once to write, and once for each operator that reads them. A file with a problem says nothing of
// reads, so one is taken for each buffer.
package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/format"
	"github.com/stowage-go/stowage/internal/comparison"
	"github.com/stowage-go/stowage/internal/testkit/networks"
	"github.com/stowage-go/stowage/lab/bench/internal/record"
	"github.com/stowage-go/stowage/model"
)

// network is a problem of one pool, and how often each buffer is read.
type network struct {
	name    string
	problem *model.Problem
	reads   []int64
}

func main() {
	timeout := flag.Duration("timeout", 10*time.Second, "time for each plan")
	into := flag.String("into", "", "put the table into the document `FILE`")
	flag.Parse()
	record.Main("pools", func(ctx context.Context) error {
		all := five()
		if flag.NArg() > 0 {
			all = nil
		}
		for _, file := range flag.Args() {
			n, err := read(file)
			if err != nil {
				return err
			}
			all = append(all, n)
		}
		var rows [][]string
		for _, n := range all {
			for _, percent := range []int64{25, 50, 75} {
				row, err := measure(ctx, n, percent, *timeout)
				if err != nil {
					return fmt.Errorf("%s, %d%%: %w", n.name, percent, err)
				}
				rows = append(rows, row)
			}
		}
		text := comparison.NewTable([]string{
			"network", "buffers", "load", "SRAM", "all in DRAM", "greedy", "auto", "bound", "greedy / auto", "auto / bound", "status", "seconds",
		}, rows).Markdown()
		text += fmt.Sprintf("\nBytes; %v a plan at most; %v; %s.\n", *timeout, record.ThisMachine(), record.Today())
		fmt.Print(text)
		if *into != "" {
			return record.ReplaceBlock(*into, "bench:pools", text)
		}
		return nil
	})
}

// five returns the networks of the benchmark.
func five() []network {
	return []network{
		of(networks.Cells(networks.DARTS(), 14, 48, false, networks.Apart)),
		of(networks.Cells(networks.NASNet(), 12, 44, true, networks.Apart)),
		of(networks.Cells(networks.AmoebaNet(), 12, 50, true, networks.Apart)),
		of(networks.SwiftLikeNet(8, 0, networks.Apart)),
		of(networks.RandWire(networks.WattsStrogatz(4, 0.75), 32, 78, 0, networks.Apart)),
	}
}

// of makes a problem of a program in the order in which it was given.
func of(n networks.Network) network {
	p := n.Program
	out := network{name: n.Family + " " + n.Name, problem: &model.Problem{}, reads: make([]int64, len(p.Sizes))}
	for v, size := range p.Sizes {
		out.problem.Buffers = append(out.problem.Buffers, model.Buffer{ID: strconv.Itoa(v), Size: max(size, 1), Upper: 1})
	}
	last := int64(len(p.Operators))
	for t, op := range p.Operators {
		for _, v := range op.Results {
			out.problem.Buffers[v].Lower, out.problem.Buffers[v].Upper = int64(t), int64(t)+1
		}
		read := slices.Clone(op.Operands)
		slices.Sort(read)
		for _, v := range slices.Compact(read) {
			out.problem.Buffers[v].Upper = int64(t) + 1
			out.reads[v]++
		}
	}
	for _, v := range p.Outputs {
		out.problem.Buffers[v].Upper = last
		out.reads[v]++ // by whoever wants the result
	}
	return out
}

// read returns a file's problem, with one read of each buffer.
func read(file string) (network, error) {
	p, _, err := format.ReadProblem(file)
	if err != nil {
		return network{}, err
	}
	return network{filepath.Base(file), p, slices.Repeat([]int64{1}, len(p.Buffers))}, nil
}

// alignment is that of both memories.
const alignment = 16

// measure plans a network for an SRAM of this part of its load, and returns its row.
func measure(ctx context.Context, n network, percent int64, timeout time.Duration) ([]string, error) {
	base := *n.problem
	base.Capacity = 0
	bound, err := stowage.Solve(ctx, &base, stowage.Options{Planner: "first-fit"})
	if err != nil {
		return nil, err
	}
	load := bound.LowerBound
	p := &model.Problem{Name: n.name, Buffers: slices.Clone(base.Buffers), Rules: &model.Rules{Pools: []model.Pool{
		{ID: "sram", Capacity: max(load*percent/100/alignment, 1) * alignment, Alignment: alignment},
		{ID: "dram", Alignment: alignment, Cost: 1},
	}}}
	all := int64(0)
	for i := range p.Buffers {
		b := &p.Buffers[i]
		traffic := b.Size * (1 + n.reads[i])
		all += traffic
		b.Extra = &model.Extra{Costs: []model.PoolCost{{Pool: 1, Cost: traffic}}}
	}
	began := time.Now()
	r, err := stowage.Solve(ctx, p, stowage.Options{Planner: "auto", Minimize: true, Timeout: timeout})
	if err != nil {
		return nil, err
	}
	seconds := time.Since(began).Seconds()
	if !r.Status.HasPlan() {
		return nil, fmt.Errorf("no plan: %v", r.Status)
	}
	cost, least := model.ValueOf(r.Measures, model.MeasureCost), model.ValueOf(r.Bounds, model.MeasureCost)
	byValue := greedy(p)
	ratio := func(x, y int64) string {
		if x == y {
			return "="
		}
		return fmt.Sprintf("%.4f", float64(x)/float64(y))
	}
	row := []string{n.name, strconv.Itoa(len(p.Buffers))}
	for _, x := range []int64{load, p.Rules.Pools[0].Capacity, all, byValue, cost, least} {
		row = append(row, strconv.FormatInt(x, 10))
	}
	return append(row, ratio(byValue, cost), ratio(cost, least), r.Status.String(), fmt.Sprintf("%.1f", seconds)), nil
}

// greedy returns the traffic to DRAM if buffers go into SRAM in order of traffic per byte, dearest first and of these the largest, each at the lowest
// offset that is free while it lives.
func greedy(p *model.Problem) (left int64) {
	order := make([]int, len(p.Buffers))
	for i := range order {
		order[i] = i
	}
	cost := func(i int) int64 { return p.Buffers[i].Extra.Costs[0].Cost }
	slices.SortStableFunc(order, func(i, j int) int {
		a, b := float64(cost(i))/float64(p.Buffers[i].Size), float64(cost(j))/float64(p.Buffers[j].Size)
		return cmp.Or(cmp.Compare(b, a), cmp.Compare(p.Buffers[j].Size, p.Buffers[i].Size))
	})
	offsets := make([]int64, len(p.Buffers))
	var placed []int
	for _, i := range order {
		at := int64(0)
		b := &p.Buffers[i]
		slices.SortFunc(placed, func(x, y int) int { return cmp.Compare(offsets[x], offsets[y]) })
		for _, j := range placed {
			x := &p.Buffers[j]
			if x.Lower < b.Upper && b.Lower < x.Upper && at < offsets[j]+x.Size && offsets[j] < at+b.Size {
				at = (offsets[j] + x.Size + alignment - 1) / alignment * alignment
			}
		}
		if at+b.Size > p.Rules.Pools[0].Capacity {
			left += cost(i)
			continue
		}
		offsets[i] = at
		placed = append(placed, i)
	}
	return left
}
