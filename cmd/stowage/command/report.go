package command

import (
	"archive/zip"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/format"
	stowjson "github.com/stowage-go/stowage/format/json"
	"github.com/stowage-go/stowage/internal/figures"
	"github.com/stowage-go/stowage/internal/setting"
	"github.com/stowage-go/stowage/internal/version"
)

// Idea: a user who reports a fault attaches one file. It has everything that is needed to repeat the run: version and
// machine, the problem, the options, the result, and the command line. The problem is stored as Stowage read it, so the
// user need not send the model, and its names can be left out. Nothing is sent by the command.
//
// Invariant: with --anonymize the report has no text of the input. The names are replaced
// before the planner runs, so its messages do not have them either.

// reportTimeout limits the run in the report, unless --timeout is given.
const reportTimeout = 10 * time.Second

type reportFlags struct {
	search
	minimize  bool
	anonymize bool
	json      bool
	output    string
}

func newReport() *cobra.Command {
	r := reportFlags{search: search{timeout: duration(reportTimeout)}}
	cmd := &cobra.Command{
		Use:   "report INPUT",
		Short: "Collect what a bug report needs",
		Long: `Report plans INPUT as solve does, and writes one file to attach to a bug report. The file has the version, the machine, the options, the result, the problem, and the command that repeats the run. Read it before you send it: report itself sends nothing.

If INPUT is a model or a dump, the file has only its buffers with their lifespans and sizes. With --anonymize the buffers are named b0, b1 and so on, and the file has no other text of INPUT.`,
		Example: `  stowage report model.tflite > report.txt
  stowage report --anonymize --planner exact -o report.zip problem.csv`,
		Args: arity(1, "INPUT"),
		Annotations: map[string]string{exitsKey: "0  the report was written, whatever the result\n" +
			"1  internal failure, or a report that cannot be written\n2  bad usage or input"},
		RunE: func(cmd *cobra.Command, args []string) error { return r.run(cmd, args[0]) },
	}
	r.bind(cmd)
	f := cmd.Flags()
	f.Lookup("timeout").Usage = strings.Replace(setting.Usage("timeout"), "[default: never]", "[default: 10s]", 1)
	f.BoolVar(&r.minimize, "minimize", false, setting.Usage("minimize"))
	f.BoolVar(&r.anonymize, "anonymize", false, "name the buffers b0, b1 and so on, and leave out all other names")
	f.VarP((*once)(&r.output), "output", "o", "write to `FILE`, as .txt, .json or .zip [default: text on standard output]")
	group(cmd, "Problem", "minimize", "anonymize")
	f.BoolVar(&r.json, "json", false, "write JSON, whatever the extension")
	group(cmd, "Output", "output", "json")
	return cmd
}

func (f *reportFlags) run(cmd *cobra.Command, input string) error {
	o, err := f.options()
	if err != nil {
		return err
	}
	o.Minimize = f.minimize
	kind, err := formatOf("", f.output, []string{"txt", "md", "json", "zip"})
	if err != nil {
		return err
	}
	if f.json {
		kind = "json"
	}
	if err := errors.Join(checkOutput(f.output), use{"-o", f.output}.apart([]use{{"INPUT", input}})); err != nil {
		return err
	}
	file, err := f.readProblem(input, time.Time{})
	if err != nil {
		return err
	}
	warnEnds(cmd, input, file)
	r := f.report(input, file, &o)
	ctx, release := interruptible(cmd.Context())
	defer release()
	r.solve(ctx, cmd.ErrOrStderr(), o)
	if r.Result != nil {
		r.Result.Read(string(file.Times.Ends), file.Times.Scale())
	}
	switch kind {
	case "json":
		return writeTo(cmd, f.output, r.json)
	case "zip":
		return writeTo(cmd, f.output, r.zip)
	}
	return writeText(cmd, f.output, r.text)
}

