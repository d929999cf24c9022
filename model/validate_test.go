package model_test

import (
	"errors"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stowage-go/stowage/model"
)

// far is the end of what Validate takes.
const far = model.MaxSum

func at(x int64) *int64 { return &x }

func gap(lower, upper int64) model.Gap { return model.Gap{Lower: lower, Upper: upper} }

func windowed(lower, upper, from, to int64) model.Gap {
	return model.Gap{Lower: lower, Upper: upper, Window: &model.Window{Lower: from, Upper: to}}
}

// TestMessages has a problem for each rule that Validate knows.
func TestMessages(t *testing.T) {
	// one is a problem of a valid buffer, changed.
	one := func(change func(b *model.Buffer)) *model.Problem {
		b := model.Buffer{ID: "b", Lower: 2, Upper: 8, Size: 16}
		change(&b)
		return &model.Problem{Capacity: 100, Buffers: []model.Buffer{b}}
	}
	most := strconv.FormatInt(far, 10)
	for _, tc := range []struct {
		name string
		p    *model.Problem
		want []string
	}{
		{"valid", one(func(*model.Buffer) {}), nil},
		{"empty", &model.Problem{}, nil},
		{"capacity under 0", &model.Problem{Capacity: -1}, []string{
			`capacity "-1": must be from 1 to ` + most + `, or 0 for none`,
		}},
		{"capacity too large", &model.Problem{Capacity: far + 1}, []string{
			`capacity "` + strconv.FormatInt(far+1, 10) + `": must be from 1 to ` + most + `, or 0 for none`,
		}},
		{"capacity at the end", &model.Problem{Capacity: far}, nil},
		{"id", one(func(b *model.Buffer) { b.ID = "" }), []string{`buffer number 1: id: is empty`}},
		{
			"duplicate", &model.Problem{
				Buffers: []model.Buffer{
					{ID: "a", Upper: 1, Size: 1},
					{ID: "b", Upper: 1, Size: 1},
					{ID: "a", Upper: 1, Size: 1},
					{ID: "a", Upper: 1, Size: 1},
				},
			},
			[]string{
				`buffer a: id "a": is a duplicate: the buffer at index 0 has the same`,
				`buffer a: id "a": is a duplicate: the buffer at index 0 has the same`,
			},
		},
		{"empty lifespan", one(func(b *model.Buffer) { b.Upper = 2 }), []string{
			`buffer b: upper "2": the lifespan is empty: lower is also 2`,
		}},
		{"reversed lifespan", one(func(b *model.Buffer) { b.Upper = 1 }), []string{
			`buffer b: upper "1": the lifespan ends before it starts: lower is 2`,
		}},
		{"reversed at the extremes", one(func(b *model.Buffer) { b.Lower, b.Upper = math.MaxInt64, math.MinInt64 }), []string{
			`buffer b: upper "-9223372036854775808": the lifespan ends before it starts: lower is 9223372036854775807`,
		}},
		{"lower too small", one(func(b *model.Buffer) { b.Lower = -far - 1 }), []string{
			`buffer b: lower "-2305843009213693952": must be at least -` + most,
		}},
		{"upper too large", one(func(b *model.Buffer) { b.Upper = far + 1 }), []string{
			`buffer b: upper "2305843009213693952": must be at most ` + most,
		}},
		{"all of time", one(func(b *model.Buffer) { b.Lower, b.Upper = -far, far }), nil},
		{"size 0", one(func(b *model.Buffer) { b.Size = 0 }), []string{`buffer b: size "0": must be from 1 to ` + most}},
		{"size too large", one(func(b *model.Buffer) { b.Size = math.MaxInt64 }), []string{
			`buffer b: size "9223372036854775807": must be from 1 to ` + most,
		}},
		{"size at the end", one(func(b *model.Buffer) { b.Size = far }), nil},
		{"alignment under 0", one(func(b *model.Buffer) { b.Alignment = -4 }), []string{
			`buffer b: alignment "-4": must be from 0 to ` + most,
		}},
		{
			"alignment too large", one(func(b *model.Buffer) { b.Alignment = math.MaxInt64 }),
			[]string{
				`buffer b: alignment "9223372036854775807": must be from 0 to ` + most,
				`buffer b: size "16": makes the sum of the aligned sizes exceed ` + most,
			},
		},
		{"alignment 0 and 1", &model.Problem{
			Buffers: []model.Buffer{{ID: "a", Upper: 1, Size: 3}, {ID: "b", Upper: 1, Size: 3, Alignment: 1, Fixed: at(7)}},
		}, nil},
		{"gap empty", one(func(b *model.Buffer) { b.Gaps = []model.Gap{gap(4, 4)} }), []string{
			`buffer b: gaps "4-4": is empty or ends before it starts`,
		}},
		{"gap reversed", one(func(b *model.Buffer) { b.Gaps = []model.Gap{gap(5, 4)} }), []string{
			`buffer b: gaps "5-4": is empty or ends before it starts`,
		}},
		{"gap too early", one(func(b *model.Buffer) { b.Gaps = []model.Gap{gap(1, 4)} }), []string{
			`buffer b: gaps "1-4": lies outside the lifespan [2, 8)`,
		}},
		{"gap too late", one(func(b *model.Buffer) { b.Gaps = []model.Gap{gap(7, 9)} }), []string{
			`buffer b: gaps "7-9": lies outside the lifespan [2, 8)`,
		}},
		{"gap of all the lifespan", one(func(b *model.Buffer) { b.Gaps = []model.Gap{gap(2, 8)} }), nil},
		{"gaps that touch", one(func(b *model.Buffer) { b.Gaps = []model.Gap{gap(2, 4), gap(4, 8)} }), nil},
		{"gaps that overlap", one(func(b *model.Buffer) { b.Gaps = []model.Gap{gap(2, 5), gap(4, 8)} }), []string{
			`buffer b: gaps "4-8": must start at or after the end of the gap 2-5 before it`,
		}},
		{"gaps out of order", one(func(b *model.Buffer) { b.Gaps = []model.Gap{gap(6, 7), windowed(3, 4, 0, 1)} }), []string{
			`buffer b: gaps "3-4@0:1": must start at or after the end of the gap 6-7 before it`,
		}},
		{"window", one(func(b *model.Buffer) { b.Gaps = []model.Gap{windowed(3, 4, 0, 16)} }), nil},
		{"window below", one(func(b *model.Buffer) { b.Gaps = []model.Gap{windowed(3, 4, -1, 3)} }), []string{
			`buffer b: gaps "3-4@-1:3": the window must lie within the size of 16, and must not be empty`,
		}},
		{"window above", one(func(b *model.Buffer) { b.Gaps = []model.Gap{windowed(3, 4, 3, 17)} }), []string{
			`buffer b: gaps "3-4@3:17": the window must lie within the size of 16, and must not be empty`,
		}},
		{"window empty", one(func(b *model.Buffer) { b.Gaps = []model.Gap{windowed(3, 4, 3, 3)} }), []string{
			`buffer b: gaps "3-4@3:3": the window must lie within the size of 16, and must not be empty`,
		}},
		{
			"gap and window", one(func(b *model.Buffer) { b.Gaps = []model.Gap{windowed(1, 4, 5, 3)} }),
			[]string{
				`buffer b: gaps "1-4@5:3": lies outside the lifespan [2, 8)`,
				`buffer b: gaps "1-4@5:3": the window must lie within the size of 16, and must not be empty`,
			},
		},
		{"fixed under 0", one(func(b *model.Buffer) { b.Fixed = at(-1) }), []string{
			`buffer b: offset "-1": must be from 0 to ` + most,
		}},
		{"fixed too high", one(func(b *model.Buffer) { b.Fixed = at(math.MaxInt64) }), []string{
			`buffer b: offset "9223372036854775807": must be from 0 to ` + most,
		}},
		{"fixed and misaligned", one(func(b *model.Buffer) { b.Fixed, b.Alignment = at(6), 4 }), []string{
			`buffer b: offset "6": is not a multiple of the alignment 4`,
		}},
		{"fixed under the capacity", one(func(b *model.Buffer) { b.Fixed = at(84) }), nil},
		{"fixed over the capacity, which is no fault", one(func(b *model.Buffer) { b.Fixed = at(85) }), nil},
		{"hint under 0", one(func(b *model.Buffer) { b.Hint = at(-1) }), []string{
			`buffer b: hint "-1": must be from 0 to ` + most,
		}},
		{"hint too high", one(func(b *model.Buffer) { b.Hint = at(far + 1) }), []string{
			`buffer b: hint "2305843009213693952": must be from 0 to ` + most,
		}},
		{"hint that fits nowhere", one(func(b *model.Buffer) { b.Hint, b.Alignment = at(far), 4 }), nil},
		{
			"sum of the sizes", &model.Problem{
				Buffers: []model.Buffer{
					{ID: "a", Upper: 1, Size: far - 1},
					{ID: "b", Upper: 1, Size: 1},
					{ID: "c", Upper: 1, Size: 1},
					{ID: "d", Upper: 1, Size: far},
				},
			},
			[]string{`buffer c: size "1": makes the sum of the aligned sizes exceed ` + most},
		},
		{
			"sum of the alignments", &model.Problem{
				Buffers: []model.Buffer{{ID: "a", Upper: 1, Size: 1, Alignment: far}, {ID: "b", Upper: 1, Size: 1, Alignment: far}},
			},
			[]string{`buffer b: size "1": makes the sum of the aligned sizes exceed ` + most},
		},
		{
			"sum with the fixed offset",
			&model.Problem{
				Buffers: []model.Buffer{{ID: "a", Upper: 1, Size: 2, Fixed: at(far - 4)}, {ID: "b", Upper: 1, Size: 1}},
			},
			[]string{`offset: the fixed offsets and the sum of the sizes together exceed ` + most},
		},
		{"sum with the fixed offset, just", &model.Problem{
			Buffers: []model.Buffer{{ID: "a", Upper: 1, Size: 2, Fixed: at(far - 5)}, {ID: "b", Upper: 1, Size: 1}},
		}, nil},
		{
			"everything at once", one(func(b *model.Buffer) {
				b.ID, b.Upper, b.Size, b.Alignment, b.Fixed, b.Hint = "", 2, -5, -1, at(-1), at(-1)
			}),
			[]string{
				`buffer number 1: id: is empty`, `buffer number 1: upper "2": the lifespan is empty: lower is also 2`,
				`buffer number 1: size "-5": must be from 1 to ` + most,
				`buffer number 1: alignment "-1": must be from 0 to ` + most,
				`buffer number 1: offset "-1": must be from 0 to ` + most, `buffer number 1: hint "-1": must be from 0 to ` + most,
			},
		},
	} {
		err := model.Validate(tc.p)
		var got []string
		if err != nil {
			var input *model.InputError
			if !errors.As(err, &input) {
				t.Errorf("%s: the error is a %T", tc.name, err)
				continue
			}
			if input.Total != len(input.Issues) {
				t.Errorf("%s: %d issues in all, %d listed", tc.name, input.Total, len(input.Issues))
			}
			got = strings.Split(err.Error(), "\n")
		}
		if diff := cmp.Diff(tc.want, got); diff != "" {
			t.Errorf("%s: -want +got\n%s", tc.name, diff)
		}
	}
}

