package command

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/spf13/cobra"

	"github.com/stowage-go/stowage/format"
	"github.com/stowage-go/stowage/internal/comparison"
)

type compareFlags struct {
	planners     []string
	capacity     size
	timeout      duration
	exactTimeout duration
	nodes        int64
	workers      int
	seed         uint64
	repeat       int
	paths        []string // the values of -o
	outputs      []output
	format       string
	resume       string
	quiet        bool
	json         bool

	ignoreOffsets bool
	model         modelFlags
}

func newCompare() *cobra.Command {
	c := compareFlags{repeat: 1, timeout: duration(10 * time.Second), exactTimeout: duration(10 * time.Second)}
	cmd := &cobra.Command{
		Use:   "compare INPUT...",
		Short: "Run planners side by side",
		Long: `Compare runs each planner on each INPUT and prints a table: the height of its plans over the load, which is the most memory that is live at once, and the time. The planner with the lowest plans comes first. INPUT may be a folder or a pattern, as for size. Every plan is verified. If a planner refuses a problem, the table says so. If no planner proves that its plan is the lowest, exact search tries to, for at most --exact-timeout. With --repeat the table has the median, the least and the greatest time. Each problem with rules, such as pools, has a table with the measures of its objective.

An interrupted compare writes what it has. --resume FILE stores each run in FILE and does not repeat it if the problem, the planner and the limits are the same.

` + formatsHelp,
		Example: `  stowage compare model.csv
  stowage compare --planner first-fit,boxing,tela,exact --timeout 1m *.csv
  stowage compare --planner all --resume runs.jsonl -o heights.svg *.csv
  stowage compare --repeat 5 -o planners.html *.csv`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usagef("missing argument INPUT")
			}
			return nil
		},
		Annotations: map[string]string{
			exitsKey: "0  the table was written, whatever is in it\n" +
				"1  internal failure, an invalid plan, or an output that cannot be written\n2  bad usage or input\n" +
				"4  interrupted: the table has gaps",
		},
		RunE: func(cmd *cobra.Command, args []string) error { return c.run(cmd, args) },
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.VarP((*limit)(&c.capacity), "capacity", "c", "fit into `SIZE` bytes [default: each input's, or none]")
	f.BoolVar(&c.ignoreOffsets, "ignore-offsets", false, "plan anew: ignore the offsets that an input fixes")
	bindPlanners(cmd, &c.planners, "all")
	f.Uint64Var(&c.seed, "seed", 0, "start random choices from the number `N` [default: 0]")
	f.IntVar(&c.workers, "workers", 1, "let each planner search with `N` threads")
	f.VarP(&c.timeout, "timeout", "t", "stop a run after `D`, such as 10s; 0 is never")
	f.Var(&c.exactTimeout, "exact-timeout", "search up to `D` for a proof if no planner has one")
	f.Int64Var(&c.nodes, "nodes", 0, "stop a run after `N` search nodes [default: never]")
	f.IntVar(&c.repeat, "repeat", 1, "run each planner `N` times")
	f.StringArrayVarP(&c.paths, "output", "o", nil,
		"write to `FILE`: .md .csv .json .svg .html; repeatable [default: a table on standard output]")
	f.StringVar(&c.format, "format", "", "write as `NAME`, such as md, whatever the extension")
	bindJSON(cmd, &c.json)
	f.StringVar(&c.resume, "resume", "", "store the runs in `FILE`, and do not repeat them")
	f.BoolVarP(&c.quiet, "quiet", "q", false, "print nothing on standard error")
	group(cmd, "Problem", "ignore-offsets")
	c.model.bind(cmd)
	group(cmd, "Runs", "exact-timeout", "nodes", "seed", "workers", "repeat", "resume")
	group(cmd, "Output", "format", "json")
	complete(cmd, "format", comparison.Formats)
	return cmd
}

func (c *compareFlags) run(cmd *cobra.Command, args []string) error {
	if err := chooseJSON(c.json, &c.format); err != nil {
		return err
	}
	found, err := inputsOf(args)
	if err != nil {
		return err
	}
	var inputs []string
	for _, in := range found {
		inputs = append(inputs, in.path)
	}
	if err := c.checkPaths(cmd, inputs); err != nil {
		return err
	}
	if c.repeat < 1 {
		return usagef("invalid argument %q for --repeat: must be at least 1", strconv.Itoa(c.repeat))
	}
	planners, err := chosenPlanners(c.planners, plannerNames())
	if err != nil {
		return err
	}
	s := &comparison.Request{
		Planners: planners, Repeat: c.repeat, Optimum: time.Duration(c.exactTimeout),
		Ask: comparison.Run{Timeout: time.Duration(c.timeout).Seconds(), Nodes: c.nodes, Workers: c.workers, Seed: c.seed},
	}
	files, inputs, err := c.read(cmd, found)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(files, func(f *format.File) bool { return f.Problem.Ruled() }) {
		return c.runRuled(cmd, files, inputs, planners)
	}
	for k, file := range files {
		s.Instances = append(s.Instances, comparison.FromFile(inputs[k], file.Problem, file.Problem.Capacity))
	}
	comparison.DistinctNames(s.Instances)
	cache, err := comparison.Open(c.resume)
	var unopened *fs.PathError
	if errors.As(err, &unopened) {
		return outputError{c.resume, err}
	}
	if err != nil {
		return usageError{err}
	}
	defer cache.Close()
	if err := c.sayKept(cmd, s, cache); err != nil {
		return err
	}

	ctx, release := interruptible(cmd.Context())
	stderr := cmd.ErrOrStderr()
	bars := startBars(outletOf(stderr).w, !c.quiet && canRedraw(stderr), func() int { return columns(stderr) }, s)
	result, runErr := s.Run(ctx, cache)
	bars.stop()
	interrupted := ctx.Err() != nil
	release()
	if err := writeAll(cmd, c.outputs, func(w io.Writer, o output) error {
		width := 0
		if toStdout(o.path) {
			width = columns(cmd.OutOrStdout())
		}
		return result.Write(w, o.kind, func(t *comparison.Table) string { return setTable(t, width) })
	}); err != nil {
		return err
	}
	if err := errors.Join(runErr, cache.Close(), result.Err()); err != nil {
		return internalError{err}
	}
	if interrupted {
		return outcome(exitUndecided)
	}
	return nil
}