// reported is the content of the file. The keys are those of its JSON.
type reported struct {
	Version    string           `json:"stowage"` // of the command
	Go         string           `json:"go"`
	Platform   string           `json:"platform"`
	Processors int              `json:"processors"` // the number that the program may use
	Date       string           `json:"date"`
	Input      reportedInput    `json:"input"`
	Options    reportedOptions  `json:"options"`
	Command    string           `json:"command"` // the command that repeats the run with the problem below
	Result     *figures.Figures `json:"result,omitempty"`
	Error      string           `json:"error,omitempty"` // instead of a result

	made    time.Time
	problem *stowage.Problem
	plan    *stowjson.Plan
}

type reportedInput struct {
	Kind       string   `json:"kind"` // its extension
	Buffers    int      `json:"buffers"`
	Notes      []string `json:"notes,omitempty"`
	Anonymized bool     `json:"anonymized"`
}

type reportedOptions struct {
	Planner  string            `json:"planner"`
	Capacity int64             `json:"capacity"`
	Minimize bool              `json:"minimize"`
	Timeout  float64           `json:"timeout"` // seconds; 0 for none
	Nodes    int64             `json:"nodes"`
	Workers  int               `json:"workers"`
	Seed     uint64            `json:"seed"`
	Without  []string          `json:"without,omitempty"`
	Set      map[string]string `json:"set,omitempty"`
}

// report returns everything that is known before the run.
func (f *reportFlags) report(input string, file *format.File, o *stowage.Options) *reported {
	now := time.Now().UTC()
	r := &reported{
		made:    now,
		Version: version.Text(), Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH,
		Processors: runtime.GOMAXPROCS(0), Date: now.Format(time.RFC3339),
		Input: reportedInput{
			Kind: kindOf(input), Buffers: len(file.Problem.Buffers), Notes: file.Notes, Anonymized: f.anonymize,
		},
		Options: reportedOptions{
			Planner: o.Planner, Capacity: file.Problem.Capacity, Minimize: o.Minimize, Timeout: o.Timeout.Seconds(),
			Nodes: o.NodeLimit, Workers: o.Workers, Seed: o.Seed, Without: o.Without, Set: o.Params,
		},
		problem: file.Problem,
	}
	if f.anonymize {
		r.Input.Notes = nil
		if !slices.Contains(reportKinds, strings.ToLower(r.Input.Kind)) {
			r.Input.Kind = "other extension" // an unknown extension may be a name
		}
		r.problem = anonymous(file.Problem)
	}
	r.Command = f.repeat()
	return r
}

// reportKinds are the extensions of inputs that do not tell whose input it is.
var reportKinds = []string{
	".csv", ".json", ".tflite", ".onnx", ".pb", ".mlir", ".py", ".pickle", ".pkl", ".txt", ".gz", "no extension",
	"standard input",
}

