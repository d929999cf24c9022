package command

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/spf13/cobra"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/format"
	"github.com/stowage-go/stowage/format/tflite"
	"github.com/stowage-go/stowage/internal/explain"
	"github.com/stowage-go/stowage/tflm"
)

type explainFlags struct {
	search
	smallest bool
	asJSON   bool
	output   string
	several  int
	kept     int64 // bytes of the capacity that the runtime keeps for itself
}

func newExplain() *cobra.Command {
	e := explainFlags{several: 1}
	cmd := &cobra.Command{
		Use:   "explain --capacity SIZE INPUT",
		Short: "Name the buffers that cannot fit a capacity",
		Long: `Explain names a set of buffers that cannot fit the capacity together. The set is irreducible: if any one of its buffers is left out, the others of the set fit. So one of them has to shrink, be split or be spilled. Explain then names what is enough alone, if it finds that: a capacity, and changes of one buffer. Another such set may have fewer buffers; --smallest looks for one of the fewest. If a limit comes first, explain says how far it came.

A problem with rules needs no capacity. The explanation then names the pools that are too small and the rules at fault.

For a .tflite model the capacity is that of its arena, as for plan: what the runtime keeps in it is taken off first (32 bit, reference kernels).

With --conflicts N it goes on among the buffers that are left, and names up to N sets that share no buffer. Each of them has to be dealt with. The timeout is for all of them.

With -o FILE it also writes the set as a problem (.csv, .json). Or it draws the set in red in the lowest plan found (.svg, .png, .pdf, .html, .tex), for which it searches for up to ten seconds.

` + formatsHelp,
		Example: `  stowage explain -c 900KiB model.csv
  stowage explain -c 900KiB -o why.html model.csv             see them in the lowest plan
  stowage explain -c 900KiB --smallest -t 10s model.csv       look for the fewest`,
		Args: arity(1, "INPUT"),
		Annotations: map[string]string{exitsKey: "0  the problem fits: there is nothing to explain\n" +
			"1  internal failure, or an output that cannot be written\n" +
			"2  bad usage or input\n3  infeasible, and explained\n" +
			"4  undecided: a limit came before an answer, or the planner gave up"},
		RunE: func(cmd *cobra.Command, args []string) error { return e.run(cmd, args[0]) },
	}
	e.bind(cmd)
	f := cmd.Flags()
	f.BoolVar(&e.smallest, "smallest", false, "look for a set of the fewest buffers; may take long")
	f.IntVar(&e.several, "conflicts", 1, "look for up to `N` sets that share no buffer")
	f.BoolVar(&e.asJSON, "json", false, "print JSON")
	f.VarP((*once)(&e.output), "output", "o", "also write the set to `FILE`, or draw it there")
	return cmd
}

