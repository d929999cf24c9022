package json

import (
	"bytes"
	stdjson "encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"unicode/utf8"

	"github.com/stowage-go/stowage/format/times"
	"github.com/stowage-go/stowage/model"
)

// Write writes a problem to w and, if plan is not nil, its plan. Each buffer has a line of
// its own, so the line number in a message identifies a buffer. Keys with their default
// value are left out. Read returns the problem that was written, with its gaps sorted.
//
// The error is w's, or says that the plan does not match the buffers, or that a name is
// not valid UTF-8. In the last two cases nothing is written.
func Write(w io.Writer, p *model.Problem, plan *Plan) error {
	return WriteWith(w, p, plan, WriteOptions{})
}

// WriteOptions say how a file is written. The zero value writes times as they are in the problem.
type WriteOptions struct {
	// Places is the number of decimal places of the times, as times.Read has it: they are divided by ten to the power
	// of it.
	Places int
	// Family is the family whose largest sizes the problem has; nil if sizes do not vary.
	Family *model.Family
}

// WriteWith is Write with options.
func WriteWith(w io.Writer, p *model.Problem, plan *Plan, o WriteOptions) error {
	if err := writable(p, plan); err != nil {
		return err
	}
	if o.Family != nil {
		if err := writableFamily(p, o.Family, plan); err != nil {
			return err
		}
	}
	// Lines are appended to one buffer, which is written when it is full.
	const full = 1 << 16
	e := encoder{w: w, dst: make([]byte, 0, full+1<<12), full: full, places: o.Places}
	two := says(p)
	version := int64(Version)
	if two {
		version = RulesVersion
		if len(p.Rules.BankRules()) > 0 {
			version = BanksVersion
		}
	}
	if o.Family != nil {
		version = BanksVersion
	}
	e.str("{\n  \"version\": ").int(version)
	if p.Name != "" {
		e.str(",\n  \"name\": ").quote(p.Name)
	}
	if p.Capacity != 0 {
		e.str(",\n  \"capacity\": ").int(p.Capacity)
	}
	if two {
		e.rulesAbove(p.Rules)
	}
	if o.Family != nil {
		e.family(o.Family)
	}
	e.str(",\n  \"buffers\": [")
	for i := range p.Buffers {
		if i > 0 {
			e.str(",")
		}
		e.str("\n    ")
		e.buffer(p, i, two, o.Family)
		e.flush(false)
	}
	e.str("\n  ]")
	if two {
		e.rulesBelow(p)
	}
	if plan != nil {
		e.plan(p, plan, two, o.Family)
	}
	e.str("\n}\n")
	e.flush(true)
	return e.err
}

// writable says why a problem or its plan cannot be written, if so.
func writable(p *model.Problem, plan *Plan) error {
	if plan != nil {
		if has := plan.Offsets != nil; has != plan.Status.HasPlan() {
			return errors.New("json: the status " + plan.Status.String() + " does not match the offsets of the plan")
		}
		if plan.Offsets != nil && len(plan.Offsets) != len(p.Buffers) {
			return fmt.Errorf("json: %d offsets for %d buffers", len(plan.Offsets), len(p.Buffers))
		}
		if !utf8.ValidString(plan.Planner) {
			return fmt.Errorf("json: the planner's name %q is not valid UTF-8", plan.Planner)
		}
	}
	if p.Rules != nil {
		if err := writableRules(p, plan); err != nil {
			return err
		}
	}
	return Writable(p)
}

// Writable returns an error that lists the names that JSON cannot express: those with
// invalid UTF-8. Write refuses them too; Writable finds them before a long run.
func Writable(p *model.Problem) error {
	if !utf8.ValidString(p.Name) {
		return fmt.Errorf("json: the name %q is not valid UTF-8", p.Name)
	}
	var errs []error
	for i := range p.Buffers {
		if name := p.Buffers[i].ID; !utf8.ValidString(name) {
			if errs = append(errs, fmt.Errorf("json: the ID %q of buffer number %d is not valid UTF-8", name,
				i+1)); len(errs) == model.MaxIssues {
				break
			}
		}
	}
	return errors.Join(errs...)
}