// kindOf returns the extension of an input, without the name before it.
func kindOf(input string) string {
	if input == format.Standard {
		return "standard input"
	}
	at := strings.LastIndexByte(input, '.')
	if at < 0 || strings.ContainsAny(input[at:], `/\`) {
		return "no extension"
	}
	return input[at:]
}

// anonymous returns a problem without its name, with numbers as the names of buffers.
func anonymous(p *stowage.Problem) *stowage.Problem {
	out := *p
	out.Name = ""
	out.Buffers = append([]stowage.Buffer{}, p.Buffers...)
	for i := range out.Buffers {
		out.Buffers[i].ID = "b" + strconv.Itoa(i)
	}
	return &out
}

// repeat returns the command that repeats the run with the problem of the report. The capacity is in the problem.
func (f *reportFlags) repeat() string {
	words := []string{"stowage solve --planner " + f.planner}
	add := func(given bool, flag, value string) {
		if given {
			words = append(words, "--"+flag+" "+value)
		}
	}
	if f.minimize {
		words = append(words, "--minimize")
	}
	add(len(f.without) > 0, "without", quoted(strings.Join(f.without, ",")))
	for _, pair := range f.set {
		add(true, "set", quoted(pair))
	}
	add(f.timeout > 0, "timeout", f.timeout.String())
	add(f.nodes > 0, "nodes", strconv.FormatInt(f.nodes, 10))
	add(f.workers != 1, "workers", strconv.Itoa(f.workers))
	add(f.seed != 0, "seed", strconv.FormatUint(f.seed, 10))
	return strings.Join(append(words, "problem.json"), " ")
}

// solve runs the planner and records the result. It also records a mistake of the planner, and
// a panic, because the report may be about these.
func (r *reported) solve(ctx context.Context, stderr io.Writer, o stowage.Options) {
	defer func() {
		if what := recover(); what != nil {
			r.Error = fmt.Sprintf("internal failure: %v\n%s", what, debug.Stack())
		}
	}()
	result, err := solve(ctx, stderr, false, r.problem, o)
	if err != nil {
		r.Error = err.Error()
		return
	}
	s := figures.Of(result, r.problem, o.Minimize)
	r.Result = &s
	r.plan = &stowjson.Plan{
		Planner: result.Planner, Status: result.Status, Height: result.Height, LowerBound: result.LowerBound,
		Offsets: result.Offsets,
	}
}

// writeProblem writes the problem with the plan, which solve and verify read.
func (r *reported) writeProblem(w io.Writer) error { return stowjson.Write(w, r.problem, r.plan) }

// json writes the report as one object that contains the problem.
func (r *reported) json(w io.Writer) error {
	var problem strings.Builder
	if err := r.writeProblem(&problem); err != nil {
		return err
	}
	return writeIndented(w, struct {
		*reported
		Problem rawJSON `json:"problem"`
	}{r, rawJSON(problem.String())})
}

// rawJSON is JSON that has been written already.
type rawJSON string

// MarshalJSON returns the text itself.
func (t rawJSON) MarshalJSON() ([]byte, error) { return []byte(t), nil }

// zip writes an archive with two files, the report and the problem.
func (r *reported) zip(w io.Writer) error {
	z := zip.NewWriter(w)
	for _, part := range []struct {
		name  string
		write func(io.Writer) error
	}{{"report.txt", r.head}, {"problem.json", r.writeProblem}} {
		out, err := z.CreateHeader(&zip.FileHeader{Name: part.name, Method: zip.Deflate, Modified: r.made})
		if err == nil {
			err = part.write(out)
		}
		if err != nil {
			return err
		}
	}
	return z.Close()
}

// text writes the report with the problem at its end.
func (r *reported) text(w io.Writer) error {
	if err := r.head(w); err != nil {
		return err
	}
	fmt.Fprint(w, "\nproblem.json\n------------\n")
	return r.writeProblem(w)
}

// head writes the report without the problem.
func (r *reported) head(w io.Writer) error {
	names := "with their names"
	if r.Input.Anonymized {
		names = "without their names"
	}
	fmt.Fprintf(w, "Stowage report of %s\n\n", r.Date)
	fmt.Fprintf(w, "version   %s\nplatform  %s, %s, %s\n", r.Version, r.Platform, r.Go, count(r.Processors, "processor"))
	fmt.Fprintf(w, "input     %s, %s %s, capacity %s\n", r.Input.Kind, count(r.Input.Buffers, "buffer"), names,
		cmp.Or(strings.TrimPrefix(strconv.FormatInt(r.Options.Capacity, 10), "0"), "none"))
	for _, note := range r.Input.Notes {
		fmt.Fprintf(w, "note      %s\n", cell(note))
	}
	fmt.Fprintf(w, "repeat    %s\n", r.Command)
	if r.Error != "" {
		_, err := fmt.Fprintf(w, "\nerror\n-----\n%s\n", r.Error)
		return err
	}
	fmt.Fprint(w, "\nresult\n------\n")
	return writeIndented(w, r.Result)
}
