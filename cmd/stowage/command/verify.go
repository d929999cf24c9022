package command

import (
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/format"
	"github.com/stowage-go/stowage/format/times"
	"github.com/stowage-go/stowage/model"
)

func newVerify() *cobra.Command {
	var (
		capacity size
		flags    modelFlags
		quiet    bool
		asJSON   bool

		certificate string
	)
	cmd := &cobra.Command{
		Use:   "verify PROBLEM [PLAN]",
		Short: "Check a plan against its problem; check: one in a model",
		Long: `Verify checks that no two buffers that are live at once overlap, that each is aligned and at its fixed offset, and that all end within the capacity.

With one file, it checks the plan in that file: the offset column in CSV, the key plan in JSON, or the plan in a model or dump. What a JSON file claims is checked too: the height must be that of the offsets, and the lower bound no higher; if the status is optimal, the two are equal. A bound above the one computed here is reported as claimed. With two files, the offsets of PLAN are matched to the buffers of PROBLEM by id.

PROBLEM may also be a graph in JSON. Its operators are then replayed in the order of PLAN, which 'stowage plan' wrote: values that take memory at once must lie apart, except for a result over an operand as a permit allows. In a PLAN that is not JSON the order is that of the lifespans.

The rules of a problem in JSON version 2 are checked as well: pools, buffers tied together or kept apart, and so on. A PLAN in CSV then has a column pool if there are several. Bounds are not computed.

PROBLEM may be a folder, or a pattern such as "plans/*.csv": verify then checks the plan in each file, a line each.

With --certificate, verify also checks the proof in that file, which 'stowage solve --certificate' wrote, and reports the bound that it proves. PROBLEM may then have no plan.

Each violation is printed on standard error. If the plan is invalid or a claim is false, the exit code is 2.`,
		Example: `  stowage verify plan.csv
  stowage verify --capacity 1MiB model.csv plan.csv
  stowage verify graph.json plan.json
  stowage verify --certificate proof.txt model.csv plan.csv`,
		Args:       arity(1, "PROBLEM", "PLAN"),
		SuggestFor: []string{"validate"},
		Annotations: map[string]string{exitsKey: "0  the plan is valid\n" +
			"1  internal failure, or an output that cannot be written\n" +
			"2  the plan is invalid or claims what is false, or bad usage or input"},
		RunE: func(cmd *cobra.Command, args []string) error {
			if files, err := several(args); err != nil {
				return err
			} else if files != nil {
				return verifyAll(cmd, args[0], files, &flags, capacity, certificate, quiet, asJSON)
			}
			return verify(cmd, args, &flags, capacity, certificate, quiet, asJSON)
		},
	}
	flags.ruled = true
	f := cmd.Flags()
	f.SortFlags = false
	f.VarP(&capacity, "capacity", "c", "fit into `SIZE` bytes [default: the problem's, or none]")
	f.StringVar(&certificate, "certificate", "", "check the proof in `FILE` too")
	flags.bindHeap(cmd)
	flags.bindEnds(cmd)
	f.BoolVar(&asJSON, "json", false, "print the verdict as JSON, on standard output only")
	f.BoolVarP(&quiet, "quiet", "q", false, "print nothing about a valid plan")
	return cmd
}

// several returns the files of a folder or of a pattern that is the only argument; nil if the argument is a file.
func several(args []string) ([]string, error) {
	if len(args) != 1 {
		return nil, nil
	}
	found, err := format.Files(args[0])
	if err != nil || len(found) == 1 && found[0] == args[0] {
		return nil, err
	}
	return found, nil
}

