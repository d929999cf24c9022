package main

// #include <stdlib.h>
// #include "solver.h"
import "C"

import (
	"context"
	"errors"
	"fmt"
	"runtime/cgo"
	"unsafe"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/internal/shown"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/session"
)

// Idea: each function makes one call of package session, and writes its answer into the handle. Buffers come as
// arguments, or in the columns of a solver.
//
// Invariant: nothing that the session keeps points into the caller's memory or into that of a solver: package session
// copies buffers, rules and offsets.

// A follower is the Go side of a session.
type follower struct {
	*session.Session
	planner string
	weights map[string]int64 // those that are not 1
}

func followerOf(s *C.stowage_session) *follower { return cgo.Handle(s.peer).Value().(*follower) }

// failed stores an error for stowage_session_error, and returns its code.
func failed(s *C.stowage_session, err error) C.int {
	C.free(unsafe.Pointer(s.error))
	s.error = C.CString(shown.Lines(err.Error()))
	return codeOf(err)
}

// caught turns a panic into an error, as guard does.
func caught[T ~int32 | ~int64](s *C.stowage_session, code *T) {
	if what := recover(); what != nil {
		*code = T(failed(s, fmt.Errorf("%w: panic: %v", errInternal, what)))
	}
}

//export stowageSessionOpen
func stowageSessionOpen(s *C.stowage_session, from *C.stowage_solver, offsets *C.int64_t,
	o *C.stowage_session_options,
) (code C.int) {
	defer guard(from, &code)
	p := peerOf(from)
	run := p.optionsOf(from)
	if len(run.Without) > 0 || len(run.Params) > 0 {
		return fail(from, inputError("options: a session takes no techniques and no parameters"))
	}
	if err := noStep(int64(o.effort)); err != nil {
		return fail(from, err)
	}
	problem := p.fill(from)
	f := &follower{weights: map[string]int64{}, planner: run.Planner}
	for i, w := range column(o.weights, len(problem.Buffers)) {
		if w != 1 {
			f.weights[problem.Buffers[i].ID] = w
		}
	}
	if f.planner == "" {
		f.planner = stowage.DefaultPlanner
	}
	var given *model.Plan
	if offsets != nil {
		given = &model.Plan{Offsets: column(offsets, len(problem.Buffers))}
	}
	if o.pools != nil {
		if given == nil {
			return fail(from, inputError("pools: they are those of a plan, and there are no offsets"))
		}
		if err := wide("pools", column(o.pools, len(problem.Buffers))); err != nil {
			return fail(from, err)
		}
		given.Pools = indices(column(o.pools, len(problem.Buffers)))
	}
	ctx, end := heeding(from.token)
	defer end()
	var err error
	f.Session, err = session.OpenPlan(ctx, problem, given, session.Options{
		Alignment: int64(o.alignment), Effort: session.Step(o.effort), Weight: f.weight, Planner: f.planner,
		Seed: run.Seed, NodeLimit: run.NodeLimit, Timeout: run.Timeout,
	})
	var none *session.NoPlanError
	switch {
	case errors.As(err, &none):
		if none.Answer.Proof != nil {
			give(from, none.Answer.Proof.String())
		}
		return C.int(none.Answer.Status)
	case err != nil:
		return fail(from, err)
	}
	s.peer = C.uintptr_t(cgo.NewHandle(f))
	return C.STOWAGE_FEASIBLE
}

// weight is what a byte of a buffer costs if it moves.
func (f *follower) weight(b *model.Buffer) int64 {
	if w, said := f.weights[b.ID]; said {
		return w
	}
	return 1
}

//export stowageSessionClose
func stowageSessionClose(s *C.stowage_session) {
	cgo.Handle(s.peer).Delete()
	s.peer = 0
}

// weigh says what a byte of a buffer that comes later costs if it moves.
func (f *follower) weigh(name string, weight int64) error {
	if _, _, there := f.Buffer(name); there {
		return fault(name, "weight", weight, "is for a buffer that comes later: this one is in the session")
	}
	if weight < 0 || weight > session.MaxWeight {
		return fault(name, "weight", weight, fmt.Sprintf("must be from 0 to %d", session.MaxWeight))
	}
	if weight == 1 {
		delete(f.weights, name)
	} else {
		f.weights[name] = weight
	}
	return nil
}

