//go:build js && wasm

package bridge

import (
	"strconv"
	"syscall/js"
	"time"

	"github.com/stowage-go/stowage/internal/explain"
	"github.com/stowage-go/stowage/internal/figures"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

const (
	progressEvery = 100 * time.Millisecond // how often JavaScript gets a report of a search
	never         = 9e12                   // milliseconds; not a limit, since a Duration cannot hold it
	mostShown     = 200_000                // buffers; a larger plan is not shown while the search goes on
)

// Options returns the options of a search. bindings/js/src/options.js has checked their types.
func (c *Call) Options() plan.Options {
	v := c.Input.Get("options")
	o := plan.Options{
		Planner: Text(v.Get("planner")), Capacity: Integer(v.Get("capacity")), Minimize: v.Get("minimize").Truthy(),
		NodeLimit: Integer(v.Get("nodes")),
	}
	if s := Text(v.Get("seed")); s != "" {
		o.Seed, _ = strconv.ParseUint(s, 10, 64)
	}
	if ms := v.Get("timeoutMs"); !ms.IsUndefined() && ms.Float() < never {
		o.Timeout = time.Duration(ms.Float() * float64(time.Millisecond))
	}
	if w := v.Get("without"); !w.IsUndefined() {
		for k := range w.Length() {
			o.Without = append(o.Without, w.Index(k).String())
		}
	}
	if p := v.Get("params"); !p.IsUndefined() {
		o.Params = map[string]string{}
		keys := js.Global().Get("Object").Call("keys", p)
		for k := range keys.Length() {
			o.Params[keys.Index(k).String()] = p.Get(keys.Index(k).String()).String()
		}
	}
	o.Start = Column(v.Get("start"))
	o.Progress = c.tell
	return o
}

// tell gives JavaScript a report of a search, unless the last one was just now. The viewer also
// gets the plan if it is lower than the last one.
func (c *Call) tell(p plan.Progress) {
	now := time.Now()
	if now.Sub(c.told) < progressEvery {
		return
	}
	c.told = now
	out := map[string]any{
		"height": Digits(p.Height), "lowerBound": Digits(p.LowerBound), "nodes": float64(p.Nodes),
		"seconds": p.Elapsed.Seconds(),
	}
	if p.Offsets != nil && p.Height != c.shown && len(p.Offsets) <= mostShown && c.Input.Get("view").Truthy() {
		c.shown = p.Height
		out["offsets"] = Array(p.Offsets)
	}
	c.handlers.Call("progress", c.id, out)
}

// Result returns the result of a run for JavaScript. p.Capacity is the one that the run had to fit. The keys are those
// of --stats in camel case, and next.
func Result(r *plan.Result, p *model.Problem, minimize bool) map[string]any {
	out := map[string]any{
		"status": r.Status.String(), "height": Digits(r.Height), "lowerBound": Digits(r.LowerBound), "planner": r.Planner,
		"member": r.Member, "stopped": string(r.Stopped), "nodes": float64(r.Stats.Nodes),
		"backtracks": float64(r.Stats.Backtracks),
		"seconds":    r.Stats.Elapsed.Seconds(), "offsets": nil,
		"foundBy": figures.FoundBy(r), "provedBy": r.ProvedBy, "ended": figures.Ended(r, p.Capacity, minimize),
	}
	if r.Status == model.Infeasible {
		out["reason"] = explain.Reason(p, p.Capacity, r.LowerBound, func(id string) string { return id })
		out["next"] = explain.NextCall(p, r.Collision != nil)
	}
	if r.Status.HasPlan() {
		out["offsets"] = Array(r.Offsets)
	}
	if r.Objective == nil {
		return out
	}
	// The problem has rules.
	objective := []any{}
	for _, m := range r.Objective {
		objective = append(objective, string(m))
	}
	out["objective"], out["measures"], out["bounds"], out["pools"], out["parts"] = objective, Values(r.Measures),
		Values(r.Bounds), nil, Parts(&r.Plan)
	if r.Status.HasPlan() {
		out["pools"] = Pools(&r.Plan)
	}
	return out
}