// verifyAll checks the plan of each file. The first invalid file decides the exit code.
func verifyAll(cmd *cobra.Command, from string, files []string, m *modelFlags, capacity size, certificate string, quiet,
	asJSON bool,
) error {
	if certificate != "" || asJSON {
		return usagef("%s is several files: --certificate and --json go with one", from)
	}
	code, valid := exitOK, 0
	for _, path := range files {
		if !quiet {
			if _, err := fmt.Fprintf(cmd.OutOrStdout(), "%s: ", cell(path)); err != nil {
				return outputError{err: err}
			}
		}
		err := verify(cmd, []string{path}, m, capacity, "", quiet, false)
		if err == nil {
			valid++
			continue
		}
		if !quiet {
			fmt.Fprintln(cmd.OutOrStdout(), "not valid")
		}
		if got := report(cmd.ErrOrStderr(), cmd, err); got == exitInternal || code == exitOK {
			code = got
		}
	}
	if !quiet {
		if err := writeText(cmd, "", func(w io.Writer) error {
			_, err := fmt.Fprintf(w, "%d of %s are valid\n", valid, count(len(files), "plan"))
			return err
		}); err != nil {
			return err
		}
	}
	if code != exitOK {
		return outcome(code)
	}
	return nil
}

func verify(cmd *cobra.Command, args []string, m *modelFlags, capacity size, certificate string, quiet,
	asJSON bool,
) error {
	path := args[len(args)-1] // the file at fault
	if g, err := graphIn(args[0]); err != nil {
		return err
	} else if g != nil {
		switch {
		case len(args) == 1:
			return usagef("%s is a graph, which has no plan: 'stowage verify %s PLAN' checks one", args[0], args[0])
		case certificate != "":
			return usagef("--certificate is for problems: %s is a graph", args[0])
		case cmd.Flags().Changed("heap"):
			return usagef("--heap is for dumps: %s is a graph", args[0])
		}
		return verifyGraph(cmd, g, path, capacity, quiet, asJSON)
	}
	own, err := readBoth(args, m, capacity)
	if len(args) == 1 && certificate != "" && own.File != nil && own.offsets == nil {
		if asJSON {
			return usagef("--json needs a plan: %s has none", args[0])
		}
		return verifyCertificate(cmd, certificate, args[0], m, capacity, quiet)
	}
	if err != nil {
		return err
	}
	warnEnds(cmd, args[0], own.File)
	if !quiet {
		noteRead(cmd, args[0], own.File)
		if len(args) == 2 {
			noteOthers(cmd, args[0], args[1], own.File)
		}
	}
	if own.Family != nil {
		if done, err := verifyFamily(cmd, args, own, quiet, asJSON); done || err != nil {
			return err
		}
	}
	if own.Problem.Ruled() {
		return verifyRuled(cmd, path, own, certificate, quiet, asJSON)
	}
	p := own.Problem
	computed, err := stowage.LowerBound(p)
	if err != nil {
		return err
	}
	report, err := stowage.Verify(p, own.offsets, p.Capacity)
	if err != nil {
		return err
	}
	if !report.OK() {
		err := invalid(cmd, path, p, report, computed, asJSON)
		if !asJSON && own.Head {
			noteShared(cmd, path, report)
		}
		return err
	}
	bound, claimant := own.bound(computed)
	proven := ""
	if certificate != "" {
		if bound, claimant, proven, err = provenBy(certificate, p, report, bound, claimant); err != nil {
			return err
		}
	}
	if asJSON {
		v := verdictOf(p, report, bound)
		v.ClaimedBy, v.Proven = claimant, certificate != ""
		return writeTo(cmd, "", func(w io.Writer) error { return writeIndented(w, v) })
	}
	if quiet {
		return nil
	}
	line := fmt.Sprintf("valid: height %d, lower bound %d%s", report.Height, bound, proven)
	if claimant != "" {
		line += fmt.Sprintf(" as %s claims (%d by computation)", claimant, computed)
	}
	line += ", gap " + gap(report.Height, bound)
	if p.Capacity > 0 {
		line += fmt.Sprintf(", capacity %d", p.Capacity)
	}
	return writeText(cmd, "", func(w io.Writer) error {
		_, err := fmt.Fprintf(w, "%s, %s\n", line, count(len(p.Buffers), "buffer"))
		return err
	})
}

