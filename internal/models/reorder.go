package models

import (
	"fmt"

	"github.com/stowage-go/stowage/format/onnx"
	"github.com/stowage-go/stowage/graph"
	"github.com/stowage-go/stowage/tflm"
)

// Idea: --reorder reports how many operators moved, and a lower bound for all orders. If the order is kept although
// another one might be better, the report says so.

// orderReport is the part of a report that is there with --reorder only.
type orderReport struct {
	Reordered   *int   `json:"reordered,omitempty"`    // operators at another place than before
	OrderBound  *int64 `json:"order_bound,omitempty"`  // no order needs less, in bytes; 0 if nothing is proven
	OrderProven *bool  `json:"order_proven,omitempty"` // the plan needs no more than that
}

// orderOf reports the order of a plan.
func orderOf(made *tflm.Plan) orderReport {
	moved, proven := made.Moved(), made.OrderProven()
	return orderReport{&moved, &made.OrderBound, &proven}
}

// ordered returns the sentence. what names the things that move, size the bounded quantity.
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
		moved, bound = graph.Moved(found.Nodes), found.Bound
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
