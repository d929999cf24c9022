// Command order measures how much the order of operators saves in randomly wired networks and in those of neural
// architecture search, where papers report gains. Bytes are live bytes at the peak, as internal/order counts them.
//
//	go run ./lab/bench/order [-sharing apart] [-states 262144] [-into lab/bench/order/README.md]
//	go run ./lab/bench/order -models [-into lab/bench/order/README.md] ["[FLAG]... PATH"]...
//
// Each network has three orders to begin with: node after node, as an exporter writes it; depth first (reverse
// post-order); breadth first (level by level). The best order is found from the first of them. With -sharing apart,
// `auto` also plans every order's lifespans, and the column height has the arena's bytes for the best order. With
// -sharing in-place, results of elementwise operators may lie over operands that die. With -sharing distances, so may
// results of convolutions and pools. For both, no arenas are planned. -large adds randomly wired stages that are
// larger than any published one.
//
//	go run ./lab/bench/order -limited [-states 262144] [-into lab/bench/order/README.md]
//
// measures the peaks of the largest stages without beams, without dives and without both, with the same number of
// states.
//
// The second form orders real models (models.go): files and folders of .tflite and .onnx.
//
// The networks are those of internal/testkit/networks. They are made from the papers' descriptions, and are not
// the files that the papers measured. So the published gains stand beside ours for their order of magnitude.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/internal/comparison"
	"github.com/stowage-go/stowage/internal/order"
	"github.com/stowage-go/stowage/internal/testkit/networks"
	"github.com/stowage-go/stowage/lab/bench/internal/record"
	"github.com/stowage-go/stowage/model"
)

// published has the gains of papers by family, from their abstracts: lower peaks by the order alone.
var published = map[string]string{
	"DARTS":         "SERENITY: 1.68 in the mean of DARTS, SwiftNet and RandWire cells, against TensorFlow Lite",
	"SwiftNet-like": "as DARTS",
	"RandWire":      "as DARTS; HMCOS: 8.7 to 42.4% of NAS networks, against reverse post-order and SERENITY",
	"NASNet":        "HMCOS, as RandWire",
	"AmoebaNet":     "HMCOS, as RandWire",
}

// bench is a run of the command.
type bench struct {
	states int
	plan   bool // the heights too
}

func main() {
	sharing := flag.String("sharing", "apart", "apart, in-place or distances")
	states := flag.Int("states", order.DefaultStates, "most states of a search")
	large := flag.Bool("large", false, "add stages of 48 to 256 nodes")
	limited := flag.Bool("limited", false, "measure beams and dives on the largest stages, and nothing else")
	into := flag.String("into", "", "put the tables into the document `FILE`")
	models := flag.Bool("models", false,
		"ask the command about models in files and folders, each with its flags before it")
	flag.Parse()
	record.Main("order", func(ctx context.Context) error {
		if *models {
			text, err := ofModels(ctx, flag.Args())
			if fmt.Print(text); err == nil && *into != "" {
				err = record.ReplaceBlock(*into, "bench:order-models", text)
			}
			return err
		}
		kind, ok := map[string]networks.Sharing{
			"apart": networks.Apart, "in-place": networks.InPlace, "distances": networks.Distances,
		}[*sharing]
		if !ok {
			return errors.New("-sharing: " + *sharing + ": want apart, in-place or distances")
		}
		if *limited {
			text, err := withoutEach(ctx, *states)
			if err != nil {
				return err
			}
			text += fmt.Sprintf("\n%v; %s.\n", record.ThisMachine(), record.Today())
			fmt.Print(text)
			if *into != "" {
				return record.ReplaceBlock(*into, "bench:limited", text)
			}
			return nil
		}
		b := &bench{states: *states, plan: kind == networks.Apart}
		text, err := b.tables(ctx, networks.Suite(kind), true)
		if err == nil && *large {
			var more string
			more, err = b.tables(ctx, networks.Large(kind), false)
			text += "\n" + more
		}
		if err != nil {
			return err
		}
		text += fmt.Sprintf("\n%s, at most %d states; %v; %s.\n", *sharing, *states, record.ThisMachine(), record.Today())
		fmt.Print(text)
		if *into != "" {
			return record.ReplaceBlock(*into, "bench:order", text)
		}
		return nil
	})
}

// withoutEach returns a table of the peaks that are found without beams, dives and both on stages of 96 nodes and more.
func withoutEach(ctx context.Context, states int) (string, error) {
	var rows [][]string
	for _, n := range networks.Large(networks.Apart) {
		const least = 300 // operators: smaller stages are proven
		if len(n.Program.Operators) < least {
			continue
		}
		row := []string{n.Name}
		for _, off := range []order.Techniques{{}, {Beams: true}, {Dives: true}, {Beams: true, Dives: true}} {
			r, err := order.Best(ctx, n.Program, order.Options{States: states, Off: off})
			if err != nil {
				return "", err
			}
			text := comparison.Grouped(r.Peak)
			if r.Status == model.Optimal {
				text += " ="
			}
			row = append(row, text)
		}
		rows = append(rows, row)
	}
	columns := []string{"network", "best", "without beams", "without dives", "without both"}
	return comparison.NewTable(columns, rows).Markdown() + fmt.Sprintf("\nAt most %d states.\n", states), ctx.Err()
}

