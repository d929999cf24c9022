package command

import (
	"fmt"
	"path/filepath"
	"slices"

	"github.com/stowage-go/stowage/format/onnx"
	"github.com/stowage-go/stowage/tflm"
)

// Idea: --reorder says of a model how many operators moved, and what is proven: the least that any
// order needs. If the order is kept although another one might be better, the report says so.

// orderReport is the part of a report that is there with --reorder only.
type orderReport struct {
	Reordered   *int   `json:"reordered,omitempty"`    // operators at another place than before
	OrderBound  *int64 `json:"order_bound,omitempty"`  // no order needs less, in bytes; 0 if nothing is proven
	OrderProven *bool  `json:"order_proven,omitempty"` // the plan needs no more than that
}

// checkOrdered refuses offsets of an .onnx model in another order without that model: nobody could
// tell in which order they hold.
func checkOrdered(outputs []output) error {
	if orderedModel(outputs) != nil {
		return nil
	}
	for _, o := range outputs {
		if o.flag == "-o" && slices.Contains([]string{"h", "c", "csv", "json"}, o.kind) {
			return usagef("-o %s: with --reorder the offsets hold only for the nodes in their new order: write that model in the same run, with -o FILE.onnx", o.path)
		}
	}
	return nil
}

// orderedModel returns the output for the model in another order; nil if there is none.
func orderedModel(outputs []output) *output {
	at := slices.IndexFunc(outputs, func(o output) bool { return o.kind == onnxModel })
	if at < 0 {
		return nil
	}
	return &outputs[at]
}

// tellOrder puts into a plan for which order of nodes its offsets hold. JSON has no place for a note, so it
// is in the name of the problem there.
func (d *document) tellOrder(given string, outputs []output) {
	into := "the model that --reorder makes"
	if o := orderedModel(outputs); o != nil && !toStdout(o.path) {
		into = filepath.Base(o.path)
	}
	d.notes = append(d.notes, "The offsets hold for the order of the nodes in "+into+", not for that in "+filepath.Base(given)+".")
	d.name = d.problem.Name
	renamed := *d.problem
	renamed.Name += ", nodes in the order of " + into
	d.problem = &renamed
}

// tellWritten says where the model in its order is.
func (r *onnxReport) tellWritten(outputs []output, moved bool) {
	o := orderedModel(outputs)
	switch {
	case o == nil || toStdout(o.path):
	case moved:
		r.written = "the model with its nodes in this order is in " + o.path
	default:
		r.written = "the model as it was is in " + o.path
	}
}

// orderOf reports the order of a plan.
func orderOf(made *tflm.Plan) orderReport {
	moved, proven := made.Moved(), made.OrderProven()
	return orderReport{&moved, &made.OrderBound, &proven}
}

// ordered says it in a sentence. what is that which moves, and size that which is bounded.
func (r *orderReport) ordered(what, size string) string {
	said := "the order of the " + what + "s is kept"
	if *r.Reordered > 0 {
		said = count(*r.Reordered, what) + " moved"
	}
	switch {
	case *r.OrderProven:
		return said + fmt.Sprintf("; no order has a smaller %s: that is proven", size)
	case *r.OrderBound > 0:
		return said + fmt.Sprintf("; no order has a %s below %d", size, *r.OrderBound)
	}
	return said + ": the model has control flow, a plan or an NPU's operators that fix it"
}

// orderOfONNX reports the order of a model's nodes, before it is planned. found is nil if nothing
// was looked for, and has no nodes if the order is kept.
func orderOfONNX(found *onnx.Ordering) orderReport {
	moved, proven, bound := 0, false, int64(0)
	if found != nil {
		bound = found.Bound
		for at, k := range found.Nodes {
			if at != k {
				moved++
			}
		}
	}
	return orderReport{&moved, &bound, &proven}
}

// orderedNodes says what --reorder did to an .onnx model.
func (r *onnxReport) orderedNodes() string {
	if *r.OrderBound == 0 {
		return "the order of the nodes is kept: the model has control flow or functions"
	}
	said := r.ordered("node", "plan")
	if *r.Reordered > 0 {
		said += fmt.Sprintf("; the peak was %d and is %d", r.PeakBefore, r.Peak.Bytes)
	}
	return said
}
