package milp

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

// Idea: one instance of the module for each solve, driven through HiGHS's C interface: pass the program as arrays, set
// options, run, read the status, the best solution, the bound and the nodes.
//
// Two ends: shortly before the deadline, or when the context ends, virtual time runs out, and HiGHS returns with its
// best plan, usually within a fraction of a second. If it takes longer than the grace, the solve counts as a limit
// without a plan. HiGHS runs on until it next looks at the clock, which then stops it.
//
// Source: highs_c_api.h of HiGHS (MIT), through the npm package highs 1.15.3.

const (
	// grace is how long HiGHS may take to return after the limit.
	grace = 60 * time.Millisecond
	// early is by how much HiGHS's own limit comes before the deadline, so that it
	// is likely to be back in time with its best plan; at most a tenth of the run.
	early = 200 * time.Millisecond
)

// soft returns the context that ends HiGHS's virtual time.
func soft(ctx context.Context) (context.Context, context.CancelFunc) {
	if at, ok := ctx.Deadline(); ok {
		return context.WithDeadline(ctx, at.Add(-min(early, time.Until(at)/10)))
	}
	return ctx, func() {}
}

// A verdict is what a solver says of a program.
type verdict uint8

const (
	undecided  verdict = iota // a limit came first
	optimal                   // values are an optimal solution, as far as doubles go
	feasible                  // values are a solution
	infeasible                // there is no solution, as far as doubles go
)

// An answer is a verdict with what comes with it.
type answer struct {
	verdict verdict
	values  []float64 // of the columns; nil if there is no solution
	bound   float64   // lower bound on the objective; -Inf for none
	nodes   int64     // of branch and bound
	cut     bool      // the time limit has ended it, or would have soon
}

// limits end a solve or steer it.
type limits struct {
	nodes int64     // 0 for none
	seed  uint64    // HiGHS's random_seed, modulo 2³¹
	start []float64 // a solution to start from, nil for none
	first bool      // any solution will do
	cache string    // folder for compiled code
	// tolerance is by how much a solution may break a row.
	tolerance float64
}

// HiGHS's model statuses and constants, from its C interface.
const (
	statusOptimal    = 7
	statusInfeasible = 8
	solutionFeasible = 2 // primal_solution_status
	formatRows       = 2
	senseMinimize    = 1
	callFailed       = -1 // HighsStatus; 0 is fine, 1 a warning
)

// solveEmbedded runs HiGHS in this process.
func solveEmbedded(ctx context.Context, f *formulation, l limits) (answer, error) {
	none := answer{bound: math.Inf(-1)}
	if err := load(ctx, l.cache); err != nil {
		if ctx.Err() != nil {
			return none, nil
		}
		return none, fmt.Errorf("planner milp: HiGHS cannot be loaded: %w", err)
	}
	type outcome struct {
		answer
		err error
	}
	limit, cancel := soft(ctx)
	defer cancel()
	h := &host{limit: limit}
	done := make(chan outcome, 1)
	go func() {
		a, err := runSession(context.WithValue(context.WithoutCancel(ctx), hostKey{}, h), f, l)
		done <- outcome{a, err}
	}()
	var late <-chan time.Time
	ended := ctx.Done()
	for {
		select {
		case o := <-done:
			if errors.Is(o.err, errAborted) {
				return none, nil // out of memory, which is a limit too
			}
			o.cut = limit.Err() != nil
			return o.answer, o.err
		case <-ended:
			ended, late = nil, time.After(grace)
		case <-late:
			h.abandoned.Store(true)
			return none, nil
		}
	}
}

// runSession solves in an instance of its own.
func runSession(ctx context.Context, f *formulation, l limits) (answer, error) {
	s, err := newSession(ctx)
	if err != nil {
		return answer{}, fmt.Errorf("planner milp: HiGHS cannot be started: %w", err)
	}
	defer s.close()
	a := s.solve(f, l)
	if s.err != nil {
		return answer{}, fmt.Errorf("planner milp: %w", s.err)
	}
	return a, nil
}

// A session is an instance with one solver in it. The first error sticks.
type session struct {
	ctx    context.Context
	module api.Module
	solver uint64
	err    error
}

func newSession(ctx context.Context) (*session, error) {
	m, err := engine.InstantiateModule(ctx, module, wazero.NewModuleConfig().WithName("").WithStartFunctions())
	if err != nil {
		return nil, err
	}
	s := &session{ctx: ctx, module: m}
	s.call(exportInit)
	s.solver = s.call(exportCreate)
	if s.err != nil {
		s.close()
		return nil, s.err
	}
	return s, nil
}

func (s *session) close() { _ = s.module.Close(context.WithoutCancel(s.ctx)) }

// call calls an export and returns its result, 0 if it has none or after an error.
func (s *session) call(name string, args ...uint64) uint64 {
	if s.err != nil {
		return 0
	}
	results, err := s.module.ExportedFunction(name).Call(s.ctx, args...)
	if err != nil {
		s.err = err
		return 0
	}
	if len(results) == 0 {
		return 0
	}
	return results[0]
}

