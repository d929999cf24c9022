package framework

import (
	"bytes"
	"cmp"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stowage-go/stowage/internal/bound"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/plan"
)

// TestPeers compares planners with the real ones, where Python has them: the offsets must be the same, one by one, on
// random problems.
func TestPeers(t *testing.T) {
	plantest.Nightly(t)
	var problems []*model.Problem
	for seed := range plantest.Share[uint64](300, 100) {
		p := shuffled(2+int(seed)%40*3/2, 100+seed)
		for i := range p.Buffers {
			switch b := &p.Buffers[i]; seed % 3 {
			case 0: // so that there are ties
				b.Size = 1 + b.Size/8
			case 1:
				b.Size *= 997
			}
		}
		problems = append(problems, p)
	}
	for _, c := range []struct {
		peer, pip, planner string
		params             map[string]string
	}{
		{"vela-hill-climb", "ethos-u-vela", "vela-hill-climb", nil},
		{"vela-greedy", "ethos-u-vela", "vela-greedy", nil},
		{"omnimalloc-by-size", "omnimalloc", "wave", nil},
		{"omnimalloc-best-fit", "omnimalloc", "tflite-greedy-by-size", nil},
		{"executorch-greedy", "executorch", "executorch-greedy", nil},
		{"executorch-greedy-16", "executorch", "executorch-greedy", map[string]string{"round": "16"}},
		{"executorch-naive", "executorch", "executorch-naive", nil},
		{"cadence-position", "executorch", "executorch-cadence", nil},
		{"cadence-heuristic", "executorch", "executorch-cadence", map[string]string{"algorithm": "heuristic"}},
		{"tinygrad", "tinygrad", "tinygrad", map[string]string{"round": "256"}},
		{"inductor", "torch", "inductor", map[string]string{"align": "64"}},
		{"iree", "iree-base-compiler", "iree-layout-slices", nil},
	} {
		t.Run(c.peer, func(t *testing.T) {
			input := make([][][3]int64, len(problems))
			for k, p := range problems {
				for _, b := range p.Buffers {
					input[k] = append(input[k], [3]int64{b.Size, b.Lower, b.Upper})
				}
			}
			var want [][]int64
			peer(t, c.peer, c.pip, input, &want)
			if len(want) != len(problems) {
				t.Fatalf("%d answers", len(want))
			}
			for k, p := range problems {
				r := planned(t, named(t, c.planner), p, plan.Options{Params: c.params})
				if !slices.Equal(r.Offsets, want[k]) {
					t.Fatalf("problem %d: %v\noffsets %v\nthe real one has %v (height %d against %d)",
						k, p.Buffers, r.Offsets, want[k], r.Height, model.HeightOf(p, want[k]))
				}
			}
		})
	}
}

// TestSources compares planners with what their sources, compiled, gave on eight problems: those of C and C++ that no
// registry carries as a program.
func TestSources(t *testing.T) {
	text := must.Get(os.ReadFile(filepath.Join("testdata", "sources.json")))(t)
	var facts struct {
		Problems [][][3]int64
		Offsets  map[string][][]int64
	}
	must.Do(t, json.Unmarshal(text, &facts))
	if len(facts.Offsets) != 20 || len(facts.Problems) != 8 {
		t.Fatalf("%d planners, %d problems", len(facts.Offsets), len(facts.Problems))
	}
	for name, plans := range facts.Offsets {
		name, params, _ := strings.Cut(name, " ")
		o := plan.Options{Params: map[string]string{}}
		for param := range strings.FieldsSeq(params) {
			key, value, _ := strings.Cut(param, "=")
			o.Params[key] = value
		}
		for k, buffers := range facts.Problems {
			p := &model.Problem{Name: name + " " + params}
			for i, b := range buffers {
				p.Buffers = append(p.Buffers, model.Buffer{ID: strconv.Itoa(i), Size: b[0], Lower: b[1], Upper: b[2]})
			}
			if r := planned(t, named(t, name), p, o); !slices.Equal(r.Offsets, plans[k]) {
				t.Errorf("%s, problem %d: offsets %v, the source has %v", p.Name, k, r.Offsets, plans[k])
			}
		}
	}
}

// TestPeerTFLM compares tflm-greedy with the interpreter of TFLM: the height must be that of the part of the arena
// that is planned.
func TestPeerTFLM(t *testing.T) {
	plantest.Nightly(t)
	seeds := make([]int, 60)
	for k := range seeds {
		seeds[k] = k
	}
	var answers []struct {
		Buffers [][3]int64
		Height  int64
	}
	peer(t, "tflm", "tflite-micro", seeds, &answers)
	above := 0
	for seed, a := range answers {
		p := &model.Problem{Name: "seed " + strconv.Itoa(seed)}
		for i, b := range a.Buffers {
			p.Buffers = append(p.Buffers, model.Buffer{ID: strconv.Itoa(i), Size: bound.Up(b[0], 16), Lower: b[1], Upper: b[2]})
		}
		r := planned(t, named(t, "tflm-greedy"), p, plan.Options{})
		if r.Height != a.Height {
			t.Errorf("%s: height %d, TFLM has %d", p.Name, r.Height, a.Height)
		}
		if r.Height > r.LowerBound {
			above++
		}
	}
	if len(answers) != len(seeds) || above < 3 {
		t.Errorf("%d answers, %d of them above the load: the models are too easy", len(answers), above)
	}
}

// python is the interpreter that has the packages: STOWAGE_PYTHON, or python3.
func python() string { return cmp.Or(os.Getenv("STOWAGE_PYTHON"), "python3") }

// peers are the names of the real planners that Python has; none if there is no interpreter.
var peers = sync.OnceValue(func() (names []string) {
	if out, err := exec.Command(python(), filepath.Join("testdata", "peers.py"), "list").Output(); err == nil {
		err = json.Unmarshal(out, &names)
		if err != nil {
			panic(err)
		}
	}
	return names
})

// peer runs testdata/peers.py with JSON in and out. It skips the test where the
// package is missing, and in a short run: what Python says is the same in every one.
func peer(t *testing.T, name, pip string, input, output any) {
	t.Helper()
	if testing.Short() {
		t.Skip("Python takes too long for a short run (large)")
	}
	if !slices.Contains(peers(), name) {
		t.Skipf("%s needs the Python package %s; set STOWAGE_PYTHON to an interpreter that has it", t.Name(), pip)
	}
	text := must.Get(json.Marshal(input))(t)
	cmd := exec.CommandContext(t.Context(), python(), filepath.Join("testdata", "peers.py"), name)
	cmd.Stdin = bytes.NewReader(text)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s", name, err, &stderr)
	}
	must.Do(t, json.Unmarshal(out, output), "%s", name)
}
