package harness

import (
	"context"
	"fmt"
	"hash/fnv"
	"math/rand/v2"

	"github.com/stowage-go/stowage/internal/distance"
	"github.com/stowage-go/stowage/internal/testkit/kernelcase"
)

// A Row is the table against what was measured, on one path of one machine.
type Row struct {
	Path    string
	Shapes  int      // that the library took
	Refused int      // of these, by the table: no overlap is permitted
	Below   []string // cases whose distance in the table is below the measured one, or whose results differ at the table's
	Exact   int      // permitted cases whose distance is the measured one
	Mean    float64  // bytes by which the table is above, of permitted cases
	Most    int64
	Loose   string // the case of Most

	// Tight is the number of permitted cases whose result is wrong a byte below the measured distance with some set of
	// data; Tried is the number of permitted cases if that was tried.
	Tight, Tried int
	// Outside is the number of cases in which the kernel reads outside of its operand.
	Outside int
	Cases   []Compared
}

// A Compared is a case with the table's answer and the measured one.
type Compared struct {
	Case     kernelcase.Case
	Table    *int64 // nil if nothing is permitted
	Refused  string
	Measured *int64 // nil if nothing is read after a write
}

// Table returns what a library permits for a case, or nil and the reason.
func Table(l distance.Library, c kernelcase.Case) (*int64, string) {
	permits, refused := distance.Of(l, c.Operator())
	for _, p := range permits {
		if p.Operand == c.Measured() {
			return &p.Distance, ""
		}
	}
	if refused == "" {
		refused = c.Kind + ": that operand is not permitted"
	}
	return nil, refused
}

// Compare draws shapes on a path until the library has taken so many, and compares the table with them. The draw
// depends on the path's name and the seed. Results are compared with as many sets of data as are asked for.
func Compare(ctx context.Context, p *Program, l distance.Library, path Path, shapes, sets int,
	seed uint64,
) (Row, error) {
	row := Row{Path: path.Name}
	h := fnv.New64a()
	h.Write([]byte(path.Name))
	r := rand.New(rand.NewPCG(seed, h.Sum64()))
	var cases []kernelcase.Case
	var first []Measured
	seen := map[string]bool{}
	for tries := 0; len(cases) < shapes && tries < 8; tries++ {
		var drawn []kernelcase.Case
		for range shapes - len(cases) {
			if c := path.Draw(r); !seen[c.String()] {
				seen[c.String()] = true
				drawn = append(drawn, c)
			}
		}
		got, err := p.Run(ctx, drawn, Options{Sets: sets, Sweep: !p.machine.Traced()})
		if err != nil {
			return row, err
		}
		for i, m := range got {
			if m.Status == 0 {
				cases, first = append(cases, drawn[i]), append(first, m)
			}
		}
	}
	distances := make([][]int64, len(cases))
	for i, c := range cases {
		operand, result := c.Bytes()
		m := &first[i]
		one := Compared{Case: c, Measured: m.Traced}
		if m.Swept != nil {
			one.Measured = m.Swept
		}
		one.Table, one.Refused = Table(l, c)
		row.Cases = append(row.Cases, one)
		row.Shapes++
		if outside, wrote := m.Outside(c); wrote {
			return row, fmt.Errorf("%s writes outside of its result", c)
		} else if outside {
			row.Outside++
		}
		if one.Table == nil {
			row.Refused++
			continue
		}
		distances[i] = []int64{*one.Table, min(*one.Table+1, int64(result)), min(*one.Table+16, int64(result))}
		if one.Measured != nil && *one.Measured > -int64(operand) {
			distances[i] = append(distances[i], *one.Measured-1)
		}
	}
	got, err := p.Run(ctx, cases, Options{Sets: sets, Distances: distances})
	if err != nil {
		return row, err
	}
	var sum float64
	permitted := 0
	for i, one := range row.Cases {
		if one.Table == nil {
			continue
		}
		permitted++
		operand, _ := one.Case.Bytes()
		least := -int64(operand)
		if one.Measured != nil {
			least = max(least, *one.Measured)
		}
		above := *one.Table - least
		for k := range 3 {
			if got[i].Right[k] != sets {
				row.Below = append(row.Below,
					fmt.Sprintf("%s: wrong at %d, the table has %d", one.Case, distances[i][k], *one.Table))
			}
		}
		if above < 0 {
			row.Below = append(row.Below, fmt.Sprintf("%s: measured %d, the table has %d", one.Case, least, *one.Table))
		}
		if len(got[i].Right) > 3 {
			if row.Tried++; got[i].Right[3] < sets {
				row.Tight++
			}
		}
		if above == 0 {
			row.Exact++
		}
		if sum += float64(above); above > row.Most {
			row.Most, row.Loose = above, one.Case.String()
		}
	}
	row.Mean = sum / float64(max(permitted, 1))
	return row, nil
}