// verifyRuled checks a plan of a problem with rules. Bounds are not computed.
func verifyRuled(cmd *cobra.Command, path string, own owned, certificate string, quiet, asJSON bool) error {
	if certificate != "" {
		return usagef("--certificate does not go with rules")
	}
	p := own.Problem
	report, err := stowage.VerifyPlan(p,
		&stowage.Plan{Offsets: own.offsets, Pools: own.pools, Parts: own.parts, Height: -1})
	switch {
	case err != nil:
		return err
	case !report.OK():
		return invalid(cmd, path, p, report, 0, asJSON)
	case asJSON:
		return writeTo(cmd, "", func(w io.Writer) error { return writeIndented(w, verdictOf(p, report, 0)) })
	case quiet:
		return nil
	}
	return writeTo(cmd, "", func(w io.Writer) error {
		fmt.Fprint(w, "valid: ")
		for _, m := range p.Objective() {
			fmt.Fprintf(w, "%s %d, ", m, model.ValueOf(report.Measures, m))
		}
		_, err := fmt.Fprintln(w, count(len(p.Buffers), "buffer"))
		return err
	})
}

// provenBy reads a certificate of a problem with a valid plan. It returns the lower bound, who claims it, and how the
// line about the plan goes on. Nobody claims the bound if the certificate proves it or a higher one.
func provenBy(certificate string, p *stowage.Problem, report *stowage.Report, bound int64, claimant string) (int64,
	string, string, error,
) {
	capacity, err := readCertificate(certificate, p)
	if err != nil {
		return 0, "", "", err
	}
	if capacity >= report.Height {
		return 0, "", "", internalError{
			fmt.Errorf("%s proves that nothing fits %d, but a plan of height %d is valid", certificate, capacity, report.Height),
		}
	}
	if bound <= capacity+1 {
		bound, claimant = capacity+1, ""
	}
	if bound == report.Height {
		return bound, claimant, ", proven to be optimal", nil
	}
	return bound, claimant, ", proven", nil
}

// noteShared is for a plan in a model whose tensors overlap. It names the command that knows
// which overlaps are intended.
func noteShared(cmd *cobra.Command, path string, report *stowage.Report) {
	if slices.ContainsFunc(report.Violations, func(v stowage.Violation) bool { return v.Rule == stowage.RuleOverlap }) {
		fmt.Fprintf(cmd.ErrOrStderr(),
			"%s: note: a compiler such as Vela lets the operands and results of an operator share bytes on purpose; "+
				"'stowage check' accepts that in a .tflite file [shared]\n", nameOf(path))
	}
}

// invalid says what is wrong with a plan. Its exit code is that of bad input.
func invalid(cmd *cobra.Command, path string, p *stowage.Problem, report *stowage.Report, bound int64,
	asJSON bool,
) error {
	if asJSON {
		if err := writeTo(cmd, "", func(w io.Writer) error {
			return writeIndented(w, verdictOf(p, report, bound))
		}); err != nil {
			return err
		}
		return outcome(exitUsage)
	}
	stderr := cmd.ErrOrStderr()
	for _, v := range report.Violations {
		fmt.Fprintf(stderr, "%s: %s\n", path, cell(v.Message))
	}
	if more := report.Total - len(report.Violations); more > 0 {
		fmt.Fprintf(stderr, "… and %d more\n", more)
	}
	fmt.Fprintf(stderr, "invalid: %s\n", count(report.Total, "violation"))
	return outcome(exitUsage)
}

// A verdict is the JSON that verify --json writes. The keys are a contract; new ones go to the end.
type verdict struct {
	Valid      bool        `json:"valid"`
	Height     int64       `json:"height"`
	LowerBound int64       `json:"lower_bound"`
	Capacity   int64       `json:"capacity"` // 0 if there is none
	Buffers    int         `json:"buffers"`
	ClaimedBy  string      `json:"claimed_by,omitempty"` // who claims the lower bound; empty if it is computed or proven
	Proven     bool        `json:"proven"`               // whether a certificate proves the lower bound
	Total      int         `json:"total"`                // the number of all violations
	Violations []violation `json:"violations"`           // the first thousand

	Measures map[stowage.Measure]int64 `json:"measures,omitempty"` // of a problem with rules
}

