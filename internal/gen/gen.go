// Package gen makes problems: seeded generators, instances whose optimum is known by construction, the examples of
// the literature, and the activations of published networks. `stowage gen` offers them all. Generators for tests
// alone are in internal/testkit/drawn.
//
// A kind, its options and its seed decide the problem, byte for byte, on every machine and with every version of Go.
package gen

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/stowage-go/stowage/model"
)

// Options steer a generator. Zero means the kind's default. A kind refuses options that it does not take (Kind.Takes),
// except for the seed. In JSON they have the names of the command line.
type Options struct {
	// Buffers is the number of buffers.
	Buffers int `json:"buffers,omitempty"`
	// Seed drives every random choice.
	Seed uint64 `json:"seed,omitempty"`
	// Capacity is the number of bytes to fit into. Kinds with a known optimum
	// have it as their height; others only note it in the problem.
	Capacity int64 `json:"capacity,omitempty"`
	// Horizon is the number of time slots.
	Horizon int64 `json:"horizon,omitempty"`
	// MinSize and MaxSize bound the sizes, in bytes.
	MinSize int64 `json:"min-size,omitempty"`
	MaxSize int64 `json:"max-size,omitempty"`
	// MinLife and MaxLife bound the lengths of the lifespans, in time slots.
	MinLife int64 `json:"min-life,omitempty"`
	MaxLife int64 `json:"max-life,omitempty"`
	// Alignment is the alignment of every buffer, in bytes.
	Alignment int64 `json:"alignment,omitempty"`
	// Gaps is the share of the buffers that have gaps, from 0 to 1.
	Gaps float64 `json:"gaps,omitempty"`
	// Windows is the share of the gaps that have a window, from 0 to 1.
	Windows float64 `json:"windows,omitempty"`
	// Holes is the share of the pieces of a packing that are left out, from 0 to 0.9.
	Holes float64 `json:"holes,omitempty"`
	// Threads is the number of clocks, from 1 to 64, and Pattern how their threads exchange messages, one of Patterns.
	Threads int64  `json:"threads,omitempty"`
	Pattern string `json:"pattern,omitempty"`
	// Messages is the number of messages between threads.
	Messages int64 `json:"messages,omitempty"`
}

// maxBuffers is the largest number of buffers that a generator makes.
const maxBuffers = 1 << 24

// maxThreads is the largest number of clocks.
const maxThreads = 64

// An Instance is a problem and what is known of it by construction.
type Instance struct {
	Problem *model.Problem
	// Optimum is the lowest possible height; 0 if it is not known.
	Optimum int64
	// Offsets is a plan of height Optimum. If Optimum is 0, it is a plan that fits the problem's capacity. It is nil
	// if no plan is known.
	Offsets []int64
	// Infeasible says that no plan fits Problem.Capacity.
	Infeasible bool
}

// A Kind is a generator.
type Kind struct {
	Name    string // as the command line has it
	Summary string // one line
	// Takes names the options that count, as the command line has them:
	// "buffers", "capacity", "min-size". Defaults holds their defaults.
	Takes    []string
	Defaults Options

	generate func(Options) (*Instance, error)
}

// sized are the options of the kinds that draw sizes.
var sized = []string{"buffers", "seed", "capacity", "min-size", "max-size", "alignment"}

// packed are the options of the kinds that fill a capacity.
var packed = []string{"buffers", "seed", "capacity", "horizon", "alignment"}

// holed are the options of packings that may leave out pieces.
var holed = []string{"buffers", "seed", "capacity", "horizon", "alignment", "holes"}

// rectangle are the defaults of packings: so many pieces of a square mebi.
var rectangle = Options{Buffers: 50, Capacity: 1 << 20, Horizon: 1 << 20}

// emitted are the options of the kinds that stand for what compilers emit.
var emitted = []string{"buffers", "seed", "capacity", "alignment"}

