package command

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/format"
	"github.com/stowage-go/stowage/format/cheader"
	"github.com/stowage-go/stowage/format/csv"
	"github.com/stowage-go/stowage/format/dsa"
	stowjson "github.com/stowage-go/stowage/format/json"
	"github.com/stowage-go/stowage/format/times"
	"github.com/stowage-go/stowage/internal/shown"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
	"github.com/stowage-go/stowage/render"
	"github.com/stowage-go/stowage/render/html"
)

// A document is a plan with everything that a format may show of it. offsets is nil for a problem without a plan.
type document struct {
	problem    *stowage.Problem // with the capacity of the run
	header     csv.Header       // of the CSV file that the problem came from; nil for none
	extra      *csv.Extra       // of that file
	times      times.Read       // how the times of the file were read, CSV or not
	comments   bool             // also write the comments of extra
	family     *model.Family    // whose largest sizes the problem has; nil if sizes do not vary
	below      [][]int32        // the order of a family's plan
	points     []model.Point
	switched   *model.Switched // several orders; nil if there is one
	offsets    []int64
	pools      []int32         // of each buffer, with rules; nil if there is one pool
	parts      []stowage.Parts // of buffers that are evicted
	height     int64
	lowerBound int64
	result     *stowage.Result  // nil if no planner ran
	plan       *stowjson.Plan   // what a file claims about its plan; nil if it claims nothing
	name       string           // for C; empty for the problem's name
	head       bool             // for C: the plan is the head of an arena whose size is not known
	runtime    *cheader.Runtime // for C: the runtime whose arena the plan is a part of; nil for none
	tensors    []cheader.Tensor // for C; nil if the buffers are the tensors
	notes      []string         // for C: lines for the comment at the head
	warning    string           // what is wrong with the plan; empty if it is valid
	conflict   []int            // buffers that cannot fit together, for pictures
	overlaps   []render.Overlap // results over operands, for pictures
	steps      []html.Step      // the plans that the search found before the last, for a page
	moves      []plan.Move      // the first moves of the search; movesTold counts all
	movesTold  int
	beside     []html.Document // other plans on the same page
	title      string          // of a page; empty for the problem's name
	dsa        *dsa.Document   // the problem's file, if it is one of dsa-solver
}

// writerOf returns the function that writes an output format, given by its file extension.
func writerOf(format string) func(io.Writer, *document) error {
	switch format {
	case "csv":
		return writeCSV
	case "json":
		return writeJSON
	case "svg":
		return writeSVG
	case "tex":
		return writeTikZ
	case "png":
		return writePNG
	case "pdf":
		return writePDF
	case "html":
		return writeHTML
	case "h":
		return writeHeader
	case dsaProblem:
		return writeDSA
	case dsaSolution:
		return writeDSASolution
	}
	return writeSource
}

// formatNames lists the formats for messages and completions.
func formatNames() []string {
	return slices.Concat([]string{"csv", "json"}, pictureNames(), []string{"h", "c"})
}

// The forms of dsa-solver: its problem and its plan. Each is the end of a file's name, before .json, and a name for
// --format.
const (
	dsaProblem  = "dsa"
	dsaSolution = "dsa-solution"
)

func pictureNames() []string { return []string{"svg", "png", "pdf", "html", "tex"} }

// formatOf chooses the format: by the flag, else by the extension, else the first that is allowed. It is called
// before the search, so that a typing mistake costs no search.
func formatOf(flag, path string, allowed []string) (string, error) {
	name, from := flag, "--format "+flag
	if name == "" {
		if toStdout(path) || filepath.Ext(path) == "" {
			return allowed[0], nil
		}
		name, from = strings.ToLower(filepath.Ext(path)[1:]), path
		for _, form := range []string{dsaProblem, dsaSolution} {
			if slices.Contains(allowed, form) && strings.HasSuffix(strings.ToLower(path), "."+form+".json") {
				name = form
			}
		}
	}
	if !slices.Contains(allowed, name) {
		return "", usagef("%s: no such output format%s", from, oneOf(name, allowed, ""))
	}
	return name, nil
}

// checkPicture refuses to write a picture to a terminal, unless the path is -.
func checkPicture(cmd *cobra.Command, path, name, instead string) error {
	if path == "" && slices.Contains(pictureNames(), name) && isTerminal(cmd.OutOrStdout()) {
		return usagef("%s is not for a terminal: name a file with -o%s", strings.ToUpper(name), instead)
	}
	return nil
}

func toStdout(path string) bool { return path == "" || path == "-" }

