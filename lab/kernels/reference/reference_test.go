package reference_test

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/stowage-go/stowage/internal/distance"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/operators"
	"github.com/stowage-go/stowage/lab/kernels/reference"
)

var (
	draws   = flag.Int("draws", 500, "operators of each kind")
	traced  = flag.Bool("traced", false, "only record accesses, so that the kernels are compiled once")
	results = flag.String("results", "", "write a table of what was found to this file")
)

// build returns a program, or skips the test if sources or compiler are not there.
func build(t *testing.T, program string) string {
	t.Helper()
	folder := cmp.Or(os.Getenv(reference.Cache), t.TempDir())
	path, err := reference.Build(t.Context(), "driver", folder, program)
	if errors.Is(err, reference.ErrAbsent) {
		t.Skipf("not checked against the kernels: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// A tally is what was found for one kind of operator.
type tally struct {
	kind                    string
	operators, refused      int // drawn, and refused by the kernel
	pairs, permitted, exact int // of an operand in the arena and a result
	below                   int // violations
	above, most             int64
	tried, tight, wrong     int // permits that were tried over bytes; those where one element less differs
	looseSum, looseMost     int64
	overlapping             int // pairs without a permit that a distance would have allowed
}

// TestKernels compares the table with the kernels themselves.
func TestKernels(t *testing.T) {
	recorder, over := build(t, reference.Traced), ""
	if !*traced {
		over = build(t, reference.Overlapped)
	}
	var all []tally
	for _, kind := range operators.Kinds() {
		t.Run(kind, func(t *testing.T) {
			n := tally{kind: kind, operators: *draws}
			r := rand.New(rand.NewPCG(23, 3))
			var ops []*distance.Operator
			var permits [][]distance.Permit
			for range *draws {
				op := operators.Draw(r, kind)
				own, _ := distance.Of(distance.Reference, op)
				ops, permits = append(ops, op), append(permits, own)
			}
			answers := must.Get(reference.Ask(t.Context(), recorder, ops, permits))(t)
			for i, op := range ops {
				if answers[i] == nil {
					n.refused++
					continue
				}
				n.trace(t, op, permits[i], answers[i])
			}
			if over != "" {
				tried := must.Get(reference.Ask(t.Context(), over, ops, permits))(t)
				for i, op := range ops {
					for _, a := range tried[i] {
						n.overlap(t, op, permits[i], a)
					}
				}
			}
			if n.refused > *draws/5 {
				t.Errorf("the kernel refuses %d of %d", n.refused, *draws)
			}
			all = append(all, n)
		})
	}
	if *results != "" {
		must.Do(t, os.WriteFile(*results, []byte(page(all)), 0o666))
	}
}

// trace compares permits with the distances that were recorded.
func (n *tally) trace(t *testing.T, op *distance.Operator, permits []distance.Permit, answers []reference.Answer) {
	t.Helper()
	for _, a := range answers {
		x, y := &op.Operands[a.Operand], &op.Results[a.Result]
		least := max(a.Value, -x.Elements()*int64(x.Type.Bytes))
		n.pairs++
		found := false
		for _, p := range permits {
			if p.Operand != a.Operand || p.Result != a.Result {
				continue
			}
			found = true
			n.permitted++
			if p.Equal {
				continue // no distance
			}
			switch over := p.Distance - least; {
			case over < 0:
				n.below++
				t.Errorf("%+v: the table has %d, the kernel needs %d", op, p.Distance, least)
			case over == 0:
				n.exact++
			default:
				n.above += over
				n.most = max(n.most, over)
			}
		}
		if !found && least < y.Elements()*int64(y.Type.Bytes) {
			n.overlapping++
		}
	}
}

// overlap counts what was found when a result lay over an operand.
func (n *tally) overlap(t *testing.T, op *distance.Operator, permits []distance.Permit, a reference.Answer) {
	t.Helper()
	const refused, differs = -1, -2
	switch a.Value {
	case refused:
		return
	case differs:
		n.wrong++
		t.Errorf("%+v: bytes differ with operand %d at %+v", op, a.Operand, permits)
	case 0:
		n.tight++
	default:
		n.looseSum += a.Value
		n.looseMost = max(n.looseMost, a.Value)
	}
	n.tried++
}

// page is the table as a document.
func page(all []tally) string {
	var b strings.Builder
	repository, revision := distance.Reference.Source()
	fmt.Fprintf(&b, "# Distances of the reference kernels, against the kernels themselves\n\n"+
		"Kernels: %s at %s, compiled by g++ for this machine.\n", repository, revision)
	b.WriteString(legend)
	total := tally{kind: "all"}
	for _, n := range all {
		n.row(&b)
		total.add(n)
	}
	total.row(&b)
	return b.String()
}

const legend = "Written by `go test ./lab/kernels/reference -run TestKernels -results FILE`.\n\n" +
	"- *drawn*: random operators; *refused*: of these, by the kernel's own checks.\n" +
	"- *pairs*: an operand in the arena and a result; *permitted*: by the table.\n" +
	"- *exact*: the table has the distance that the recorded accesses have; *above*: by how many bytes it is more,\n" +
	"  on average and at most; *below*: how often it is less.\n" +
	"- *free*: pairs without a permit that a distance below the result's size would allow.\n" +
	"- *overlapped*: permits with which a result was laid over an operand, at the distance and above;\n" +
	"  *differ*: of these, with other bytes than apart; *tight*: bytes differ one element closer;\n" +
	"  *unseen*: bytes closer until they differ, on average and at most (64 elements are tried).\n" +
	"  memcpy happens to be right closer than it promises; RESHAPE and SQUEEZE have no distance, only one offset.\n\n" +
	"| operator | drawn | refused | pairs | permitted | exact | above | below | free | overlapped | differ | tight | unseen |\n" +
	"|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n"

// row writes a line of the table.
func (n *tally) row(w io.Writer) {
	mean := func(total int64, n int) float64 { return float64(total) / float64(max(n, 1)) }
	fmt.Fprintf(w, "| %s | %d | %d | %d | %d | %d | %.1f, %d | %d | %d | %d | %d | %d | %.1f, %d |\n",
		n.kind, n.operators, n.refused, n.pairs, n.permitted, n.exact, mean(n.above, n.permitted), n.most, n.below,
		n.overlapping, n.tried, n.wrong, n.tight, mean(n.looseSum, n.tried), n.looseMost)
}

// add adds another tally.
func (n *tally) add(o tally) {
	n.operators, n.refused, n.pairs = n.operators+o.operators, n.refused+o.refused, n.pairs+o.pairs
	n.permitted, n.exact, n.below = n.permitted+o.permitted, n.exact+o.exact, n.below+o.below
	n.above, n.most, n.overlapping = n.above+o.above, max(n.most, o.most), n.overlapping+o.overlapping
	n.tried, n.wrong, n.tight = n.tried+o.tried, n.wrong+o.wrong, n.tight+o.tight
	n.looseSum, n.looseMost = n.looseSum+o.looseSum, max(n.looseMost, o.looseMost)
}
