package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/internal/comparison"
	"github.com/stowage-go/stowage/internal/models"
	"github.com/stowage-go/stowage/internal/setting"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// Idea: one run that minimises answers every capacity of a problem, as plan/bounds.go explains. So a curve of any
// number of capacities costs one run for each problem and planner. The results of all planners on a problem are
// joined: the lowest plan and the highest bound.
//
// Invariant: before the first run, the bound of a problem is the one that needs no search. So an interrupt leaves a
// true curve, with more of it undecided.
//
//	size.go       the flags, the inputs, the runs
//	sizeat.go     the capacities of the curve: from --at, or a ladder
//	sizewrite.go  the curve as tables, CSV, JSON and a picture

// sizeTimeout limits a run, unless --timeout is given.
const sizeTimeout = 10 * time.Second

type sizeFlags struct {
	at       []string
	planners []string
	timeout  duration
	nodes    int64
	workers  int
	seed     uint64
	paths    []string // the values of -o
	outputs  []output
	format   string
	quiet    bool
	json     bool
	badInput bool // an input named as an argument could not be read

	ignoreOffsets bool
	model         modelFlags
	kernels       kernelsFlags
}

// sizeFormats are the formats of the curve; the first is the default.
var sizeFormats = []string{"text", "csv", "json", "svg"}

func newSize() *cobra.Command {
	s := sizeFlags{timeout: duration(sizeTimeout)}
	cmd := &cobra.Command{
		Use:   "size INPUT...",
		Short: "Find which capacity is enough, for one problem or many",
		Long: `Size minimises the plan of each INPUT once with each planner, and prints which capacities are enough. A plan fits every capacity from its height up. A proven lower bound rules out every capacity below it. Between the two, a capacity is unknown: a limit came first.

The load of a problem is the most memory that is live at once. The last table has how many problems fit, are proven not to fit, and are unknown at each capacity.

INPUT is a file, a pattern such as "*.tflite", or a folder: size then reads each file in it with a known extension. "models/**" also reads the folders below. A file that cannot be read is reported, and the others are measured.

The sizes of .tflite models are bytes of tensors, with --kernels of scratch too, without the arena's tail ('stowage plan'). With Vela's plan a model is unknown.

` + formatsHelp,
		Example: `  stowage size model.tflite
  stowage size --at 256KiB,512KiB,1MiB models
  stowage size --planner auto,first-fit -o curve.svg -o curve.csv *.tflite`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usagef("missing argument INPUT: a file, a folder, or - for standard input")
			}
			return nil
		},
		SuggestFor: []string{"sizing", "capacity", "curve"},
		Annotations: map[string]string{
			exitsKey: "0  the curve was written, whatever is in it\n" +
				"1  internal failure, or an output that cannot be written\n" +
				"2  bad usage, or an INPUT that cannot be read: the curve has the others\n" +
				"4  interrupted: the curve has what was known by then",
		},
		RunE: func(cmd *cobra.Command, args []string) error { return s.run(cmd, args) },
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.StringSliceVar(&s.at, "at", nil,
		"ask the capacities `C1,C2`: sizes such as 512KiB, or shares of the load such as 120% [default: where answers change]")
	f.BoolVar(&s.ignoreOffsets, "ignore-offsets", false, "plan anew: ignore the offsets that an input fixes")
	bindPlanners(cmd, &s.planners, stowage.DefaultPlanner)
	f.VarP(&s.timeout, "timeout", "t", "stop a run after `D`, such as 10s; 0 is never")
	f.Int64Var(&s.nodes, "nodes", 0, setting.Usage("nodes"))
	f.IntVar(&s.workers, "workers", 1, setting.Usage("workers"))
	f.Uint64Var(&s.seed, "seed", 0, setting.Usage("seed"))
	f.StringArrayVarP(&s.paths, "output", "o", nil,
		"write to `FILE`, as .csv, .json or .svg; repeatable [default: tables on standard output]")
	f.StringVar(&s.format, "format", "", "write as `NAME`, such as json, whatever the extension")
	bindJSON(cmd, &s.json)
	f.BoolVarP(&s.quiet, "quiet", "q", false, "only warnings and errors on standard error")
	group(cmd, "Problem", "ignore-offsets")
	s.model.bind(cmd)
	s.kernels.bind(cmd, "")
	group(cmd, modelSection, "kernels")
	group(cmd, plannerSection, "nodes", "workers", "seed")
	group(cmd, "Output", "format", "json")
	complete(cmd, "format", func() []string { return sizeFormats })
	return cmd
}

