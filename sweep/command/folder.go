package command

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/stowage-go/stowage/format"
	"github.com/stowage-go/stowage/sweep/core"
	"github.com/stowage-go/stowage/sweep/report"
	"github.com/stowage-go/stowage/sweep/spec"
)

// folderOf returns the folder of a sweep. The argument is the folder, or the specification.
func folderOf(arg string) (string, error) {
	info, err := os.Stat(arg)
	if err != nil || info.IsDir() || spec.Remote(arg) {
		return arg, nil
	}
	s, err := spec.Read(arg, plannerNames())
	if err != nil {
		return "", err
	}
	return s.Out, nil
}

// opened opens the folder of a sweep, which must exist, and says how far the sweep is.
func opened(ctx context.Context, arg string) (string, core.Store, *core.Status, error) {
	out, err := folderOf(arg)
	if err != nil {
		return "", nil, nil, err
	}
	store, err := openFolder(ctx, out)
	if err != nil {
		return "", nil, nil, err
	}
	j, err := core.ReadJob(ctx, store)
	if err == nil && j == nil {
		err = fmt.Errorf("%s: is no folder of a sweep: it has no tasks.json", out)
	}
	if err != nil {
		return "", nil, nil, err
	}
	st, err := j.Status(ctx, store)
	if err != nil {
		return "", nil, nil, internalError{err}
	}
	return out, store, st, nil
}

