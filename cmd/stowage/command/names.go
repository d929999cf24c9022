package command

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/stowage-go/stowage/format"
	"github.com/stowage-go/stowage/internal/setting"
)

// Idea: a flag or an argument that several commands take has one name in all of them. --planner takes a list wherever
// several planners make sense. --json prints a command's report as JSON. Commands that take several files also take a
// folder. A command that takes one file says which commands take the folder.

// oldNames maps former names of flags, which the command still accepts, to the present names.
var oldNames = map[string]string{"planners": "planner"}

// oneName reads the old name of a flag as its name.
func oneName(_ *pflag.FlagSet, name string) pflag.NormalizedName {
	if now, ok := oldNames[name]; ok {
		name = now
	}
	return pflag.NormalizedName(name)
}

// bindPlanners defines the flag of a command that runs several planners.
func bindPlanners(cmd *cobra.Command, names *[]string, otherwise string) {
	cmd.Flags().StringSliceVar(names, "planner", nil, "run the planners `P1,P2`, or all [default: "+otherwise+"]")
	complete(cmd, "planner", func() []string { return append([]string{"all"}, plannerNames()...) })
}

// chosenPlanners returns the planners that the flag names, each once. The name all stands for every planner. If names
// is empty, it returns otherwise.
func chosenPlanners(names, otherwise []string) (chosen []string, err error) {
	known := plannerNames()
	if len(names) == 0 {
		return otherwise, nil
	}
	for _, name := range names {
		switch {
		case name == "all":
			chosen = append(chosen, known...)
		case strings.TrimSpace(name) == "":
			return nil, usagef("--planner has an empty name: it takes names with commas and no blanks between them, " +
				"such as first-fit,exact")
		case !slices.Contains(known, name):
			return nil, usageError{setting.UnknownPlanner(name)}
		default:
			chosen = append(chosen, name)
		}
	}
	seen := map[string]bool{}
	return slices.DeleteFunc(chosen, func(name string) bool {
		again := seen[name]
		seen[name] = true
		return again
	}), nil
}

// bindJSON defines --json for a command with --format, which has JSON among its formats.
func bindJSON(cmd *cobra.Command, asJSON *bool) {
	cmd.Flags().BoolVar(asJSON, "json", false, "print the report as JSON, as --format json does")
}

// chooseJSON sets the format that --json stands for.
func chooseJSON(asJSON bool, format *string) error {
	switch {
	case !asJSON:
	case *format != "" && *format != "json":
		return usagef("--json and --format %s exclude each other", *format)
	default:
		*format = "json"
	}
	return nil
}

// An inputFile is a file to read. named is false if it was found by a folder or a pattern.
type inputFile struct {
	path  string
	named bool
}

// inputsOf returns the files that the arguments name. A pattern that the shell has not
// expanded is expanded here, as on Windows.
func inputsOf(args []string) ([]inputFile, error) {
	var all []inputFile
	for _, arg := range args {
		found, err := format.Files(arg)
		if err != nil {
			return nil, err
		}
		for _, path := range found {
			all = append(all, inputFile{path, path == arg})
		}
	}
	return all, nil
}

// folderNext says which command to type for all files of a folder, in place of a command that takes one file.
var folderNext = map[string]string{
	"explain":  "'stowage size %s' says which capacity each file in it needs",
	"show":     "'stowage view %s' shows each file in it",
	"plan":     "'stowage size %s' plans the tensors of each file in it",
	"check":    "'stowage verify %s' checks the plan of each file in it",
	"barriers": "'stowage verify %s' checks the plan of each file in it",
}

// folderFault returns the error for a folder in place of a file. It names the command that takes the folder,
// if there is one.
func folderFault(cmd *cobra.Command, err error) error {
	var at *fs.PathError
	if !errors.Is(err, format.ErrFolder) || !errors.As(err, &at) {
		return err
	}
	next := ""
	if say := folderNext[cmd.Name()]; say != "" {
		next = "; " + fmt.Sprintf(say, at.Path)
	}
	return usagef("%s is a folder, and %s takes one file%s", at.Path, cmd.Name(), next)
}
