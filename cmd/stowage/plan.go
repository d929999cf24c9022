package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/format"
	"github.com/stowage-go/stowage/format/tflite"
	"github.com/stowage-go/stowage/internal/tflm"
)

type planFlags struct {
	output  string
	scratch []string
	fold    bool
	inPlace bool
	tail    size
	json    bool
	probe   bool
	quiet   bool
	search  search
}

func newPlan() *cobra.Command {
	var p planFlags
	cmd := &cobra.Command{
		Use:   "plan MODEL",
		Short: "Plan the arena of a TensorFlow Lite model for TensorFlow Lite Micro",
		Long: `Plan derives which tensors of MODEL, a .tflite file, share the arena and for how long, as TensorFlow Lite Micro does, plans them, and writes the plan into the model, where that runtime looks for it: the metadata OfflineMemoryAllocation. The new file ends with the old one, byte for byte.

The plan is judged by what the runtime makes of it: its own planner is emulated, for the model as it is and with the plan. A plan that the runtime beats by itself is not written; the model is then copied as it is.

Kernels may ask for scratch beside the tensors, which is not in the file and differs from target to target. Without --scratch the figures are those of kernels that ask for nothing. --scratch takes OPERATOR=BYTES, where OPERATOR is a name such as SVDF or a number, or the log of a target: that of the planner that --probe prints, or of a runtime built with TF_LITE_SHOW_MEMORY_USE.

With -o a .csv, .json, .svg, .html or .tex file gets the problem with its plan instead.`,
		Example: `  stowage plan model.tflite                                what the arena takes, and who sets it
  stowage plan -o planned.tflite model.tflite
  stowage plan --scratch SVDF=2048 --scratch 12=512 -o planned.tflite model.tflite
  stowage plan --probe > stowage_probe.h                   build it into the firmware, save its log
  stowage plan --scratch device.log --tail 29952 -o planned.tflite model.tflite`,
		Args: func(cmd *cobra.Command, args []string) error {
			if p.probe && len(args) == 0 {
				return nil
			}
			return arity(1, "MODEL")(cmd, args)
		},
		SuggestFor:  []string{"arena", "tflite", "offline"},
		Annotations: map[string]string{exitsKey: allExits},
		RunE: func(cmd *cobra.Command, args []string) error {
			if p.probe {
				return writeTo(cmd, "", func(w io.Writer) error { _, err := io.WriteString(w, tflm.Probe); return err })
			}
			return p.run(cmd, args[0])
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringArrayVar(&p.scratch, "scratch", nil, "what kernels ask for beside tensors: `OPERATOR=BYTES`, or the log of a target; may be repeated")
	f.BoolVar(&p.probe, "probe", false, "print the C++ header that makes a target log what its kernels ask for")
	f.BoolVar(&p.fold, "fold-float16", false, "make float16 constants that are only dequantised float32 in the file, without which TensorFlow Lite Micro does not run such a model")
	f.BoolVar(&p.inPlace, "in-place", false, "let the results of RESHAPE and element-wise operators lie over an operand that dies there")
	f.Var(&p.tail, "tail", "the persistent `SIZE` that the target reports as tail, for the smallest arena that works")
	f.StringVarP(&p.output, "output", "o", "", "write the planned model to `FILE`")
	f.BoolVar(&p.json, "json", false, "print the report as JSON")
	f.BoolVarP(&p.quiet, "quiet", "q", false, "print no report")
	p.search.bindPlanner(cmd)
	group(cmd, "Model", "scratch", "probe", "fold-float16", "in-place", "tail")
	group(cmd, "Output", "output", "json", "quiet")
	return cmd
}

func (p *planFlags) run(cmd *cobra.Command, path string) error {
	o, err := p.search.options()
	if err != nil {
		return err
	}
	name, err := formatOf("", p.output, append([]string{"tflite"}, formatNames()...))
	if err != nil {
		return err
	}
	if err := checkOutput(p.output); err != nil {
		return err
	}
	m, err := readModel(path)
	if err != nil {
		return err
	}
	// Weights that a runtime would fold are no buffers of the arena, whether the
	// file is to be folded or not.
	folded, weights, err := m.Fold()
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if p.fold {
		m = folded
	}
	l, err := folded.Lifetimes()
	if err != nil {
		return err
	}
	scratch, err := readScratch(p.scratch, folded, l)
	if err != nil {
		return err
	}
	ctx, release := interruptible(cmd.Context())
	defer release()
	made, err := tflm.Make(ctx, folded, tflm.Options{Scratch: scratch, InPlace: p.inPlace, Solve: o})
	if err != nil {
		return err
	}
	r := p.report(made, weights)
	if p.output != "" {
		if err := p.write(cmd, name, m, made, r); err != nil {
			return err
		}
	}
	if p.quiet {
		return outcomeOf(made.Result.Status)
	}
	err = writeTo(cmd, "", func(w io.Writer) error {
		if p.json {
			return writeIndented(w, r)
		}
		return r.print(w)
	})
	if err != nil {
		return err
	}
	return outcomeOf(made.Result.Status)
}

// write writes the planned model, or the problem with its plan as the name asks.
func (p *planFlags) write(cmd *cobra.Command, name string, m *tflite.Model, made *tflm.Plan, r *planReport) error {
	if name != "tflite" {
		offsets := made.Placed
		d := &document{problem: made.Arena.Problem, offsets: offsets, lowerBound: made.Result.LowerBound}
		for i, at := range offsets {
			d.height = max(d.height, at+made.Arena.Problem.Buffers[i].Size)
		}
		return writeDocument(cmd, p.output, name, d)
	}
	data := m.Bytes()
	if r.Written = made.Offsets != nil && made.Head < made.Before; r.Written {
		var err error
		if data, err = m.WithOffsets(made.Offsets); err != nil {
			return err
		}
	}
	return writeTo(cmd, p.output, func(w io.Writer) error { _, err := w.Write(data); return err })
}

// readModel reads a model from a file or standard input.
func readModel(path string) (*tflite.Model, error) {
	if ext := strings.ToLower(filepath.Ext(path)); ext == ".csv" || ext == ".json" {
		return nil, usagef("%s is a problem, not a model: stowage solve plans it", path)
	}
	if path == format.Standard {
		return tflite.Read(os.Stdin, nameOf(path))
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return tflite.Read(f, path)
}

// readScratch turns the values of --scratch into scratch buffers.
func readScratch(values []string, m *tflite.Model, l *tflite.Lifetimes) ([]tflite.Scratch, error) {
	var out []tflite.Scratch
	for _, value := range values {
		key, bytes, declared := strings.Cut(value, "=")
		if !declared {
			s, err := scratchOfLog(value, m, l)
			if err != nil {
				return nil, err
			}
			out = append(out, s...)
			continue
		}
		var n size
		if err := n.Set(bytes); err != nil {
			return nil, usagef("invalid argument %q for --scratch: %v", value, err)
		}
		found := false
		number, err := strconv.Atoi(key)
		for k := range m.Operators {
			if err == nil && k == number || err != nil && strings.EqualFold(m.Operators[k].Name(), key) {
				out = append(out, tflite.Scratch{Operator: k, Bytes: int64(n)})
				found = true
			}
		}
		if !found {
			return nil, usagef("invalid argument %q for --scratch: %s has no operator %s", value, m.File, key)
		}
	}
	return out, nil
}

func scratchOfLog(path string, m *tflite.Model, l *tflite.Lifetimes) ([]tflite.Scratch, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	requests, err := tflite.ReadLog(f, path)
	if err != nil {
		return nil, err
	}
	return m.ScratchOf(requests, l, path)
}

// planReport is what plan prints. The keys of its JSON are a contract; new ones
// go to the end.
type planReport struct {
	Model          string         `json:"model"`
	Tensors        int            `json:"tensors"` // of all subgraphs
	Buffers        int            `json:"buffers"` // of the arena, scratch included
	Scratch        int            `json:"scratch"`
	Status         stowage.Status `json:"status"`
	HeadBefore     int64          `json:"head_before"` // as the model is
	HeadGreedy     int64          `json:"head_greedy"` // without any plan
	HeadPlanned    int64          `json:"head_planned"`
	LowerBound     int64          `json:"lower_bound"`
	Room64         int64          `json:"room_64"` // what the runtime's planner needs while it plans
	Room32         int64          `json:"room_32"`
	Tail           int64          `json:"tail,omitempty"`
	SmallestBefore int64          `json:"smallest_arena_before,omitempty"`
	SmallestAfter  int64          `json:"smallest_arena_planned,omitempty"`
	Folded         int            `json:"float16_constants"`
	Written        bool           `json:"written"`
	Peak           peakReport     `json:"peak"`
}

// peakReport is who sets the size of the arena.
type peakReport struct {
	Tick     int32       `json:"tick"`
	Operator string      `json:"operator,omitempty"`
	Bytes    int64       `json:"bytes"`
	Owners   []peakOwner `json:"owners"`
}

type peakOwner struct {
	Name string `json:"name"`
	Size int64  `json:"size"`
}

func (p *planFlags) report(made *tflm.Plan, weights int) *planReport {
	a, m := made.Arena, made.Model
	r := &planReport{
		Model: m.File, Tensors: len(m.Tensors), Buffers: len(a.Tensor), Scratch: len(a.Tensor) - a.Scratch,
		Status: made.Result.Status, HeadBefore: made.Before, HeadGreedy: made.Greedy, HeadPlanned: made.Head,
		LowerBound: made.Result.LowerBound, Room64: tflm.Predict(m, a, 0, &tflm.Firmware64).Room, Room32: tflm.Predict(m, a, 0, &tflm.Firmware32).Room, Folded: weights,
	}
	if p.tail > 0 {
		r.Tail = int64(p.tail)
		r.SmallestBefore = tflm.Smallest(m, a, tflm.Word64, made.Before, r.Tail)
		if made.Offsets != nil {
			r.SmallestAfter = tflm.Smallest(m, a, tflm.Word64, min(made.Head, made.Before), r.Tail)
		}
	}
	peak := tflm.PeakOf(a, made.Life)
	r.Peak = peakReport{Tick: peak.Tick, Bytes: peak.Bytes, Owners: []peakOwner{}}
	if peak.Operator >= 0 {
		r.Peak.Operator = m.Operators[peak.Operator].Name() + " " + strconv.Itoa(peak.Operator)
	}
	for _, k := range peak.Buffers {
		b := &a.Problem.Buffers[k]
		r.Peak.Owners = append(r.Peak.Owners, peakOwner{b.ID, b.Size})
	}
	return r
}

// print writes the report for people.
func (r *planReport) print(w io.Writer) error {
	var s strings.Builder
	fmt.Fprintf(&s, "%s: %s, %s in the arena", filepath.Base(r.Model), count(r.Tensors, "tensor"), count(r.Buffers, "buffer"))
	if r.Scratch > 0 {
		fmt.Fprintf(&s, ", %d of them scratch", r.Scratch)
	}
	s.WriteByte('\n')
	if r.Folded > 0 {
		fmt.Fprintf(&s, "  %s counted as float32 weights, not as buffers\n", count(r.Folded, "float16 constant"))
	}
	fmt.Fprintf(&s, "  head as it is    %d\n", r.HeadBefore)
	if r.Status.HasPlan() {
		fmt.Fprintf(&s, "  head planned     %d (%s, lower bound %d)", r.HeadPlanned, r.Status, r.LowerBound)
		if r.HeadBefore > r.HeadPlanned {
			fmt.Fprintf(&s, ", %.1f%% less", 100*float64(r.HeadBefore-r.HeadPlanned)/float64(r.HeadBefore))
		}
		s.WriteByte('\n')
	}
	if r.Tail > 0 {
		fmt.Fprintf(&s, "  smallest arena   %d as it is, %d planned, with a tail of %d on 64 bit\n", r.SmallestBefore, r.SmallestAfter, r.Tail)
	}
	if r.Room64 > r.HeadPlanned {
		fmt.Fprintf(&s, "  the runtime's planner needs %d beside its tail while it plans (%d on 32 bit): the arena must have that\n", r.Room64, r.Room32)
	}
	if r.Scratch == 0 {
		s.WriteString("  without the scratch of kernels: see --scratch\n")
	}
	fmt.Fprintf(&s, "peak of %d", r.Peak.Bytes)
	if r.Peak.Operator != "" {
		fmt.Fprintf(&s, " at %s", r.Peak.Operator)
	}
	s.WriteByte('\n')
	const most = 8
	for i, o := range r.Peak.Owners {
		if i == most {
			fmt.Fprintf(&s, "  … and %d more\n", len(r.Peak.Owners)-most)
			break
		}
		fmt.Fprintf(&s, "  %9d  %s\n", o.Size, o.Name)
	}
	if r.Written {
		s.WriteString("the plan is in the model\n")
	}
	_, err := io.WriteString(w, s.String())
	return err
}

// newCheck is the command for plans of others.
func newCheck() *cobra.Command {
	var capacity size
	cmd := &cobra.Command{
		Use:   "check MODEL",
		Short: "Check the offline plan in a TensorFlow Lite model",
		Long: `Check holds the metadata OfflineMemoryAllocation of MODEL against the lifespans of its tensors: a wrong count, offsets that are negative or misaligned, tensors that share bytes while both live, variable tensors that others can come over. TensorFlow Lite Micro accepts most of these and gives wrong results.

Every finding is printed on standard error. A plan with a fault is bad input: the exit code is 2.`,
		Example:     `  stowage check planned.tflite`,
		Args:        arity(1, "MODEL"),
		Annotations: map[string]string{exitsKey: "0  the plan has no fault\n1  internal failure, or an output that cannot be written\n2  the plan has a fault, or there is none, or bad usage or input"},
		RunE: func(cmd *cobra.Command, args []string) error {
			m, err := readModel(args[0])
			if err != nil {
				return err
			}
			v, err := tflm.Check(m, int64(capacity))
			if err != nil {
				return err
			}
			for _, f := range v.Findings {
				fmt.Fprintf(cmd.ErrOrStderr(), "%s: %s: %s [%s]\n", args[0], f.Severity, f.Message, f.Rule)
			}
			if !v.OK() {
				return outcome(exitUsage)
			}
			return writeTo(cmd, "", func(w io.Writer) error {
				_, err := fmt.Fprintf(w, "valid: head %d, %s pinned, %d left to the device\n", v.Height, count(v.Pinned, "tensor"), v.Online)
				return err
			})
		},
	}
	cmd.Flags().Var(&capacity, "capacity", "fit into `SIZE` bytes of head: "+sizeHelp)
	return cmd
}
