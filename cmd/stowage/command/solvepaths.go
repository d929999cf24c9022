package command

import (
	"errors"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/format"
	"github.com/stowage-go/stowage/internal/suggest"
)

// Idea: where solve writes is decided and checked before any work is done. No two files are the same place, standard
// output has one thing, and an input is replaced only by its plan, and only if that is forced.

// checkPaths decides where the outputs go, and checks these places, before any work is done.
func (s *solveFlags) checkPaths(cmd *cobra.Command, input string) error {
	if s.json {
		if s.stats != "" {
			return usagef("--json and --stats exclude each other: both write the same figures")
		}
		if len(s.paths) == 0 && !s.brief {
			return usagef("--json prints the figures of the run, so the plan needs -o FILE; --format json prints " +
				"the plan as JSON")
		}
		s.stats = "-"
	}
	paths := s.paths
	if len(paths) == 0 && (!s.brief || s.format != "") {
		paths = []string{""}
	}
	if s.format != "" && len(paths) > 1 {
		return usagef("--format is for one output: there are %d of -o", len(paths))
	}
	for _, path := range paths {
		name, err := formatOf(s.format, path, slices.Concat(formatNames(), []string{dsaProblem, dsaSolution}))
		if err != nil {
			return err
		}
		if err = checkPicture(cmd, path, name, ""); err != nil {
			return err
		}
		s.outputs = append(s.outputs, output{path: path, flag: "-o", kind: name})
	}
	if err := s.checkSteps(); err != nil {
		return err
	}
	stdout := slices.ContainsFunc(s.outputs, func(o output) bool { return toStdout(o.path) })
	switch {
	case s.start == format.Standard && input == format.Standard:
		return usagef("--start and INPUT cannot both be standard input")
	case s.why && s.quiet:
		return usagef("--why prints to standard error: leave out --quiet")
	case s.stats == "-" && stdout:
		return usagef("--stats - needs -o FILE: standard output has the plan")
	case s.progress == "-":
		return usagef("--progress needs a file: standard output has the plan")
	case s.checkpoint == format.Standard:
		return usagef("--checkpoint needs a file: it is read and replaced")
	case s.checkpoint != "" && s.start != "":
		return usagef("--checkpoint and --start exclude each other: a checkpoint is a plan to start from")
	case s.certificate == format.Standard:
		return usagef("--certificate needs a file: standard output is the plan's")
	}
	if err := checkOutputs(s.outputs); err != nil {
		return err
	}
	// The plan may replace the file that it was made from, if that is forced. No other output may replace an input.
	uses := []use{{"INPUT", input}, {"--start", s.start}}
	if err := checkReplaced(s.outputs, uses, s.force); err != nil {
		return err
	}
	for _, o := range s.outputs {
		uses = append(uses, use{o.flag, o.path})
	}
	for _, u := range []use{{"--stats", s.stats}, {"--certificate", s.certificate}, {"--progress", s.progress}, {"--checkpoint", s.checkpoint}} {
		if err := errors.Join(u.apart(uses), checkOutput(u.path)); err != nil {
			return err
		}
		uses = append(uses, u)
	}
	return nil
}

// checkSteps refuses --steps if the planner does not report its moves, or no output shows them.
func (s *solveFlags) checkSteps() error {
	switch {
	case s.steps < 0:
		return usagef("invalid argument %q for --steps: must not be negative", strconv.Itoa(s.steps))
	case s.steps == 0:
		return nil
	case !s.writes("html"):
		return usagef("--steps needs HTML: name a page with -o FILE.html")
	case s.workers > 1:
		return usagef("--steps needs --workers 1: with more, several steps happen at once")
	}
	var tell []string
	for _, i := range stowage.Planners() {
		if i.Moves {
			tell = append(tell, i.Name)
		}
	}
	if !slices.Contains(tell, s.planner) {
		return usagef("planner %s does not tell of its steps; those that do are %s", s.planner,
			suggest.Listed(s.planner, tell, ""))
	}
	return nil
}
