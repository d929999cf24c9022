package tflm

import (
	"slices"
	"strings"

	"github.com/stowage-go/stowage/format/tflite"
	"github.com/stowage-go/stowage/internal/described"
	"github.com/stowage-go/stowage/internal/distance"
	"github.com/stowage-go/stowage/internal/kernelscratch"
)

// Idea: a kernel that reads the beginning of its operand before it writes the end of its result may write over what it
// has read. How closely the two may lie depends on the order of its loops, and so on its library (internal/distance). A
// pair of a result and an operand is permitted if the operand dies at that operator: no operator reads it later, and it
// is no output of the model.
//
// Invariant: an operator that runs subgraphs, or is run more than once, permits nothing, for it has
// more than one moment. Neither does one whose options cannot be read.
//
// Complexity: that of distance.Of for each operator: O(pixels) for a convolution.

// Kernels names a library of kernels, whose order of reading and writing a plan may assume.
type Kernels string

// The libraries.
const (
	ReferenceKernels Kernels = "reference"    // TensorFlow Lite Micro's own
	CMSISMVE         Kernels = "cmsis-nn-mve" // CMSIS-NN for cores with Helium: Cortex-M52, M55, M85
	CMSISDSP         Kernels = "cmsis-nn-dsp" // CMSIS-NN for cores with the DSP extension: Cortex-M4, M7, M33
	CMSISC           Kernels = "cmsis-nn-c"   // CMSIS-NN in C: Cortex-M0, M0+, M3, M23
	ESPNN            Kernels = "esp-nn"       // ESP-NN's kernels in C
)

// KernelLibraries returns the libraries, in the order in which help lists them.
func KernelLibraries() (all []Kernels) {
	for _, l := range distance.Libraries() {
		all = append(all, Kernels(l))
	}
	return all
}

// Source says where a library's kernels are, and the revision at which they were read.
func (k Kernels) Source() (repository, revision string) { return distance.Library(k).Source() }

// A permit lets the result of an operator lie over an operand that dies there:
// offset(operand) - offset(result) must be at least the distance, in bytes.
type permit struct {
	operator, result, operand int // the last two are tensors
	distance                  int64
	equal                     bool // only equal offsets
	subgraph                  int  // of the operator
}

// allows reports whether two tensors may lie at these offsets, though they share bytes.
func (p *permit) allows(result, operand int64) bool {
	if p.equal {
		return result == operand
	}
	return operand-result >= p.distance
}

// permits returns the permits of the kernels of a library in a model. refused has the reason for each operator that
// permits nothing, if there is a reason to name.
func permits(m *tflite.Model, l *tflite.Lifetimes, lib Kernels) (all []permit, refused map[int]string) {
	all, refused = ordered(m, l, lib)
	return slices.DeleteFunc(all, func(q permit) bool {
		return !diesAt(m, l, &m.Subgraphs[q.subgraph], q.operator, q.operand, q.result)
	}), refused
}

// ordered is permits, but the operands may live on: only the order of reading and writing counts.
func ordered(m *tflite.Model, l *tflite.Lifetimes, lib Kernels) (all []permit, refused map[int]string) {
	refused = map[int]string{}
	for g := range m.Subgraphs {
		s := &m.Subgraphs[g]
		for k := s.FirstOperator; k < s.FirstOperator+s.OperatorCount; k++ {
			o := &m.Operators[k]
			if o.Custom != "" || len(o.Callees) > 0 || l.Operators[k].First != l.Operators[k].Last {
				refused[k] = o.Name() + ": the order of its kernel is not known"
				continue
			}
			d, ok := described.Operator(m, o)
			if !ok {
				refused[k] = o.Name() + ": its options cannot be read"
				continue
			}
			found, why := distance.Of(distance.Library(lib), d)
			if why != "" {
				refused[k] = why
			}
			for _, q := range pairs(m, k, found) {
				q.subgraph = g
				all = append(all, q)
			}
		}
	}
	return all, refused
}

// pairs returns the permits of an operator, each for an operand that dies there in some order of the operators. An
// operand that occurs twice must keep both distances.
func pairs(m *tflite.Model, operator int, found []distance.Permit) (out []permit) {
	o := &m.Operators[operator]
	for _, y := range o.Outputs {
		for n, x := range o.Inputs {
			if x < 0 || slices.Contains(o.Inputs[:n], x) || x == y || !m.Tensors[x].Arena() || !m.Tensors[y].Arena() {
				continue
			}
			p := permit{operator: operator, result: int(y), operand: int(x), distance: -m.Tensors[x].Bytes}
			ok := true
			for place, in := range o.Inputs {
				if in != x {
					continue
				}
				at := slices.IndexFunc(found,
					func(f distance.Permit) bool { return f.Operand == place && o.Outputs[f.Result] == y })
				if ok = ok && at >= 0; !ok {
					break
				}
				p.distance, p.equal = max(p.distance, found[at].Distance), p.equal || found[at].Equal
			}
			if p.equal && p.distance > 0 {
				ok = false // equal offsets are not far enough
			}
			if p.equal {
				p.distance = 0
			}
			if ok {
				out = append(out, p)
			}
		}
	}
	return out
}

// diesAt reports whether an operand lives until the operator that makes a result, and no other use needs either of them
// at that moment.
func diesAt(m *tflite.Model, l *tflite.Lifetimes, s *tflite.Subgraph, operator, operand, result int) bool {
	now := l.Operators[operator].First
	return operand != result && m.Tensors[operand].Arena() && m.Tensors[result].Arena() &&
		l.Tensors[operand].Last == now && l.Tensors[operand].First < now && l.Tensors[result].First == now &&
		!slices.Contains(s.Outputs, int32(operand)) && !slices.Contains(s.Inputs, int32(result))
}

// Revision returns the short revision of Source, spelled as in the versions of the library's sets.
func (k Kernels) Revision() string {
	_, revision := k.Source()
	for _, s := range kernelscratch.Sets() {
		if s.Version != "" && strings.HasPrefix(revision, s.Version) {
			return s.Version
		}
	}
	return revision[:min(len(revision), shortRevision)]
}

// shortRevision is the length of a short revision.
const shortRevision = 7
