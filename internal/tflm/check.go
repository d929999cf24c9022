package tflm

import (
	"fmt"

	"github.com/stowage-go/stowage/format/tflite"
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
		v.add(Fault, Missing, -1, -1, "the model has no metadata %s", tflite.MetadataName)
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
	// The pinned tensors as a plan: variables live all the time.
	p := &model.Problem{}
	var offsets []int64
	var tensors, variables []int
	last := int64(1)
	for i := range l.Tensors {
		last = max(last, int64(l.Tensors[i].Last)+2)
	}
	for i := range m.Tensors {
		t, at := &m.Tensors[i], o.Offsets[i]
		name := m.Label(i)
		if at < tflite.Online {
			if t.Constant {
				v.add(Warning, Unused, i, -1, "%s is constant and has the offset %d, which the runtime ignores", name, at)
			} else {
				v.add(Fault, Negative, i, -1, "%s has the offset %d, outside of the arena", name, at)
			}
			continue
		}
		switch {
		case t.Constant || t.Handle || t.Bytes == 0:
			if at != tflite.Online {
				v.add(Warning, Unused, i, -1, "%s takes no room in the arena and has the offset %d, which the runtime ignores", name, at)
			}
			continue
		case at == tflite.Online:
			if t.Variable {
				if other := indexIn(m, i); other != i && o.Offsets[other] != tflite.Online {
					v.add(Fault, Variable, i, other, "%s is variable and gets no memory, since %s has an offset: the runtime looks there for its own", name, m.Label(other))
				}
			} else {
				v.Online++
			}
			continue
		}
		if !t.Variable {
			v.Pinned++
		}
		if at%tflite.Alignment != 0 {
			v.add(Fault, Misaligned, i, -1, "%s has the offset %d, which is not a multiple of %d", name, at, tflite.Alignment)
		}
		size := tflite.RoundUp(t.Bytes)
		end := int64(at) + size
		v.Height = max(v.Height, end)
		if end > 1<<31 {
			v.add(Fault, OutOfRange, i, -1, "%s ends at %d, above 2 GiB", name, end)
		} else if capacity > 0 && end > capacity {
			v.add(Fault, TooHigh, i, -1, "%s ends at %d, above %d", name, end, capacity)
		}
		b := model.Buffer{ID: name, Lower: int64(l.Tensors[i].First) + 1, Upper: int64(l.Tensors[i].Last) + 2, Size: size}
		if t.Variable {
			b.Lower, b.Upper = 0, last
			variables = append(variables, i)
		}
		p.Buffers, offsets, tensors = append(p.Buffers, b), append(offsets, int64(at)), append(tensors, i)
	}
	if len(variables) > 0 && v.Online > 0 {
		v.add(Fault, Variable, variables[0], -1, "%s is variable and pinned while %s left to the device, which may put them over its value", m.Label(variables[0]), are(v.Online, "tensor"))
	}
	for _, x := range verify.Check(p, offsets, 0).Violations {
		if x.Rule != model.RuleOverlap {
			continue
		}
		a, b := tensors[x.A], tensors[x.B]
		if offsets[x.A] == offsets[x.B] && inPlaceAt(m, l, a, b) {
			continue
		}
		rule := Overlap
		if m.Tensors[a].Variable || m.Tensors[b].Variable {
			rule = Variable
		}
		from, to := max(offsets[x.A], offsets[x.B]), min(offsets[x.A]+p.Buffers[x.A].Size, offsets[x.B]+p.Buffers[x.B].Size)
		v.add(Fault, rule, a, b, "%s and %s share the bytes %d to %d while both live", m.Label(a), m.Label(b), from, to)
	}
	return v, nil
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
	if n == 1 {
		return "1 " + thing + " is"
	}
	return fmt.Sprintf("%d %ss are", n, thing)
}
