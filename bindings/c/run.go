package main

// #include "solver.h"
import "C"

import (
	"context"
	"errors"
	"sync"
	"time"
	"unsafe"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/internal/explain"
	"github.com/stowage-go/stowage/internal/figures"
	"github.com/stowage-go/stowage/plan"
)

// Idea: a run in the foreground calls stowage.Solve on the caller's own thread. A run in the
// background does so in a goroutine. Some languages handle signals only after a call has
// returned; they can do so between two calls of stowage_wait.
//
// A token is a number in C memory, so that a signal handler may set it. Nothing tells Go that
// it was set. So each run that is longer than a look reads the token again and again.

// look is the time between two looks at a token.
const look = time.Millisecond

//export stowageSolve
func stowageSolve(s *C.stowage_solver, offsets *C.int64_t) C.int {
	ctx, cancel := context.Background(), func() {}
	if s.token != nil || s.progress != nil {
		ctx, cancel = context.WithCancel(ctx)
	}
	defer cancel()
	return peerOf(s).watched(ctx, cancel, s, offsets)
}

// stowageSize is stowageSolve for the lowest plan, whatever the capacity.
//
//export stowageSize
func stowageSize(s *C.stowage_solver, offsets *C.int64_t) C.int {
	p := peerOf(s)
	p.sizing = true
	defer func() { p.sizing = false }()
	return stowageSolve(s, offsets)
}

// stowageFits says what the last run knows of a capacity.
//
//export stowageFits
func stowageFits(s *C.stowage_solver, capacity C.int64_t) C.int {
	return C.int(plan.BoundsOf(peerOf(s).result).Fits(int64(capacity)))
}

//export stowageStart
func stowageStart(s *C.stowage_solver, offsets *C.int64_t) {
	p := peerOf(s)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	p.done, p.cancel = done, cancel
	go func() {
		defer close(done)
		defer cancel()
		p.code = p.watched(ctx, cancel, s, offsets)
	}()
}

//export stowageWait
func stowageWait(s *C.stowage_solver, milliseconds C.int64_t) C.int {
	p := peerOf(s)
	if milliseconds < 0 {
		<-p.done
	} else {
		select {
		case <-p.done:
		default:
			timer := time.NewTimer(time.Duration(min(milliseconds, 1e9)) * time.Millisecond)
			defer timer.Stop()
			select {
			case <-p.done:
			case <-timer.C:
				return C.STOWAGE_RUNNING
			}
		}
	}
	p.done, p.cancel = nil, nil
	return p.code
}

// watched makes a run that heeds the token and the progress callback of the solver.
func (p *peer) watched(ctx context.Context, cancel func(), s *C.stowage_solver, offsets *C.int64_t) C.int {
	defer heed(ctx, cancel, s.token)()
	if s.progress != nil {
		b := newBeat(s, cancel)
		p.options.Progress = b.tell
		defer func() {
			b.end()
			p.options.Progress = nil
		}()
	}
	return p.run(ctx, s, offsets)
}

// A beat calls the progress callback at even intervals with the latest report of the planner. Planners report each
// change. At first there may be many in a millisecond, and in a long search none for minutes. A caller that shows the
// elapsed time, or that ends the run from the callback, needs even calls.
//
// Invariant: a callback that has ended the run is not called again. It gets offsets only if the height differs from
// the call before: planners report the same plan again when another part of a portfolio starts from it.
type beat struct {
	one     sync.Mutex // held during a call: there is one at a time
	latest  stowage.Progress
	offsets []int64   // of latest, copied: the planner's own are valid only during its report
	height  int64     // of the last call
	news    bool      // the callback has not been given latest
	ended   bool      // the callback has ended the run
	said    time.Time // when the callback was last called
	began   time.Time
	call    func(stowage.Progress) (end bool)
	cancel  func()
	over    chan struct{}
	gone    chan struct{}
}

// pause is the time between calls of the callback.
const pause = 50 * time.Millisecond

