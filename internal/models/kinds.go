package models

import (
	"context"
	"slices"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/format"
	"github.com/stowage-go/stowage/model"
)

// A Kind is what is known of models before they are read.
type Kind struct {
	format format.Kind
	open   func(in *format.Input, o format.Options) (Model, error)

	// Place says that files of this kind have no place for a plan. It is empty if they have one, or are no models.
	Place string
	// Own are the kinds of files that only plans of these models are written to; the first is the model. If Moved is set,
	// only a model in another order is written.
	Own   []string
	Moved bool
	// Runtime: a runtime has an arena for them, and takes planners of others.
	Runtime bool
	// Planning are options that change the plan alone, not the problem.
	Planning []string
	// Refused are options that these models do not have.
	Refused []Refusal
}

// A Refusal is an option, and what it is for.
type Refusal struct{ Option, Is string }

// refused returns refusals with one reason.
func refused(is string, options ...string) (out []Refusal) {
	for _, o := range options {
		out = append(out, Refusal{o, is})
	}
	return out
}

// runtimeOptions are those of models with a runtime.
var runtimeOptions = []string{
	"kernels", "diagonal", "scratch", "fold-float16", "tail", "replace-plan", "target", "resident",
}

// graphs are graphs of operators, in any format.
var graphs = Kind{
	open: openGraph,
	Refused: append(append(
		refused("for models: a graph says itself what may lie in place, and --permits in-place leaves the rest out",
			"in-place"),
		refused("for models", slices.Concat(runtimeOptions, []string{"verify"})...)...),
		refused("for models", "dim", "value", "shape", "size", "alignment", "heap")...),
}

// kinds has the kinds of models that are more than a graph. A new one is a row here.
var kinds = []Kind{
	{
		format: format.TFLite, open: openTFLite, Own: []string{"tflite", Array, "cpp", "cxx"}, Runtime: true,
		Planning: []string{"in-place"}, Refused: refused("for graphs in JSON", "permits"),
	},
	{
		format: format.ONNX, open: openONNX, Own: []string{"onnx"}, Moved: true,
		Place:   "in an .onnx model there is no place for a plan",
		Refused: append(refused("for .tflite models", runtimeOptions...), refused("for graphs in JSON", "permits")...),
	},
}

// KindOf returns the kind of a format's models: graphs, if the format has no row.
func KindOf(k format.Kind) *Kind {
	for i := range kinds {
		if kinds[i].format == k {
			return &kinds[i]
		}
	}
	return &graphs
}

// IsModel reports whether a kind of file is that of a model.
func IsModel(file string) bool {
	for i := range kinds {
		if kinds[i].Own[0] == file {
			return true
		}
	}
	return false
}

// Pools reports whether such models are planned in memories.
func (k *Kind) Pools() bool { return k != &graphs }

// Open reads a model. The options must be those that its kind takes.
func Open(in *format.Input, o format.Options) (Model, error) { return KindOf(in.Kind).open(in, o) }

// orderNodes limits the planner that compares orders and permits. The search for the order has limits of its own.
const orderNodes = 20_000

// lower returns the problem with the lower plan; the first if the plans are equal.
func lower(ctx context.Context, a, b *model.Problem) (*model.Problem, error) {
	o := stowage.Options{NodeLimit: orderNodes, Minimize: true}
	of, err := stowage.Solve(ctx, a, o)
	if err != nil {
		return nil, err
	}
	other, err := stowage.Solve(ctx, b, o)
	if err == nil {
		err = ctx.Err()
	}
	if err == nil && other.Status.HasPlan() && (!of.Status.HasPlan() || other.Height < of.Height) {
		return b, nil
	}
	return a, err
}
