package arena

import (
	"bytes"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/mutate"
	"github.com/stowage-go/stowage/model"
)

// fold reads a trace without its first and last line, and folds it.
func fold(t *testing.T, o FoldOptions, events string) []Plan {
	t.Helper()
	events = strings.TrimPrefix(events, "\n")
	text := traceHead + "\n" + events + "end " + strconv.Itoa(1+strings.Count(events, "\n")) + " -\n"
	r := must.Get(ReadTrace(strings.NewReader(text), "x.trace"))(t)
	return Fold(r, o)
}

// lives returns the lifespans of a lane; "-" is kept.
func lives(l *Lane) string {
	var b strings.Builder
	for _, a := range l.Allocations {
		if a.Upper == a.Lower {
			b.WriteString(" -")
		} else {
			b.WriteString(" " + strconv.Itoa(int(a.Lower)) + "-" + strconv.Itoa(int(a.Upper)))
		}
	}
	return strings.TrimSpace(b.String())
}

// TestFold goes through what a lifespan may be.
func TestFold(t *testing.T) {
	for _, c := range []struct{ name, events, want string }{
		{"freed within the step, at its end, and between steps", `
b 1 0 -
a 1 64 0 0
a 2 64 0 0
f 0 0
a 3 64 0 0
f 1 0
e 1 0
f 2 0
b 1 0 -
a 1 64 0 0
a 2 64 0 0
f 3 0
a 3 64 0 0
f 4 0
f 5 0
e 1 0
`, "0-2 1-3 2-3"},
		{"freed in the next step, and the later of two ends counts", `
b 1 0 -
a 1 64 0 0
a 2 64 0 0
e 1 0
b 1 0 -
f 0 0
a 1 64 0 0
f 1 0
a 2 64 0 0
e 1 0
b 1 0 -
a 1 64 0 0
f 3 0
a 2 64 0 0
f 4 0
f 5 0
e 1 0
`, "- 1-3"},
		{"never freed", `
b 1 0 -
a 1 64 0 0
a 2 64 0 0
f 1 0
e 1 0
b 1 0 -
a 1 64 0 0
a 2 64 0 0
f 3 0
e 1 0
`, "- 1-2"},
		{"used by another stream: live until its own has waited", `
b 1 0 -
a 1 64 0 5
u 0 6
w 5 6
f 0 0
a 2 64 0 5
w 6 5
a 3 64 0 5
w 5 6
a 4 64 0 5
f 1 0
f 2 0
f 3 0
e 1 0
`, "0-3 1-4 2-4 3-4"},
		{"the host has waited for all", `
b 1 0 -
a 1 64 0 5
u 0 6
u 0 7
f 0 0
w 5 6
a 2 64 0 5
w * *
a 3 64 0 5
f 1 0
f 2 0
e 1 0
`, "0-2 1-3 2-3"},
	} {
		plans := fold(t, FoldOptions{}, c.events)
		if len(plans) != 1 {
			t.Errorf("%s: %d plans", c.name, len(plans))
		} else if got := lives(&plans[0].Lanes[0]); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// TestFoldShapes holds which steps are planned, and that a life which crosses another shape covers it.
func TestFoldShapes(t *testing.T) {
	const events = `
b 1 0 train
a 9 64 0 0
f 0 0
e 1 0
b 1 0 train
a 1 64 0 0
a 2 64 0 0
f 2 0
e 1 0
b 1 0 eval
a 7 64 0 0
f 3 0
e 1 0
b 1 0 train
f 1 0
a 1 64 0 0
a 2 64 0 0
f 5 0
e 1 0
b 1 0 eval
a 7 64 0 0
f 6 0
f 4 0
e 1 0
`
	plans := fold(t, FoldOptions{}, events)
	if len(plans) != 2 || plans[0].Name != "train" || plans[1].Name != "eval" || plans[0].Period != 3 {
		t.Fatalf("%+v", plans)
	}
	if a, b := lives(&plans[0].Lanes[0]), lives(&plans[1].Lanes[0]); a != "0-3 1-2" || b != "2-3" {
		t.Errorf("%s and %s", a, b)
	}
	if all := fold(t, FoldOptions{All: true}, events); len(all) != 3 || all[0].Period != 4 {
		t.Errorf("%d plans of all steps", len(all))
	}
	heaps := Heaps(plans)
	if len(heaps) != 1 || len(heaps[0].Problem.Buffers) != 3 || heaps[0].Problem.Rules != nil {
		t.Errorf("%+v", heaps)
	}
}

// TestFoldApart holds that the micro-steps of an accumulation are two kinds, if that is asked for: the first leaves a gradient,
// which dies behind the second.
func TestFoldApart(t *testing.T) {
	const events = `
b 1 0 -
a 1 64 0 0
a 2 64 0 0
f 0 0
e 1 0
b 1 0 -
a 1 64 0 0
a 2 64 0 0
f 2 0
f 3 0
e 1 0
f 1 0
b 1 0 -
a 1 64 0 0
a 2 64 0 0
f 4 0
e 1 0
b 1 0 -
a 1 64 0 0
a 2 64 0 0
f 6 0
f 7 0
e 1 0
f 5 0
`
	if plans := fold(t, FoldOptions{All: true}, events); len(plans) != 1 || lives(&plans[0].Lanes[0]) != "0-2 -" {
		t.Errorf("together: %+v", plans)
	}
	plans := fold(t, FoldOptions{All: true, Apart: true}, events)
	if len(plans) != 2 || lives(&plans[0].Lanes[0]) != "0-2 1-4" || lives(&plans[1].Lanes[0]) != "2-4 3-4" {
		t.Errorf("apart: %+v", plans)
	}
}

// TestFoldThreads holds lanes, scopes, and a free that comes later in another interleaving.
func TestFoldThreads(t *testing.T) {
	plans := fold(t, FoldOptions{Alignment: 128, Guard: 32}, `
b 1 0 -
a 1 64 3 0
b 2 7 part
b 3 7 inner
a 2 64 7 0
e 2 7
a 3 512 3 0
f 0 0
f 1 0
f 2 0
e 1 0
b 1 0 -
b 2 7 part
b 3 7 inner
a 2 64 7 0
e 2 7
f 3 0
a 1 64 3 0
f 4 0
a 3 512 3 0
f 5 0
e 1 0
`)
	if len(plans) != 1 || len(plans[0].Lanes) != 2 || plans[0].Alignment != 512 || plans[0].Times != 2 {
		t.Fatalf("%+v", plans)
	}
	p := &plans[0]
	if a, b := lives(&p.Lanes[0]), lives(&p.Lanes[1]); p.Lanes[0].Thread != 3 || a != "1-3 2-3" || b != "0-3" {
		t.Errorf("%s and %s", a, b)
	}
	if s := p.Lanes[1].Scopes; len(s) != 2 || s[0] != (Scope{"part", 0, 1}) || s[1] != (Scope{"inner", 0, 1}) {
		t.Errorf("%+v", s)
	}
	b := Heaps(plans)[0].Problem.Buffers
	if b[0].ID != "3.0" || b[0].Size != 33 || b[0].Alignment != 128 || b[1].Alignment != 512 {
		t.Errorf("%+v", b)
	}
}

// TestTraceFaults holds the messages about damaged traces.
func TestTraceFaults(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", "x.trace:1: the file ends too early"},
		{"stowage-arena-trace 2\n", `x.trace:1: "stowage-arena-trace 2": must be "stowage-arena-trace 1"`},
		{"stowage-arena-trace 1\n", "x.trace:2: the file ends too early"},
		{"stowage-arena-trace 1\na 1 64 0 0\n", "x.trace:2: an allocation is outside of a step"},
		{"stowage-arena-trace 1\nb 1 0 -\na 1 65 0 0\n", `x.trace:3: alignment "65": must be a power of two`},
		{"stowage-arena-trace 1\nb 1 0 -\na 01 64 0 0\n", `x.trace:3: size "01": must be a number from 1 to`},
		{"stowage-arena-trace 1\nb 1 0 -\na 1 64 0\n", "x.trace:3: stream: is missing"},
		{"stowage-arena-trace 1\nb 1 0 -\na 1 64 0 0 0\n", `x.trace:3: "0": is one word too many`},
		{"stowage-arena-trace 1\nf 0 0\n", "x.trace:2: allocation names nothing that came before"},
		{"stowage-arena-trace 1\nb 2 0 -\n", `x.trace:2: level "2": must be a number from 1 to 1`},
		{"stowage-arena-trace 1\nb 1 0 a/b\n", `x.trace:2: name "a/b": must have`},
		{"stowage-arena-trace 1\nx\n", `x.trace:2: "x": is no event`},
		{"stowage-arena-trace 1\nend 2 -\n", `x.trace:2: lines "2": there are 1`},
		{"stowage-arena-trace 1\nend 1 0000000000000000\n", "x.trace:2: checksum"},
		{"stowage-arena-trace 1\nend 1 -\nend 1 -\n", "x.trace:2: \"end 1 -\\n\": follows the end"},
	} {
		_, err := ReadTrace(strings.NewReader(c.text), "x.trace")
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %s", c.text, err, c.want)
		}
	}
}