// TestMaxIssues has more faults than are kept: all are counted.
func TestMaxIssues(t *testing.T) {
	for _, n := range []int{1, model.MaxIssues, model.MaxIssues + 1, 500} {
		p := &model.Problem{}
		for i := range n {
			p.Buffers = append(p.Buffers, model.Buffer{ID: strconv.Itoa(i), Upper: 1, Size: 0})
		}
		var input *model.InputError
		if !errors.As(model.Validate(p), &input) {
			t.Fatalf("%d faults pass", n)
		}
		kept := min(n, model.MaxIssues)
		if input.Total != n || len(input.Issues) != kept {
			t.Errorf("%d faults: %d counted, %d kept", n, input.Total, len(input.Issues))
		}
		for i, issue := range input.Issues {
			if issue.Buffer != strconv.Itoa(i) || issue.Field != "size" || issue.Value != "0" {
				t.Errorf("issue %d is %+v", i, issue)
			}
		}
		lines := strings.Split(input.Error(), "\n")
		want := kept
		if n > kept {
			want++
			if last := lines[len(lines)-1]; last != "… and "+strconv.Itoa(n-kept)+" more" {
				t.Errorf("the last line is %q", last)
			}
		}
		if len(lines) != want {
			t.Errorf("%d lines, want %d", len(lines), want)
		}
	}
}

