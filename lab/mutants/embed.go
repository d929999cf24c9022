package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Idea: all drawn changes are compiled into one program, and a variable of the environment says which of them is on. A
// mutant then costs the run of a few tests, not a build.
//
// Invariant: if no change is on, the program does what it did.
//
// Complexity: one build for each package of tests.
//
// Source: Untch, Offutt and Harrold, Mutation analysis using mutant schemata, 1993.

// probe is the package that the changed files import. At says if a change is on, and notes which changes a run reaches.
const probe = `package mutantprobe

import (
	"cmp"
	"os"
	"strconv"
	"sync"
)

var (
	on, _  = strconv.Atoi(os.Getenv("STOWAGE_MUTANT"))
	reach  = os.Getenv("STOWAGE_REACH")
	record = reach != ""
	seen   sync.Map
)

func At(k int) bool { return on == k || record && note(k) }

func note(k int) bool {
	if _, old := seen.LoadOrStore(k, true); !old {
		f, err := os.OpenFile(reach, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			panic(err)
		}
		f.WriteString(strconv.Itoa(k) + "\n")
		f.Close()
	}
	return false
}

func Min[T cmp.Ordered](k int, a T, more ...T) T {
	for _, b := range more {
		if At(k) {
			a = max(a, b)
		} else {
			a = min(a, b)
		}
	}
	return a
}

func Max[T cmp.Ordered](k int, a T, more ...T) T {
	for _, b := range more {
		if At(k) {
			a = min(a, b)
		} else {
			a = max(a, b)
		}
	}
	return a
}
`

// embed writes the changed files and the probe into a folder, and returns the overlay by which Go reads them.
// Change k is on if STOWAGE_MUTANT is k+1.
func embed(drawn []site, work string) (overlay string, err error) {
	module, err := moduleName()
	if err != nil {
		return "", err
	}
	root, err := os.Getwd()
	if err != nil {
		return "", err
	}
	replace := map[string]string{}
	write := func(path, text string) error {
		to := filepath.Join(work, fmt.Sprintf("%d.go", len(replace)))
		replace[filepath.Join(root, path)] = to
		return os.WriteFile(to, []byte(text), 0o600)
	}
	if err := write("mutantprobe/probe.go", probe); err != nil {
		return "", err
	}
	byFile := map[string]map[ast.Node][]int{}
	for k := range drawn {
		s := &drawn[k]
		if byFile[s.in.path] == nil {
			byFile[s.in.path] = map[ast.Node][]int{}
		}
		byFile[s.in.path][s.node] = append(byFile[s.in.path][s.node], k)
	}
	for path, nodes := range byFile {
		var in *source
		for _, ks := range nodes {
			in = drawn[ks[0]].in
		}
		if err := write(path, (&writer{in, nodes, drawn}).file(module+"/mutantprobe")); err != nil {
			return "", err
		}
	}
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	overlay = filepath.Join(work, "overlay.json")
	return overlay, os.WriteFile(overlay, text, 0o600)
}

// moduleName returns the name of the module in this folder.
func moduleName() (string, error) {
	text, err := os.ReadFile("go.mod")
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(string(text)) {
		if name, ok := strings.CutPrefix(line, "module "); ok {
			return strings.TrimSpace(name), nil
		}
	}
	return "", errors.New("go.mod names no module")
}

// A writer writes a file with its changes.
type writer struct {
	*source
	nodes map[ast.Node][]int
	drawn []site
}

// file returns the file, whose lines keep their numbers.
func (w *writer) file(probe string) string {
	from := w.at(w.tree.Name.End())
	return string(w.text[:from]) + "; import mutantprobe \"" + probe + "\"" + w.span(from, len(w.text), nil)
}

// span returns the text between two bytes with the changes of all nodes in it but one.
func (w *writer) span(from, to int, without ast.Node) string {
	var inside []ast.Node
	for n := range w.nodes {
		if n != without && from <= w.at(n.Pos()) && w.at(n.End()) <= to {
			inside = append(inside, n)
		}
	}
	// The outer node of two comes first.
	slices.SortFunc(inside, func(a, b ast.Node) int { return cmp.Or(int(a.Pos()-b.Pos()), int(b.End()-a.End())) })
	var out strings.Builder
	for _, n := range inside {
		if w.at(n.Pos()) < from {
			continue // in one before
		}
		out.Write(w.text[from:w.at(n.Pos())])
		out.WriteString(w.node(n))
		from = w.at(n.End())
	}
	out.Write(w.text[from:to])
	return out.String()
}

// node returns an expression that asks the probe which change is on.
func (w *writer) node(n ast.Node) string {
	ks := w.nodes[n]
	if call, ok := n.(*ast.CallExpr); ok {
		name := map[string]string{"min": "Min", "max": "Max"}[w.drawn[ks[0]].old]
		return fmt.Sprintf("mutantprobe.%s(%d, %s)", name, ks[0]+1, w.span(w.at(call.Lparen)+1, w.at(call.Rparen), nil))
	}
	x := n.(*ast.BinaryExpr)
	a, b := "("+w.span(w.at(x.X.Pos()), w.at(x.X.End()), n)+")", "("+w.span(w.at(x.Y.Pos()), w.at(x.Y.End()), n)+")"
	out, none := "(", ""
	for _, k := range ks {
		out += fmt.Sprintf("mutantprobe.At(%d) && (%s %s %s) || ", k+1, a, w.drawn[k].new, b)
		none += fmt.Sprintf("!mutantprobe.At(%d) && ", k+1)
	}
	return out + none + "(" + a + " " + x.Op.String() + " " + b + "))"
}