func (e *explainFlags) run(cmd *cobra.Command, input string) error {
	began := time.Now()
	o, err := e.options()
	if err != nil {
		return err
	}
	if e.several < 1 {
		return usagef("invalid argument %q for --conflicts: must be at least 1", strconv.Itoa(e.several))
	}
	name, err := formatOf("", e.output, slices.Concat([]string{"csv", "json"}, pictureNames()))
	if err != nil {
		return err
	}
	if e.output == "-" {
		return usagef("-o needs a file: standard output has the explanation")
	}
	if err := errors.Join(checkOutput(e.output), use{"-o", e.output}.apart([]use{{"INPUT", input}})); err != nil {
		return err
	}
	e.model.ruled = true
	file, err := e.readProblem(input, e.deadline(began))
	if late := new(format.LateError); errors.As(err, &late) {
		return e.late(cmd, late)
	}
	if err != nil {
		return err
	}
	o.Timeout = e.left(began)
	if file.Kind == format.TFLite && e.capacity > 0 {
		if err := e.keepTail(cmd, input, file.Problem); err != nil {
			return err
		}
	}
	noteRead(cmd, input, file)
	warnRead(cmd, input, file)
	p := file.Problem
	if p.Ruled() && (e.output != "" || e.several > 1 || e.smallest) {
		return usagef("-o, --conflicts and --smallest do not go with rules")
	}
	ctx, release := interruptible(cmd.Context())
	defer release()
	ask := stowage.Explain
	if e.smallest {
		ask = stowage.ExplainSmallest
	}
	stop := showProgress(cmd.ErrOrStderr(), false, &o)
	x, err := ask(ctx, p, o)
	stop()
	if errors.Is(err, stowage.ErrNoCapacity) {
		return usagef("explain needs --capacity: without one every problem fits")
	}
	if err != nil {
		return err
	}
	if e.several > 1 && x.Status == stowage.Infeasible {
		return e.goOn(ctx, cmd, file, x, ask, o, name)
	}
	subset := explain.Subset(p, x)
	if e.output != "" && x.Status == stowage.Infeasible {
		d := &document{problem: subset, header: file.Header.Known(), times: file.Times}
		if slices.Contains(pictureNames(), name) {
			d = misfit(ctx, p, o, x, x.Buffers, explain.Told(x, p, cell))
		}
		if err := writeDocument(cmd, e.output, name, d); err != nil {
			return err
		}
	}
	ways, err := e.ways(ctx, p, x, began)
	if err != nil {
		return err
	}
	if ways != nil && e.kept > 0 {
		ways.Enough, ways.Least = ways.Enough+e.kept, ways.Least+e.kept // of the arena
	}
	err = writeReport(cmd, e.asJSON, func() any {
		out := explanationOf(x, subset)
		out.Ways, out.Kept = waysOf(ways, p), e.kept
		return out
	}, func(w io.Writer) error {
		if err := writeExplanation(w, columns(cmd.OutOrStdout()), x, subset, len(p.Buffers), hasForms(p, x)); err != nil {
			return err
		}
		if next := e.more(p, input); x.Status == stowage.Unknown && next != "" {
			_, err := fmt.Fprintln(w, "next: "+next)
			return err
		}
		if err := e.writeLeft(w, x, p, input); err != nil {
			return err
		}
		return writeWays(w, ways, p, e.pools.given, e.model.typed(input), e.kept > 0)
	})
	if err != nil {
		return err
	}
	return outcomeOf(x.Status)
}

// keepTail takes the bytes that the runtime keeps for itself off the capacity, which is that of the whole arena, as for
// stowage plan.
func (e *explainFlags) keepTail(cmd *cobra.Command, input string, p *stowage.Problem) error {
	if input == format.Standard { // it was read
		fmt.Fprintf(cmd.ErrOrStderr(), "-: the capacity is for the tensors alone; for a file it is that of the arena\n")
		return nil
	}
	m, err := readModel(input)
	if err != nil {
		return err
	}
	l, err := m.Lifetimes()
	if err != nil {
		return err
	}
	a, err := m.Arena(l, nil)
	if err != nil {
		return err
	}
	head, ok := tflm.ReferenceSet.HeadWithin(m, a, p.Capacity, &tflm.Firmware32)
	if !ok {
		fmt.Fprintf(cmd.ErrOrStderr(), "%s: infeasible: what the runtime keeps for the model takes more than %s\n", nameOf(input),
			bytesAndUnit(p.Capacity))
		return outcome(exitInfeasible)
	}
	e.kept = p.Capacity - p.Capacity%tflite.Alignment - head
	fmt.Fprintf(cmd.ErrOrStderr(), "%s: of the arena of %s the runtime keeps %d bytes (32 bit, reference kernels); the tensors "+
		"have %d\n", nameOf(input), bytesAndUnit(p.Capacity), e.kept, head)
	p.Capacity = head
	return nil
}

// writeLeft says how many buffers are not in the set, and how to see further sets among them.
func (e *explainFlags) writeLeft(w io.Writer, x *stowage.Explanation, p *stowage.Problem, input string) error {
	left := len(p.Buffers) - len(x.Buffers)
	if x.Status != stowage.Infeasible || x.Collision != nil || left < 2 || p.Ruled() || input == format.Standard {
		return nil
	}
	capacity := ""
	if e.capacity > 0 {
		capacity = fmt.Sprintf("-c %d ", int64(e.capacity))
	}
	_, err := fmt.Fprintf(w, "The other %d buffers are not in this set: 'stowage explain --conflicts %d %s%s' looks "+
		"for further sets among them.\n", left, mostSets, capacity, e.model.typed(input))
	return err
}

// mostSets is how many sets the command that is offered looks for.
const mostSets = 10

