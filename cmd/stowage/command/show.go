package command

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/internal/profile"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/render/html"
)

type showFlags struct {
	capacity size
	output   string
	format   string
	text     bool
	json     bool
	against  string
	model    modelFlags
}

func newShow() *cobra.Command {
	var s showFlags
	cmd := &cobra.Command{
		Use:   "show INPUT",
		Short: "Draw a plan or a load; view: in a browser",
		Long: `Show draws the plan in INPUT, with time across and offsets up. A plan is an offset column in CSV, the key plan in JSON, the offline plan of a .tflite model, or what a dump recorded. If there is none, show draws the load: the space in use over time.

A bound that a JSON file claims is shown as claimed. An invalid plan is drawn as it is, and marked. With --text, show prints the figures in a few lines instead of drawing. A plan with rules is drawn with a lane for each pool, without --text or --against.

` + formatsHelp,
		Example: `  stowage show -o plan.svg plan.csv
  stowage show --against before.csv -o difference.html after.csv
  stowage show --text model.csv`,
		Args:       arity(1, "INPUT"),
		SuggestFor: []string{"draw", "view", "plot", "render"},
		Annotations: map[string]string{
			exitsKey: "0  drawn\n1  internal failure, or an output that cannot be written\n2  bad usage or input",
		},
		RunE: func(cmd *cobra.Command, args []string) error { return s.run(cmd, args[0]) },
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.VarP(&s.capacity, "capacity", "c", "draw a line at `SIZE` bytes [default: INPUT's, or none]")
	s.model.bind(cmd)
	f.VarP((*once)(&s.output), "output", "o",
		"write to `FILE`, as .svg, .png, .pdf, .html or .tex [default: SVG on standard output]")
	f.StringVar(&s.format, "format", "", "draw as `NAME`, such as svg, whatever the extension")
	f.StringVar(&s.against, "against", "", "in HTML, compare with the plan in `FILE`, by names")
	f.BoolVar(&s.text, "text", false, "print buffers, horizon, load, bounds and more as text")
	f.BoolVar(&s.json, "json", false, "print the figures of --text as JSON")
	complete(cmd, "format", pictureNames)
	return cmd
}

func (s *showFlags) run(cmd *cobra.Command, input string) error {
	name, err := formatOf(s.format, s.output, pictureNames())
	if s.text || s.json {
		if s.text && s.json {
			return usagef("--text and --json exclude each other")
		}
		if s.format != "" {
			return usagef("%s and --format exclude each other", map[bool]string{true: "--json", false: "--text"}[s.json])
		}
		err = nil
	}
	if err != nil {
		return err
	}
	if err := errors.Join(checkOutput(s.output),
		use{"-o", s.output}.apart([]use{{"INPUT", input}, {"--against", s.against}})); err != nil {
		return err
	}
	if !s.text && !s.json {
		if err := checkPicture(cmd, s.output, name, ", or add --text for the figures"); err != nil {
			return err
		}
	}
	if s.against != "" && name != "html" {
		return usagef("--against needs HTML: name a page with -o FILE.html")
	}
	s.model.ruled = !s.text && !s.json && s.against == ""
	d, claim, err := readDocument(cmd, input, s.capacity, &s.model)
	if err != nil {
		return err
	}
	if s.against != "" {
		// The earlier plan is on the left, so it comes first in the page.
		before, _, err := readDocument(cmd, s.against, s.capacity, &modelFlags{ends: s.model.ends})
		if err != nil {
			return err
		}
		tellApart([]*document{before, d}, []string{s.against, input})
		before.beside = []html.Document{pageOf(d)}
		d = before
	}
	if s.json {
		return writeTo(cmd, s.output, func(w io.Writer) error { return writeIndented(w, figuresOf(d)) })
	}
	if s.text {
		width := columns(cmd.OutOrStdout())
		return writeText(cmd, s.output, func(w io.Writer) error { return writeFacts(w, width, claim, d) })
	}
	return writeDocument(cmd, s.output, name, d)
}

// readDocument reads a problem with the plan in the same file, and returns the fault of the plan. If the file has a
// lower bound, claim names its claimant.
func readDocument(cmd *cobra.Command, input string, capacity size, m *modelFlags) (d *document, claim string,
	err error,
) {
	own, err := readOwned(input, capacity, m)
	if err != nil {
		return nil, "", err
	}
	warnEnds(cmd, input, own.File)
	noteRead(cmd, input, own.File)
	p := own.Problem
	if p.Ruled() {
		d, err := ruledDocument(input, own)
		return d, "", err
	}
	computed, err := stowage.LowerBound(p)
	if err != nil {
		return nil, "", err
	}
	bound, claimant := own.bound(computed)
	if claimant != "" {
		claim = fmt.Sprintf(" as %s claims; %d by computation", claimant, computed)
	}
	d = &document{
		problem: p, header: own.Header, extra: own.Extra, times: own.Times, offsets: own.offsets, lowerBound: bound,
		plan: own.Plan, family: own.Family,
	}
	if d.family != nil && own.Plan != nil {
		d.below, d.points, d.switched = own.Plan.Below, own.Plan.Points, own.Plan.Switched
	}
	if d.offsets != nil {
		report, err := stowage.Verify(p, d.offsets, p.Capacity)
		if err != nil {
			return nil, "", err
		}
		d.height = report.Height
		if !report.OK() {
			d.warning = fmt.Sprintf("not valid, %s: %s", count(report.Total, "violation"), report.Violations[0].Message)
			if own.Head {
				noteShared(cmd, input, report)
			}
		}
	}
	return d, claim, nil
}

// ruledDocument is readDocument for a problem with rules, which needs a plan.
func ruledDocument(input string, own owned) (*document, error) {
	if err := own.needPlan(input); err != nil {
		return nil, err
	}
	d := &document{
		problem: own.Problem, header: own.Header, extra: own.Extra, times: own.Times, offsets: own.offsets, pools: own.pools,
		parts: own.parts, plan: own.Plan,
	}
	report, err := stowage.VerifyPlan(own.Problem,
		&stowage.Plan{Offsets: d.offsets, Pools: d.pools, Parts: d.parts, Height: -1})
	if err != nil {
		return nil, err
	}
	d.height = report.Height
	if !report.OK() {
		d.warning = fmt.Sprintf("not valid, %s: %s", count(report.Total, "violation"), report.Violations[0].Message)
	}
	return d, nil
}

// shownFacts is the JSON of show --json. The keys are a contract with scripts.
type shownFacts struct {
	Name       string `json:"name,omitempty"`
	Buffers    int    `json:"buffers"`
	Lower      int64  `json:"lower"`
	Upper      int64  `json:"upper"`
	Sections   int    `json:"sections"`
	Partitions int    `json:"partitions"`
	Load       int64  `json:"load"`
	LowerBound int64  `json:"lower_bound"`
	Capacity   int64  `json:"capacity,omitempty"`
	Height     *int64 `json:"height,omitempty"` // of the plan, if there is one
	Fault      string `json:"fault,omitempty"`  // of the plan
}

func figuresOf(d *document) *shownFacts {
	tl := timeline.New(d.problem)
	f := &shownFacts{
		Name: d.problem.Name, Buffers: len(d.problem.Buffers), Sections: tl.Sections(), Partitions: len(tl.Partitions),
		Load: tl.MaxLoad, LowerBound: d.lowerBound, Capacity: d.problem.Capacity, Fault: d.warning,
	}
	f.Lower, f.Upper = profile.Horizon(d.problem)
	if d.offsets != nil {
		f.Height = &d.height
	}
	return f
}

// writeFacts prints a problem in a few lines, and its plan if there is one. It prints claim after the lower bound.
func writeFacts(w io.Writer, width int, claim string, d *document) error {
	tl := timeline.New(d.problem)
	fact := func(name, format string, args ...any) {
		fmt.Fprintf(w, "%-12s %s\n", name, fmt.Sprintf(format, args...))
	}
	if d.problem.Name != "" {
		fact("name", "%s", cell(d.problem.Name))
	}
	lower, upper := profile.Horizon(d.problem)
	fact("buffers", "%d", len(d.problem.Buffers))
	fact("horizon", "[%d, %d)", lower, upper)
	fact("sections", "%d", tl.Sections())
	fact("partitions", "%d", len(tl.Partitions))
	for s, load := range tl.Load {
		if load == tl.MaxLoad {
			fact("load", "%d in [%d, %d)", load, tl.Starts[s], tl.Ends[s])
			break
		}
	}
	fact("lower bound", "%d%s", d.lowerBound, claim)
	if d.problem.Capacity > 0 {
		fact("capacity", "%d", d.problem.Capacity)
	}
	if d.plan != nil {
		by := ""
		if d.plan.Planner != "" {
			by = " by " + cell(d.plan.Planner)
		}
		fact("claimed", "%s%s", d.plan.Status, by)
	}
	if d.offsets != nil {
		fact("height", "%d", d.height)
		if d.warning == "" {
			fact("gap", "%s", gap(d.height, d.lowerBound))
		} else {
			fact("plan", "%s", d.warning)
		}
	}
	if len(d.problem.Buffers) > 0 {
		spark := 60
		if width > 0 {
			spark = max(1, min(spark, width-14))
		}
		fact("contention", "%s", sparkline(d.problem, spark))
	}
	return nil
}
