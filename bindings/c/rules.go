package main

// #include "solver.h"
import "C"

import (
	"cmp"
	"iter"
	"math"
	"slices"
	"strconv"
	"unsafe"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/internal/columns"
	"github.com/stowage-go/stowage/model"
)

// Idea: this file turns the rules of a caller into model.Rules, and returns pools, parts and measures of a plan.
// model.Validate checks every index. Two faults are refused earlier, since Go's types cannot hold them: an index that
// does not fit 32 bits (index, wide), and a row of a list whose first column names no buffer or pool (stowageReady).
//
// Complexity: one pass over the lists. All rules are copied, because Go's types differ from columns.

// none is an index that no buffer and no pool has.
const none = -1

func index(x int64) int32 {
	if x < math.MinInt32 || x > math.MaxInt32 {
		return none
	}
	return int32(x)
}

// wide returns an error for the first index of a column that does not fit 32 bits; nil if all do.
func wide(what string, column []int64) error {
	for k, x := range column {
		if int64(int32(x)) != x {
			return inputError(what + "[" + strconv.Itoa(k) + "] " + strconv.Quote(strconv.FormatInt(x, 10)) +
				": there is no such index")
		}
	}
	return nil
}

// indices returns a column as Go's indices. It is empty, but not nil, for no numbers.
func indices(column []int64) []int32 {
	all := make([]int32, len(column))
	for k, x := range column {
		all[k] = index(x)
	}
	return all
}

// text returns a caller's text; "" for NULL.
func text(at *C.char) string {
	if at == nil {
		return ""
	}
	return C.GoString(at)
}

func texts(at **C.char, n int) []string {
	all := make([]string, 0, n)
	for _, x := range unsafe.Slice(at, n) {
		all = append(all, text(x))
	}
	return all
}

// rows returns the rows of a list, each with the numbers of the columns that are set.
func rows(s *C.stowage_solver, which int) iter.Seq[[]int64] {
	l := &s.rules.list[which]
	return func(yield func([]int64) bool) {
		var columns [][]int64
		for k := range l.column {
			if c := column(l.column[k], int(l.count)); c != nil {
				columns = append(columns, c)
			}
		}
		row := make([]int64, len(columns))
		for i := range int(l.count) {
			for k, c := range columns {
				row[k] = c[i]
			}
			if !yield(row) {
				return
			}
		}
	}
}

// rules gives the problem of the peer the rules that the caller has set.
func (p *peer) rules(s *C.stowage_solver) {
	if s.rules.any == 0 {
		return
	}
	r := &model.Rules{Period: int64(s.rules.period)}
	p.problem.Rules = r
	n := int(s.rules.pools)
	capacity, alignment, cost := column(s.rules.capacity, n), column(s.rules.alignment, n), column(s.rules.cost, n)
	for k, id := range texts(s.rules.names, n) {
		pool := model.Pool{ID: id}
		for _, x := range []struct {
			to   *int64
			from []int64
		}{{&pool.Capacity, capacity}, {&pool.Alignment, alignment}, {&pool.Cost, cost}} {
			if x.from != nil {
				*x.to = x.from[k]
			}
		}
		r.Pools = append(r.Pools, pool)
	}
	for _, of := range texts(s.rules.objective, int(s.rules.measures)) {
		r.Objective = append(r.Objective, model.Measure(of))
	}
	var lists columns.Lists
	for which := range lists {
		lists[which] = rows(s, which)
	}
	lists.Fill(&p.problem)
	for i := range p.buffers {
		if x := p.buffers[i].Extra; x != nil {
			slices.SortStableFunc(x.Evictions, func(a, b model.Eviction) int { return cmp.Compare(a.Lower, b.Lower) })
		}
	}
	all := len(p.buffers) * int(s.rules.threads)
	lower, upper := slices.Clone(column(s.rules.clock_lower, all)), slices.Clone(column(s.rules.clock_upper, all))
	columns.Clocks(&p.problem, int(s.rules.threads), lower, upper)
}

//export stowageGetPools
func stowageGetPools(s *C.stowage_solver, pools *C.int64_t) (code C.int) {
	defer guard(s, &code)
	r := peerOf(s).result
	to := column(pools, int(s.count))
	for i := range to {
		to[i] = int64(r.PoolOf(i))
	}
	return C.STOWAGE_OK
}