// do is call for functions that return a HighsStatus.
func (s *session) do(what, name string, args ...uint64) {
	if int32(s.call(name, args...)) == callFailed && s.err == nil {
		s.err = errors.New("HiGHS refuses to " + what)
	}
}

// reserve returns the address of n fresh bytes.
func (s *session) reserve(n int) uint64 {
	at := s.call(exportMalloc, uint64(max(n, 8)))
	if at == 0 && s.err == nil {
		s.err = errAborted
	}
	return at
}

func (s *session) put(data []byte) uint64 {
	at := s.reserve(len(data))
	if s.err == nil && !s.module.Memory().Write(uint32(at), data) {
		s.err = errors.New("an address of HiGHS's is out of its memory")
	}
	return at
}

func (s *session) text(t string) uint64 { return s.put(append([]byte(t), 0)) }

func (s *session) doubles(xs []float64) uint64 {
	data := make([]byte, 0, 8*len(xs))
	for _, x := range xs {
		data = binary.LittleEndian.AppendUint64(data, math.Float64bits(x))
	}
	return s.put(data)
}

func (s *session) ints(xs []int32) uint64 {
	data := make([]byte, 0, 4*len(xs))
	for _, x := range xs {
		data = binary.LittleEndian.AppendUint32(data, uint32(x))
	}
	return s.put(data)
}

// option sets an option by its name, of the type that HiGHS gives it.
func (s *session) option(name string, value any) {
	at := s.text(name)
	switch v := value.(type) {
	case bool:
		bit := uint64(0)
		if v {
			bit = 1
		}
		s.do("set "+name, exportSetBool, s.solver, at, bit)
	case int:
		s.do("set "+name, exportSetInt, s.solver, at, api.EncodeI32(int32(v)))
	case float64:
		s.do("set "+name, exportSetDouble, s.solver, at, double(v))
	}
}

// solve passes the program, runs it and reads the outcome.
func (s *session) solve(f *formulation, l limits) answer {
	a := answer{bound: math.Inf(-1)}
	s.option("output_flag", false)
	s.option("threads", 1)
	s.option("random_seed", int(l.seed&math.MaxInt32))
	s.option("time_limit", float64(forever)) // virtual seconds; see wasm.go
	s.option("mip_rel_gap", 0.0)
	s.option("mip_abs_gap", gap)
	s.option("mip_feasibility_tolerance", l.tolerance)
	if l.nodes > 0 {
		s.option("mip_max_nodes", int(min(l.nodes, math.MaxInt32)))
	}
	if l.first {
		s.option("mip_max_improving_sols", 1)
	}
	integer := make([]int32, len(f.integer))
	for k, is := range f.integer {
		if is {
			integer[k] = 1
		}
	}
	s.do("take the program", exportPassMip,
		s.solver, uint64(len(f.cost)), uint64(len(f.rowLower)), uint64(len(f.value)),
		formatRows, senseMinimize, double(0),
		s.doubles(f.cost), s.doubles(f.lower), s.doubles(f.upper), s.doubles(f.rowLower), s.doubles(f.rowUpper),
		s.ints(f.start[:len(f.start)-1]), s.ints(f.index), s.doubles(f.value), s.ints(integer))
	if l.start != nil {
		s.do("start from a solution", exportStart, s.solver, s.doubles(l.start), 0, 0, 0)
	}
	s.do("run", exportRun, s.solver)
	status := int32(s.call(exportStatus, s.solver))
	cell := s.reserve(8)
	if s.call(exportGetInt, s.solver, s.text("primal_solution_status"), cell); s.word(cell) == solutionFeasible {
		a.verdict = feasible
		columns := s.reserve(8 * len(f.cost))
		s.do("give the solution", exportSolution, s.solver, columns, s.reserve(8*len(f.cost)), s.reserve(8*len(f.rowLower)),
			s.reserve(8*len(f.rowLower)))
		a.values = make([]float64, len(f.cost))
		for k := range a.values {
			a.values[k] = math.Float64frombits(s.long(columns + 8*uint64(k)))
		}
	}
	switch {
	case status == statusInfeasible:
		a.verdict, a.values = infeasible, nil
	case status == statusOptimal && a.verdict == feasible:
		a.verdict = optimal
	}
	if s.call(exportGetDouble, s.solver, s.text("mip_dual_bound"), cell); s.err == nil {
		a.bound = math.Float64frombits(s.long(cell))
	}
	s.call(exportGetInt64, s.solver, s.text("mip_node_count"), cell)
	a.nodes = max(0, int64(s.long(cell)))
	return a
}

func (s *session) word(at uint64) uint32 {
	x, _ := s.module.Memory().ReadUint32Le(uint32(at))
	return x
}

func (s *session) long(at uint64) uint64 {
	x, _ := s.module.Memory().ReadUint64Le(uint32(at))
	return x
}
