package certify_test

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stowage-go/stowage/format/csv"
	"github.com/stowage-go/stowage/internal/certify"
	"github.com/stowage-go/stowage/internal/gen"
	"github.com/stowage-go/stowage/internal/run"
	"github.com/stowage-go/stowage/internal/testkit/drawn"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/oracle"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
	"github.com/stowage-go/stowage/internal/timeline"
	"github.com/stowage-go/stowage/internal/verify"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// written makes a certificate and returns it as a file; empty if there is none.
func written(t *testing.T, p *model.Problem, capacity int64) string {
	t.Helper()
	c := must.Get(certify.Make(context.Background(), p, capacity, plan.Options{NodeLimit: 200_000}))(t)
	if c == nil {
		return ""
	}
	var b bytes.Buffer
	must.Do(t, c.Write(&b))
	return b.String()
}

func windowed(p *model.Problem) bool {
	return slices.ContainsFunc(p.Buffers, func(b model.Buffer) bool {
		return slices.ContainsFunc(b.Gaps, func(g model.Gap) bool { return g.Window != nil })
	})
}

// TestEveryProof asks for certificates of random problems of every shape, one byte under the least height, and gives
// them to the checker. Brute force knows the least height, at which there is no certificate. Only for problems with
// windows there may be none below it.
func TestEveryProof(t *testing.T) {
	problems := plantest.Share[uint64](20_000, 6000, 2000)
	asked, none, searched := 0, 0, 0
	for seed := range problems {
		p := drawn.Wide(seed)
		height, _, ok := oracle.Lowest(p)
		if !ok || height == 0 {
			continue
		}
		if file := written(t, p, height); file != "" {
			t.Fatalf("seed %d: a certificate against a plan:%s\n%s", seed, drawn.Describe(p), file)
		}
		asked++
		file := written(t, p, height-1)
		if file == "" {
			if none++; !windowed(p) {
				t.Errorf("seed %d: no certificate:%s", seed, drawn.Describe(p))
			}
			continue
		}
		if capacity, err := verify.Certificate(p, strings.NewReader(file)); err != nil || capacity != height-1 {
			t.Fatalf("seed %d: %d, %v:%s\n%s", seed, capacity, err, drawn.Describe(p), file)
		}
		if timeline.New(p).LowerBound < height {
			searched++
		}
	}
	if asked < int(problems)*9/10 || none > asked/5 || searched < asked/20 {
		t.Errorf("one-sided: %d problems, %d without a certificate, %d above the bound", asked, none, searched)
	}
}

// TestDamage changes certificates at random. Whatever the checker accepts must be true,
// which brute force knows, and most of it is refused.
func TestDamage(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	accepted, refused, aimed := 0, 0, 0
	files := plantest.Share(30_000, 9000)
	for seed := uint64(0); seed < 40_000 && accepted+refused < files; seed++ {
		p := drawn.Wide(seed)
		height, _, ok := oracle.Lowest(p)
		if !ok || height == 0 {
			continue
		}
		file := written(t, p, height-1)
		if strings.Count(file, "\n") < 10 {
			continue
		}
		lines := strings.SplitAfter(file, "\n")
		lines = lines[:len(lines)-1]
		for range 30 {
			damaged := slices.Clone(lines)
			if r.IntN(2) == 0 { // a claim that is false, with a tree that may be any
				damaged[1] = "capacity " + strconv.FormatInt(height+r.Int64N(3), 10) + "\n"
				aimed++
			}
			for range r.IntN(4) {
				damage(r, damaged)
			}
			text := strings.Join(damaged, "")
			capacity, err := verify.Certificate(p, strings.NewReader(text))
			if err == nil && capacity >= height {
				t.Fatalf("seed %d: accepted that nothing fits %d, but %d does:%s\n%s", seed, capacity, height,
					drawn.Describe(p), text)
			}
			if err == nil {
				accepted++
			} else {
				refused++
			}
		}
		for _, cut := range []int{1, len(lines) / 2, len(lines) - 1} {
			if _, err := verify.Certificate(p, strings.NewReader(strings.Join(lines[:cut], ""))); err == nil {
				t.Fatalf("seed %d: accepted %d lines of %d", seed, cut, len(lines))
			}
		}
	}
	if accepted < files/30 || refused < files/3 || aimed < files/3 {
		t.Errorf("one-sided: %d accepted, %d refused, %d with a false claim", accepted, refused, aimed)
	}
}