// An encoder appends values to dst and writes it to w. After the first error of w it writes no more.
type encoder struct {
	w    io.Writer
	dst  []byte
	full int // bytes from which dst is written

	places int // decimal places of times
	err    error
}

func (e *encoder) flush(end bool) {
	if len(e.dst) < e.full && !end {
		return
	}
	if e.err == nil {
		_, e.err = e.w.Write(e.dst)
	}
	e.dst = e.dst[:0]
}

func (e *encoder) str(s string) *encoder {
	e.dst = append(e.dst, s...)
	return e
}

func (e *encoder) int(v int64) *encoder {
	e.dst = strconv.AppendInt(e.dst, v, 10)
	return e
}

// time appends a time.
func (e *encoder) time(v int64) *encoder {
	e.dst = times.Append(e.dst, v, e.places)
	return e
}

// quote appends a string. Nearly all names are plain. Others go through encoding/json, without its escapes for HTML.
func (e *encoder) quote(s string) *encoder {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			var b bytes.Buffer
			std := stdjson.NewEncoder(&b)
			std.SetEscapeHTML(false)
			if err := std.Encode(s); err != nil && e.err == nil {
				e.err = err
			}
			e.dst = append(e.dst, bytes.TrimSuffix(b.Bytes(), []byte("\n"))...)
			return e
		}
	}
	e.dst = append(e.dst, '"')
	e.dst = append(e.dst, s...)
	e.dst = append(e.dst, '"')
	return e
}

// buffer writes buffer i; two says that the problem has rules, and f is the family, if there is one.
func (e *encoder) buffer(p *model.Problem, i int, two bool, f *model.Family) {
	b := &p.Buffers[i]
	e.str(`{"id": `).quote(b.ID)
	if two && b.Extra != nil && b.Extra.Clocks != nil {
		e.str(`, "lower": `).ints(b.Extra.Clocks.Lower)
		e.str(`, "upper": `).ints(b.Extra.Clocks.Upper)
	} else {
		e.str(`, "lower": `).time(b.Lower)
		e.str(`, "upper": `).time(b.Upper)
	}
	if f != nil {
		e.sizes(f, i)
	} else {
		e.str(`, "size": `)
		if b.HasExtents() && p.Rules.HasObjects() {
			e.ints(b.Extra.Extents)
		} else {
			e.int(b.Size)
		}
	}
	if a := b.Align(); a != 1 {
		e.str(`, "alignment": `).int(a)
	}
	for k, g := range b.Gaps {
		if k == 0 {
			e.str(`, "gaps": [`)
		} else {
			e.str(", ")
		}
		e.str(`{"lower": `).time(g.Lower).str(`, "upper": `).time(g.Upper)
		if g.Window != nil {
			e.str(`, "window": [`).int(g.Window.Lower).str(", ").int(g.Window.Upper).str("]")
		}
		e.str("}")
	}
	if len(b.Gaps) > 0 {
		e.str("]")
	}
	if b.Fixed != nil {
		key := `, "offset": `
		if two {
			key = `, "fixed": `
		}
		e.str(key).int(*b.Fixed)
	}
	if b.Hint != nil {
		e.str(`, "hint": `).int(*b.Hint)
	}
	if two && b.Extra != nil {
		e.extra(p, b.Extra)
	}
	e.str("}")
}

func (e *encoder) plan(p *model.Problem, plan *Plan, two bool, f *model.Family) {
	e.str(",\n  \"plan\": {\n    \"planner\": ").quote(plan.Planner)
	e.str(",\n    \"status\": ").quote(plan.Status.String())
	e.str(",\n    \"height\": ").int(plan.Height)
	e.str(",\n    \"lower_bound\": ").int(plan.LowerBound)
	if plan.Offsets != nil {
		e.str(",\n    \"offsets\": [")
		for i, v := range plan.Offsets {
			if i > 0 {
				e.str(", ")
			}
			e.place(v)
			e.flush(false)
		}
		e.str("]")
	}
	if two {
		e.rulesPlan(p, plan)
	}
	if f != nil && plan.Below != nil {
		e.familyPlan(f, plan)
	}
	e.str("\n  }")
}