func (s *sizeFlags) run(cmd *cobra.Command, args []string) error {
	if err := chooseJSON(s.json, &s.format); err != nil {
		return err
	}
	capacities, err := parseCapacities(s.at)
	if err != nil {
		return err
	}
	planners, err := s.chosen()
	if err != nil {
		return err
	}
	if _, err := s.model.options(); err != nil {
		return err
	}
	if err := s.kernels.choose(nil); err != nil {
		return err
	}
	if s.kernels.From != "" {
		s.model.scratch = s.kernels.Set.Scratch
	}
	inputs, err := inputsOf(args)
	if err != nil {
		return err
	}
	if err := s.checkPaths(cmd, inputs); err != nil {
		return err
	}
	c := &curve{planners: planners}
	if err := s.read(cmd, c, inputs); err != nil {
		return err
	}

	ctx, release := interruptible(cmd.Context())
	defer release()
	if err := s.measure(ctx, cmd, c); err != nil {
		return err
	}
	interrupted := ctx.Err() != nil
	release()

	if c.capacities = capacities; capacities == nil {
		c.capacities = c.ladder()
	}
	err = writeAll(cmd, s.outputs, func(w io.Writer, o output) error {
		width := 0
		if toStdout(o.path) {
			width = columns(cmd.OutOrStdout())
		}
		return c.write(w, o.kind, width)
	})
	if err != nil {
		return err
	}
	if interrupted {
		return outcome(exitUndecided)
	}
	if s.badInput {
		return outcome(exitUsage)
	}
	return nil
}

// chosen returns the planners that the flag names, and checks the options of each.
func (s *sizeFlags) chosen() ([]string, error) {
	names, err := chosenPlanners(s.planners, []string{stowage.DefaultPlanner})
	for _, name := range names {
		o := s.options(name)
		if err := errors.Join(setting.CheckNames(&o)...); err != nil {
			return nil, usageError{err}
		}
	}
	return names, err
}

func (s *sizeFlags) options(planner string) stowage.Options {
	return stowage.Options{
		Planner: planner, Timeout: time.Duration(s.timeout), NodeLimit: s.nodes, Workers: s.workers, Seed: s.seed,
	}
}

// checkPaths decides where the outputs go, and checks these places, before any work is done.
func (s *sizeFlags) checkPaths(cmd *cobra.Command, inputs []inputFile) (err error) {
	if s.outputs, err = outputsOf(cmd, s.paths, s.format, sizeFormats, "size draws the curve as SVG only, not as %s"); err != nil {
		return err
	}
	var uses []use
	for _, in := range inputs {
		uses = append(uses, use{"INPUT", in.path})
	}
	return apart(s.outputs, uses)
}

// A curve is the problems with what is known of each.
type curve struct {
	planners   []string
	problems   []sized
	capacities []capacity // of the curve, ascending
	unread     []unread   // the inputs that could not be read
	tensors    string     // explains the sizes of .tflite models; empty if there are none
	without    string     // what they lack
}

// An unread input is a file that could not be read, with the reason.
type unread struct {
	File    string `json:"file"`
	Message string `json:"message"`
}

// A sized problem is a problem with its runs.
type sized struct {
	comparison.Instance
	known  plan.Bounds
	runs   []sizeRun // in the order of curve.planners; an interrupt leaves out the last
	shares bool      // of a model whose own plan lets tensors share bytes, so that no planner runs

	family *model.Family         // whose largest sizes the problem has; nil if sizes do not vary
	varied *stowage.FamilyResult // what all sizes need; nil if nobody looked
}

// A sizeRun is the run of one planner on one problem. sizing is nil if the planner refuses the
// problem; refusal then says why.
type sizeRun struct {
	sizing  *stowage.Sizing
	refusal string
}

// sharesRefusal is why no planner runs on a model whose own plan lets tensors share bytes.
const sharesRefusal = "tensors share bytes in the model's own plan: see 'stowage plan'"

