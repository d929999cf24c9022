package tflm

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/stowage-go/stowage/format/tflite"
	"github.com/stowage-go/stowage/internal/units"
	"github.com/stowage-go/stowage/internal/verify"
	"github.com/stowage-go/stowage/model"
)

// Idea: TensorFlow Lite Micro trusts an offline plan. It refuses only a wrong count and a plan that exceeds its arena.
// Tensors that overlap give wrong results, and an offset below -1 writes outside of the arena. So this file checks the
// plan against the lifespans, before it is on a device.
//
// Variable tensors keep their value from run to run, but the runtime knows only when operators touch them. A pinned
// variable is safe if no other tensor, pinned or placed on the device, and no scratch of a kernel can ever lie over it.
// Tensors may share bytes on purpose: a result over an operand that dies, if the kernel works in place (inplace.go),
// and tensors that belong to one operator alone (share.go).
//
// Source: tensorflow/tflite-micro 90b983c; TestTraps gives faulty plans to its interpreter.

// A Severity says how bad a finding is.
type Severity string

// The severities.
const (
	// Fault: the model is refused, or runs and gives wrong results.
	Fault Severity = "fault"
	// Warning: works on some targets, or not for the reason that one expects.
	Warning Severity = "warning"
	// Note: nothing is wrong.
	Note Severity = "note"
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
	Shared     Rule = "shared"    // tensors share bytes, and one operator has them all
	Outside    Rule = "outside"   // a tensor of an NPU lies outside of what the NPU reaches
	Variable   Rule = "variable"  // a variable tensor that others can come over
	Unused     Rule = "unused"    // an offset for what is not in the arena
	TooHigh    Rule = "capacity"  // a tensor ends above the capacity given
	OutOfRange Rule = "range"     // a tensor ends above 2 GiB
	Larger     Rule = "larger"    // with known kernels the plan takes more than the runtime's own
)

// A Finding is one fault of a plan, a warning or a note.
type Finding struct {
	// Severity says whether the model still works.
	Severity Severity
	// Rule is what the plan breaks.
	Rule Rule
	// Tensor and Other are indices into the model's tensors; -1 for none.
	Tensor, Other int
	// Message says it in a sentence, with the names of the tensors.
	Message string
}

// A Verdict is what Check finds.
type Verdict struct {
	// Findings are in the order in which Check looks.
	Findings []Finding
	// Total counts all findings; Findings has the first MaxFindings.
	Total int
	// Pinned and Online count the arena's tensors with and without an offset.
	Pinned, Online int
	// Height is the largest offset + size of a pinned tensor, in bytes.
	Height int64
	// Shares counts the pairs of tensors that share bytes on purpose and belong to one operator. A plan with such pairs
	// is kept: see Plan.Kept.
	Shares int
	// Unchecked counts the pairs of Shares at operators of the runtime, which are right only with kernels that permit
	// them. It is 0 if CheckOptions.Kernels names a library.
	Unchecked int
}

// MaxFindings is the number of findings that a verdict keeps.
const MaxFindings = 1000

// OK reports whether the plan has no fault. A model without a plan has none: the runtime plans by itself.
func (v *Verdict) OK() bool {
	for i := range v.Findings {
		if v.Findings[i].Severity == Fault {
			return false
		}
	}
	return true
}

// lost returns a message if only the model's compiler can plan the model, and its plan is missing; else "".
func (v *Verdict) lost() string {
	for i := range v.Findings {
		if v.Findings[i].Rule == Outside {
			return v.Findings[i].Message
		}
	}
	return ""
}

func (v *Verdict) add(s Severity, r Rule, tensor, other int, format string, args ...any) {
	if v.Total++; len(v.Findings) < MaxFindings {
		v.Findings = append(v.Findings,
			Finding{Severity: s, Rule: r, Tensor: tensor, Other: other, Message: fmt.Sprintf(format, args...)})
	}
}

// Check checks the model's offline plan against its lifespans, and against a capacity of the arena's head in bytes; 0
// means no limit. The error is that of tflite.Model.Lifetimes.
func Check(m *tflite.Model, capacity int64) (*Verdict, error) {
	return CheckFor(m, CheckOptions{Capacity: capacity})
}

// CheckOptions say against what a plan is checked.
type CheckOptions struct {
	// Capacity is that of the arena's head, in bytes; 0 for none.
	Capacity int64
	// Kernels lets results lie over operands as closely as the kernels of a library permit, and no closer. Without
	// it such a pair is a warning.
	Kernels Kernels
	// Set is the kernels whose scratch the device places.
	Set Set
}

