package tflite

import (
	"bufio"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"sync"

	"github.com/stowage-go/stowage/model"
)

// Idea: only the target knows what its kernels ask for beside tensors. Two kinds of logs are found in a device's
// output: from the planner that stowage_probe.h puts under the runtime, and from a runtime built with
// TF_LITE_SHOW_MEMORY_USE. Both list the requests to the planner: tensors of the arena first, in the runtime's order,
// then scratch.
//
// Source: tensorflow/tflite-micro 90b983c: micro_allocator.cc for the order,
// GreedyMemoryPlanner::PrintMemoryPlan for its line.

// A Request is one buffer that the runtime requested from its planner.
type Request struct {
	Size        int64 // in bytes, rounded by the runtime
	First, Last int32 // first and last tick of use
	Line        int   // line number in the log, from 1
}

var (
	probeLine = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`stowage: (\d+),(-?\d+),(-?\d+),(\d+),`) })
	usageLine = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`\(id=(\d+)\): size=(\d+), offset=-?\d+, first_used=(-?\d+) last_used=(-?\d+)`)
	})
)

// ReadLog reads the requests in a log of the runtime; file is its name in messages. If
// the log has several runs, the last one counts. The error is r's, or a
// *model.InputError if a request is missing or out of range, or if there are none.
func ReadLog(r io.Reader, file string) ([]Request, error) {
	var out []Request
	var issues model.Issues
	s := bufio.NewScanner(r)
	s.Buffer(nil, 1<<20)
	for line := 1; s.Scan(); line++ {
		var id, size, first, last string
		if m := probeLine().FindStringSubmatch(s.Text()); m != nil {
			id, first, last, size = m[1], m[2], m[3], m[4]
		} else if m := usageLine().FindStringSubmatch(s.Text()); m != nil {
			id, size, first, last = m[1], m[2], m[3], m[4]
		} else {
			continue
		}
		q := Request{Line: line}
		n, err := strconv.Atoi(id)
		ok := err == nil
		if q.Size, err = strconv.ParseInt(size, 10, 32); err != nil {
			ok = false
		}
		for _, x := range []struct {
			text string
			to   *int32
		}{{first, &q.First}, {last, &q.Last}} {
			v, err := strconv.ParseInt(x.text, 10, 32)
			if *x.to = int32(v); err != nil || v < -1 {
				ok = false
			}
		}
		switch {
		case !ok || q.First > q.Last && q.First >= 0:
			issues.Add(model.Issue{File: file, Line: line, Value: s.Text(), Message: "is not a request of the runtime"})
			continue
		case n == 0:
			out = out[:0]
		case n != len(out):
			issues.Add(model.Issue{
				File: file, Line: line, Field: "id", Value: id,
				Message: "the request before it has " + strconv.Itoa(len(out)-1) + ": lines are missing",
			})
			continue
		}
		out = append(out, q)
	}
	if err := s.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if len(out) == 0 && issues.Err() == nil {
		issues.Add(model.Issue{File: file, Message: "has no line of stowage_probe.h or of TF_LITE_SHOW_MEMORY_USE"})
	}
	return out, issues.Err()
}

// ScratchOf returns the scratch buffers among the requests of a runtime for this model. These are the requests that
// follow the tensors; the ticks tell the operator of each. file is the log's name in messages. The error is a
// *model.InputError if the requests belong to another model.
func (m *Model) ScratchOf(requests []Request, l *Lifetimes, file string) ([]Scratch, error) {
	refuse := func(line int, message string) error {
		return model.Issue{File: file, Line: line, Message: message + ": the log is not of " + m.File}.Err()
	}
	at := 0
	for i := range m.Tensors {
		t := &m.Tensors[i]
		if !t.Arena() {
			continue
		}
		if at == len(requests) {
			return nil, refuse(requests[at-1].Line, fmt.Sprintf("ends before %s", m.Label(i)))
		}
		q := requests[at]
		if q.Size != RoundUp(t.Bytes) || q.First != l.Tensors[i].First || q.Last != l.Tensors[i].Last {
			return nil, refuse(q.Line, fmt.Sprintf("has %d bytes at ticks %d to %d where %s has %d at %d to %d",
				q.Size, q.First, q.Last, m.Label(i), RoundUp(t.Bytes), l.Tensors[i].First, l.Tensors[i].Last))
		}
		at++
	}
	byTick := make(map[Lifespan]int, len(l.Operators))
	for k := len(l.Operators) - 1; k >= 0; k-- {
		byTick[l.Operators[k]] = k
	}
	var out []Scratch
	for _, q := range requests[at:] {
		o, ok := byTick[Lifespan{q.First, q.Last}]
		if !ok {
			return nil, refuse(q.Line, fmt.Sprintf("has scratch at ticks %d to %d, where no operator runs", q.First, q.Last))
		}
		out = append(out, Scratch{Operator: o, Bytes: q.Size})
	}
	return out, nil
}
