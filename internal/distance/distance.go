package distance

import "fmt"

// A Permit lets a result of an operator overlap one of its operands.
type Permit struct {
	Operand, Result int // places in Operator.Operands and Operator.Results

	// Distance is in bytes: offset(operand) − offset(result) ≥ Distance is safe. It is the least such
	// number that follows from the order of the kernel's loops. It is below the result's bytes, and not below
	// minus the operand's, where the two are apart.
	Distance int64

	// Equal: the two may only lie at one offset, or apart. Distance is 0.
	Equal bool
}

// Of returns what the kernels of a library permit for an operator: at most one permit for each pair of an
// operand and a result. Each permit is for itself, and all of them hold together: a result may lie over
// two operands, if it keeps both distances. A tensor that is an operand twice has to keep the distances of
// both places. Results never overlap each other.
//
// If nothing is permitted, refused says why, and begins with the kind of the operator. An operator that is
// not known, or not in every detail, is refused.
func Of(l Library, op *Operator) (permits []Permit, refused string) {
	table := rules(l)
	if table == nil {
		return nil, fmt.Sprintf("%s: the order of %s is not known", op.Kind, l)
	}
	r, ok := table[op.Kind]
	if !ok {
		return nil, fmt.Sprintf("%s: the order of its kernel in %s is not known", op.Kind, l)
	}
	if why := op.check(); why != "" {
		return nil, op.Kind + ": " + why
	}
	all, refused := r(op)
	if refused != "" {
		return nil, op.Kind + ": " + refused
	}
	arena := false // an operand is there
	for _, p := range all {
		x, y := &op.Operands[p.Operand], &op.Results[p.Result]
		if x.Constant || !x.given() {
			continue
		}
		arena = true
		if why := punned(x.Type, y.Type); why != "" && !p.Equal {
			refused = op.Kind + ": " + why
			continue
		}
		if !p.Equal {
			if p.Distance >= y.bytes() {
				continue
			}
			p.Distance = max(p.Distance, -x.bytes())
		}
		permits = append(permits, p)
	}
	switch {
	case len(permits) > 0:
		return permits, ""
	case !arena:
		refused = op.Kind + ": it has no operand in the arena that its result may lie over"
	case refused == "":
		refused = op.Kind + ": its result has to be apart from its operands"
	}
	return nil, refused
}

// check returns what is wrong with an operator, in words.
func (op *Operator) check() string {
	if len(op.Results) == 0 {
		return "it has no result"
	}
	for i := range op.Operands {
		if t := &op.Operands[i]; t.given() && t.Elements() < 0 || t.Type.Bytes < 0 {
			return fmt.Sprintf("operand %d has shape %v", i, t.Shape)
		} else if t.given() && !t.Constant && t.Type.Bytes == 0 {
			return fmt.Sprintf("operand %d has elements of type %s, whose size is not known", i, t.Type.Name)
		}
	}
	for i := range op.Results {
		t := &op.Results[i]
		if t.Elements() < 0 || t.Type.Bytes < 0 {
			return fmt.Sprintf("result %d has shape %v", i, t.Shape)
		}
		if t.Type.Bytes == 0 {
			return fmt.Sprintf("result %d has elements of type %s, whose size is not known", i, t.Type.Name)
		}
	}
	return ""
}

// punned says why objects of two types may not overlap: a compiler of C++ may then exchange a
// read of one and a write of the other, unless one of the two is of characters.
func punned(a, b Type) string {
	if a.Name == b.Name || character(a) || character(b) {
		return ""
	}
	return fmt.Sprintf("a compiler may assume that %s and %s never overlap", a.Name, b.Name)
}

// character reports whether GCC and Clang let a type overlap with every other: they do so for signed char, which the
// C++ standard leaves out.
func character(t Type) bool { return t.Name == "INT8" || t.Name == "UINT8" }