// more says what may explain a problem if a limit came first; otherwise it is empty.
func (e *explainFlags) more(p *stowage.Problem, input string) string {
	ways := e.longer(e.nodes > 0 && e.timeout == 0)
	if e.nodes > 0 && e.timeout > 0 {
		ways = append(ways, fmt.Sprintf("a higher --nodes (it was %d)", e.nodes))
	}
	var text []string
	if len(ways) > 0 {
		text = append(text, strings.Join(ways, ", "))
	}
	if !p.Ruled() && input != format.Standard {
		text = append(text, "'stowage size "+e.model.typed(input)+"' says which capacities are known to be enough, and which are not")
	}
	return strings.Join(text, "; ")
}

// late ends a run that was still waiting for its input at the timeout.
func (e *explainFlags) late(cmd *cobra.Command, late *format.LateError) error {
	sayLate(cmd, late)
	if e.asJSON {
		x := &stowage.Explanation{Status: stowage.Unknown, Capacity: max(int64(e.capacity), 0)}
		if err := writeTo(cmd, "", func(w io.Writer) error {
			return writeIndented(w, explanationOf(x, &stowage.Problem{}))
		}); err != nil {
			return err
		}
	}
	return outcome(exitUndecided)
}

// writeExplanation says why a problem of so many buffers has no plan. forms says that the set has alternatives.
func writeExplanation(w io.Writer, width int, x *stowage.Explanation, subset *stowage.Problem, of int, forms bool) error {
	switch {
	case x.Status.HasPlan():
		all := fmt.Sprintf("all %d buffers fit", of)
		if of == 1 {
			all = "the one buffer fits"
		}
		_, err := fmt.Fprintf(w, "feasible: %s; there is nothing to explain\n", all)
		return err
	case x.Status == stowage.Unknown:
		_, err := fmt.Fprintf(w, "unknown: whether %s can fit is not known\n", count(of, "buffer"))
		return err
	}
	n := len(subset.Buffers)
	if x.Collision != nil {
		fmt.Fprintf(w, "infeasible: %d of %s have fixed offsets that collide\n", n, count(of, "buffer"))
	} else if x.Reason != "" {
		fmt.Fprintf(w, "infeasible: no plan keeps the rules for %d of %s\n", n, count(of, "buffer"))
	} else {
		fmt.Fprintf(w, "infeasible: %d of %s cannot fit %s\n", n, count(of, "buffer"), bytesAndUnit(x.Capacity))
	}
	fmt.Fprintln(w, explain.Why(x, subset, cell))
	few := howFew(x, of)
	if x.Irreducible && forms {
		few += " The forms of a list of alternatives count as one of them."
	}
	fmt.Fprint(w, few+"\n\n")
	t := newTable("buffer", "lower", "upper", "size", "alignment", "offset")
	var sum int64
	figures := [3]int{5, 5, 4} // the widths of lower, upper and size, in columns
	for i := range subset.Buffers {
		b := &subset.Buffers[i]
		var fixed any = ""
		if b.Fixed != nil {
			fixed = *b.Fixed
		}
		t.AppendRow(table.Row{cell(b.ID) + dimensions(b), b.Lower, b.Upper, b.Size, b.Align(), fixed})
		sum += b.Size
		for k, x := range []int64{b.Lower, b.Upper, b.Size} {
			figures[k] = max(figures[k], len(strconv.FormatInt(x, 10)))
		}
	}
	if width > 0 {
		const rest = 5*2 + 9 + 8 // padding, alignment, offset
		room := max(12, width-rest-figures[0]-figures[1]-figures[2])
		t.SetColumnConfigs([]table.ColumnConfig{{Number: 1, WidthMax: room, WidthMaxEnforcer: text.WrapHard}})
	}
	_, err := fmt.Fprintf(w, "%s\n\nsum of the sizes: %d\n", fit(t, width), sum)
	return err
}

// dimensions writes those of a size that has several, since objects have the largest of each; otherwise it is empty.
func dimensions(b *stowage.Buffer) string {
	if !b.HasExtents() {
		return ""
	}
	var words []string
	for _, n := range b.Extra.Extents {
		words = append(words, strconv.FormatInt(n, 10))
	}
	return " (" + strings.Join(words, " × ") + ")"
}