//export stowageGetMeasure
func stowageGetMeasure(s *C.stowage_solver, measure *C.char, value, bound *C.int64_t) (code C.int) {
	defer guard(s, &code)
	r, m := peerOf(s).result, model.Measure(text(measure))
	measures, bounds := r.Measures, r.Bounds
	if !peerOf(s).problem.Ruled() { // one strip has one measure
		measures = []model.Value{{Measure: model.MeasureHeight, Value: r.Height}}
		bounds = []model.Value{{Measure: model.MeasureHeight, Value: r.LowerBound}}
	}
	of := func(values []model.Value) int64 {
		for _, v := range values {
			if v.Measure == m {
				return v.Value
			}
		}
		return C.STOWAGE_NONE
	}
	if of(measures) == C.STOWAGE_NONE {
		return fail(s, inputError("measure "+strconv.Quote(string(m))+": is none of the problem"))
	}
	if value != nil {
		*value = C.int64_t(of(measures))
	}
	if bound != nil {
		*bound = C.int64_t(of(bounds))
	}
	return C.STOWAGE_OK
}

//export stowageGetParts
func stowageGetParts(s *C.stowage_solver, room C.int64_t, buffer, lower, upper, pool,
	offset *C.int64_t,
) (count C.int64_t) {
	defer guard(s, &count)
	var all [][5]int64
	for _, x := range peerOf(s).result.Parts {
		for _, part := range x.Parts {
			all = append(all, [5]int64{int64(x.Buffer), part.Lower, part.Upper, int64(part.Pool), part.Offset})
		}
	}
	return written(all, room, buffer, lower, upper, pool, offset)
}

//export stowageBarriers
func stowageBarriers(s *C.stowage_solver, offsets *C.int64_t, room C.int64_t, buffer, at, behind, until,
	turn *C.int64_t,
) (count C.int64_t) {
	defer guard(s, &count)
	p := peerOf(s)
	problem, made := &p.problem, &stowage.Plan{}
	if offsets == nil {
		made = &p.result.Plan
	} else {
		problem = p.fill(s)
		made.Offsets = column(offsets, len(problem.Buffers))
	}
	waits, err := stowage.Barriers(problem, made)
	if err != nil {
		return C.int64_t(fail(s, err))
	}
	all := make([][5]int64, 0, len(waits))
	for _, w := range waits {
		all = append(all, [5]int64{int64(w.Buffer), w.At, int64(w.For), w.Until, int64(w.Turn)})
	}
	return written(all, room, buffer, at, behind, until, turn)
}

// written writes rows into a caller's columns, which have room for so many and may be NULL. It returns how many rows
// there are.
func written(all [][5]int64, room C.int64_t, columns ...*C.int64_t) C.int64_t {
	n := int(min(max(int64(room), 0), int64(len(all))))
	for k, at := range columns {
		for row, to := 0, column(at, n); row < len(to); row++ {
			to[row] = all[row][k]
		}
	}
	return C.int64_t(len(all))
}

//export stowageVerifyPlan
func stowageVerifyPlan(s *C.stowage_solver, offsets, pools *C.int64_t, parts C.int64_t, buffer, lower, upper, pool,
	offset *C.int64_t,
) (broken C.int64_t) {
	defer guard(s, &broken)
	problem := peerOf(s).fill(s)
	n, m := len(problem.Buffers), int(parts)
	for _, x := range []struct {
		what   string
		column []int64
	}{{"pools", column(pools, n)}, {"buffer", column(buffer, m)}, {"pool", column(pool, m)}} {
		if err := wide(x.what, x.column); err != nil {
			return C.int64_t(fail(s, err))
		}
	}
	plan := &stowage.Plan{Offsets: column(offsets, n), Height: -1}
	if pools != nil {
		plan.Pools = indices(column(pools, n))
	}
	of, from, to, in, at := column(buffer, m), column(lower, m), column(upper, m), column(pool, m), column(offset, m)
	for k := range m {
		part := stowage.Part{Lower: from[k], Upper: to[k], Offset: at[k]}
		if in != nil {
			part.Pool = index(in[k])
		}
		plan.AddPart(index(of[k]), part)
	}
	return told(s, problem, plan)
}