// fault returns an input error about a buffer.
func fault(id, field string, value int64, message string) error {
	return model.Issue{Buffer: id, Field: field, Value: fmt.Sprint(value), Message: message}.Err()
}

// stowageSessionCall makes a call. It returns what the caller's function returns.
//
//export stowageSessionCall
func stowageSessionCall(s *C.stowage_session, c *C.struct_stowage_call) (code C.int64_t) {
	defer caught(s, &code)
	f, name, x := followerOf(s), text(c.id), int64(c.number[0])
	var err error
	switch c.call {
	case C.STOWAGE_CALL_WEIGHT:
		err = f.weigh(name, x)
	case C.STOWAGE_CALL_REMOVE:
		err = f.Remove(name)
	case C.STOWAGE_CALL_UNPIN:
		err = f.Unpin(name)
	case C.STOWAGE_CALL_ROLLBACK:
		err = f.Rollback(session.Mark(x))
	case C.STOWAGE_CALL_COMMIT:
		err = f.Commit(session.Mark(x))
	case C.STOWAGE_CALL_SNAPSHOT:
		f.snapshot(c.problem)
	case C.STOWAGE_CALL_OFFSET, C.STOWAGE_CALL_POOL_OF:
		_, at, there := f.Buffer(name)
		if !there {
			err = model.Issue{Field: "id", Value: name, Message: "is not in the session"}.Err()
		}
		if pool, _ := f.PoolOf(name); c.call == C.STOWAGE_CALL_POOL_OF {
			at = int64(pool)
		}
		code = C.int64_t(at)
	case C.STOWAGE_CALL_OFFSETS, C.STOWAGE_CALL_POOLS:
		code, err = f.places(c)
	case C.STOWAGE_CALL_MARK:
		code = C.int64_t(f.Mark())
	case C.STOWAGE_CALL_COUNT:
		code = C.int64_t(f.Len())
	case C.STOWAGE_CALL_HEIGHT:
		code = C.int64_t(f.Height())
	case C.STOWAGE_CALL_LOAD:
		load, _ := f.Peak()
		code = C.int64_t(load)
	case C.STOWAGE_CALL_CAPACITY:
		code = C.int64_t(f.Capacity())
	default:
		s.answer = C.stowage_session_answer{}
		ctx, end := heeding(s.token)
		defer end()
		var a session.Answer
		if a, err = f.ask(ctx, c, name); err == nil {
			answered(s, &a, c.to)
			code = C.int64_t(a.Status)
		}
	}
	if err != nil {
		return C.int64_t(failed(s, err))
	}
	return code
}

// ask makes a call that has an answer.
func (f *follower) ask(ctx context.Context, c *C.struct_stowage_call, name string) (none session.Answer, err error) {
	x, y, size, alignment := int64(c.number[0]), int64(c.number[1]), int64(c.number[2]), int64(c.number[3])
	b := model.Buffer{ID: name, Lower: x, Upper: y, Size: size, Alignment: alignment}
	switch c.call {
	case C.STOWAGE_CALL_PIN_IN, C.STOWAGE_CALL_LIMIT_POOL:
		if err := wide("pool", []int64{y}); err != nil {
			return none, err
		}
	case C.STOWAGE_CALL_PLACE, C.STOWAGE_CALL_REPLAN:
		if err := noStep(x); err != nil {
			return none, err
		}
	}
	switch c.call {
	case C.STOWAGE_CALL_ADD:
		return f.Add(ctx, b)
	case C.STOWAGE_CALL_FITS:
		return f.Fits(ctx, b)
	case C.STOWAGE_CALL_RESIZE:
		return f.Resize(ctx, name, x)
	case C.STOWAGE_CALL_RETIME:
		return f.Retime(ctx, name, x, y)
	case C.STOWAGE_CALL_PIN, C.STOWAGE_CALL_PIN_IN:
		if x == C.STOWAGE_NONE {
			_, x, _ = f.Buffer(name)
		}
		if c.call == C.STOWAGE_CALL_PIN {
			return f.Pin(ctx, name, x)
		}
		return f.PinIn(ctx, name, index(y), x)
	case C.STOWAGE_CALL_LIMIT:
		return f.Limit(ctx, x)
	case C.STOWAGE_CALL_LIMIT_POOL:
		return f.LimitPool(ctx, index(y), x)
	case C.STOWAGE_CALL_REPLAN:
		return f.Replan(ctx, y, session.Step(x))
	}
	// The others are about the problem of a solver.
	problem := peerOf(c.problem).fill(c.problem)
	if n := len(problem.Buffers); n != 1 && c.call == C.STOWAGE_CALL_REPLACE {
		return none, inputError(fmt.Sprintf("count: there must be one buffer, and there are %d", n))
	}
	rules, err := f.RulesOf(problem)
	if err == nil && c.rules != nil {
		var more session.Rules
		more, err = f.RulesOf(peerOf(c.rules).fill(c.rules))
		rules.Join(more)
	}
	if err != nil {
		return none, err
	}
	buffers := problem.Buffers
	switch c.call {
	case C.STOWAGE_CALL_PLACE:
		return f.PlaceWith(ctx, buffers, rules, session.Step(x))
	case C.STOWAGE_CALL_FITS_ALL:
		return f.FitsWith(ctx, buffers, rules)
	case C.STOWAGE_CALL_BIND:
		return f.Bind(ctx, rules)
	case C.STOWAGE_CALL_UNBIND:
		return f.Unbind(ctx, rules)
	}
	if !rules.None() {
		return none, inputError("rules: a buffer that replaces another one has none; stowage_session_bind adds rules")
	}
	return f.Replace(ctx, buffers[0].ID, func(to *model.Buffer) { *to = buffers[0] })
}