// TestWhere checks that a reader's file and line are in every issue, that of the input as a whole included.
func TestWhere(t *testing.T) {
	p := &model.Problem{Capacity: -1, Buffers: []model.Buffer{{ID: "a", Upper: 1, Size: 1}, {ID: "b", Upper: 1}}}
	err := model.ValidateAt(p, func(i int) model.Issue { return model.Issue{File: "in.csv", Line: i + 2} })
	want := "in.csv:1: capacity \"-1\": must be from 1 to 2305843009213693951, or 0 for none\n" +
		"in.csv:3: buffer b: size \"0\": must be from 1 to 2305843009213693951"
	if err == nil || err.Error() != want {
		t.Errorf("got\n%v\nwant\n%s", err, want)
	}
}

func TestIssueString(t *testing.T) {
	for _, tc := range []struct {
		issue model.Issue
		want  string
	}{
		{model.Issue{Message: "m"}, "m"},
		{model.Issue{File: "f", Message: "m"}, "f: m"},
		{model.Issue{Line: 3, Message: "m"}, "3: m"},
		{model.Issue{File: "f", Line: 3, Buffer: "b", Field: "size", Value: "x\"y", Message: "m"}, `f:3: buffer b: size "x\"y": m`},
		{model.Issue{Field: "size", Message: "m"}, "size: m"},
		{model.Issue{Value: "v", Message: "m"}, `"v": m`},
	} {
		if got := tc.issue.String(); got != tc.want {
			t.Errorf("%+v: %q, want %q", tc.issue, got, tc.want)
		}
	}
	var none model.Issues
	if err := none.Err(); err != nil {
		t.Errorf("no issue makes the error %v", err)
	}
}