func newStatus() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "status OUT",
		Short: "Say how far a sweep is, from its files",
		Long: `Status counts the files of a sweep that runs, wherever it runs, or that was interrupted. OUT is its folder, or its specification.
` + exitsHelp,
		Example: "  stowage-sweep status sweep-out\n  watch stowage-sweep status gs://bucket/nightly",
		Args:    exactly("OUT"),
		RunE: func(cmd *cobra.Command, args []string) error {
			out, _, st, err := opened(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			if err := writeStatus(cmd, out, st, asJSON); err != nil {
				return internalError{err}
			}
			if !st.Complete() || len(st.Dead) > 0 {
				return outcome(exitIncomplete)
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "write JSON")
	return cmd
}

// statusDocument is the status as JSON. The keys are a contract.
type statusDocument struct {
	Out       string      `json:"out"`
	Spec      string      `json:"spec"`
	Version   string      `json:"version"`
	Tasks     int         `json:"tasks"`
	TasksDone int         `json:"tasks_done"`
	Runs      int         `json:"runs"`
	RunsDone  int         `json:"runs_done"`
	RunsDead  int         `json:"runs_dead"`
	Trying    int         `json:"trying"`
	Complete  bool        `json:"complete"`
	Dead      []core.Dead `json:"dead"`
}

func writeStatus(cmd *cobra.Command, out string, st *core.Status, asJSON bool) error {
	w := cmd.OutOrStdout()
	if asJSON {
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		e.SetEscapeHTML(false)
		return e.Encode(statusDocument{
			out, st.Spec, st.Version, st.Tasks, st.TasksDone, st.Runs, st.RunsDone, st.RunsDead, st.Trying, st.Complete(),
			append([]core.Dead{}, st.Dead...),
		})
	}
	full, percent := barWidth, 100
	if st.Runs > 0 {
		full, percent = barWidth*st.RunsDone/st.Runs, 100*st.RunsDone/st.Runs
	}
	fmt.Fprintf(w, "[%s%s] %d%%\n", strings.Repeat("#", full), strings.Repeat("-", barWidth-full), percent)
	fmt.Fprintf(w, "%d of %s, %d of %s\n", st.RunsDone, count(st.Runs, "run"), st.TasksDone, count(st.Tasks, "task"))
	if st.Trying > 0 {
		fmt.Fprintf(w, "%s begun\n", count(st.Trying, "task"))
	}
	for k, d := range st.Dead {
		if k == 10 {
			fmt.Fprintf(w, "… and %d more in dead.jsonl\n", len(st.Dead)-k)
			break
		}
		reason, _, _ := strings.Cut(d.Reason, "\n")
		fmt.Fprintf(w, "given up: %s: %s\n", strings.TrimSpace(d.Name+" "+d.Planner), reason)
	}
	_, err := fmt.Fprintf(w, "%s, Stowage %s\n", st.Spec, st.Version)
	return err
}

func newReport() *cobra.Command {
	var runs string
	cmd := &cobra.Command{
		Use:   "report OUT",
		Short: "Write summary.csv and report.html anew",
		Long: `Report writes summary.csv and report.html from the rows that there are, also if the sweep is not complete, and prints where the page is. OUT is the folder of the sweep, or its specification. Rows that other programs have written into runs/ count too.
` + exitsHelp,
		Example: "  stowage-sweep report sweep-out",
		Args:    exactly("OUT"),
		RunE: func(cmd *cobra.Command, args []string) error {
			out, store, st, err := opened(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			page, err := writeReport(cmd.Context(), out, store, st)
			if err == nil && runs != "" {
				err = writeRuns(cmd.Context(), runs, store)
			}
			if err != nil {
				return internalError{err}
			}
			if _, err := fmt.Fprintln(cmd.OutOrStdout(), page); err != nil {
				return internalError{err}
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&runs, "runs", "",
		"also write what was run to `FILE`, as lines of JSON that 'stowage compare --resume' reads; compressed if it ends in .gz, to be unpacked before 'stowage compare' reads it")
	return cmd
}

// writeRuns writes the rows as a file of runs.
func writeRuns(ctx context.Context, file string, store core.Store) error {
	rows, err := core.ReadRows(ctx, store)
	if err != nil {
		return err
	}
	return format.WriteFile(file, func(w io.Writer) error {
		if filepath.Ext(file) != ".gz" {
			return report.WriteRuns(w, rows)
		}
		z, err := gzip.NewWriterLevel(w, gzip.BestCompression)
		if err != nil {
			return err
		}
		return errors.Join(report.WriteRuns(z, rows), z.Close())
	})
}

// writeReport writes the summary and the page and returns the path of the page.
func writeReport(ctx context.Context, out string, store core.Store, st *core.Status) (string, error) {
	rows, err := core.ReadRows(ctx, store)
	if err != nil {
		return "", err
	}
	var summary, page bytes.Buffer
	err = errors.Join(
		report.WriteSummary(&summary, report.Summary(rows)),
		report.WritePage(&page, report.Input{
			Title: title(st.Spec), Rows: rows, Tasks: st.Tasks, Missing: st.Missing, Dead: st.Dead,
		}),
	)
	if err != nil {
		return "", err
	}
	err = errors.Join(store.Write(ctx, "summary.csv", summary.Bytes()), store.Write(ctx, "report.html", page.Bytes()))
	if spec.Remote(out) {
		return strings.TrimRight(out, "/") + "/report.html", err
	}
	return filepath.Join(out, "report.html"), err
}

func newTasks() *cobra.Command {
	return &cobra.Command{
		Use:   "tasks SPEC",
		Short: "Write the tasks that are left, for programs in other languages",
		Long: `Tasks writes the tasks that are left as JSON, one a line, and puts the problems of files into the folder. A program in another language can do them: see sweep/recipes.
` + exitsHelp,
		Example: "  stowage-sweep tasks spec.yaml > tasks.jsonl",
		Args:    exactly("SPEC"),
		RunE: func(cmd *cobra.Command, args []string) error {
			ctx := cmd.Context()
			s, err := spec.Read(args[0], plannerNames())
			if err != nil {
				return err
			}
			store, err := openFolder(ctx, s.Out)
			if err != nil {
				return err
			}
			i := listen(ctx, cmd.ErrOrStderr(), false)
			defer i.end()
			j, err := (&runFlags{}).prepare(i, s, store)
			if err != nil {
				return err
			}
			e := json.NewEncoder(cmd.OutOrStdout())
			e.SetEscapeHTML(false)
			for k := range j.Left {
				if err := e.Encode(&j.Left[k]); err != nil {
					return internalError{err}
				}
			}
			return nil
		},
	}
}

// title names the page of a sweep after its specification.
func title(file string) string {
	name := strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
	if file == "" || name == "" {
		return "Sweep"
	}
	return "Sweep " + name
}

// rowsOf reads the rows of a sweep that there must be.
func rowsOf(ctx context.Context, arg string) ([]core.Row, error) {
	out, err := folderOf(arg)
	if err != nil {
		return nil, err
	}
	store, err := openFolder(ctx, out)
	if err != nil {
		return nil, err
	}
	rows, err := core.ReadRows(ctx, store)
	if err == nil && len(rows) == 0 {
		err = fmt.Errorf("%s: has no rows of a sweep", out)
	}
	return rows, err
}