// outputsOf decides in which of the formats each path of -o is written. No path is standard output. svgOnly is the
// message about another kind of picture, whose name it takes.
func outputsOf(cmd *cobra.Command, paths []string, format string, formats []string, svgOnly string) ([]output, error) {
	if len(paths) == 0 {
		paths = []string{""}
	}
	if format != "" && len(paths) > 1 {
		return nil, usagef("--format is for one output: there are %d of -o", len(paths))
	}
	var outputs []output
	for _, path := range paths {
		name, err := formatOf(format, path, formats)
		if wanted, other := formatOf(format, path, pictureNames()); err != nil && other == nil {
			return nil, usagef(svgOnly, strings.ToUpper(wanted))
		}
		if err != nil {
			return nil, err
		}
		if err := checkPicture(cmd, path, name, ""); err != nil {
			return nil, err
		}
		outputs = append(outputs, output{path: path, flag: "-o", kind: name})
	}
	return outputs, checkOutputs(outputs)
}

// apart refuses outputs that cannot be written, or that would replace what is in use.
func apart(outputs []output, uses []use) error {
	for _, o := range outputs {
		if err := errors.Join(use{o.flag, o.path}.apart(uses), checkOutput(o.path)); err != nil {
			return err
		}
	}
	return nil
}

// checkOutput refuses a path that cannot be written.
func checkOutput(path string) error {
	if toStdout(path) {
		return nil
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return outputError{path, errors.New("it is a directory")}
	}
	if info, err := os.Stat(filepath.Dir(path)); err != nil || !info.IsDir() {
		return outputError{path, fmt.Errorf("there is no folder %s", filepath.Dir(path))}
	}
	return nil
}

// A use is a path and its role: an argument or a flag.
type use struct{ what, path string }

// apart refuses a file that another use names too.
func (u use) apart(others []use) error {
	for _, o := range others {
		if samePlace(u.path, o.path) || o.path == format.Standard && !strings.HasPrefix(o.what, "-") &&
			replaces(u.path, o.path) {
			return usagef("%s and %s both name %s", o.what, u.what, u.path)
		}
	}
	return nil
}

// samePlace reports whether two paths name one file, whether the file exists or not. Standard
// input and output are no file. Devices and pipes may be named several times.
func samePlace(a, b string) bool {
	if toStdout(a) || toStdout(b) {
		return false
	}
	if info, err := os.Stat(a); err == nil {
		return info.Mode().IsRegular() && sameFile(a, b)
	}
	if filepath.IsAbs(a) == filepath.IsAbs(b) { // the current folder is not needed
		return filepath.Clean(a) == filepath.Clean(b)
	}
	x, err := filepath.Abs(a)
	y, other := filepath.Abs(b)
	return err == nil && other == nil && x == y
}

// forceUsage is the help of the flag that lets an output replace an input.
const forceUsage = "let -o replace a file that is read"

// checkReplaced refuses an output that would replace an input, unless the user forces it.
func checkReplaced(outputs []output, inputs []use, force bool) error {
	for _, o := range outputs {
		for _, in := range inputs {
			if !force && replaces(o.path, in.path) {
				return usagef("%s %s would replace %s, which is read: name another file, or add --force", o.flag, o.path, in.what)
			}
		}
	}
	return nil
}

// replaces reports whether an output is also an input: by its name, by another name of the file, or as standard input.
func replaces(path, input string) bool {
	if input != format.Standard {
		return samePlace(path, input)
	}
	x, err := os.Stdin.Stat()
	if err != nil || toStdout(path) || !x.Mode().IsRegular() {
		return false
	}
	y, err := os.Stat(path)
	return err == nil && os.SameFile(x, y)
}

// writeTo writes to a file as a whole or not at all, or to standard output.
func writeTo(cmd *cobra.Command, path string, write func(io.Writer) error) error {
	return writeOutput(cmd, output{path: path}, write)
}

// writeOutput is writeTo for an output.
func writeOutput(cmd *cobra.Command, o output, write func(io.Writer) error) error {
	var err error
	path, put := o.path, format.WriteFile
	if o.fresh {
		put = format.WriteNew
	}
	if toStdout(path) {
		w := bufio.NewWriter(cmd.OutOrStdout())
		if err = write(w); err == nil {
			err = w.Flush()
		}
	} else {
		err = writeFile(put, path, write)
	}
	var inner outputError
	if err == nil || errors.As(err, &inner) { // the error of another file, written inside
		return err
	}
	return outputError{path, err}
}

// writeText is writeTo for a report that people read: characters that act on a terminal are escaped.
func writeText(cmd *cobra.Command, path string, write func(io.Writer) error) error {
	return writeTo(cmd, path, func(w io.Writer) error { return write(shown.Writer(w)) })
}

// writeReport prints a report on standard output, as JSON or as text.
func writeReport(cmd *cobra.Command, asJSON bool, value func() any, write func(io.Writer) error) error {
	if asJSON {
		return writeTo(cmd, "", func(w io.Writer) error { return writeIndented(w, value()) })
	}
	return writeText(cmd, "", write)
}

func writeDocument(cmd *cobra.Command, path, name string, d *document) error {
	return writeTo(cmd, path, func(w io.Writer) error { return writerOf(name)(w, d) })
}

// writeIndented writes any value as JSON for people and programs alike.
func writeIndented(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}
