package command

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/stowage-go/stowage/internal/models"
)

// Idea: flags that cannot both be obeyed are refused before anything is read or written. A flag without effect would
// leave the user with a file that was not written, or with a problem in which the flag does not count.

// planning has the flags that mean nothing with --format, which plans nothing.
var planning = []string{"report", "json", "capacity", "target", "tail", "diagonal", "reorder", "replace-plan", "split", "verify"}

// alone refuses what does not go with --probe, which reads no model.
func (p *planFlags) alone() error {
	if len(p.outputs)+len(p.reports) > 0 || p.format != "" || p.json {
		return usagef("--probe prints a header and plans nothing: leave out --output, --report, --format and --json")
	}
	return nil
}

// clash refuses flags that contradict each other, and outputs that replace the model by something else.
func (p *planFlags) clash(cmd *cobra.Command, path string, kind *models.Kind, outputs []output) error {
	if p.where != nil {
		if err := p.poolsClash(cmd, kind, outputs); err != nil {
			return err
		}
	}
	if err := p.splitClash(cmd); err != nil {
		return err
	}
	if p.format != "" {
		for _, flag := range slices.Concat(planning, kind.Planning) {
			if cmd.Flags().Changed(flag) {
				return usagef("--%s needs a plan: --format writes the problem alone", flag)
			}
		}
	}
	if p.json && p.toStdout() {
		return usagef("--json needs -o FILE: standard output has what -o or --report writes")
	}
	if p.format != "" {
		outputs = append(slices.Clip(outputs), output{path: p.problemFile(), flag: "-o", kind: p.format})
	}
	for _, o := range outputs {
		// The planned or reordered model may replace the one that it was made from, if that is forced.
		if models.IsModel(o.kind) {
			if err := checkReplaced([]output{o}, []use{{"MODEL", path}}, p.force); err != nil {
				return err
			}
			continue
		}
		if err := (use{o.flag, o.path}).apart([]use{{"MODEL", path}}); err != nil {
			return err
		}
	}
	return nil
}

// splitClash refuses what does not go with --split, and what means nothing without it.
func (p *planFlags) splitClash(cmd *cobra.Command) error {
	if p.verify && p.where != nil {
		return usagef("--verify runs models of one arena: leave out --pool, and name a target of %s",
			strings.Join(models.Targets, ", "))
	}
	switch {
	case !p.split && cmd.Flags().Changed("max-macs"):
		return usagef("--max-macs needs --split: nothing else adds arithmetic")
	case !p.split:
		return nil
	case p.where != nil:
		return usagef("--split plans one memory: leave out --pool, and name a target of %s", strings.Join(models.Targets, ", "))
	case p.tail > 0:
		return usagef("--split changes the tail: --tail is that of the model as it is")
	case slices.ContainsFunc(p.scratch, declared):
		return usagef("--split needs scratch that it can work out for strips: --kernels NAME, not --scratch %s", p.scratch[0])
	}
	return nil
}

// declared reports whether --scratch gives bytes, or names a log.
func declared(scratch string) bool { return scratch != "none" && scratch != "reference" }

// toStdout reports whether -o or --report writes to standard output. The report for people is then on standard error.
func (p *planFlags) toStdout() bool {
	return slices.ContainsFunc(p.outputs, toStdout) || slices.ContainsFunc(p.reports, toStdout)
}