var kinds = sync.OnceValue(func() []Kind {
	return []Kind{
		{
			"random", "random sizes and lifespans",
			append(slices.Clone(sized), "horizon", "min-life", "max-life", "gaps", "windows"),
			Options{Buffers: 100, Horizon: 1000, MinSize: 1, MaxSize: 1024, MinLife: 1, MaxLife: 200},
			random,
		},
		{
			"high-overlap", "few buffers, most of them live at once", append(slices.Clone(sized), "horizon"),
			Options{Buffers: 40, Horizon: 1000, MinSize: 1, MaxSize: 64},
			highOverlap,
		},
		{
			"perfect", "a rectangle cut edge to edge; the optimum is the capacity", holed,
			rectangle,
			perfect,
		},
		{
			"pinwheel", "a rectangle cut into pinwheels, harder; the optimum is the capacity", holed,
			rectangle,
			pinwheel,
		},
		{
			"walls", "a rectangle grown wall by wall, with hardly a cut or a wheel in it; the optimum is the capacity", holed,
			rectangle,
			walls,
		},
		{
			"cracks", "a rectangle broken by cracks that grow until they meet; the optimum is the capacity", holed,
			rectangle,
			cracks,
		},
		{
			"full-placed", "a memory that is always nearly full, each buffer placed as it is drawn; the optimum is the capacity",
			emitted,
			Options{Buffers: 1000, Capacity: 1 << 20},
			fullPlaced,
		},
		{
			"infeasible", "the load fits the capacity, but no plan does", packed,
			Options{Buffers: 30, Capacity: 1 << 20, Horizon: 1 << 20},
			infeasible,
		},
		{
			"synthetic", "few buffers that overlap much and just fit (after MiniMalloc's synthetic suite)", packed,
			Options{Buffers: 40, Capacity: 1 << 20, Horizon: 1000},
			synthetic,
		},
		{
			"non-overlapping", "one buffer at a time (TelaMalloc's microbenchmark)", sized,
			Options{Buffers: 1000, MinSize: 1, MaxSize: 1024},
			nonOverlapping,
		},
		{
			"full-overlap", "all buffers at once (TelaMalloc's microbenchmark)", sized,
			Options{Buffers: 100, MinSize: 1, MaxSize: 1024},
			fullOverlap,
		},
		{"inference", "networks with branches, one after the other", emitted, Options{Buffers: 1000}, inference},
		{"training", "a training step: forward, backward, optimiser", emitted, Options{Buffers: 10000}, training},
		{"tiles", "layers in pipelined, double-buffered tiles", emitted, Options{Buffers: 1000}, tiles},
		{"prefill", "a transformer reading prompts", emitted, Options{Buffers: 1000}, prefill},
		{"decode", "a transformer writing tokens, with pages of keys and values", emitted, Options{Buffers: 10000}, decode},
		{"mix", "two streams of all of these side by side", emitted, Options{Buffers: 1000000}, mix},
		{"paper-minimalloc", "the running example of the MiniMalloc paper", nil, Options{}, fixedKind(MiniMalloc)},
		{"paper-wave", "the worked example of IREE Wave's first-fit", nil, Options{}, fixedKind(Wave)},
		{"mobilenet-v2", "activations of MobileNetV2, inference, int8", nil, Options{}, fixedKind(MobileNetV2)},
		{"unet", "activations of U-Net, inference, float16", nil, Options{}, fixedKind(UNet)},
		{"googlenet", "activations of GoogLeNet, inference, int8", nil, Options{}, fixedKind(GoogLeNet)},
		{"densenet-121", "activations of DenseNet-121, inference, float16", nil, Options{}, fixedKind(DenseNet121)},
		{"gpt2-prefill", "activations of GPT-2 small over a prompt of 128 tokens, float16", nil, Options{}, fixedKind(GPT2Prefill)},
		{"resnet50-training", "activations and gradients of a training step of ResNet-50, float32", nil, Options{}, fixedKind(ResNet50Training)},
	}
})

// fixedKind wraps a problem that takes no options.
func fixedKind(make func() *model.Problem) func(Options) (*Instance, error) {
	return func(Options) (*Instance, error) { return &Instance{Problem: make()}, nil }
}

// Kinds returns the generators of problems without rules, in the order in which help should list them.
func Kinds() []Kind { return slices.Clone(kinds()) }

// Generate makes a problem of the kind. The error names every option that is unknown to the kind or out of range.
func Generate(kind string, o Options) (*model.Problem, error) {
	in, err := New(kind, o)
	if err != nil {
		return nil, err
	}
	return in.Problem, nil
}

// Check returns the error that New returns about the kind or the options; it makes no problem.
func Check(kind string, o Options) error {
	k, err := kindOf(kind)
	if err != nil {
		return err
	}
	return k.complete(&o)
}

func kindOf(kind string) (*Kind, error) {
	all := slices.Concat(kinds(), ruledKinds())
	at := slices.IndexFunc(all, func(k Kind) bool { return k.Name == kind })
	if at < 0 {
		names := make([]string, len(all))
		for i, k := range all {
			names[i] = k.Name
		}
		return nil, fmt.Errorf("no generator is named %q; the choices are %s", kind, strings.Join(names, ", "))
	}
	return &all[at], nil
}

