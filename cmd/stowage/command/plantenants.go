package command

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/format"
	"github.com/stowage-go/stowage/internal/models"
)

// Idea: plan with several models answers how large the arena is that they share. -o is then a folder, as for solve,
// and gets each model with its plan.

// modelsGiven refuses a command line without models, and one with a number whose unit stands apart.
func modelsGiven(cmd *cobra.Command, args []string) error {
	if at := slices.IndexFunc(args, bareUnit); len(args) > 1 && at >= 0 {
		return arity(1, "MODEL")(cmd, args)
	}
	return arity(1, slices.Repeat([]string{"MODEL"}, max(1, len(args)))...)(cmd, args)
}

// runTenants plans several models.
func (p *planFlags) runTenants(cmd *cobra.Command, args []string) error {
	o, err := p.tenantsClash(cmd)
	if err != nil {
		return err
	}
	files := slices.Concat(args, p.resident)
	outputs, err := p.tenantsInto(files)
	if err != nil {
		return err
	}
	options, err := p.options(o, nil)
	if err != nil {
		return err
	}
	var all []models.Model
	for _, path := range files {
		m, err := p.openTenant(path)
		if err != nil {
			return misused(err)
		}
		all = append(all, m)
	}
	ctx, release := interruptible(cmd.Context())
	defer release()
	made, err := models.PlanTenants(ctx, all, len(args), options)
	if err != nil {
		return misused(err)
	}
	end := outcomeOf(made.Status())
	if fits := made.Fits(); fits != "" {
		end = map[string]error{"yes": nil, "no": outcome(exitInfeasible), "unknown": outcome(exitUndecided)}[fits]
	}
	if end != nil && p.capacity > 0 {
		outputs = p.unwritten(cmd, outputs)
	}
	if len(outputs) > 0 {
		if err := p.writeTenants(cmd, made, outputs); err != nil {
			return err
		}
	}
	switch {
	case p.json:
		err = writeTo(cmd, "", made.JSON)
	case !p.quiet:
		err = writeTo(cmd, "", made.Print)
	}
	if why := made.Doubts(); err == nil && end == nil && len(why) > 0 && (p.capacity > 0 || len(outputs) > 0) {
		end = outcome(exitUndecided)
	}
	if err != nil {
		return err
	}
	return end
}

// openTenant reads a model.
func (p *planFlags) openTenant(path string) (models.Model, error) {
	in, err := openModel(path)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	if in.Kind != format.TFLite {
		return nil, usagef("%s: several models share the arena of TensorFlow Lite Micro, so each must be a .tflite", path)
	}
	settled, err := p.model.options()
	if err != nil {
		return nil, err
	}
	return models.Open(in, settled)
}

// tenantsClash refuses what is for one model, and returns the options of the planner.
func (p *planFlags) tenantsClash(cmd *cobra.Command) (o stowage.Options, err error) {
	for _, flag := range []string{"pool", "format", "report", "tail", "permits"} {
		if cmd.Flags().Changed(flag) {
			return o, usagef("--%s is for one model", flag)
		}
	}
	if !slices.Contains(models.Targets, p.target) {
		return o, usagef("--target %s is for one model: several are planned for %s", p.target, strings.Join(models.Targets, ", "))
	}
	if at := slices.IndexFunc(p.scratch, declared); at >= 0 {
		return o, usagef("--scratch %s is for one model", p.scratch[at])
	}
	if err := p.splitClash(cmd); err != nil {
		return o, err
	}
	if err := p.kernelsFor(nil); err != nil {
		return o, err
	}
	return p.search.options()
}

// tenantsInto returns a file for each model in the folder of -o; none without -o.
func (p *planFlags) tenantsInto(files []string) (out []output, err error) {
	if slices.Contains(files, format.Standard) {
		return nil, usagef("standard input does not go with other models")
	}
	if len(p.outputs) == 0 {
		return nil, nil
	}
	folder := p.outputs[0]
	if info, err := os.Stat(folder); len(p.outputs) > 1 || toStdout(folder) || err == nil && !info.IsDir() ||
		err != nil && filepath.Ext(folder) != "" {
		return nil, usagef("%s need -o DIR: a folder for the models with their plans", count(len(files), "model"))
	}
	for _, file := range files {
		name := filepath.Base(file)
		x := output{flag: "-o", kind: "tflite"}
		x.path = filepath.Join(folder, strings.TrimSuffix(name, filepath.Ext(name))+".tflite")
		for i, other := range out {
			if other.path == x.path {
				return nil, usagef("%s and %s would both be written to %s", files[i], file, x.path)
			}
		}
		if err := checkReplaced([]output{x}, []use{{"MODEL", file}}, p.force); err != nil {
			return nil, err
		}
		out = append(out, x)
	}
	return out, nil
}

// writeTenants writes the models with their plans.
func (p *planFlags) writeTenants(cmd *cobra.Command, made *models.Tenants, outputs []output) error {
	var paths []string
	for _, o := range outputs {
		paths = append(paths, o.path)
	}
	if err := made.Into(paths); err != nil {
		return misused(err)
	}
	if err := os.MkdirAll(p.outputs[0], 0o777); err != nil {
		return outputError{p.outputs[0], err}
	}
	return writeAll(cmd, outputs, func(w io.Writer, o output) error { return made.Write(w, slices.Index(paths, o.path)) })
}
