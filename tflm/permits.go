package tflm

import (
	"slices"
	"strings"

	"github.com/stowage-go/stowage/format/tflite"
	"github.com/stowage-go/stowage/internal/distance"
	"github.com/stowage-go/stowage/internal/kernelscratch"
	"github.com/stowage-go/stowage/internal/tfliteschema"
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
			described, ok := describe(m, o)
			if !ok {
				refused[k] = o.Name() + ": its options cannot be read"
				continue
			}
			found, why := distance.Of(distance.Library(lib), described)
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

// mostDescribed is the most operands, and the most results, that are described. Kernels whose order or scratch is known
// have far fewer. A file may name one tensor a million times.
const mostDescribed = 4096

// describe returns the facts that the order of a kernel depends on. It returns false if the options of the operator
// cannot be read, or if it has too many operands; then some of them are missing.
func describe(m *tflite.Model, o *tflite.Operator) (*distance.Operator, bool) {
	return describeFirst(m, o, mostDescribed)
}

// describeFirst describes so many operands and results.
func describeFirst(m *tflite.Model, o *tflite.Operator, most int) (*distance.Operator, bool) {
	d := &distance.Operator{Kind: o.Name(), TransposedX: o.TransposedX, TransposedY: o.TransposedY}
	for _, t := range o.Inputs[:min(len(o.Inputs), most)] {
		d.Operands = append(d.Operands, tensorOf(m, t))
	}
	for _, t := range o.Outputs[:min(len(o.Outputs), most)] {
		d.Results = append(d.Results, tensorOf(m, t))
	}
	if len(o.Inputs) > 1 && o.Inputs[1] >= 0 {
		d.PerChannel = m.Tensors[o.Inputs[1]].Channels > 1
	}
	whole := len(o.Inputs) <= mostDescribed && len(o.Outputs) <= mostDescribed
	if o.Options == nil {
		return d, whole && !tflite.HasOptions(o.Code)
	}
	x := o.Options
	d.Padding = distance.Valid
	if x.Same {
		d.Padding = distance.Same
	}
	d.Stride = [2]int{int(x.StrideH), int(x.StrideW)}
	d.Dilation = [2]int{int(x.DilationH), int(x.DilationW)}
	d.Filter = [2]int{int(x.FilterH), int(x.FilterW)}
	d.DepthMultiplier, d.Axis, d.BlockSize = int(x.DepthMultiplier), int(x.Axis), int(x.BlockSize)
	d.AlignCorners, d.HalfPixelCenters, d.Offset = x.AlignCorners, x.HalfPixelCenters, x.Offset
	d.Activation = activationOf(x.Activation)
	d.BeginMask, d.EndMask, d.EllipsisMask = int(x.BeginMask), int(x.EndMask), int(x.EllipsisMask)
	d.NewAxisMask, d.ShrinkAxisMask = int(x.NewAxisMask), int(x.ShrinkAxisMask)
	return d, whole
}

// activationOf names a fused activation as the schema does.
func activationOf(number int32) string {
	names := [...]string{"NONE", "RELU", "RELU_N1_TO_1", "RELU6", "TANH", "SIGN_BIT"}
	if number >= 0 && int(number) < len(names) {
		return names[number]
	}
	return "unknown"
}

// tensorOf describes a tensor. An omitted tensor is the zero Tensor.
func tensorOf(m *tflite.Model, tensor int32) distance.Tensor {
	if tensor < 0 {
		return distance.Tensor{}
	}
	t := &m.Tensors[tensor]
	out := distance.Tensor{Type: distance.TypeOf(t.Type.String()), Constant: !t.Arena(), Data: m.Integers(int(tensor))}
	if t.Type == tflite.Type(tfliteschema.TensorTypeINT4) {
		out.Type.Bytes = 0 // two elements a byte in the file, one in the arena
	}
	for _, d := range t.Shape {
		out.Shape = append(out.Shape, int(d))
	}
	return out
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