// New is Generate, and also returns what is known of the problem.
func New(kind string, o Options) (*Instance, error) {
	k, err := kindOf(kind)
	if err != nil {
		return nil, err
	}
	if err := k.complete(&o); err != nil {
		return nil, err
	}
	in, err := k.generate(o)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", k.Name, err)
	}
	if in.Problem.Name == "" {
		in.Problem.Name = fmt.Sprintf("%s-%d-seed-%d", k.Name, o.Buffers, o.Seed)
	}
	// Large alignments are the one thing that the ranges cannot rule out.
	if err := model.Validate(in.Problem); err != nil {
		return nil, fmt.Errorf("%s: the options make an invalid problem: %w", k.Name, err)
	}
	return in, nil
}

// ranges fills in the ends of ranges that are not set: a default gives way to the end that is.
func (k *Kind) ranges(o *Options) {
	if o.MinSize == 0 && o.MaxSize > 0 && k.Defaults.MinSize > 0 {
		o.MinSize = min(k.Defaults.MinSize, o.MaxSize)
	} else if o.MaxSize == 0 && o.MinSize > 0 && k.Defaults.MaxSize > 0 {
		o.MaxSize = max(k.Defaults.MaxSize, o.MinSize)
	}
	if horizon := max(o.Horizon, 0); horizon > 0 && o.MaxLife == 0 && k.Defaults.MaxLife > 0 {
		o.MaxLife = min(horizon, max(k.Defaults.MaxLife, o.MinLife))
	} else if o.MaxLife == 0 && o.MinLife > 0 && k.Defaults.MaxLife > 0 {
		o.MaxLife = max(k.Defaults.MaxLife, o.MinLife)
	} else if o.MinLife == 0 && o.MaxLife > 0 && k.Defaults.MinLife > 0 {
		o.MinLife = min(k.Defaults.MinLife, o.MaxLife)
	}
}

// complete fills in the defaults and refuses what is out of range.
func (k *Kind) complete(o *Options) error {
	var errs []error
	refuse := func(format string, args ...any) {
		errs = append(errs, fmt.Errorf("%s: "+format, append([]any{k.Name}, args...)...))
	}
	k.ranges(o)
	buffers := int64(o.Buffers)
	for _, f := range []struct {
		name           string
		value          *int64
		otherwise, max int64
	}{
		{"buffers", &buffers, int64(k.Defaults.Buffers), maxBuffers},
		{"capacity", &o.Capacity, k.Defaults.Capacity, model.MaxSum},
		{"horizon", &o.Horizon, k.Defaults.Horizon, model.MaxSum},
		{"min-size", &o.MinSize, k.Defaults.MinSize, model.MaxSum},
		{"max-size", &o.MaxSize, k.Defaults.MaxSize, model.MaxSum},
		{"min-life", &o.MinLife, k.Defaults.MinLife, model.MaxSum},
		{"max-life", &o.MaxLife, k.Defaults.MaxLife, model.MaxSum},
		{"alignment", &o.Alignment, 0, model.MaxSum},
		{"threads", &o.Threads, k.Defaults.Threads, maxThreads},
		{"messages", &o.Messages, k.Defaults.Messages, maxBuffers},
	} {
		switch {
		case *f.value == 0:
			*f.value = f.otherwise
		case !slices.Contains(k.Takes, f.name):
			refuse("takes no %s", f.name)
		case *f.value < 0 || *f.value > f.max:
			refuse("%s %d: must be from 1 to %d", f.name, *f.value, f.max)
		}
	}
	o.Buffers = int(buffers)
	for _, f := range []struct {
		name       string
		value, max float64
	}{{"gaps", o.Gaps, 1}, {"windows", o.Windows, 1}, {"holes", o.Holes, 0.9}} {
		if f.value != 0 && !slices.Contains(k.Takes, f.name) {
			refuse("takes no %s", f.name)
		} else if !(f.value >= 0 && f.value <= f.max) { // refuses NaN too
			refuse("%s %v: must be from 0 to %v", f.name, f.value, f.max)
		}
	}
	switch {
	case o.Pattern == "":
		o.Pattern = k.Defaults.Pattern
	case !slices.Contains(k.Takes, "pattern"):
		refuse("takes no pattern")
	}
	if o.MinSize > o.MaxSize {
		refuse("min-size %d is above max-size %d", o.MinSize, o.MaxSize)
	}
	if o.MaxSize > 0 && o.Buffers > 0 && o.MaxSize > model.MaxSum/int64(o.Buffers)-o.Alignment {
		refuse("the sum of the sizes may exceed %d", model.MaxSum)
	}
	if o.MinLife > o.MaxLife {
		refuse("min-life %d is above max-life %d", o.MinLife, o.MaxLife)
	}
	if o.Horizon > 0 && o.MaxLife > o.Horizon {
		refuse("max-life %d is above horizon %d", o.MaxLife, o.Horizon)
	}
	return errors.Join(errs...)
}
