// Package iree reads what IREE packs into its transient buffers as problems of memory planning.
//
//	iree-compile … --compile-to=stream --mlir-print-ir-before=iree-stream-layout-slices 2> dump.mlir
//
// prints each function before its slices are laid out. Each stream.resource.pack in it is a problem by itself:
//
//	%7:3 = stream.resource.pack … slices({
//	  [0, 6] = %c57600,
//	  [1, 3] = %2
//	}) : index
//
// A slice is live from the first number to the second, both included. Its size is a constant, or known only at run
// time. IREE puts slices of the second kind one above the other after all others, so they are not in the problem. The
// ID of a slice is the result that holds its offset, %7#1 for the first.
//
// Complexity: O(bytes).
//
// Source: iree-org/iree b48a595, Stream/IR/StreamOps.td and
// Stream/Transforms/LayoutSlices.cpp; dumps of iree-base-compiler 3.13.0.
package iree

import (
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/stowage-go/stowage/format/internal/source"
	"github.com/stowage-go/stowage/model"
)

// Alignment is the alignment of slices on the CPU, in bytes. Other targets may ask for more.
const Alignment = 64

// A Pack is the problem of one stream.resource.pack.
type Pack struct {
	// Name is the name of the function and of the result, as in main:%7.
	Name string
	// Problem has a buffer for each slice of a known size.
	Problem *model.Problem
	// Dynamic is the number of slices whose size is known only at run time. They are not in Problem.
	Dynamic int
}

const (
	operation = "stream.resource.pack"
	opening   = "slices({"
	// sliceBytes is what a slice takes in memory, constantBytes what a constant does.
	sliceBytes, constantBytes = 200, 100
)

// IsDump reports whether head, the beginning of a file, may be that of a dump.
func IsDump(head []byte) bool { return strings.HasPrefix(string(head), "// -----// IR ") }

// Read reads the packs of a dump from r, at least one, in the order of the dump; file is its name in messages. The
// error is r's, or a *model.InputError that names each fault by its line.
func Read(r io.Reader, file string) ([]Pack, error) {
	text, err := source.Read(r, file)
	if err != nil {
		return nil, err
	}
	p := parser{text: text, constants: map[string]int64{}, names: map[string]bool{}}
	for at, line := range text.Lines() {
		p.number++
		if p.line(at, line); p.err != nil {
			return nil, p.err
		}
	}
	if p.pack != nil {
		return nil, text.Refuse(len(text.Text), "", "ends within the slices of "+source.Clip(p.pack.Name))
	}
	if !p.seen {
		return nil, text.Refuse(0, "",
			"has no "+operation+": IREE has one with --compile-to=stream --mlir-print-ir-before=iree-stream-layout-slices")
	}
	if len(p.packs) == 0 {
		return nil, text.Refuse(0, "", "has no slice whose size is known before run time")
	}
	return p.packs, nil
}

// parser goes through a dump line by line.
type parser struct {
	text      *source.Text
	number    int              // of the line
	function  string           // that the line is in
	constants map[string]int64 // values that are constant, by name; a name is that of the last function
	names     map[string]bool  // of packs
	packs     []Pack
	pack      *Pack // that the line is in
	opened    int   // the line where it begins
	slices    int   // of it so far
	seen      bool  // any pack
	err       error
}

func (p *parser) refuse(at int, value, message string) {
	if p.err == nil {
		p.err = p.text.Refuse(at, source.Clip(value), message)
	}
}

// spend takes n from the budget for what a value says.
func (p *parser) spend(at int, value string, n int) bool {
	if !p.text.Spend(n) {
		p.refuse(at, value, p.text.Excess())
	}
	return p.err == nil
}