// CheckFor is Check with options.
func CheckFor(m *tflite.Model, o CheckOptions) (*Verdict, error) {
	capacity, kernels := o.Capacity, o.Kernels
	l, err := m.Lifetimes()
	if err != nil {
		return nil, err
	}
	v := &Verdict{}
	plan := m.Offline
	if plan == nil {
		if t, k := newSharing(m, l).lost(nil); t >= 0 {
			v.add(Fault, Outside, t, -1,
				"the model has no metadata %s, but operator %d is %s and finds %s only where Vela put it: compile the model again",
				tflite.MetadataName, k, npu, m.Label(t))
			return v, nil
		}
		v.add(Note, Missing, -1, -1, "the model has no metadata %s: the runtime plans by itself", tflite.MetadataName)
		for i := range m.Tensors {
			if m.Tensors[i].Arena() {
				v.Online++
			}
		}
		return v, nil
	}
	if plan.Entries > 1 {
		v.add(Warning, Duplicate, -1, -1, "there are %d entries named %s; the last one counts", plan.Entries,
			tflite.MetadataName)
	}
	if int(plan.Count) != len(m.Tensors) {
		v.add(Fault, Count, -1, -1, "the plan is for %d tensors, but the model has %d: the runtime refuses it", plan.Count,
			len(m.Tensors))
		return v, nil
	}
	if len(plan.Offsets) < len(m.Tensors) {
		v.add(Fault, Count, -1, -1, "the plan ends after %d of %d offsets: the runtime would read past its end",
			len(plan.Offsets), len(m.Tensors))
		return v, nil
	}
	x := &pinned{Verdict: v, model: m, lifetimes: l, capacity: capacity, kernels: kernels, set: o.Set, last: 1}
	if kernels != "" {
		x.permits, x.refused = permits(m, l, kernels)
		x.ordered, _ = ordered(m, l, kernels)
	}
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
		v.add(Fault, Variable, variables[0], -1,
			"%s is variable and pinned while %s left to the device, which may put them over its value", m.Label(variables[0]),
			are(v.Online, "tensor"))
	}
	x.overlaps()
	if len(variables) > 0 && v.OK() {
		return v, x.scratchOver(variables)
	}
	return v, nil
}

// pinned are the tensors with an offset, as a plan that a verifier can read.
type pinned struct {
	*Verdict
	model     *tflite.Model
	lifetimes *tflite.Lifetimes
	capacity  int64
	kernels   Kernels        // those that the plan may rely on; empty for none
	set       Set            // those whose scratch the device places
	permits   []permit       // of these kernels
	ordered   []permit       // those, and others whose operands live on
	refused   map[int]string // by operator: why these kernels permit nothing
	last      int64          // the end of all lifespans: variables live until then
	problem   model.Problem
	offsets   []int64
	tensors   []int // per buffer of the problem

	misaligned []int        // tensors
	bodies     *bodies      // nil for none
	bands      map[int]band // by buffer of the problem: those of bodies; nil for none
}

// tensor checks the offset of one tensor alone. It reports whether the tensor is pinned, and so belongs to the problem.
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
			x.add(Warning, Unused, i, -1,
				"%s takes no room in the arena and has the offset %d, which the runtime ignores", name, at)
		}
		return false
	case at == tflite.Online && !t.Variable:
		x.Online++
		return false
	case at == tflite.Online:
		if other := indexIn(m, i); other != i && o.Offsets[other] != tflite.Online {
			x.add(Fault, Variable, i, other,
				"%s is variable and gets no memory, since %s has an offset: the runtime looks there for its own", name,
				m.Label(other))
		}
		return false
	}
	if at%tflite.Alignment != 0 {
		x.misaligned = append(x.misaligned, i)
	}
	size := tflite.RoundUp(t.Bytes)
	end := int64(at) + size
	x.Height = max(x.Height, end)
	if end > 1<<31 {
		x.add(Fault, OutOfRange, i, -1, "%s ends at %d, above 2 GiB", name, end)
	} else if x.capacity > 0 && end > x.capacity {
		x.add(Fault, TooHigh, i, -1, "%s ends at %d, above %d", name, end, x.capacity)
	}
	b := model.Buffer{
		ID: name, Lower: int64(x.lifetimes.Tensors[i].First) + 1, Upper: int64(x.lifetimes.Tensors[i].Last) + 2, Size: size,
	}
	if t.Variable {
		b.Lower, b.Upper = 0, x.last
	} else {
		x.Pinned++
	}
	x.problem.Buffers, x.offsets, x.tensors = append(x.problem.Buffers, b), append(x.offsets, int64(at)),
		append(x.tensors, i)
	return true
}