// gain is a geometric mean of ratios.
type gain struct {
	logs  float64
	least float64
	most  float64
	count int
}

func (g *gain) add(before, after int64) {
	ratio := float64(before) / float64(after)
	if g.logs += math.Log(ratio); g.count == 0 || ratio < g.least {
		g.least = ratio
	}
	g.most = max(g.most, ratio)
	g.count++
}

func (g *gain) String() string {
	return fmt.Sprintf("%.2f (%.2f to %.2f)", math.Exp(g.logs/float64(g.count)), g.least, g.most)
}

// tables orders all networks. It returns their table and, if summed, a table of the families.
func (b *bench) tables(ctx context.Context, all []networks.Network, summed bool) (string, error) {
	columns := []string{
		"network", "operators", "exporter", "depth first", "breadth first", "best", "bound", "gain", "states", "seconds",
	}
	if b.plan {
		columns = append(columns, "height")
	}
	var rows, sums [][]string
	var families []string
	gains := map[string]*[3]gain{}
	for _, n := range all {
		row, peaks, err := b.measure(ctx, n)
		if err != nil {
			return "", fmt.Errorf("%s %s: %w", n.Family, n.Name, err)
		}
		rows = append(rows, row)
		if gains[n.Family] == nil {
			gains[n.Family] = new([3]gain)
			families = append(families, n.Family)
		}
		for k := range 3 {
			gains[n.Family][k].add(peaks[k], peaks[3])
		}
	}
	text := comparison.NewTable(columns, rows).Markdown()
	if !summed {
		return text, nil
	}
	for _, f := range families {
		g := gains[f]
		sums = append(sums, []string{f, strconv.Itoa(g[0].count), g[0].String(), g[1].String(), g[2].String(), published[f]})
	}
	headings := []string{"family", "networks", "gain over exporter", "over depth first", "over breadth first", "published"}
	return text + "\n" + comparison.NewTable(headings, sums).Markdown(), nil
}

// measure orders one network. It returns its row, and the peaks of the three orders and of the best one.
func (b *bench) measure(ctx context.Context, n networks.Network) (row []string, peaks [4]int64, err error) {
	p := n.Program
	for k, start := range [][]int32{nil, networks.DepthFirst(p), networks.BreadthFirst(p)} {
		if peaks[k], err = p.Peak(start); err != nil {
			return nil, peaks, err
		}
	}
	began := time.Now()
	r, err := order.Best(ctx, p, order.Options{States: b.states})
	if err != nil {
		return nil, peaks, err
	}
	seconds := time.Since(began).Seconds()
	peaks[3] = r.Peak
	row = []string{n.Family + " " + n.Name, strconv.Itoa(len(p.Operators))}
	for _, peak := range peaks {
		row = append(row, comparison.Grouped(peak))
	}
	bound := "="
	if r.Status != model.Optimal {
		bound = comparison.Grouped(r.Bound)
	}
	row = append(row, bound, fmt.Sprintf("%.2f", float64(peaks[0])/float64(r.Peak)),
		strconv.Itoa(r.States), fmt.Sprintf("%.3f", seconds))
	if b.plan {
		height, err := planned(ctx, p, r.Order)
		if err != nil {
			return nil, peaks, err
		}
		text := "="
		if height != r.Peak {
			text = comparison.Grouped(height)
		}
		row = append(row, text)
	}
	return row, peaks, ctx.Err()
}

// planned returns the height of a plan for the lifespans of an order, as `auto` finds it in two seconds. Moment 0 is
// before the first operator.
func planned(ctx context.Context, p *order.Program, operators []int32) (int64, error) {
	first, last := make([]int64, len(p.Sizes)), make([]int64, len(p.Sizes))
	for v := range first {
		first[v] = -1
	}
	for _, v := range p.Inputs {
		first[v] = 0
	}
	for k, o := range operators {
		for _, v := range p.Operators[o].Results {
			first[v], last[v] = int64(k)+1, int64(k)+1
		}
		for _, v := range p.Operators[o].Operands {
			last[v] = int64(k) + 1
		}
	}
	for _, v := range p.Outputs {
		last[v] = int64(len(operators)) + 1
	}
	problem := &model.Problem{}
	for v, size := range p.Sizes {
		if first[v] >= 0 && size > 0 {
			problem.Buffers = append(problem.Buffers, model.Buffer{
				ID: strconv.Itoa(v), Lower: first[v], Upper: last[v] + 1, Size: size,
			})
		}
	}
	r, err := stowage.Solve(ctx, problem, stowage.Options{Timeout: 2 * time.Second})
	if err != nil {
		return 0, err
	}
	return r.Height, nil
}
