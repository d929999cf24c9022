package command

import (
	"fmt"
	"io"
	"slices"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/spf13/cobra"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/internal/setting"
	"github.com/stowage-go/stowage/plan"
)

func newPlanners() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "planners [NAME]",
		Short: "List the planners, or what one of them can do",
		Long:  `Planners lists the planners that --planner takes. With a NAME it lists that planner's techniques, which --without switches off, and its parameters, which --set changes.`,
		Example: `  stowage planners
  stowage planners exact
  stowage planners --json`,
		Args: arity(0, "NAME"),
		Annotations: map[string]string{
			exitsKey: "0  listed\n1  internal failure, or an output that cannot be written\n2  bad usage, or no such planner",
		},
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return plannerNames(), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			infos := stowage.Planners()
			if len(args) == 1 {
				at := slices.IndexFunc(infos, func(i stowage.PlannerInfo) bool { return i.Name == args[0] })
				if at < 0 {
					return usageError{setting.UnknownPlanner(args[0])}
				}
				infos = infos[at : at+1]
			}
			width := columns(cmd.OutOrStdout())
			return writeTo(cmd, "", func(w io.Writer) error {
				switch {
				case asJSON:
					return writePlannersJSON(w, infos)
				case len(args) == 1:
					return writePlanner(w, width, infos[0])
				}
				return writePlanners(w, width, infos)
			})
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON: name, summary, source, exact, techniques and params of each")
	return cmd
}

// newTable returns a table in the plain style of all listings: without a frame, so that its text can be copied and cut.
func newTable(header ...any) table.Writer {
	t := table.NewWriter()
	style := table.StyleDefault
	style.Options = table.OptionsNoBordersAndSeparators
	style.Box.PaddingLeft = ""
	style.Box.PaddingRight = "  "
	t.SetStyle(style)
	t.SuppressTrailingSpaces()
	t.AppendHeader(table.Row(header))
	return t
}

func writePlanners(w io.Writer, width int, infos []stowage.PlannerInfo) error {
	t := newTable("name", "exact", "summary", "source")
	t.SetColumnConfigs([]table.ColumnConfig{
		{Number: 3, WidthMax: share(width, 40), WidthMaxEnforcer: text.WrapSoft},
		{Number: 4, WidthMax: share(width, 36), WidthMaxEnforcer: text.WrapSoft},
	})
	for _, i := range infos {
		t.AppendRow(table.Row{i.Name, yesNo(i.Exact), i.Summary, i.Source})
	}
	_, err := fmt.Fprintln(w, fit(t, width))
	return err
}

// share returns the width of a column in the list of planners: most if there is no terminal, else half of the width
// beside the names, and at least 16.
func share(width, most int) int {
	const names = 36 // the width of the longest name and of the space after it
	if width == 0 {
		return most
	}
	return max(16, (width-names)/2)
}

// fit renders a table for a terminal of that width, 0 if there is none. It cuts rows that are longer.
func fit(t table.Writer, width int) string {
	t.Style().Size.WidthMax = width
	return t.Render()
}

// writePlanner prints everything about one planner.
func writePlanner(w io.Writer, width int, i stowage.PlannerInfo) error {
	summaries := func(number, before int) []table.ColumnConfig {
		if width == 0 {
			return nil
		}
		return []table.ColumnConfig{{Number: number, WidthMax: max(24, width-before-1), WidthMaxEnforcer: text.WrapSoft}}
	}
	fmt.Fprintf(w, "%s: %s\nexact: %s\nsource: %s\n", i.Name, i.Summary, yesNo(i.Exact), i.Source)
	if len(i.Techniques) > 0 {
		t := newTable("technique", "summary")
		longest := 9
		for _, x := range i.Techniques {
			t.AppendRow(table.Row{x.Name, x.Summary})
			longest = max(longest, len(x.Name))
		}
		t.SetColumnConfigs(summaries(2, longest+2))
		fmt.Fprintf(w, "\n%s\n", fit(t, width))
	}
	if len(i.Params) > 0 {
		t := newTable("parameter", "default", "values", "summary")
		longest := [3]int{9, 7, 6}
		for _, x := range i.Params {
			t.AppendRow(table.Row{x.Name, x.Default, x.Values, x.Summary})
			for k, cell := range []string{x.Name, x.Default, x.Values} {
				longest[k] = max(longest[k], len(cell))
			}
		}
		t.SetColumnConfigs(summaries(4, longest[0]+longest[1]+longest[2]+6))
		fmt.Fprintf(w, "\n%s\n", fit(t, width))
	}
	return nil
}

// writePlannersJSON writes the registry. Its keys do not follow the Go names, so that the names can change.
func writePlannersJSON(w io.Writer, infos []stowage.PlannerInfo) error {
	type technique struct {
		Name    string `json:"name"`
		Summary string `json:"summary"`
	}
	type param struct {
		Name    string `json:"name"`
		Default string `json:"default"`
		Values  string `json:"values"`
		Summary string `json:"summary"`
	}
	type planner struct {
		Name       string      `json:"name"`
		Summary    string      `json:"summary"`
		Source     string      `json:"source"`
		Exact      bool        `json:"exact"`
		Techniques []technique `json:"techniques"`
		Params     []param     `json:"params"`
	}
	all := []planner{}
	for _, i := range infos {
		p := planner{i.Name, i.Summary, i.Source, i.Exact, []technique{}, []param{}}
		for _, x := range i.Techniques {
			p.Techniques = append(p.Techniques, technique(x))
		}
		for _, x := range i.Params {
			p.Params = append(p.Params, param(x))
		}
		all = append(all, p)
	}
	return writeIndented(w, all)
}

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

func plannerNames() []string {
	return plan.Names()
}

// techniqueNames returns the names of a planner's techniques; none for an unknown planner.
func techniqueNames(planner string) []string {
	var names []string
	for _, i := range stowage.Planners() {
		if i.Name == planner {
			names = setting.Techniques(&i)
		}
	}
	return names
}