// overlaps finds the pinned tensors that share bytes while both live. Pairs that share bytes on purpose are counted,
// and noted for each operator that has them.
func (x *pinned) overlaps() {
	m, offsets := x.model, x.model.Offline.Offsets
	s := newSharing(m, x.lifetimes)
	if t, k := s.lost(offsets); t >= 0 {
		x.add(Fault, Outside, t, int(m.Operators[k].Inputs[window]),
			"%s lies outside of %s, in which %s %d looks for it: compile the model again", m.Label(t),
			m.Label(int(m.Operators[k].Inputs[window])), npu, k)
	}
	x.insideWindows(s)
	x.states(s)
	x.inBands()
	by := map[int]*shared{}
	report := verify.Check(&x.problem, x.offsets, 0)
	overlaps := 0
	for _, at := range report.Violations {
		if at.Rule != model.RuleOverlap {
			continue
		}
		overlaps++
		a, b := x.tensors[at.A], x.tensors[at.B]
		if x.banded(at.A) || x.banded(at.B) {
			x.meet(at.A, at.B, by)
			continue
		}
		if x.kernels != "" && x.held(s, a, b) {
			continue
		}
		if offsets[a] == offsets[b] && inPlaceAt(m, x.lifetimes, a, b) {
			x.Shares++
			continue
		}
		from, to := max(x.offsets[at.A], x.offsets[at.B]),
			min(x.offsets[at.A]+x.problem.Buffers[at.A].Size, x.offsets[at.B]+x.problem.Buffers[at.B].Size)
		if k, ok := s.owner(a, b); ok && k >= 0 && x.bodies != nil && copies(&m.Operators[k]) {
			x.meet(at.A, at.B, by)
			continue
		} else if ok {
			x.Shares++
			if k >= 0 {
				x.share(by, k, shared{a: a, b: b, from: from, to: to})
			}
			continue
		}
		rule := Overlap
		if m.Tensors[a].Variable || m.Tensors[b].Variable {
			rule = Variable
		}
		x.add(Fault, rule, a, b, "%s and %s share the bytes %d to %d while both live", m.Label(a), m.Label(b), from, to)
	}
	// Overlaps that the verifier did not list could be faults.
	if x.OK() && (report.Truncated || report.Total > len(report.Violations)) {
		x.add(Fault, Overlap, -1, -1, "there are more than %d overlaps, too many to check which are on purpose", overlaps)
	}
	for _, k := range slices.Sorted(maps.Keys(by)) {
		x.noteShared(k, by[k])
	}
}

// share notes that two tensors share bytes on behalf of an operator.
func (x *pinned) share(by map[int]*shared, operator int, pair shared) {
	if by[operator] == nil {
		by[operator] = &pair
	}
	by[operator].pairs++
	if x.model.Operators[operator].Custom == "" {
		x.Unchecked++
	}
}

// held judges two tensors that share bytes by the distances that the kernels permit. It returns false if no builtin
// operator has one as its result and the other as an operand: then other rules decide.
func (x *pinned) held(s *sharing, a, b int) bool {
	for _, q := range x.permits {
		if q.result != a && q.result != b || q.operand != a && q.operand != b {
			continue
		}
		if x.near(&q, x.kernels) {
			x.Shares++
		}
		return true
	}
	k, ok := s.owner(a, b)
	if !ok || k < 0 || x.model.Operators[k].Custom != "" {
		return false
	}
	why := x.refused[k]
	if why == "" {
		why = x.model.Operators[k].Name() + ": these two are no pair of a result and an operand that dies"
	}
	x.add(Fault, Overlap, a, b, "at operator %d, %s and %s share bytes, which %s does not permit: %s", k, x.model.Label(a),
		x.model.Label(b), x.kernels, why)
	return true
}

// near reports whether a pair keeps the distance of a permit. If not, that is a fault.
func (x *pinned) near(q *permit, library Kernels) bool {
	result, operand := int64(x.model.Offline.Offsets[q.result]), int64(x.model.Offline.Offsets[q.operand])
	if q.allows(result, operand) {
		return true
	}
	need := fmt.Sprintf("at least %d", q.distance)
	if q.equal {
		need = "0"
	}
	x.add(Fault, Overlap, q.result, q.operand,
		"at operator %d, %s, %s starts %d bytes above its result %s, but the kernel of %s needs %s, or that they lie apart",
		q.operator, x.model.Operators[q.operator].Name(), x.model.Label(q.operand), operand-result, x.model.Label(q.result),
		library, need)
	return false
}

