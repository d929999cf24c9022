package viewdata

import (
	"fmt"

	"github.com/stowage-go/stowage/internal/poolview"
	"github.com/stowage-go/stowage/internal/verify"
	"github.com/stowage-go/stowage/model"
)

// A plan of a problem with rules goes into a page as a plain one: its pools lie one above the other
// (internal/poolview). The page also gets the places of the lanes, the lane of each buffer, and the pairs in rules.

// laneMeta is a lane as the page has it.
type laneMeta struct {
	Name     string     `json:"name"` // of the pool; empty if it has none
	Base     int64      `json:"base"`
	Room     int64      `json:"room"`
	Height   int64      `json:"height"`
	Capacity int64      `json:"capacity,omitempty"`
	Cost     int64      `json:"cost,omitempty"`
	Reserved [][2]int64 `json:"reserved,omitempty"`
	Borders  []int64    `json:"borders,omitempty"`
}

// sayingMeta is what rules make of a buffer.
type sayingMeta struct {
	Buffer int    `json:"buffer"`
	Name   string `json:"name"`
	Text   string `json:"text"`
}

// measureMeta is a measure of the objective.
type measureMeta struct {
	Name  string `json:"name"`
	Value int64  `json:"value"`
}

// plan returns the plan of the document, which claims no height.
func (d *Doc) plan() *model.Plan {
	return &model.Plan{Offsets: d.Offsets, Pools: d.Pools, Parts: d.Parts, Height: -1}
}

// drawn returns a document with rules as a plain one, and its lanes, nil without rules. A document without a plan has
// no lanes.
func (d *Doc) drawn() (*Doc, *poolview.Drawing, error) {
	if !d.Problem.Ruled() || d.Offsets == nil {
		return d, nil, nil
	}
	of, err := poolview.Of(d.Problem, d.plan())
	if err != nil {
		return nil, nil, err
	}
	plain := *d
	plain.Problem, plain.Offsets, plain.Capacity = of.Problem, of.Offsets, 0
	plain.Steps, plain.Moves, plain.MovesTold = nil, nil, 0 // they have offsets alone
	first := func(all []int) ([]int, error) {
		var out []int
		for _, i := range all {
			if i < 0 || i >= len(of.First) {
				return nil, fmt.Errorf("buffer %d at fault does not exist: there are %d", i, len(of.First))
			}
			if of.First[i] >= 0 {
				out = append(out, of.First[i])
			}
		}
		return out, nil
	}
	if plain.Conflict, err = first(d.Conflict); err != nil {
		return nil, nil, err
	}
	if plain.Broken, err = first(d.Broken); err != nil {
		return nil, nil, err
	}
	plain.Pairs = nil
	for _, pair := range d.Pairs {
		if a, b := of.First[pair[0]], of.First[pair[1]]; a >= 0 && b >= 0 {
			plain.Pairs = append(plain.Pairs, [2]int{a, b})
		}
	}
	return &plain, of, nil
}

// lanes appends what a page has of the rules of a problem.
func (p *packer) lanes(d *Doc, of *poolview.Drawing) {
	if of == nil {
		return
	}
	for _, l := range of.Lanes {
		m := laneMeta{
			Name: l.Pool.ID, Base: l.Base, Room: l.Room, Height: l.Height, Capacity: l.Pool.Capacity, Cost: l.Pool.Cost,
			Borders: l.Pool.Borders,
		}
		for _, r := range l.Pool.Reserved {
			m.Reserved = append(m.Reserved, [2]int64{r.Lower, r.Upper})
		}
		p.meta.Lanes = append(p.meta.Lanes, m)
	}
	for _, x := range of.Said {
		p.meta.Said = append(p.meta.Said, sayingMeta(x))
	}
	measures := verify.MeasuresOf(d.Problem, d.plan())
	for _, m := range d.Problem.Objective() {
		p.meta.Measures = append(p.meta.Measures, measureMeta{string(m), model.ValueOf(measures, m)})
	}
	p.begin("lane", len(of.Lane))
	for _, k := range of.Lane {
		p.unsigned(int64(k))
	}
	p.begin("links", 4*len(of.Links))
	for _, l := range of.Links {
		p.unsigned(int64(l.A))
		p.unsigned(int64(l.B))
		kind := int64(l.Kind)
		if l.Paid {
			kind = int64(poolview.Penalty) + 1
		}
		p.unsigned(kind)
		p.unsigned(l.Cost)
	}
}