// line reads one line, without the space around it.
func (p *parser) line(at int, line string) {
	if p.pack != nil {
		if strings.HasPrefix(line, "})") {
			p.finish()
		} else if line != "" {
			p.slice(at, line)
		}
		return
	}
	if name, ok := functionOf(line); ok {
		p.function = name
		return
	}
	left, right, ok := strings.Cut(line, " = ")
	if !ok || !strings.HasPrefix(left, "%") {
		return
	}
	if strings.HasPrefix(right, operation+" ") {
		p.open(at, left, right)
		return
	}
	if strings.ContainsAny(left, " :,") {
		return // several results, of which none is a constant
	}
	if number, ok := strings.CutPrefix(right, "arith.constant "); ok {
		number, typ, _ := strings.Cut(number, " : ")
		if n, err := strconv.ParseInt(number, 10, 64); err == nil && typ == "index" {
			if _, ok := p.constants[left]; ok || p.spend(at, left, constantBytes) {
				p.constants[left] = n
			}
			return
		}
	}
	delete(p.constants, left)
}

// functionOf returns the name of the function that a line begins.
func functionOf(line string) (string, bool) {
	for _, keyword := range []string{"util.func ", "util.initializer", "func.func "} {
		if !strings.HasPrefix(line, keyword) {
			continue
		}
		_, name, ok := strings.Cut(line, "@")
		if !ok || keyword == "util.initializer" {
			return "initializer", true
		}
		end := strings.IndexAny(name, "( {")
		if end < 0 {
			end = len(name)
		}
		return name[:end], true
	}
	return "", false
}

// open begins a pack.
func (p *parser) open(at int, left, right string) {
	p.seen = true
	result, _, _ := strings.Cut(left, ":")
	name := p.function + ":" + result
	if p.names[name] { // the dump has the function twice
		name += " in line " + strconv.Itoa(p.number)
	}
	if !p.spend(at, name, sliceBytes+len(name)) {
		return
	}
	p.names[name] = true
	p.pack, p.opened, p.slices = &Pack{Name: name, Problem: &model.Problem{Name: name}}, p.number, 0
	if !strings.HasSuffix(right, opening) {
		p.refuse(at, right, "is not a pack with its slices in the lines below")
		return
	}
	// The slices are counted, so that nothing grows as they are read.
	body, _, _ := strings.Cut(p.text.Text[at:], "})")
	p.pack.Problem.Buffers = make([]model.Buffer, 0, p.text.Most(strings.Count(body, "\n"), sliceBytes))
}

// slice reads "[0, 6] = %c57600,".
func (p *parser) slice(at int, line string) {
	p.slices++
	span, size, ok := strings.Cut(strings.TrimPrefix(strings.TrimSuffix(line, ","), "["), "] = ")
	first, last, ok2 := strings.Cut(span, ", ")
	start, err := strconv.ParseInt(first, 10, 64)
	end, err2 := strconv.ParseInt(last, 10, 64)
	if !ok || !ok2 || err != nil || err2 != nil || start > end || start < -model.MaxSum || end >= model.MaxSum {
		p.refuse(at, line, "is not a slice: expected [START, END] = %SIZE, where END is at least START")
		return
	}
	n, ok := p.constants[size]
	switch {
	case ok && (n < 0 || n > model.MaxSum):
		p.refuse(at, size, "is "+strconv.FormatInt(n, 10)+": a size must be from 0 to "+strconv.FormatInt(model.MaxSum, 10))
		return
	case !ok:
		p.pack.Dynamic++
		return
	case n == 0:
		return
	case !p.spend(at, line, sliceBytes):
		return
	}
	_, result, _ := strings.Cut(p.pack.Name, ":")
	result, _, _ = strings.Cut(result, " ")
	p.pack.Problem.Buffers = append(p.pack.Problem.Buffers, model.Buffer{
		ID: result + "#" + strconv.Itoa(p.slices), Lower: start, Upper: end + 1, Size: n, Alignment: Alignment,
	})
}

// finish ends a pack, which counts if it has any slice of a known size.
func (p *parser) finish() {
	pack := p.pack
	p.pack = nil
	if len(pack.Problem.Buffers) == 0 {
		return
	}
	pack.Problem.Buffers = slices.Clip(pack.Problem.Buffers)
	where := model.Issue{File: p.text.File, Line: p.opened}
	p.err = model.ValidateAs(pack.Problem, model.Terms{Inclusive: true, Where: func(int) model.Issue { return where }})
	if p.err == nil {
		p.packs = append(p.packs, *pack)
	}
}