type violation struct {
	Rule    string   `json:"rule"`
	Buffers []string `json:"buffers"`
	Message string   `json:"message"`

	Operator string `json:"operator,omitempty"` // of a graph: at which it shows
}

func verdictOf(p *stowage.Problem, r *stowage.Report, bound int64) *verdict {
	v := &verdict{
		Valid: r.OK(), Height: r.Height, LowerBound: bound, Capacity: p.Capacity, Buffers: len(p.Buffers),
		Total: r.Total, Violations: []violation{},
	}
	for _, x := range r.Measures {
		if v.Measures == nil {
			v.Measures = map[stowage.Measure]int64{}
		}
		v.Measures[x.Measure] = x.Value
	}
	for _, of := range r.Violations {
		one := violation{Rule: string(of.Rule), Buffers: []string{}, Message: of.Message}
		for _, i := range [...]int{of.A, of.B} {
			if i >= 0 {
				one.Buffers = append(one.Buffers, p.Buffers[i].ID)
			}
		}
		v.Violations = append(v.Violations, one)
	}
	return v
}

// readBoth reads a problem and its plan from one file or from two. What the second file claims
// about the plan is for its own problem, and is ignored.
func readBoth(args []string, m *modelFlags, capacity size) (owned, error) {
	if len(args) == 1 {
		own, err := readOwned(args[0], capacity, m)
		if err != nil {
			return own, err
		}
		return own, own.needPlan(args[0])
	}
	f, err := readProblem(args[0], capacity, false, m)
	if err != nil {
		return owned{}, err
	}
	f.Plan = nil // its claims are for another plan
	plan, err := readPlan(args[1], f.Problem)
	if err != nil {
		return owned{File: f}, err
	}
	return owned{File: f, offsets: plan.Offsets, pools: plan.Pools, parts: plan.Parts}, nil
}

// saidOf returns the user's meaning of the ends of lifespans, which also holds for a plan in the same columns.
func saidOf(f *format.File) times.Ends {
	if f.Times.Said {
		return f.Times.Ends
	}
	return ""
}

// noteOthers says if a plan was made for other buffers of the same names, most likely of
// another version of the problem. The sizes and lifespans in the plan's file are ignored.
func noteOthers(cmd *cobra.Command, problem, path string, of *format.File) {
	p := of.Problem
	f, err := format.ReadFileWith(path, format.Options{Ends: saidOf(of)})
	if err != nil { // a plan may have only offsets
		return
	}
	life := func(f *format.File, b *stowage.Buffer) string {
		return "[" + string(times.Append(nil, b.Lower, f.Times.Places)) + ", " +
			string(times.Append(nil, b.Upper, f.Times.Places)) + ")"
	}
	index := map[string]int{}
	for i := range p.Buffers {
		index[p.Buffers[i].ID] = i
	}
	other, first := 0, ""
	for k := range f.Problem.Buffers {
		b := &f.Problem.Buffers[k]
		i, there := index[b.ID]
		if !there {
			continue
		}
		want := &p.Buffers[i]
		what := ""
		switch {
		case b.Size != want.Size:
			what = fmt.Sprintf("size %d, not %d", b.Size, want.Size)
		case life(f, b) != life(of, want):
			what = "lifespan " + life(f, b) + ", not " + life(of, want)
		default:
			continue
		}
		if other++; other == 1 {
			first = "buffer " + cell(b.ID) + " has " + what
		}
	}
	if other > 0 {
		fmt.Fprintf(cmd.ErrOrStderr(), "%s: note: %d of %s are others than in %s, which count: %s [other-buffers]\n", path,
			other, count(len(p.Buffers), "buffer"), problem, first)
	}
}