// hasForms reports whether some buffer of the set is in a list of alternatives.
func hasForms(p *stowage.Problem, x *stowage.Explanation) bool {
	lacks := p.MayLack()
	return slices.ContainsFunc(x.Buffers, func(i int) bool { return lacks[i] })
}

// howFew says whether a set with fewer buffers may exist. The problem has so many buffers.
func howFew(x *stowage.Explanation, of int) string {
	alone := explain.AloneFit(len(x.Buffers))
	if len(x.Buffers) == of && of > 1 {
		alone = "If any one of them is left out, the others fit."
	}
	any := "any " + strconv.Itoa(x.AtLeast-1) + " buffers fit"
	if x.AtLeast == 2 {
		any = "any one buffer fits"
	}
	switch {
	case x.Smallest && x.AtLeast == 1:
		return "No other is needed for that."
	case x.Smallest:
		return "No fewer are enough for that: " + any + "."
	case x.AtLeast > 0 && x.Irreducible:
		return alone + "\nA limit came: " + any + ", but others, fewer than these, may not."
	case x.AtLeast > 0:
		return "A limit came: " + any + ", but fewer than these may not."
	case x.Irreducible:
		return alone
	}
	return "A limit came: a part of them may be enough."
}

// The parts of an explanation in JSON. The keys are a contract.
type bufferJSON struct {
	ID        string `json:"id"`
	Lower     int64  `json:"lower"`
	Upper     int64  `json:"upper"`
	Size      int64  `json:"size"`
	Alignment int64  `json:"alignment"`
	Offset    *int64 `json:"offset,omitempty"`
}

type collisionJSON struct { // two buffers with fixed offsets at which they meet
	Buffers [2]string `json:"buffers"`
	Bytes   [2]int64  `json:"bytes"`
	Times   [2]int64  `json:"times"`
}

type explanationJSON struct {
	Status      stowage.Status `json:"status"`
	Capacity    int64          `json:"capacity"`
	Irreducible bool           `json:"irreducible"`
	Smallest    *bool          `json:"smallest,omitempty"` // only if it was asked for
	AtLeast     int            `json:"at_least,omitempty"`
	Load        int64          `json:"load"`
	At          [2]int64       `json:"at"`
	Sum         int64          `json:"sum"`
	Runs        int            `json:"runs"`
	Collision   *collisionJSON `json:"collision,omitempty"`
	Buffers     []bufferJSON   `json:"buffers"`
	FixedAbove  *bufferJSON    `json:"fixed_above,omitempty"` // ends above the capacity by its own offset
	Ways        *waysJSON      `json:"ways,omitempty"`        // that were found to be enough, each alone
	// which pools and rules are at fault, if the problem has rules
	Reason string `json:"reason,omitempty"`
	// Kept: of the arena of a .tflite model the runtime keeps so many bytes. The capacity is what is left.
	Kept int64 `json:"kept_by_runtime,omitempty"`
}

// explanationOf returns an explanation in the form of the JSON.
func explanationOf(x *stowage.Explanation, subset *stowage.Problem) *explanationJSON {
	out := &explanationJSON{
		Status: x.Status, Capacity: x.Capacity, Irreducible: x.Irreducible, Load: x.Load, At: x.At, Runs: x.Runs,
		Buffers: []bufferJSON{}, Reason: x.Reason,
	}
	if x.AtLeast > 0 {
		out.Smallest, out.AtLeast = &x.Smallest, x.AtLeast
	}
	if c := x.Collision; c != nil {
		id := func(i int) string { return subset.Buffers[slices.Index(x.Buffers, i)].ID }
		out.Collision = &collisionJSON{[2]string{id(c.A), id(c.B)}, [2]int64{c.Start, c.End}, [2]int64{c.Lower, c.Upper}}
	}
	described := func(b *stowage.Buffer) bufferJSON {
		return bufferJSON{b.ID, b.Lower, b.Upper, b.Size, b.Align(), b.Fixed}
	}
	for i := range subset.Buffers {
		b := &subset.Buffers[i]
		out.Sum += b.Size
		out.Buffers = append(out.Buffers, described(b))
	}
	if b := explain.FixedAbove(x, subset); b != nil {
		above := described(b)
		out.FixedAbove = &above
	}
	return out
}
