package tflm

import (
	"fmt"

	"github.com/stowage-go/stowage/format/tflite"
	"github.com/stowage-go/stowage/internal/units"
	"github.com/stowage-go/stowage/internal/verify"
	"github.com/stowage-go/stowage/model"
)

// Idea: TensorFlow Lite Micro believes an offline plan. It refuses a wrong count
// and what does not fit its arena, and nothing else: tensors that overlap run and
// give wrong results, and an offset below -1 is a write outside of the arena. So
// the plan is held against the lifespans here, before it is on a device.
//
// Variable tensors keep their value from run to run, but the runtime knows only
// when operators touch them. Pinned, they are safe where nothing else, pinned or
// placed on the device, can come over them at any time. A result may lie exactly
// over an operand that dies, where the kernel can work in place (inplace.go).
//
// Source: tensorflow/tflite-micro 90b983c; TestTraps gives faulty plans to its
// interpreter.

// A Severity says how bad a finding is.
type Severity string

// The severities.
const (
	// Fault: the model is refused, or runs and gives wrong results.
	Fault Severity = "fault"
	// Warning: works on some targets, or not for the reason that one expects.
	Warning Severity = "warning"
)

// A Rule is what a plan breaks.
type Rule string

// The rules.
const (
	Missing    Rule = "missing"   // the model has no offline plan
	Count      Rule = "count"     // not an offset for each tensor
	Duplicate  Rule = "duplicate" // several plans, of which the last counts
	Negative   Rule = "negative"  // an offset below -1
	Misaligned Rule = "alignment" // an offset that is no multiple of 16
	Overlap    Rule = "overlap"   // two tensors share bytes while both live
	Variable   Rule = "variable"  // a variable tensor that others can come over
	Unused     Rule = "unused"    // an offset for what is not in the arena
	TooHigh    Rule = "capacity"  // a tensor ends above the capacity given
	OutOfRange Rule = "range"     // a tensor ends above 2 GiB
)

// A Finding is one thing that is wrong with a plan.
type Finding struct {
	Severity Severity
	Rule     Rule
	// Tensor and Other are indices into the model's tensors; -1 for none.
	Tensor, Other int
	Message       string
}

// A Verdict is what Check finds.
type Verdict struct {
	Findings []Finding
	// Total counts all findings; Findings has the first MaxFindings.
	Total int
	// Pinned and Online count the arena's tensors with and without an offset.
	Pinned, Online int
	// Height is the largest offset + size of what is pinned, in bytes.
	Height int64
}

// MaxFindings is the number of findings that a verdict keeps.
const MaxFindings = 1000

// OK reports whether the plan has no fault.
func (v *Verdict) OK() bool {
	for i := range v.Findings {
		if v.Findings[i].Severity == Fault {
			return false
		}
	}
	return true
}

func (v *Verdict) add(s Severity, r Rule, tensor, other int, format string, args ...any) {
	if v.Total++; len(v.Findings) < MaxFindings {
		v.Findings = append(v.Findings, Finding{Severity: s, Rule: r, Tensor: tensor, Other: other, Message: fmt.Sprintf(format, args...)})
	}
}

// Check holds the model's offline plan against its lifespans, and against a
// capacity of the arena's head in bytes, 0 for none. The error is that of
// tflite.Model.Lifetimes.
func Check(m *tflite.Model, capacity int64) (*Verdict, error) {
	l, err := m.Lifetimes()
	if err != nil {
		return nil, err
	}
	v := &Verdict{}
	o := m.Offline
	if o == nil {
		v.add(Fault, Missing, -1, -1, "the model has no metadata %s: the runtime plans by itself", tflite.MetadataName)
		return v, nil
	}
	if o.Entries > 1 {
		v.add(Warning, Duplicate, -1, -1, "there are %d entries %s; the last one counts", o.Entries, tflite.MetadataName)
	}
	if int(o.Count) != len(m.Tensors) {
		v.add(Fault, Count, -1, -1, "the plan is for %d tensors and the model has %d: the runtime refuses it", o.Count, len(m.Tensors))
		return v, nil
	}
	if len(o.Offsets) < len(m.Tensors) {
		v.add(Fault, Count, -1, -1, "the plan ends after %d of %d offsets: the runtime reads on behind it", len(o.Offsets), len(m.Tensors))
		return v, nil
	}
	x := &pinned{Verdict: v, model: m, lifetimes: l, capacity: capacity, last: 1}
	for i := range l.Tensors {
		x.last = max(x.last, int64(l.Tensors[i].Last)+2)
	}
	var variables []int
	for i := range m.Tensors {
		if x.tensor(i) && m.Tensors[i].Variable {
			variables = append(variables, i)
		}
	}
	if len(variables) > 0 && v.Online > 0 {
		v.add(Fault, Variable, variables[0], -1, "%s is variable and pinned while %s left to the device, which may put them over its value", m.Label(variables[0]), are(v.Online, "tensor"))
	}
	x.overlaps()
	return v, nil
}