func newBeat(s *C.stowage_solver, cancel func()) *beat {
	tell, user := s.progress, s.user
	b := &beat{began: time.Now(), cancel: cancel, over: make(chan struct{}), gone: make(chan struct{})}
	b.call = func(q stowage.Progress) bool {
		return C.stowageTell(tell, user, C.int64_t(q.Height), C.int64_t(q.LowerBound), C.int64_t(q.Nodes),
			C.int64_t(q.Elapsed), array(q.Offsets)) != 0
	}
	go b.run()
	return b
}

// tell takes a report of the planner.
func (b *beat) tell(q stowage.Progress) {
	b.one.Lock()
	defer b.one.Unlock()
	switch {
	case q.Offsets != nil:
		b.offsets = append(b.offsets[:0], q.Offsets...)
		q.Offsets = b.offsets
	case q.Height == b.latest.Height:
		q.Offsets = b.latest.Offsets // the callback may not have them yet
	}
	b.latest, b.news = q, true
	if time.Since(b.said) >= pause {
		b.say()
	}
}

// say calls the callback. It passes the offsets of a plan only once.
func (b *beat) say() {
	if b.ended {
		return
	}
	if b.latest.Height == b.height {
		b.latest.Offsets = nil
	}
	b.height = b.latest.Height
	if b.ended = b.call(b.latest); b.ended {
		b.cancel()
	}
	b.latest.Offsets, b.news, b.said = nil, false, time.Now()
}

func (b *beat) run() {
	defer close(b.gone)
	timer := time.NewTimer(pause)
	defer timer.Stop()
	for {
		select {
		case <-b.over:
			return
		case <-timer.C:
		}
		b.one.Lock()
		if time.Since(b.said) >= pause {
			b.latest.Elapsed = time.Since(b.began)
			b.say()
		}
		timer.Reset(pause - time.Since(b.said))
		b.one.Unlock()
	}
}

// end gives the callback the last report. When it returns, no call is under way and none will follow.
func (b *beat) end() {
	close(b.over)
	<-b.gone
	if b.news {
		b.say()
	}
}

// heeding returns a context that ends with a token.
func heeding(token *C.stowage_token) (ctx context.Context, end func()) {
	ctx, cancel := context.WithCancel(context.Background())
	stop := heed(ctx, cancel, token)
	return ctx, func() { stop(); cancel() }
}

// heed makes a token, if it is not NULL, end a context. stop ends the watch.
func heed(ctx context.Context, cancel func(), token *C.stowage_token) (stop func()) {
	if token == nil {
		return func() {}
	}
	if C.stowageIsCancelled(token) != 0 {
		cancel()
		return func() {}
	}
	timer := time.AfterFunc(look, func() { watch(ctx, cancel, token) })
	return func() { timer.Stop() }
}