// sayKept says how many runs the file of --resume has. Who reads runs of others, under other limits, sees it at once.
func (c *compareFlags) sayKept(cmd *cobra.Command, s *comparison.Request, cache *comparison.Cache) error {
	if c.resume == "" || c.quiet || cache.Len() == 0 {
		return nil
	}
	kept, asked, err := s.Kept(cache)
	if err != nil {
		return internalError{err}
	}
	text := "all are kept there"
	if kept < asked {
		text = fmt.Sprintf("%d kept there, %d to make; a run counts if problem, planner and limits are the same", kept, asked-kept)
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "%s: %s: %s\n", c.resume, count(asked, "run"), text)
	return nil
}

// checkPaths refuses an output that cannot be written, or that would replace an input or the file of --resume.
func (c *compareFlags) checkPaths(cmd *cobra.Command, inputs []string) (err error) {
	c.outputs, err = outputsOf(cmd, c.paths, c.format, comparison.Formats(),
		"compare draws charts as SVG only, not as %s: write an .svg, or an .html page with charts and tables")
	if err != nil {
		return err
	}
	var uses []use
	for _, path := range inputs {
		uses = append(uses, use{"INPUT", path})
	}
	if err := apart(c.outputs, uses); err != nil {
		return err
	}
	for _, o := range c.outputs {
		uses = append(uses, use{o.flag, o.path})
	}
	return errors.Join(checkOutput(c.resume), use{"--resume", c.resume}.apart(uses))
}

// read reads the problems, and returns them with their paths. A file that a folder or a pattern
// has found is reported and left out if it cannot be read, unless there is no other.
func (c *compareFlags) read(cmd *cobra.Command, inputs []inputFile) (files []*format.File, paths []string, err error) {
	c.model.ruled = true
	for _, in := range inputs {
		path := in.path
		file, err := readProblem(path, c.capacity, c.ignoreOffsets, &c.model)
		if err != nil && in.named {
			return nil, nil, err
		}
		if err != nil {
			if code := report(cmd.ErrOrStderr(), cmd, err); code != exitUsage {
				return nil, nil, outcome(code)
			}
			continue
		}
		warnRead(cmd, path, file)
		if !c.quiet {
			noteRead(cmd, path, file)
		}
		files, paths = append(files, file), append(paths, path)
	}
	if len(files) == 0 {
		return nil, nil, outcome(exitUsage)
	}
	limited := len(slices.DeleteFunc(slices.Clone(files), func(f *format.File) bool { return f.Problem.Capacity == 0 }))
	if limited > 0 && c.capacity == 0 && !c.quiet {
		fmt.Fprintf(cmd.ErrOrStderr(), "note: %d of %s has a capacity of its own: a planner without a height has no plan "+
			"that fits it; '-c none' looks for the lowest plans [capacity]\n", limited, count(len(files), "problem"))
	}
	return files, paths, nil
}

// bars draw the progress of a comparison on one line of a terminal, if there are several problems.
type bars struct {
	w        io.Writer
	width    func() int
	mu       sync.Mutex
	done, of int
	last     int // the length of what is drawn
}

// startBars shows the progress of a comparison. It sets the callbacks of the request.
func startBars(w io.Writer, draw bool, width func() int, s *comparison.Request) *bars {
	b := &bars{w: w, width: width, of: len(s.Instances) * (len(s.Planners) + 1)}
	if !draw {
		return b
	}
	names := make([]string, len(s.Instances))
	for k := range s.Instances {
		names[k] = cell(s.Instances[k].Name)
	}
	s.Begin = func(k int) { b.draw(0, names[k]) }
	s.Tick = func(k int) { b.draw(1, names[k]) }
	return b
}

// draw adds more to the count of finished runs, and writes the line again.
func (b *bars) draw(more int, name string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.done += more
	line := []rune(fmt.Sprintf("%d of %d runs · %s", b.done, b.of, name))
	if width := b.width(); width > 1 && len(line) >= width {
		line = line[:width-1]
	}
	b.last = len(line)
	io.WriteString(b.w, eraseLine+string(line))
}

// stop erases the line.
func (b *bars) stop() {
	if b.last > 0 {
		io.WriteString(b.w, eraseLine)
	}
}

// setTable returns a table in the style of all listings. width is the terminal's, or 0.
func setTable(t *comparison.Table, width int) string {
	var header []any
	var columns []table.ColumnConfig
	for k, c := range t.Columns {
		title := c.Title
		if !c.Name { // the case of a problem's name is kept
			title = strings.ToUpper(title)
		}
		header = append(header, title)
		if c.Number {
			columns = append(columns, table.ColumnConfig{Number: k + 1, Align: text.AlignRight, AlignHeader: text.AlignRight})
		}
	}
	out := newTable(header...)
	out.Style().Format.Header = text.FormatDefault
	out.SetColumnConfigs(columns)
	for _, cells := range t.Rows {
		row := make(table.Row, len(cells))
		for k, text := range cells {
			row[k] = cell(text)
		}
		out.AppendRow(row)
	}
	return fit(out, width)
}