// read reads the problems and gives them distinct names. All inputs are read before the first run, so that a bad one
// costs no search. An unreadable input is reported and counted, and the others are measured.
func (s *sizeFlags) read(cmd *cobra.Command, c *curve, inputs []inputFile) error {
	var instances []comparison.Instance
	var shares []bool
	var families []*model.Family
	head := ""
	for _, in := range inputs {
		path := in.path
		file, err := readProblem(path, 0, s.ignoreOffsets, &s.model)
		if err != nil {
			if code := report(cmd.ErrOrStderr(), cmd, err); code != exitUsage {
				return outcome(code)
			}
			c.unread = append(c.unread, unread{path, err.Error()})
			s.badInput = s.badInput || in.named
			continue
		}
		warnRead(cmd, path, file)
		if !s.quiet {
			noteRead(cmd, path, file)
		}
		if file.Head && head == "" {
			head = path
		}
		instances = append(instances, comparison.FromFile(path, file.Problem, file.Problem.Capacity))
		shares, families = append(shares, file.Shares), append(families, file.Family)
	}
	if len(instances) == 0 {
		return outcome(exitUsage)
	}
	if head != "" {
		c.tensors, c.without = "tensors", "a tail and scratch"
		if s.kernels.From != "" {
			c.tensors, c.without = "tensors, and of the scratch of "+strings.TrimPrefix(models.WhichKernels(s.kernels.Set),
				"the kernels of "), "a tail"
		}
	}
	if head != "" && !s.quiet {
		fmt.Fprintf(cmd.ErrOrStderr(),
			"%s: note: the sizes of .tflite models are bytes of %s (the head); the arena of TensorFlow Lite Micro "+
				"also has %s: 'stowage plan' has its size [head]\n", nameOf(head), c.tensors, c.without)
	}
	comparison.DistinctNames(instances)
	for k, in := range instances {
		p := sized{Instance: in, known: plan.Bounds{LowerBound: in.LowerBound}, shares: shares[k], family: families[k]}
		if p.shares {
			p.known.LowerBound = largest(in.Problem)
		}
		c.problems = append(c.problems, p)
	}
	return nil
}

// largest returns the size of the largest buffer: no sharing of bytes goes below it.
func largest(p *stowage.Problem) (most int64) {
	for i := range p.Buffers {
		most = max(most, p.Buffers[i].Size)
	}
	return most
}

// measure makes the runs, until the context ends.
func (s *sizeFlags) measure(ctx context.Context, cmd *cobra.Command, c *curve) error {
	line := lineOf(cmd.ErrOrStderr(), s.quiet, 0)
	defer line.stop()
	for k := range c.problems {
		p := &c.problems[k]
		for _, planner := range c.planners {
			if ctx.Err() != nil {
				return nil
			}
			if p.shares {
				p.runs = append(p.runs, sizeRun{refusal: sharesRefusal})
				continue
			}
			o := s.options(planner)
			line.share(k, len(c.problems), "")
			line.follow(&o)
			found, err := stowage.Size(ctx, p.Problem, o)
			if errors.Is(err, stowage.ErrUnsupported) {
				p.runs = append(p.runs, sizeRun{refusal: err.Error()})
				continue
			}
			if err != nil {
				return err
			}
			if p.known, err = p.known.Join(found.Bounds); err != nil {
				return internalError{errors.New(p.Name + ": " + err.Error())}
			}
			p.runs = append(p.runs, sizeRun{sizing: found})
		}
		if p.family != nil && ctx.Err() == nil {
			r, err := stowage.SolveFamily(ctx, p.family, s.options(c.planners[0]))
			if err != nil && !errors.Is(err, stowage.ErrUnsupported) {
				return err
			}
			p.varied = r
		}
	}
	return nil
}

// provedBy says who proved that no plan is lower, or that none fits: a planner, "bound" if no
// search was needed, or "collision". It is empty if nobody did.
func (p *sized) provedBy() string {
	if p.known.Status != stowage.Optimal && p.known.Status != stowage.Infeasible {
		return ""
	}
	if p.known.LowerBound > p.LowerBound || p.known.Status == stowage.Infeasible {
		for _, r := range p.runs {
			if r.sizing != nil && r.sizing.Bounds == p.known && r.sizing.Result.ProvedBy != "" {
				return r.sizing.Result.ProvedBy
			}
		}
		for _, r := range p.runs { // one planner has the plan, and another one the bound
			if r.sizing != nil && r.sizing.LowerBound == p.known.LowerBound {
				return r.sizing.Result.Planner
			}
		}
	}
	return "bound"
}

// ranges returns what is known of the problems.
func (c *curve) ranges() []plan.Bounds {
	var all []plan.Bounds
	for k := range c.problems {
		all = append(all, c.problems[k].known)
	}
	return all
}

// heights returns the heights of a planner's plans, by problem; -1 if it has none.
func (c *curve) heights(planner int) []int64 {
	var all []int64
	for k := range c.problems {
		height := int64(-1)
		if r := c.problems[k].run(planner); r != nil && r.sizing != nil && r.sizing.Status.HasPlan() {
			height = r.sizing.Height
		}
		all = append(all, height)
	}
	return all
}

// run returns the run of a planner; nil if an interrupt came first.
func (p *sized) run(planner int) *sizeRun {
	if planner >= len(p.runs) {
		return nil
	}
	return &p.runs[planner]
}