// pinned are the tensors with an offset, as a plan that a verifier can read.
type pinned struct {
	*Verdict
	model     *tflite.Model
	lifetimes *tflite.Lifetimes
	capacity  int64
	last      int64 // the end of all lifespans: variables live until then
	problem   model.Problem
	offsets   []int64
	tensors   []int // per buffer of the problem
}

// tensor looks at the offset of one tensor by itself. It reports whether it is pinned,
// and is then one of the problem.
func (x *pinned) tensor(i int) bool {
	m, o := x.model, x.model.Offline
	t, at, name := &m.Tensors[i], o.Offsets[i], m.Label(i)
	switch {
	case at < tflite.Online && t.Constant:
		x.add(Warning, Unused, i, -1, "%s is constant and has the offset %d, which the runtime ignores", name, at)
		return false
	case at < tflite.Online:
		x.add(Fault, Negative, i, -1, "%s has the offset %d, outside of the arena", name, at)
		return false
	case t.Constant || t.Handle || t.Bytes == 0:
		if at != tflite.Online {
			x.add(Warning, Unused, i, -1, "%s takes no room in the arena and has the offset %d, which the runtime ignores", name, at)
		}
		return false
	case at == tflite.Online && !t.Variable:
		x.Online++
		return false
	case at == tflite.Online:
		if other := indexIn(m, i); other != i && o.Offsets[other] != tflite.Online {
			x.add(Fault, Variable, i, other, "%s is variable and gets no memory, since %s has an offset: the runtime looks there for its own", name, m.Label(other))
		}
		return false
	}
	if at%tflite.Alignment != 0 {
		x.add(Fault, Misaligned, i, -1, "%s has the offset %d, which is not a multiple of %d", name, at, tflite.Alignment)
	}
	size := tflite.RoundUp(t.Bytes)
	end := int64(at) + size
	x.Height = max(x.Height, end)
	if end > 1<<31 {
		x.add(Fault, OutOfRange, i, -1, "%s ends at %d, above 2 GiB", name, end)
	} else if x.capacity > 0 && end > x.capacity {
		x.add(Fault, TooHigh, i, -1, "%s ends at %d, above %d", name, end, x.capacity)
	}
	b := model.Buffer{ID: name, Lower: int64(x.lifetimes.Tensors[i].First) + 1, Upper: int64(x.lifetimes.Tensors[i].Last) + 2, Size: size}
	if t.Variable {
		b.Lower, b.Upper = 0, x.last
	} else {
		x.Pinned++
	}
	x.problem.Buffers, x.offsets, x.tensors = append(x.problem.Buffers, b), append(x.offsets, int64(at)), append(x.tensors, i)
	return true
}

// overlaps finds the pinned tensors that share bytes while both live, but for those of
// which the kernel works in place.
func (x *pinned) overlaps() {
	m, buffers, offsets := x.model, x.problem.Buffers, x.offsets
	for _, at := range verify.Check(&x.problem, offsets, 0).Violations {
		if at.Rule != model.RuleOverlap {
			continue
		}
		a, b := x.tensors[at.A], x.tensors[at.B]
		if offsets[at.A] == offsets[at.B] && inPlaceAt(m, x.lifetimes, a, b) {
			continue
		}
		rule := Overlap
		if m.Tensors[a].Variable || m.Tensors[b].Variable {
			rule = Variable
		}
		from, to := max(offsets[at.A], offsets[at.B]), min(offsets[at.A]+buffers[at.A].Size, offsets[at.B]+buffers[at.B].Size)
		x.add(Fault, rule, a, b, "%s and %s share the bytes %d to %d while both live", m.Label(a), m.Label(b), from, to)
	}
}

// indexIn returns the number of a tensor in its subgraph.
func indexIn(m *tflite.Model, tensor int) int {
	for g := range m.Subgraphs {
		if s := &m.Subgraphs[g]; tensor < s.FirstTensor+s.TensorCount {
			return tensor - s.FirstTensor
		}
	}
	return tensor
}

// are counts things in a sentence.
func are(n int, thing string) string {
	verb := "are"
	if n == 1 {
		verb = "is"
	}
	return fmt.Sprintf("%d %s %s", n, units.Plural(n, thing), verb)
}
