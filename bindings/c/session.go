package main

// #include <stdlib.h>
// #include "solver.h"
import "C"

import (
	"context"
	"errors"
	"fmt"
	"runtime/cgo"
	"slices"
	"time"
	"unsafe"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/internal/shown"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/session"
)

// Idea: each function makes one call of package session, and writes its answer into the handle. Buffers come as
// arguments, or in the columns of a solver.
//
// Invariant: nothing that the session keeps points into the caller's memory or into that of a solver.

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
		given = &model.Plan{Offsets: append([]int64{}, column(offsets, len(problem.Buffers))...)}
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
	own := *problem
	own.Buffers = owned(problem.Buffers)
	ctx, end := heeding(from.token)
	defer end()
	var err error
	f.Session, err = session.OpenPlan(ctx, &own, given, session.Options{
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

// owned copies buffers with all that they point to.
func owned(buffers []stowage.Buffer) []stowage.Buffer {
	all := slices.Clone(buffers)
	for i := range all {
		b := &all[i]
		for _, at := range []**int64{&b.Fixed, &b.Hint} {
			if *at != nil {
				number := **at
				*at = &number
			}
		}
	}
	return all
}

// weight is what a byte of a buffer costs if it moves.
func (f *follower) weight(b *model.Buffer) int64 {
	if w, said := f.weights[b.ID]; said {
		return w
	}
	return 1
}

// heeding returns a context that ends with a token.
func heeding(token *C.stowage_token) (ctx context.Context, end func()) {
	if token == nil {
		return context.Background(), func() {}
	}
	ctx, cancel := context.WithCancel(context.Background())
	if C.stowageIsCancelled(token) != 0 {
		cancel()
		return ctx, cancel
	}
	timer := time.AfterFunc(look, func() { watch(ctx, cancel, token) })
	return ctx, func() { timer.Stop(); cancel() }
}

//export stowageSessionClose
func stowageSessionClose(s *C.stowage_session) {
	cgo.Handle(s.peer).Delete()
	s.peer = 0
}

//export stowageSessionWeight
func stowageSessionWeight(s *C.stowage_session, id *C.char, weight C.int64_t) (code C.int) {
	defer caught(s, &code)
	f, name := followerOf(s), C.GoString(id)
	if _, _, there := f.Buffer(name); there {
		return failed(s, fault(name, "weight", int64(weight), "is for a buffer that comes later: this one is in the session"))
	}
	if weight < 0 || weight > session.MaxWeight {
		return failed(s, fault(name, "weight", int64(weight), fmt.Sprintf("must be from 0 to %d", session.MaxWeight)))
	}
	if weight == 1 {
		delete(f.weights, name)
	} else {
		f.weights[name] = int64(weight)
	}
	return C.STOWAGE_OK
}

// fault returns an input error about a buffer.
func fault(id, field string, value int64, message string) error {
	var issues model.Issues
	issues.Add(model.Issue{Buffer: id, Field: field, Value: fmt.Sprint(value), Message: message})
	return issues.Err()
}

// answered makes a call that has an answer, and writes the answer into the handle.
func answered(s *C.stowage_session, offsets *C.int64_t,
	call func(context.Context, *follower) (session.Answer, error),
) (code C.int) {
	defer caught(s, &code)
	s.answer = C.stowage_session_answer{}
	ctx, end := heeding(s.token)
	defer end()
	a, err := call(ctx, followerOf(s))
	if err != nil {
		return failed(s, err)
	}
	m := &a.Moved
	s.answer = C.stowage_session_answer{
		status: C.int32_t(a.Status), step: C.int32_t(a.Step), moved_buffers: C.int32_t(m.Buffers),
		moved_cost:  C.int64_t(m.Cost),
		moved_bytes: C.int64_t(m.Bytes), moved_slots: C.int64_t(m.Slots), enough: C.int64_t(a.Enough),
		nodes: C.int64_t(a.Nodes),
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
	return C.int(a.Status)
}

//export stowageSessionAdd
func stowageSessionAdd(s *C.stowage_session, id *C.char, lower, upper, size, alignment C.int64_t, keep C.int,
	offset *C.int64_t,
) C.int {
	b := model.Buffer{
		ID: C.GoString(id), Lower: int64(lower), Upper: int64(upper), Size: int64(size), Alignment: int64(alignment),
	}
	return answered(s, offset, func(ctx context.Context, f *follower) (session.Answer, error) {
		if keep == 0 {
			return f.Fits(ctx, b)
		}
		return f.Add(ctx, b)
	})
}

//export stowageSessionPlace
func stowageSessionPlace(
	s *C.stowage_session, from, with *C.stowage_solver, effort, keep C.int, offsets *C.int64_t,
) C.int {
	return answered(s, offsets, func(ctx context.Context, f *follower) (session.Answer, error) {
		if err := noStep(int64(effort)); err != nil {
			return session.Answer{}, err
		}
		problem := peerOf(from).fill(from)
		rules, err := f.RulesOf(problem)
		if err != nil {
			return session.Answer{}, err
		}
		if with != nil {
			more, err := f.RulesOf(peerOf(with).fill(with))
			if err != nil {
				return session.Answer{}, err
			}
			rules.Join(more)
		}
		buffers := owned(problem.Buffers)
		if keep == 0 {
			return f.FitsWith(ctx, buffers, rules)
		}
		return f.PlaceWith(ctx, buffers, rules, session.Step(effort))
	})
}

//export stowageSessionBind
func stowageSessionBind(s *C.stowage_session, from *C.stowage_solver, keep C.int) C.int {
	return answered(s, nil, func(ctx context.Context, f *follower) (session.Answer, error) {
		rules, err := f.RulesOf(peerOf(from).fill(from))
		if err != nil {
			return session.Answer{}, err
		}
		if keep == 0 {
			return f.Unbind(ctx, rules)
		}
		return f.Bind(ctx, rules)
	})
}

//export stowageSessionReplace
func stowageSessionReplace(s *C.stowage_session, from *C.stowage_solver, offset *C.int64_t) C.int {
	return answered(s, offset, func(ctx context.Context, f *follower) (session.Answer, error) {
		problem := peerOf(from).fill(from)
		if n := len(problem.Buffers); n != 1 {
			return session.Answer{}, inputError(fmt.Sprintf("count: there must be one buffer, and there are %d", n))
		}
		rules, err := f.RulesOf(problem)
		if err != nil {
			return session.Answer{}, err
		}
		if !rules.None() {
			const none = "rules: a buffer that replaces another one has none; stowage_session_bind adds rules"
			return session.Answer{}, inputError(none)
		}
		b := owned(problem.Buffers)[0]
		b.Gaps = slices.Clone(b.Gaps)
		return f.Replace(ctx, b.ID, func(to *model.Buffer) { *to = b })
	})
}

// noStep returns the error for an effort that is none.
func noStep(effort int64) error {
	if effort < 0 || effort > C.STOWAGE_STEP_FRESH {
		return inputError(fmt.Sprintf("effort: there is no step %d", effort))
	}
	return nil
}

//export stowageSessionRemove
func stowageSessionRemove(s *C.stowage_session, id *C.char) (code C.int) {
	defer caught(s, &code)
	return done(s, followerOf(s).Remove(C.GoString(id)))
}

// done returns the code of a call without an answer.
func done(s *C.stowage_session, err error) C.int {
	if err != nil {
		return failed(s, err)
	}
	return C.STOWAGE_OK
}

//export stowageSessionResize
func stowageSessionResize(s *C.stowage_session, id *C.char, size C.int64_t, offset *C.int64_t) C.int {
	return answered(s, offset, func(ctx context.Context, f *follower) (session.Answer, error) {
		return f.Resize(ctx, C.GoString(id), int64(size))
	})
}

//export stowageSessionRetime
func stowageSessionRetime(s *C.stowage_session, id *C.char, lower, upper C.int64_t, offset *C.int64_t) C.int {
	return answered(s, offset, func(ctx context.Context, f *follower) (session.Answer, error) {
		return f.Retime(ctx, C.GoString(id), int64(lower), int64(upper))
	})
}

//export stowageSessionPin
func stowageSessionPin(s *C.stowage_session, id *C.char, offset C.int64_t) C.int {
	return answered(s, nil, func(ctx context.Context, f *follower) (session.Answer, error) {
		name, at := C.GoString(id), int64(offset)
		if at == C.STOWAGE_NONE {
			_, at, _ = f.Buffer(name)
		}
		return f.Pin(ctx, name, at)
	})
}

//export stowageSessionPinIn
func stowageSessionPinIn(s *C.stowage_session, id *C.char, pool, offset C.int64_t) C.int {
	return answered(s, nil, func(ctx context.Context, f *follower) (session.Answer, error) {
		name, at := C.GoString(id), int64(offset)
		if at == C.STOWAGE_NONE {
			_, at, _ = f.Buffer(name)
		}
		if err := wide("pool", []int64{int64(pool)}); err != nil {
			return session.Answer{}, err
		}
		return f.PinIn(ctx, name, index(int64(pool)), at)
	})
}

//export stowageSessionLimitPool
func stowageSessionLimitPool(s *C.stowage_session, pool, capacity C.int64_t) C.int {
	return answered(s, nil, func(ctx context.Context, f *follower) (session.Answer, error) {
		if err := wide("pool", []int64{int64(pool)}); err != nil {
			return session.Answer{}, err
		}
		return f.LimitPool(ctx, index(int64(pool)), int64(capacity))
	})
}

//export stowageSessionUnpin
func stowageSessionUnpin(s *C.stowage_session, id *C.char) (code C.int) {
	defer caught(s, &code)
	return done(s, followerOf(s).Unpin(C.GoString(id)))
}

//export stowageSessionLimit
func stowageSessionLimit(s *C.stowage_session, capacity C.int64_t) C.int {
	return answered(s, nil, func(ctx context.Context, f *follower) (session.Answer,
		error,
	) {
		return f.Limit(ctx, int64(capacity))
	})
}

//export stowageSessionReplan
func stowageSessionReplan(s *C.stowage_session, height C.int64_t, effort C.int) C.int {
	return answered(s, nil, func(ctx context.Context, f *follower) (session.Answer, error) {
		if err := noStep(int64(effort)); err != nil {
			return session.Answer{}, err
		}
		return f.Replan(ctx, int64(height), session.Step(effort))
	})
}

//export stowageSessionMark
func stowageSessionMark(s *C.stowage_session) (mark C.int64_t) {
	defer caught(s, &mark)
	return C.int64_t(followerOf(s).Mark())
}

// stowageSessionReturn is rollback, or commit if undo is 0.
//
//export stowageSessionReturn
func stowageSessionReturn(s *C.stowage_session, mark C.int64_t, undo C.int) (code C.int) {
	defer caught(s, &code)
	if undo != 0 {
		return done(s, followerOf(s).Rollback(session.Mark(mark)))
	}
	return done(s, followerOf(s).Commit(session.Mark(mark)))
}

//export stowageSessionFigure
func stowageSessionFigure(s *C.stowage_session, figure C.int) (number C.int64_t) {
	defer caught(s, &number)
	f := followerOf(s)
	switch figure {
	case 0:
		return C.int64_t(f.Len())
	case 1:
		return C.int64_t(f.Height())
	case 2:
		load, _ := f.Peak()
		return C.int64_t(load)
	}
	return C.int64_t(f.Capacity())
}

// stowageSessionPlaceOf returns the offset of a buffer, or its pool if pool is not 0.
//
//export stowageSessionPlaceOf
func stowageSessionPlaceOf(s *C.stowage_session, id *C.char, pool C.int) (place C.int64_t) {
	defer caught(s, &place)
	f, name := followerOf(s), C.GoString(id)
	_, at, there := f.Buffer(name)
	if !there {
		var issues model.Issues
		issues.Add(model.Issue{Field: "id", Value: name, Message: "is not in the session"})
		return C.int64_t(failed(s, issues.Err()))
	}
	if pool != 0 {
		in, _ := f.PoolOf(name)
		return C.int64_t(in)
	}
	return C.int64_t(at)
}

// stowageSessionPlaces writes the offsets of all buffers, or their pools if pools is not 0.
//
//export stowageSessionPlaces
func stowageSessionPlaces(s *C.stowage_session, room C.int64_t, to *C.int64_t, pools C.int) (count C.int64_t) {
	defer caught(s, &count)
	_, plan := followerOf(s).Snapshot()
	n := len(plan.Offsets)
	all := column(to, min(n, int(max(room, 0))))
	for k := range all {
		if pools != 0 {
			all[k] = int64(plan.PoolOf(k))
		} else {
			all[k] = plan.Offsets[k]
		}
	}
	return C.int64_t(n)
}

//export stowageSessionSnapshot
func stowageSessionSnapshot(s *C.stowage_session, to *C.stowage_solver) (code C.int) {
	defer caught(s, &code)
	f := followerOf(s)
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
	return C.STOWAGE_OK
}
