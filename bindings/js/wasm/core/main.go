//go:build js && wasm

// Program core is Stowage for WebAssembly without files: columns of numbers in, offsets out. It
// has no reader, so it has half the size of program files.
package main

import (
	"strconv"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/bindings/js/wasm/bridge"
	"github.com/stowage-go/stowage/model"
)

func main() {
	bridge.Serve(map[string]bridge.Operation{
		"solve": solve, "verify": verify, "explain": explain, "barriers": barriers, "check": check,
	})
}

// solve plans a problem.
func solve(c *bridge.Call) (map[string]any, error) {
	p, o := problem(c), c.Options()
	r, err := stowage.Solve(c.Context, p, o)
	if err != nil {
		return nil, err
	}
	p.Capacity = p.CapacityOr(o.Capacity)
	return bridge.Result(r, p, o.Minimize), nil
}

// verify checks a plan.
func verify(c *bridge.Call) (map[string]any, error) {
	p := problem(c)
	var report *stowage.Report
	var err error
	capacity := bridge.Integer(c.Input.Get("capacity"))
	if p.Ruled() {
		p.Capacity = p.CapacityOr(capacity)
		report, err = stowage.VerifyPlan(p, bridge.Placed(c.Input.Get("offsets"), c.Input.Get("pools"), c.Input.Get("parts")))
	} else {
		report, err = stowage.Verify(p, bridge.Column(c.Input.Get("offsets")), capacity)
	}
	if err != nil {
		return nil, err
	}
	violations := []any{}
	for _, v := range report.Violations {
		violations = append(violations, map[string]any{"rule": string(v.Rule), "a": v.A, "b": v.B, "message": v.Message})
	}
	out := map[string]any{
		"ok": report.OK(), "height": bridge.Digits(report.Height), "total": report.Total, "violations": violations,
	}
	if p.Ruled() {
		out["measures"] = bridge.Values(report.Measures)
	}
	return out, nil
}

// explain says which buffers cannot fit together.
func explain(c *bridge.Call) (map[string]any, error) { return c.Explain(problem(c)) }

// barriers lists which buffers of a plan must wait for others. A wait is five numbers.
func barriers(c *bridge.Call) (map[string]any, error) {
	p := problem(c)
	if capacity := bridge.Integer(c.Input.Get("capacity")); capacity != 0 {
		p.Capacity = capacity
	}
	waits, err := stowage.Barriers(p, bridge.Placed(c.Input.Get("offsets"), c.Input.Get("pools"), c.Input.Get("parts")))
	if err != nil {
		return nil, err
	}
	all := make([]int64, 0, 5*len(waits))
	for _, w := range waits {
		all = append(all, int64(w.Buffer), w.At, int64(w.For), w.Until, int64(w.Turn))
	}
	return map[string]any{"waits": bridge.Array(all)}, nil
}

// check says what is wrong with a problem. JavaScript calls it after it has found a fault
// itself, to report all faults at once.
func check(c *bridge.Call) (map[string]any, error) {
	return map[string]any{}, model.Validate(problem(c))
}

// problem makes a problem from columns. Buffers without names are named by their numbers.
func problem(c *bridge.Call) *stowage.Problem {
	in := c.Input.Get("problem")
	lower, upper, size := bridge.Column(in.Get("lower")), bridge.Column(in.Get("upper")), bridge.Column(in.Get("size"))
	alignment, fixed, hint := bridge.Column(in.Get("alignment")), bridge.Column(in.Get("fixed")),
		bridge.Column(in.Get("hint"))
	ids := in.Get("ids")
	p := &stowage.Problem{Buffers: make([]stowage.Buffer, len(lower)), Capacity: bridge.Integer(in.Get("capacity"))}
	for i := range p.Buffers {
		b := &p.Buffers[i]
		b.Lower, b.Upper, b.Size = lower[i], upper[i], size[i]
		if ids.IsUndefined() {
			b.ID = strconv.Itoa(i)
		} else {
			b.ID = ids.Index(i).String()
		}
		if alignment != nil {
			b.Alignment = alignment[i]
		}
		if fixed != nil && fixed[i] >= 0 {
			b.Fixed = &fixed[i]
		}
		if hint != nil && hint[i] >= 0 {
			b.Hint = &hint[i]
		}
	}
	gaps := bridge.Column(in.Get("gaps"))
	for g := 0; g+6 <= len(gaps); g += 6 {
		b := &p.Buffers[gaps[g]]
		gap := model.Gap{Lower: gaps[g+1], Upper: gaps[g+2]}
		if gaps[g+3] != 0 {
			gap.Window = &model.Window{Lower: gaps[g+4], Upper: gaps[g+5]}
		}
		b.Gaps = append(b.Gaps, gap)
	}
	bridge.Rules(p, in.Get("rules"))
	return p
}