// answered writes an answer into the handle, and offsets to the caller.
func answered(s *C.stowage_session, a *session.Answer, offsets *C.int64_t) {
	m := &a.Moved
	s.answer = C.stowage_session_answer{
		status: C.int32_t(a.Status), step: C.int32_t(a.Step), moved_buffers: C.int32_t(m.Buffers),
		moved_cost: C.int64_t(m.Cost), moved_bytes: C.int64_t(m.Bytes), moved_slots: C.int64_t(m.Slots),
		enough: C.int64_t(a.Enough), nodes: C.int64_t(a.Nodes),
	}
	if a.Least {
		s.answer.least = 1
	}
	if p := a.Proof; p != nil {
		put(s.answer.why[:], string(p.Why))
		s.answer.proof_time, s.answer.proof_load, s.answer.proof_bound = C.int64_t(p.Slot), C.int64_t(p.Load),
			C.int64_t(p.LowestPossible)
		s.proof = C.CString(shown.Lines(p.String()))
	}
	copy(column(offsets, len(a.Offsets)), a.Offsets)
	if n := len(a.Pools); n > 0 {
		s.answer.pools = (*C.int64_t)(C.malloc(C.size_t(n) * C.sizeof_int64_t)) // never NULL
		for k, pool := range a.Pools {
			column(s.answer.pools, n)[k] = int64(pool)
		}
	}
}

// noStep returns the error for an effort that is none.
func noStep(effort int64) error {
	if effort < 0 || effort > C.STOWAGE_STEP_FRESH {
		return inputError(fmt.Sprintf("effort: there is no step %d", effort))
	}
	return nil
}

// places writes the offsets of all buffers, or their pools, and returns how many there are.
func (f *follower) places(c *C.struct_stowage_call) (C.int64_t, error) {
	what, of := "offsets", func(plan *model.Plan, i int) int64 { return plan.Offsets[i] }
	if c.call == C.STOWAGE_CALL_POOLS {
		what, of = "pools", func(plan *model.Plan, i int) int64 { return int64(plan.PoolOf(i)) }
	}
	room := int(max(c.number[0], 0))
	if room > 0 && c.to == nil {
		return 0, inputError("there is no room for " + what + ": it is NULL")
	}
	_, plan := f.Snapshot()
	n := len(plan.Offsets)
	all := column(c.to, min(n, room))
	for k := range all {
		all[k] = of(plan, k)
	}
	return C.int64_t(n), nil
}

// snapshot makes the session's problem and plan those of a solver.
func (f *follower) snapshot(to *C.stowage_solver) {
	problem, plan := f.Snapshot()
	take(to, problem)
	p := peerOf(to)
	r := stowage.NewResult(stowage.Feasible, plan.Offsets)
	r.Height, r.Planner, r.Pools = plan.Height, f.planner, plan.Pools
	if problem.Ruled() { // rules may let a plan stay below the load
		r.Objective, r.Measures = problem.Objective(), model.MeasuresOf(problem, plan)
	} else {
		r.LowerBound, _ = f.Peak()
	}
	p.problem, p.result, p.minimized = *problem, &r, false
	p.tell(to)
}