func TestStatus(t *testing.T) {
	for s, want := range map[model.Status]string{
		model.Unknown: "unknown", model.Feasible: "feasible", model.Optimal: "optimal", model.Infeasible: "infeasible",
		9: "status(9)",
	} {
		text, err := s.MarshalText()
		if s.String() != want || string(text) != want || err != nil {
			t.Errorf("status %d: %q and %q, want %q", uint8(s), s, text, want)
		}
		if has := want == "feasible" || want == "optimal"; s.HasPlan() != has {
			t.Errorf("%s: HasPlan is %v", want, s.HasPlan())
		}
	}
}

func TestHeightOf(t *testing.T) {
	p := &model.Problem{Buffers: []model.Buffer{{Size: 4}, {Size: 9}, {Size: 1}}}
	if h := model.HeightOf(p, []int64{9, 3, 12}); h != 13 {
		t.Errorf("the height is %d, want 13", h)
	}
	if h := model.HeightOf(&model.Problem{}, nil); h != 0 {
		t.Errorf("the height of nothing is %d", h)
	}
}

func TestSortGaps(t *testing.T) {
	gaps := []model.Gap{windowed(7, 9, 1, 2), gap(1, 2), gap(4, 6), gap(math.MinInt64, 0)}
	model.SortGaps(gaps)
	var text []string
	for _, g := range gaps {
		text = append(text, model.GapText(g))
	}
	if diff := cmp.Diff([]string{"-9223372036854775808-0", "1-2", "4-6", "7-9@1:2"}, text); diff != "" {
		t.Error(diff)
	}
}

func TestAlign(t *testing.T) {
	for alignment, want := range map[int64]int64{-3: 1, 0: 1, 1: 1, 64: 64} {
		if got := (&model.Buffer{Alignment: alignment}).Align(); got != want {
			t.Errorf("alignment %d counts as %d, want %d", alignment, got, want)
		}
	}
}

// TestValidateOver has the check of a large problem end where it is told to, with the faults up to there.
func TestValidateOver(t *testing.T) {
	p := &model.Problem{Buffers: make([]model.Buffer, 200_000)}
	for i := range p.Buffers {
		p.Buffers[i] = model.Buffer{ID: strconv.Itoa(i), Upper: 1, Size: 1}
	}
	p.Buffers[150_000].Size = 0
	asked := 0
	over := func() bool { asked++; return asked == 2 }
	if err := model.ValidateAs(p, model.Terms{Over: over}); err != nil || asked != 2 {
		t.Errorf("asked %d times, and the answer is %v", asked, err)
	}
	p.Buffers[3].Size = 0
	if err := model.ValidateAs(p, model.Terms{Over: func() bool { return true }}); err == nil ||
		strings.Count(err.Error(), "size") != 1 {
		t.Errorf("want one fault, not %v", err)
	}
	if err := model.ValidateAs(p, model.Terms{Over: func() bool { return false }}); err == nil ||
		strings.Count(err.Error(), "\n") != 1 {
		t.Errorf("want two faults, not %v", err)
	}
	p.Buffers = p.Buffers[:100]
	if err := model.ValidateAs(p, model.Terms{Over: func() bool { t.Error("asked over a small problem"); return true }}); err == nil {
		t.Error("a fault is not told")
	}
}

// TestMessagesNameMaxSum has the bound that messages name be the one that counts.
func TestMessagesNameMaxSum(t *testing.T) {
	err := model.Validate(&model.Problem{Capacity: -1})
	if err == nil || !strings.Contains(err.Error(), "from 1 to "+strconv.FormatInt(model.MaxSum, 10)) {
		t.Errorf("the message is %v", err)
	}
}