// damage changes one line of a certificate after the first two.
func damage(r *rand.Rand, lines []string) {
	k := 2 + r.IntN(len(lines)-2)
	number, offset, _ := strings.Cut(strings.TrimSpace(lines[k]), " ")
	switch r.IntN(5) {
	case 0:
		lines[k] = ""
	case 1:
		lines[k] += lines[2+r.IntN(len(lines)-2)]
	case 2:
		at := 2 + r.IntN(len(lines)-2)
		lines[k], lines[at] = lines[at], lines[k]
	case 3:
		if v, err := strconv.ParseInt(offset, 10, 64); err == nil {
			lines[k] = number + " " + strconv.FormatInt(v+r.Int64N(7)-3, 10) + "\n"
		}
	case 4:
		if j, err := strconv.Atoi(number); err == nil {
			lines[k] = strconv.Itoa(j+r.IntN(3)-1) + " " + offset + "\n"
		}
	}
}

// TestLimits: a limit, or an end at any look, leaves no certificate or a good one.
func TestLimits(t *testing.T) {
	in := must.Get(gen.Generate("infeasible", gen.Options{Buffers: 20, Horizon: 60, Seed: 1}))(t)
	p := in
	none, some := 0, 0
	check := func(c *certify.Certificate) {
		if c == nil {
			none++
			return
		}
		some++
		var b bytes.Buffer
		must.Do(t, c.Write(&b))
		if capacity, err := verify.Certificate(p, &b); err != nil || capacity != p.Capacity {
			t.Fatalf("%d, %v", capacity, err)
		}
	}
	for nodes := int64(1); nodes < 3000; nodes += 1 + nodes/8 {
		c := must.Get(certify.Make(context.Background(), p, p.Capacity, plan.Options{NodeLimit: nodes}))(t)
		check(c)
		c = must.Get(certify.Make(run.EndAtLook(context.Background(), nodes), p, p.Capacity, plan.Options{}))(t)
		check(c)
	}
	if none < 10 || some < 5 {
		t.Errorf("one-sided: %d without, %d with", none, some)
	}
}

// TestOtherLanguage compares the independent checker in Python with this one. It accepts the same certificates, and
// no damaged one of a false statement.
func TestOtherLanguage(t *testing.T) {
	python := pythonOf(t)
	dir := t.TempDir()
	args := []string{script}
	var want []string
	r := rand.New(rand.NewPCG(3, 4))
	save := func(name, text string) string {
		path := filepath.Join(dir, name)
		must.Do(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	for seed := uint64(50_000); seed < 50_400; seed++ {
		p := drawn.Wide(seed)
		height, _, ok := oracle.Lowest(p)
		if !ok || height == 0 {
			continue
		}
		file := written(t, p, height-1)
		if file == "" || windowed(p) && timeline.New(p).LowerBound < height {
			continue
		}
		var model bytes.Buffer
		must.Do(t, csv.Write(&model, p, nil))
		name := strconv.FormatUint(seed, 10)
		problem := save(name+".csv", model.String())
		args = append(args, problem, save(name+".txt", file))
		want = append(want, "no plan of "+problem+" fits "+strconv.FormatInt(height-1, 10))

		lines := strings.SplitAfter(file, "\n")
		lines[1] = "capacity " + strconv.FormatInt(height, 10) + "\n"
		if r.IntN(2) == 0 && len(lines) > 4 {
			damage(r, lines[:len(lines)-1])
		}
		args = append(args, problem, save(name+".bad", strings.Join(lines, "")))
		want = append(want, filepath.Join(dir, name+".bad")+": refused: ")
	}
	out, err := exec.Command(python, args...).Output()
	if exit := (*exec.ExitError)(nil); !errors.As(err, &exit) || exit.ExitCode() != 1 {
		t.Fatal(err)
	}
	got := strings.Split(strings.TrimSpace(string(out)), "\n")
	if len(got) != len(want) || len(want) < 400 {
		t.Fatalf("%d answers for %d questions", len(got), len(want))
	}
	for k := range want {
		if !strings.HasPrefix(got[k], want[k]) {
			t.Errorf("got %q, want %q", got[k], want[k])
		}
	}
}