// watch looks at a token until the run ends.
func watch(ctx context.Context, cancel func(), token *C.stowage_token) {
	ticker := time.NewTicker(look)
	defer ticker.Stop()
	for {
		if C.stowageIsCancelled(token) != 0 {
			cancel()
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// array returns a slice as C takes it.
func array(x []int64) *C.int64_t { return (*C.int64_t)(unsafe.SliceData(x)) }

// run plans and puts the outcome into the solver.
func (p *peer) run(ctx context.Context, s *C.stowage_solver, offsets *C.int64_t) (code C.int) {
	defer guard(s, &code)
	s.result = C.stowage_result{}
	s.outcome = 0
	s.found_by[0], s.proved_by[0], s.ended[0] = 0, 0, 0
	problem, o := p.fill(s), p.optionsOf(s)
	var r *stowage.Result
	var err error
	if p.sizing {
		problem.Capacity, o.Minimize = 0, true
		var size *stowage.Sizing
		if size, err = stowage.Size(ctx, problem, o); err == nil {
			r = size.Result
		}
	} else {
		r, err = stowage.Solve(ctx, problem, o)
	}
	if err != nil {
		return fail(s, err)
	}
	p.result, p.minimized = r, o.Minimize
	if offsets != nil && r.Status.HasPlan() {
		copy(column(offsets, len(problem.Buffers)), r.Offsets)
	}
	p.tell(s)
	return C.int(r.Status)
}

// tell makes the result of the peer the outcome of the solver.
func (p *peer) tell(s *C.stowage_solver) {
	r := p.result
	s.outcome = 1
	s.result = C.stowage_result{
		status: C.int32_t(r.Status), stopped: stopped(r.Stopped),
		height: C.int64_t(r.Height), lower_bound: C.int64_t(r.LowerBound), capacity: C.int64_t(p.problem.Capacity),
		nodes: C.int64_t(r.Stats.Nodes), backtracks: C.int64_t(r.Stats.Backtracks), elapsed_ns: C.int64_t(r.Stats.Elapsed),
	}
	if r.Status == stowage.Infeasible {
		s.why = 1
	}
	put(s.result.planner[:], r.Planner)
	put(s.result.member[:], r.Member)
	put(s.found_by[:], figures.FoundBy(r))
	put(s.proved_by[:], r.ProvedBy)
	put(s.ended[:], figures.Ended(r, p.problem.Capacity, p.minimized))
}

// put writes a name, with a 0 at its end. It cuts a name that is too long.
func put(to []C.char, name string) {
	n := min(len(name), len(to)-1)
	for k := range n {
		to[k] = C.char(name[k])
	}
	to[n] = 0
}

// stopped returns the number that a reason has in C.
func stopped(why plan.Stop) C.int32_t {
	switch why {
	case plan.StopTimeout:
		return C.STOWAGE_STOP_TIMEOUT
	case plan.StopNodes:
		return C.STOWAGE_STOP_NODES
	case plan.StopInterrupt:
		return C.STOWAGE_STOP_CANCELLED
	case plan.StopEffort:
		return C.STOWAGE_STOP_EFFORT
	}
	return C.STOWAGE_FINISHED
}

// stowageReason says in words why the last run found that nothing fits. That takes a sweep over
// the buffers, longer than many such runs, so it is done only on request. It reads the run's
// own copy of the problem, because the caller's columns may be gone.
//
//export stowageReason
func stowageReason(s *C.stowage_solver) {
	var code C.int
	defer guard(s, &code)
	p := peerOf(s)
	give(s, explain.Reason(&p.problem, p.problem.Capacity, p.result.LowerBound, asIs))
}

// asIs writes IDs in reasons as they are.
func asIs(id string) string { return id }

//export stowageVerify
func stowageVerify(s *C.stowage_solver, offsets *C.int64_t) (broken C.int64_t) {
	defer guard(s, &broken)
	p := peerOf(s)
	problem := p.fill(s)
	return told(s, problem, &stowage.Plan{Offsets: column(offsets, len(problem.Buffers)), Height: -1})
}

// told verifies a plan and says what it breaks first. It returns how much it breaks.
func told(s *C.stowage_solver, problem *stowage.Problem, plan *stowage.Plan) C.int64_t {
	report, err := stowage.VerifyPlan(problem, plan)
	if err != nil {
		return C.int64_t(fail(s, err))
	}
	if !report.OK() {
		say(s, report.Violations[0].Message)
	}
	return C.int64_t(report.Total)
}

//export stowageBound
func stowageBound(s *C.stowage_solver) (height C.int64_t) {
	defer guard(s, &height)
	bound, err := stowage.LowerBound(peerOf(s).fill(s))
	if err != nil {
		return C.int64_t(fail(s, err))
	}
	return C.int64_t(bound)
}

//export stowageExplain
func stowageExplain(s *C.stowage_solver, buffers *C.int64_t) (count C.int64_t) {
	defer guard(s, &count)
	p := peerOf(s)
	problem := p.fill(s)
	e, err := stowage.Explain(context.Background(), problem, p.optionsOf(s))
	switch {
	case errors.Is(err, stowage.ErrNoCapacity):
		return C.int64_t(fail(s, inputError(err.Error())))
	case err != nil:
		return C.int64_t(fail(s, err))
	case e.Status == stowage.Unknown:
		say(s, "a limit came before an answer")
	case e.Status == stowage.Infeasible && !e.Irreducible:
		say(s, "a limit came: a part of them may be enough")
	}
	if e.Status == stowage.Infeasible {
		give(s, explain.Why(e, explain.Subset(problem, e), asIs))
	}
	room := column(buffers, int(s.count))
	for k, i := range e.Buffers {
		room[k] = int64(i)
	}
	return C.int64_t(len(e.Buffers))
}