// examples returns a trace and a plan as they are written.
func examples(t testing.TB) (traces, plans []byte) {
	t.Helper()
	data := must.Get(os.ReadFile("../../arena/testdata/steps.trace"))(t)
	r := must.Get(ReadTrace(bytes.NewReader(data), "steps.trace"))(t)
	all := Fold(r, FoldOptions{})
	at := int64(0) // one above the other
	var regions []Region
	for _, h := range Heaps(all) {
		from := at
		for k, of := range h.Of {
			all[of[0]].Lanes[of[1]].Allocations[of[2]].Offset = at
			at = (at + h.Problem.Buffers[k].Size + 511) / 512 * 512
		}
		regions = append(regions, Region{h.Stream, from, at - from})
	}
	for i := range all {
		all[i].Height, all[i].Status, all[i].Regions = at, model.Feasible, regions
		all[i].Baselines = []Baseline{{"malloc", 12345}}
	}
	var b bytes.Buffer
	must.Do(t, WritePlans(&b, all))
	return data, b.Bytes()
}

// TestRoundTrip reads a trace, and plans made from it, and writes both again: not a byte may differ.
func TestRoundTrip(t *testing.T) {
	traces, plans := examples(t)
	if again := rewrite(t, traces, true); !bytes.Equal(again, traces) {
		t.Errorf("trace: %s", again)
	}
	if again := rewrite(t, plans, false); !bytes.Equal(again, plans) {
		t.Errorf("plans: %s", again)
	}
}

