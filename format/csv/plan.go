package csv

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/stowage-go/stowage/format/internal/source"
	"github.com/stowage-go/stowage/model"
)

// ReadPlan reads a plan of p from a file with the columns id and offset, and pool if p has several pools. Its rows may
// be in any order: they are matched to the buffers of p by their IDs. Without a column id, rows are numbered from 0.
// Other columns are ignored. The plan is in the order of p.Buffers, with its height.
//
// The error is a *model.InputError for rows with an unknown ID, duplicate IDs, offsets
// that are missing (but for alternatives that are not chosen), negative or above model.MaxSum, unknown pools, and buffers without a row.
// ReadPlan does not check whether the plan is valid; stowage.VerifyPlan does.
func ReadPlan(r io.Reader, file string, p *model.Problem) (*model.Plan, error) {
	t, err := open(r, file, []column{offset}, false, "")
	if err != nil {
		return nil, err
	}
	if !t.head.complete {
		return nil, t.issues.Err()
	}
	pools, err := t.pools(p)
	if err != nil {
		return nil, err
	}
	index := make(map[string]int32, len(p.Buffers))
	for i := range p.Buffers {
		index[p.Buffers[i].ID] = int32(i)
	}
	offsets, lacks := make([]int64, len(p.Buffers)), p.MayLack()
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
		if none && lacks[i] {
			offsets[i] = model.Absent
			pools.absent(i)
			continue
		}
		switch {
		case none:
			t.refuse(offset, t.field(offset), "is missing: a plan has one for each buffer")
		case fault != "":
			t.refuse(offset, t.field(offset), fault)
		case v > model.MaxSum:
			t.refuse(offset, t.field(offset), "must be at most "+strconv.Itoa(model.MaxSum))
		}
		offsets[i] = v
		pools.read(t, i)
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
	return source.Pooled(p, offsets, pools.of), nil
}

// poolName is the column of a plan that has the pool of each buffer, by its ID. It is no column of a problem, whose
// pools are not for CSV.
const poolName = "pool"

// A pooled reads the column of the pools.
type pooled struct {
	field int              // of a row; -1 if nothing is to be read
	index map[string]int32 // of the pools of the problem
	of    []int32          // of each buffer; nil if nothing is to be read
}

// pools finds the column of the pools. One pool goes without saying.
func (t *table) pools(p *model.Problem) (*pooled, error) {
	all := p.AllPools()
	if len(all) < 2 {
		return &pooled{field: -1}, nil
	}
	c := &pooled{index: make(map[string]int32, len(all)), of: make([]int32, len(p.Buffers))}
	for k := range all {
		c.index[all[k].ID] = int32(k)
	}
	c.field = slices.IndexFunc(t.head.names, func(name string) bool { return strings.EqualFold(name, poolName) })
	if c.field < 0 {
		t.issues.Add(model.Issue{
			File: t.file, Line: 1, Field: "header", Message: "the column pool is missing: the problem has several pools",
		})
		return nil, t.issues.Err()
	}
	return c, nil
}

// absent notes that buffer i is not chosen.
func (c *pooled) absent(i int32) {
	if c.of != nil {
		c.of[i] = model.Absent
	}
}

// read reads the pool of buffer i from the current row.
func (c *pooled) read(t *table, i int32) {
	if c.field < 0 {
		return
	}
	name := t.scan.fields[c.field]
	pool, ok := c.index[name]
	if !ok {
		t.issues.Add(model.Issue{
			File: t.file, Line: t.scan.line, Buffer: source.Clip(t.field(id)), Field: poolName, Value: source.Clip(name),
			Message: "is not a pool of the problem",
		})
	}
	c.of[i] = pool
}

// WritePlan writes a plan of a problem as the columns id, lower, upper, size, pool and offset. ReadPlan reads it again,
// with the problem. The column pool is there if the problem has several pools. Alternatives that are not chosen have neither. No rules but clocks are written: others
// are for JSON.
//
// The error is w's, or says that the plan does not match the buffers, takes evictions, which the columns have no room
// for, or has an ID that CSV cannot express. In all cases but the first nothing is written.
func WritePlan(w io.Writer, p *model.Problem, plan *model.Plan) error {
	if err := names(p); err != nil {
		return err
	}
	pools := p.AllPools()
	switch {
	case len(plan.Parts) > 0:
		return errors.New("csv: the plan takes evictions, which are for JSON")
	case len(pools) > 1 && len(plan.Pools) != len(p.Buffers):
		return fmt.Errorf("csv: %d pools for %d buffers", len(plan.Pools), len(p.Buffers))
	}
	o := WriteOptions{}
	if len(pools) > 1 {
		o.Header = Header{columnNames[id][0], columnNames[lower][0], columnNames[upper][0], columnNames[size][0], poolName}
		in := make([]string, len(p.Buffers))
		for i, k := range plan.Pools {
			if k == model.Absent && plan.Offsets[i] == model.Absent {
				continue
			}
			if k < 0 || int(k) >= len(pools) {
				return fmt.Errorf("csv: buffer %s is in pool %d of %d", p.Buffers[i].ID, k, len(pools))
			}
			in[i] = pools[k].ID
		}
		o.Extra = &Extra{Columns: [][]string{in}}
	}
	return writeRows(w, p, plan.Offsets, o)
}

// WritablePlan returns an error if WritePlan may refuse plans of p: p has evictions, or IDs that CSV cannot express.
// Without rules it is Writable.
func WritablePlan(p *model.Problem) error {
	if p.Ruled() {
		for i := range p.Buffers {
			if b := &p.Buffers[i]; b.MayLeave() {
				return fmt.Errorf("csv: buffer %q has evictions, which the columns have no room for", b.ID)
			}
		}
	}
	return names(p)
}
