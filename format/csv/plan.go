package csv

import (
	"io"
	"strconv"

	"github.com/stowage-go/stowage/format/internal/source"
	"github.com/stowage-go/stowage/model"
)

// ReadPlan reads a plan of p from a file with the columns id and offset. Its rows may be
// in any order: they are matched to the buffers of p by their IDs. Without a column id,
// rows are numbered from 0. Other columns are ignored. The offsets are in bytes, in the
// order of p.Buffers.
//
// The error is a *model.InputError for rows with an unknown ID, duplicate IDs, offsets
// that are missing, negative or above model.MaxSum, and buffers without a row. ReadPlan
// does not check whether the plan is valid; stowage.Verify does.
func ReadPlan(r io.Reader, file string, p *model.Problem) ([]int64, error) {
	t, err := open(r, file, []column{offset}, false)
	if err != nil {
		return nil, err
	}
	if !t.head.complete {
		return nil, t.issues.Err()
	}
	index := make(map[string]int32, len(p.Buffers))
	for i := range p.Buffers {
		index[p.Buffers[i].ID] = int32(i)
	}
	offsets := make([]int64, len(p.Buffers))
	lines := make([]int32, len(p.Buffers)) // where each buffer's row is; 0 for not seen
	lost := false                          // some row could not be read, not even its ID
	for row := 0; t.next(); row++ {
		sound := t.sound()
		name := t.name(row)
		i, ok := index[name]
		switch {
		case !sound && !ok:
			lost = true
			continue
		case !ok && name == "":
			t.refuse(id, "", "is empty")
			continue
		case !ok:
			t.refuse(id, name, "is not a buffer of the problem")
			continue
		case lines[i] > 0:
			t.refuse(id, name, "is a duplicate: line "+strconv.Itoa(int(lines[i]))+" has the same")
			continue
		}
		lines[i] = int32(t.scan.line)
		if !sound {
			continue
		}
		v, none, fault := parseOffset(t.field(offset))
		switch {
		case none:
			t.refuse(offset, t.field(offset), "is missing: a plan has one for each buffer")
		case fault != "":
			t.refuse(offset, t.field(offset), fault)
		case v > model.MaxSum:
			t.refuse(offset, t.field(offset), "must be at most "+strconv.Itoa(model.MaxSum))
		}
		offsets[i] = v
	}
	if !lost {
		for i, line := range lines {
			if line == 0 {
				t.issues.Add(model.Issue{File: file, Buffer: source.Clip(p.Buffers[i].ID), Message: "has no row in the plan"})
			}
		}
	}
	if err := t.issues.Err(); err != nil {
		return nil, err
	}
	return offsets, nil
}
