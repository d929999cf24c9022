package dsa

import "github.com/stowage-go/stowage/model"

// Idea: the cost model has penalties of pairs, and the objective says which measures count, in which order. A
// capacity always holds here, so the term capacity_overflow asks for nothing.
//
// Complexity: O(penalties).

// readCosts reads a key of the cost model.
func (d *reader) readCosts(key string, at int64) error {
	if key != "reuse_penalties" {
		return d.unknown(key, at)
	}
	return d.readPairs(key, &d.paid)
}

// readObjective reads the objective, whose key stands at a byte of the text.
func (d *reader) readObjective(at int64) error {
	d.termsAt = at
	var o struct {
		Aggregation string
		Terms       []string
	}
	if err := d.dec.Decode(&o); err != nil {
		return err
	}
	if d.terms = o.Terms; o.Aggregation != "lexicographic" {
		d.refuse(at, "objective.aggregation", o.Aggregation, "must be lexicographic")
	}
	return nil
}

// makePenalties makes the penalties of the problem.
func (d *reader) makePenalties() {
	for k := range d.paid {
		x := &d.paid[k]
		if x.Cost == nil {
			d.refuse(x.at, "reuse_penalties.cost", "", "the key is missing")
			continue
		}
		r := d.problem.Rules
		r.Penalties = append(r.Penalties, model.Penalty{Buffers: d.pairOf(x, "reuse_penalties"), Cost: *x.Cost})
	}
}

func (d *reader) objective() {
	for _, term := range d.terms {
		switch term {
		case "total_peak":
			d.problem.Rules.Objective = append(d.problem.Rules.Objective, model.MeasurePeak)
		case "max_peak":
			d.problem.Rules.Objective = append(d.problem.Rules.Objective, model.MeasureMaxPeak)
		case "reuse_cost":
			d.problem.Rules.Objective = append(d.problem.Rules.Objective, model.MeasurePenalty)
		case "capacity_overflow", "bank_cost":
		default:
			d.refuse(d.termsAt, "objective.terms", term, "is not known")
		}
	}
}