// rewrite reads a file and writes it; nil if it is refused.
func rewrite(t testing.TB, data []byte, isTrace bool) []byte {
	t.Helper()
	var b bytes.Buffer
	if isTrace {
		r, err := ReadTrace(bytes.NewReader(data), "")
		if err != nil {
			return nil
		}
		Fold(r, FoldOptions{})
		must.Do(t, WriteTrace(&b, r))
	} else {
		plans, err := ReadPlans(bytes.NewReader(data), "")
		if err != nil {
			return nil
		}
		Heaps(plans)
		must.Do(t, WritePlans(&b, plans))
	}
	return b.Bytes()
}

// resummed returns a damaged file with a last line that fits.
func resummed(data []byte) []byte {
	at := bytes.LastIndex(data, []byte("\nend ")) + 1
	if at == 0 {
		return data
	}
	from := max(0, bytes.LastIndex(data[:at], []byte(planHead)))
	data = data[:at:at]
	return append(data, "end "+strconv.Itoa(bytes.Count(data[from:], []byte("\n")))+" "+
		checksum(string(data[from:]))+"\n"...)
}

// TestMutated reads damaged files, half of them with a checksum that fits.
func TestMutated(t *testing.T) {
	traces, plans := examples(t)
	for k, seed := range [][]byte{traces, plans} {
		n := 0
		mutate.Read(t, 3000, [][]byte{seed}, func(data []byte) error {
			if n++; n%2 == 0 {
				data = resummed(data)
			}
			var err error
			if k == 0 {
				var r *Trace
				if r, err = ReadTrace(bytes.NewReader(data), "x"); err == nil {
					Heaps(Fold(r, FoldOptions{All: true}))
				}
			} else {
				var p []Plan
				if p, err = ReadPlans(bytes.NewReader(data), "x"); err == nil {
					Heaps(p)
				}
			}
			return err
		})
	}
}

// FuzzTrace: a trace that is read is written unchanged, apart from an absent checksum.
func FuzzTrace(f *testing.F) {
	traces, _ := examples(f)
	f.Add(traces)
	f.Add([]byte(traceHead + "\nend 1 -\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		data = resummed(data)
		if again := rewrite(t, data, true); again != nil && !bytes.Equal(again, data) {
			t.Errorf("%q became %q", data, again)
		}
	})
}

// FuzzPlans is FuzzTrace for plans.
func FuzzPlans(f *testing.F) {
	_, plans := examples(f)
	f.Add(plans)
	f.Fuzz(func(t *testing.T, data []byte) {
		data = resummed(data)
		if again := rewrite(t, data, false); again != nil && !bytes.Equal(again, data) {
			t.Errorf("%q became %q", data, again)
		}
	})
}