// shared are the pairs of tensors that share bytes on behalf of one operator.
type shared struct {
	pairs    int
	a, b     int   // the first pair
	from, to int64 // the bytes that it shares
}

// scratchOver finds variables over which the device may put the scratch of kernels: the device does so at times at
// which no operator uses the variable.
func (x *pinned) scratchOver(variables []int) error {
	m := x.model
	a, err := m.Arena(x.lifetimes, x.set.Scratch(m))
	if err != nil {
		return err
	}
	_, placed, _, err := followed(context.Background(), m, x.lifetimes, a)
	if err != nil {
		return err
	}
	for _, t := range variables {
		at := int64(m.Offline.Offsets[t])
		for k := a.Scratch; k < len(placed); k++ {
			if o := a.Operators[k-a.Scratch]; placed[k] < at+m.Tensors[t].Bytes && at < placed[k]+a.Problem.Buffers[k].Size {
				x.add(Fault, Variable, t, -1,
					"%s is variable and pinned where the device puts scratch of operator %d, %s, over its value", m.Label(t), o,
					m.Operators[o].Name())
				break
			}
		}
	}
	return nil
}

// noteShared says that an operator has tensors that share bytes. The kernel of a custom operator comes with its
// compiler. That of a builtin operator is the runtime's, and may not be made for it.
func (x *pinned) noteShared(operator int, s *shared) {
	m, o := x.model, &x.model.Operators[operator]
	others := ""
	if s.pairs > 1 {
		others = fmt.Sprintf(", and %d more %s", s.pairs-1, units.Plural(s.pairs-1, "pair"))
	}
	severity, why := Note, "on purpose, since it has both"
	if o.Custom == "" {
		severity, why = Warning, "which its kernel may not support"
	}
	x.add(severity, Shared, s.a, s.b, "at operator %d, %s, %s and %s share the bytes %d to %d%s, %s", operator, o.Name(),
		m.Label(s.a), m.Label(s.b), s.from, s.to, others, why)
}

// insideWindows takes the windows of NPUs out of the problem. A tensor inside a window is there on purpose, and noted.
// A tensor across its edge is not.
func (x *pinned) insideWindows(s *sharing) {
	m, offsets := x.model, x.model.Offline.Offsets
	var noted []int32 // the places of windows
	for _, w := range s.windows {
		if offsets[w] < 0 {
			continue
		}
		inside := 0
		for _, t := range x.tensors {
			switch isWindow := slices.Contains(s.windows, t); {
			case t == w || isWindow && (s.inside(t, w, offsets) || s.inside(w, t, offsets)):
			case s.inside(t, w, offsets):
				inside++
			case s.across(t, w, offsets):
				x.add(Fault, Overlap, t, w, "%s lies partly inside %s, through which %s reaches the arena", m.Label(t),
					m.Label(w), npu)
			}
		}
		x.Shares += inside
		if inside > 0 && !slices.Contains(noted, offsets[w]) {
			noted = append(noted, offsets[w])
			x.add(Note, Shared, w, -1, "%d %s inside %s, through which %s reaches the arena: only the compiler of "+
				"the model may move them", inside, lie(inside), m.Label(w), npu)
		}
	}
	x.leaveOut(func(t int) bool { return slices.Contains(s.windows, t) })
}

// states keeps only one of the tensors that are the same state in the problem.
func (x *pinned) states(s *sharing) {
	first := map[int32]int{} // by offset
	x.leaveOut(func(t int) bool {
		if !x.model.Tensors[t].Variable {
			return false
		}
		at := x.model.Offline.Offsets[t]
		if other, ok := first[at]; ok && s.state(t, other) {
			x.Shares++
			return true
		}
		first[at] = t
		return false
	})
}

// leaveOut takes tensors out of the problem.
func (x *pinned) leaveOut(gone func(tensor int) bool) {
	n := 0
	for k, t := range x.tensors {
		if !gone(t) {
			x.problem.Buffers[n], x.offsets[n], x.tensors[n] = x.problem.Buffers[k], x.offsets[k], t
			n++
		}
	}
	x.problem.Buffers, x.offsets, x.tensors = x.problem.Buffers[:n], x.offsets[:n], x.tensors[:n]
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

// lie is how a number of tensors lies somewhere.
func lie(n int) string {
	if n == 1 {
		return "tensor lies"
	}
	return "tensors lie"
}

// are counts things in a sentence.
func are(n int, thing string) string {
	verb := "are"
	if n == 1 {
		verb = "is"
	}
	return fmt.Sprintf("%d %s %s", n, units.Plural(n, thing), verb)
}
