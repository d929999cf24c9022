package stowage_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"strings"
	"time"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/format/json"
	"github.com/stowage-go/stowage/graph"
)

// The running example of the MiniMalloc paper, planned as low as can be.
func Example() {
	p := &stowage.Problem{Buffers: []stowage.Buffer{
		{ID: "b1", Lower: 0, Upper: 3, Size: 4},
		{ID: "b2", Lower: 3, Upper: 9, Size: 4},
		{ID: "b3", Lower: 0, Upper: 9, Size: 4},
		{ID: "b4", Lower: 9, Upper: 21, Size: 4},
		{ID: "b5", Lower: 0, Upper: 21, Size: 4},
	}}
	r, err := stowage.Minimize(context.Background(), p, stowage.Options{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(r.Status, r.Height)
	for i, b := range p.Buffers {
		fmt.Println(b.ID, r.Offsets[i])
	}
	// Output:
	// optimal 12
	// b1 0
	// b2 0
	// b3 4
	// b4 0
	// b5 8
}

// A program that plans often keeps the memory of its plans.
func ExampleNewSolver() {
	p := &stowage.Problem{Buffers: []stowage.Buffer{
		{ID: "input", Lower: 0, Upper: 2, Size: 600},
		{ID: "weights", Lower: 0, Upper: 4, Size: 300},
		{ID: "output", Lower: 1, Upper: 4, Size: 500},
	}}
	s := stowage.NewSolver(stowage.Options{})
	var r stowage.Result
	for _, capacity := range []int64{1399, 1400, 2048} {
		p.Capacity = capacity
		if err := s.Solve(context.Background(), p, &r); err != nil {
			log.Fatal(err)
		}
		fmt.Println(capacity, r.Status, r.Offsets)
	}
	// Output:
	// 1399 infeasible []
	// 1400 optimal [0 1100 600]
	// 2048 optimal [0 1100 600]
}

// One run answers every capacity.
func ExampleSize() {
	p := &stowage.Problem{Buffers: []stowage.Buffer{
		{ID: "input", Lower: 0, Upper: 2, Size: 600},
		{ID: "weights", Lower: 0, Upper: 4, Size: 300},
		{ID: "output", Lower: 1, Upper: 4, Size: 500},
	}}
	s, err := stowage.Size(context.Background(), p, stowage.Options{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(s.Status, s.Height)
	for _, capacity := range []int64{1024, 1399, 1400, 2048} {
		fmt.Println(capacity, s.Fits(capacity))
	}
	// Output:
	// optimal 1400
	// 1024 infeasible
	// 1399 infeasible
	// 1400 feasible
	// 2048 feasible
}

// That no plan fits is a status and not an error: no plan of these buffers is lower than 1,400 bytes. The program in
// examples/plan says what to do with each status.
func ExampleSolve() {
	p := &stowage.Problem{
		Buffers: []stowage.Buffer{
			{ID: "input", Lower: 0, Upper: 2, Size: 600},
			{ID: "weights", Lower: 0, Upper: 4, Size: 300},
			{ID: "output", Lower: 1, Upper: 4, Size: 500},
		},
		Capacity: 1024,
	}
	r, err := stowage.Solve(context.Background(), p, stowage.Options{Timeout: 10 * time.Second})
	if err != nil {
		log.Fatal(err) // bad input
	}
	fmt.Println(r.Status, r.LowerBound)
	// Output: infeasible 1400
}

// A problem of two memories: each byte in the slow one costs 1.
func ExampleRules() {
	p := &stowage.Problem{
		Buffers: []stowage.Buffer{
			{ID: "a", Lower: 0, Upper: 4, Size: 40},
			{ID: "b", Lower: 1, Upper: 5, Size: 24},
			{ID: "c", Lower: 2, Upper: 6, Size: 20},
			{ID: "d", Lower: 5, Upper: 8, Size: 40, Extra: &stowage.Extra{Pools: []int32{0}}}, // sram alone
		},
		Rules: &stowage.Rules{
			Pools: []stowage.Pool{{ID: "sram", Capacity: 64}, {ID: "dram", Cost: 1}},
			Apart: []stowage.Pair{{0, 3}}, // a and d share no byte
		},
	}
	r, err := stowage.Solve(context.Background(), p, stowage.Options{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(r.Status, r.Bounds)
	for i, b := range p.Buffers {
		fmt.Println(b.ID, "in", p.Rules.Pools[r.Pools[i]].ID, "at", r.Offsets[i])
	}
	// Output:
	// optimal [{cost 40} {height 100}]
	// a in dram at 0
	// b in sram at 0
	// c in sram at 40
	// d in sram at 0
}

// Every fault of an input is reported at once.
func ExampleInputError() {
	p := &stowage.Problem{Buffers: []stowage.Buffer{
		{ID: "a", Lower: 3, Upper: 3, Size: 8},
		{ID: "b", Lower: 0, Upper: 2, Size: 0},
	}}
	_, err := stowage.Minimize(context.Background(), p, stowage.Options{})
	var input *stowage.InputError
	if errors.As(err, &input) {
		fmt.Println(input.Total, "problems")
		fmt.Println(input)
	}
	// Output:
	// 2 problems
	// buffer a: upper "3": the lifespan is empty: lower is also 3
	// buffer b: size "0": must be from 1 to 2305843009213693951
}

// What to shrink, split or spill if a capacity is too small.
func ExampleExplain() {
	p := &stowage.Problem{Buffers: []stowage.Buffer{
		{ID: "a", Lower: 0, Upper: 3, Size: 4},
		{ID: "b", Lower: 2, Upper: 9, Size: 4},
		{ID: "c", Lower: 1, Upper: 4, Size: 4},
		{ID: "d", Lower: 9, Upper: 12, Size: 2},
	}}
	x, err := stowage.Explain(context.Background(), p, stowage.Options{Capacity: 11})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(x.Describe(p))
	for _, i := range x.Buffers {
		fmt.Println(p.Buffers[i].ID)
	}
	// Output:
	// infeasible: the buffers a, b and c cannot fit 11 together: they use up to 12 bytes at once, in [2, 3)
	// a
	// b
	// c
}

// A buffer that has to lie at 0, and one that is idle for a while: of its 8
// bytes only the first 2 stay in use in [2, 6), so another lies above them.
func ExampleBuffer() {
	zero := int64(0)
	p := &stowage.Problem{Buffers: []stowage.Buffer{
		{ID: "vectors", Lower: 0, Upper: 8, Size: 4, Fixed: &zero},
		{ID: "state", Lower: 0, Upper: 8, Size: 8, Gaps: []stowage.Gap{
			{Lower: 2, Upper: 6, Window: &stowage.Window{Lower: 0, Upper: 2}},
		}},
		{ID: "scratch", Lower: 2, Upper: 6, Size: 6},
	}}
	r, err := stowage.Minimize(context.Background(), p, stowage.Options{Planner: "exact"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(r.Status, r.Height, r.Offsets)
	// Output: optimal 12 [0 4 6]
}

// A planner of one's own: it stacks the buffers and shares nothing.
type stacker struct{}

func (stacker) Info() stowage.PlannerInfo {
	return stowage.PlannerInfo{
		Name: "stacker", Summary: "one above the other; no buffers share memory", Source: "an example",
	}
}

func (stacker) Plan(_ context.Context, p *stowage.Problem, o stowage.Options) (stowage.Result, error) {
	offsets, top := make([]int64, len(p.Buffers)), int64(0)
	for i, b := range p.Buffers {
		if b.Fixed != nil {
			return stowage.Result{}, fmt.Errorf("planner stacker: %w: buffer %s is fixed", stowage.ErrUnsupported, b.ID)
		}
		offsets[i] = (top + b.Align() - 1) / b.Align() * b.Align()
		top = offsets[i] + b.Size
	}
	if !o.Fits(top) {
		return stowage.NewResult(stowage.Unknown, nil), nil
	}
	return stowage.NewResult(stowage.Feasible, offsets), nil
}

// A user's planner is known by its name once it is registered. Its plans are verified like all others.
func ExampleRegister() {
	stowage.Register(stacker{})
	p := &stowage.Problem{Buffers: []stowage.Buffer{
		{ID: "a", Lower: 0, Upper: 3, Size: 4},
		{ID: "b", Lower: 3, Upper: 9, Size: 4},
	}}
	for _, name := range []string{"stacker", "auto"} {
		r, err := stowage.Minimize(context.Background(), p, stowage.Options{Planner: name})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(r.Planner, r.Status, r.Height, "at least", r.LowerBound)
	}
	// Output:
	// stacker feasible 8 at least 4
	// auto optimal 4 at least 4
}

// The planners by name, and whether they can prove anything.
func ExamplePlanners() {
	for _, planner := range stowage.Planners() {
		if planner.Name == "exact" || planner.Name == "first-fit" {
			fmt.Println(planner.Name, planner.Exact)
		}
	}
	// Output:
	// exact true
	// first-fit false
}

// A plan from elsewhere: all that is wrong with it, by name.
func ExampleVerify() {
	p := &stowage.Problem{Buffers: []stowage.Buffer{
		{ID: "a", Lower: 0, Upper: 3, Size: 4},
		{ID: "b", Lower: 2, Upper: 9, Size: 4},
	}}
	report, err := stowage.Verify(p, []int64{0, 3}, 0)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(report.OK())
	for _, v := range report.Violations {
		fmt.Println(v.Message)
	}
	// Output:
	// false
	// buffers "a" (size 4 at offset 0) and "b" (size 4 at offset 3) both use bytes [3, 4) at times [2, 3)
}

// The fewest buffers that cannot fit: of six, two are enough.
func ExampleExplainSmallest() {
	at := int64(20)
	p := &stowage.Problem{Buffers: []stowage.Buffer{
		{ID: "a", Lower: 0, Upper: 9, Size: 16},
		{ID: "b", Lower: 0, Upper: 9, Size: 16},
		{ID: "c", Lower: 0, Upper: 9, Size: 16},
		{ID: "d", Lower: 0, Upper: 9, Size: 16},
		{ID: "pinned", Lower: 9, Upper: 12, Size: 20, Fixed: &at},
		{ID: "large", Lower: 9, Upper: 12, Size: 40},
	}}
	x, err := stowage.ExplainSmallest(context.Background(), p, stowage.Options{Capacity: 62})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(x.Status, x.Smallest)
	for _, i := range x.Buffers {
		fmt.Println(p.Buffers[i].ID)
	}
	// Output:
	// infeasible true
	// pinned
	// large
}

// A lower bound of all plans, without planning: here 10 bytes are live in [2, 3).
func ExampleLowerBound() {
	bound, err := stowage.LowerBound(&stowage.Problem{Buffers: []stowage.Buffer{
		{ID: "a", Lower: 0, Upper: 3, Size: 4},
		{ID: "b", Lower: 2, Upper: 9, Size: 6},
		{ID: "c", Lower: 4, Upper: 7, Size: 3},
	}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(bound)
	// Output: 10
}

// A search that is watched, and ended once its plan is good enough. The plan is kept. Stopped says why there is no
// proof.
func ExampleMinimize() {
	p := &stowage.Problem{}
	for i := range int64(300) {
		lower := i * 7919 % 200
		p.Buffers = append(p.Buffers,
			stowage.Buffer{ID: fmt.Sprint(i), Lower: lower, Upper: lower + 3 + i*31%40, Size: 101 + i*i*37%900})
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	r, err := stowage.Minimize(ctx, p, stowage.Options{
		Timeout: time.Minute, // at most
		Progress: func(now stowage.Progress) {
			if now.Height > 0 && now.Height < now.LowerBound+now.LowerBound/4 {
				cancel()
			}
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(r.Status, r.Stopped, len(r.Offsets), r.Height < r.LowerBound+r.LowerBound/4)
	// Output: feasible interrupt 300 true
}

// Looking on while a search places buffers and takes placements back.
func ExampleOptions_moves() {
	p := &stowage.Problem{Capacity: 6, Buffers: []stowage.Buffer{
		{ID: "b1", Lower: 0, Upper: 1, Size: 2},
		{ID: "b2", Lower: 0, Upper: 2, Size: 3},
		{ID: "b3", Lower: 1, Upper: 3, Size: 2},
		{ID: "b4", Lower: 1, Upper: 4, Size: 1},
		{ID: "b5", Lower: 2, Upper: 4, Size: 3},
	}}
	_, err := stowage.Solve(context.Background(), p, stowage.Options{
		Planner: "exact",
		Without: []string{"ladders"},
		Moves: func(m stowage.Move) {
			switch id := p.Buffers[m.Buffer].ID; m.Kind {
			case stowage.MoveBegin:
				fmt.Println("within", m.Offset)
			case stowage.MovePlace:
				fmt.Println(id, "at", m.Offset)
			case stowage.MoveBack:
				fmt.Println(id, "is taken back")
			case stowage.MovePlan:
				fmt.Println("height", m.Offset)
			}
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	// Output:
	// within 6
	// b4 at 0
	// b1 at 0
	// b5 at 1
	// b5 is taken back
	// b3 at 1
	// b2 at 3
	// b5 at 3
	// height 6
}

// A graph of operators, as a compiler writes it: in, its plan out.
func Example_graph() {
	ctx, file := context.Background(), strings.NewReader(`{
		"values": [{"name": "x", "size": 64}, {"name": "y", "size": 64}],
		"operators": [
			{"name": "relu", "operands": ["x"], "results": ["y"], "permits": [{"result": "y", "operand": "x"}]}
		],
		"inputs": ["x"],
		"outputs": ["y"]
	}`)
	g, err := json.ReadGraph(file, "graph.json") // or fill a graph.Graph
	if err != nil {
		log.Fatal(err)
	}
	p, err := graph.Make(ctx, g, graph.Options{Solve: stowage.Solve, Reorder: true})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(p.Status, p.Height, p.Offsets, p.Saved.InPlace)
	// Output:
	// optimal 64 [0 0] 64
}

func ExampleSolveFamily() {
	f := &stowage.Family{
		Problem: &stowage.Problem{Buffers: []stowage.Buffer{
			{ID: "hidden", Lower: 0, Upper: 4}, {ID: "scores", Lower: 1, Upper: 3}, {ID: "out", Lower: 3, Upper: 6},
		}},
		Scenarios: []string{"16 tokens", "128 tokens"},
		Sizes:     [][]int64{{4096, 1024, 4096}, {32768, 65536, 32768}},
	}
	r, err := stowage.SolveFamily(context.Background(), f, stowage.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	offsets := make([]int64, 3)
	height, err := r.Order.Place([]int64{16384, 16384, 16384}, offsets) // 64 tokens
	fmt.Println(r.Status, r.Height, height, offsets, err)
	// Output: optimal 98304 32768 [16384 0 0] <nil>
}
