package strips_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stowage-go/stowage/format/tflite"
	"github.com/stowage-go/stowage/internal/strips"
	"github.com/stowage-go/stowage/internal/testkit/interpreter"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
	"github.com/stowage-go/stowage/internal/testkit/tflitemade"
	"github.com/stowage-go/stowage/internal/tfliteschema"
)

// Idea: the runtimes themselves say whether a model in strips computes the same bits. Networks are drawn with all
// operators, chains of them on both axes, with halos and with rings, and models of packages have chains chosen by hand.
// The test fails if it is too weak: if each window read a line less, outputs would differ.

// A runtime is an interpreter that runs models.
type runtime struct {
	t    *testing.T
	p    *interpreter.Process
	file string
}

// start starts an interpreter, or skips the test.
func start(t *testing.T, run func(string, ...string) (*interpreter.Process, error), pack string) *runtime {
	t.Helper()
	p, err := run(interpreter.Python())
	if errors.Is(err, interpreter.ErrMissing) {
		t.Skipf("%s needs the Python package %s; set STOWAGE_PYTHON to an interpreter that has it", t.Name(), pack)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	return &runtime{t, p, filepath.Join(t.TempDir(), "model.tflite")}
}

func micro(t *testing.T) *runtime { return start(t, interpreter.Start, "tflite-micro") }

func lite(t *testing.T) *runtime {
	return start(t, func(python string, _ ...string) (*interpreter.Process, error) {
		return interpreter.StartLiteRT(python)
	}, "ai-edge-litert")
}

// outputs returns digests of what a model computes.
func (r *runtime) outputs(m *tflite.Model) (string, error) {
	must.Get(0, os.WriteFile(r.file, must.Get(m.Written())(r.t).Bytes(), 0o600))(r.t)
	sum := int64(1 << 20)
	for _, x := range m.Tensors {
		sum += 2 * x.Bytes
	}
	a := must.Get(r.p.Run(interpreter.Request{Model: r.file, Arena: tflite.RoundUp(sum), Runs: 2}))(r.t)
	if a.Error != "" {
		return "", errors.New(a.Error)
	}
	return a.Outputs, nil
}

// A drawn chain of a drawn network.
type drawnChain struct {
	seed  uint64
	chain strips.Chain
	split *strips.Split
}

func (d *drawnChain) String() string {
	names := ""
	m := d.split.Model
	last := -1
	for k, o := range d.split.Origins {
		if o.Chain >= 0 && !o.Added && o.Operator > last {
			last = o.Operator
			names += " " + m.Operators[k].Name() + fmt.Sprint(m.Tensors[m.Operators[k].Outputs[0]].Shape)
		}
	}
	return fmt.Sprintf("seed %d, %+v:%s", d.seed, d.chain, names)
}

var kinds = []tfliteschema.TensorType{
	tfliteschema.TensorTypeFLOAT32, tfliteschema.TensorTypeINT8, tfliteschema.TensorTypeINT16,
}

// networkData is a drawn network.
func networkData(seed uint64) []byte { return tflitemade.Lined(seed, kinds[seed%3], 4+int(seed%7)) }

func network(t *testing.T, seed uint64) *tflite.Model {
	return must.Get(tflite.Parse(networkData(seed), fmt.Sprint("seed ", seed)))(t)
}

// drawChains splits chains of a network that can be.
func drawChains(m *tflite.Model, seed uint64, s *strips.Splitter) (out []*drawnChain) {
	rng := rand.New(rand.NewPCG(seed, 3))
	n := len(m.Operators)
	for range 12 {
		first := rng.IntN(n)
		c := strips.Chain{
			First: first, Last: first + rng.IntN(n-first), Axis: strips.Axis(rng.IntN(2)), Strips: 2 + rng.IntN(10),
			Ring: rng.IntN(2) == 0, Crop: rng.IntN(3) == 0,
		}
		if split, err := s.Split([]strips.Chain{c}); err == nil {
			out = append(out, &drawnChain{seed, c, split})
			c.Loop = true
			if split, err := s.Split([]strips.Chain{c}); err == nil {
				out = append(out, &drawnChain{seed, c, split})
			}
		}
	}
	return out
}

// TestSameBits runs drawn chains in the interpreter of TensorFlow Lite Micro.
func TestSameBits(t *testing.T) { same(t, micro(t), plantest.Share(2000, 120)) }

// TestLiteRT runs them in LiteRT, with its reference kernels and its default ones.
func TestLiteRT(t *testing.T) { same(t, lite(t), plantest.Share(2000, 40)) }

// same compares the outputs of so many networks, whole and with chains in strips.
func same(t *testing.T, r *runtime, networks int) {
	ran, chains, loops, rings, fused, operators := 0, 0, 0, 0, 0, map[string]int{}
	for seed := range uint64(networks) {
		m := network(t, seed)
		want, err := r.outputs(m)
		if err != nil {
			t.Errorf("seed %d does not run: %v", seed, err)
			continue
		}
		ran++
		for _, d := range drawChains(m, seed, strips.Of(m)) {
			chains++
			called := map[int]bool{}
			count := func(first int, origins []strips.Origin) {
				for k, o := range origins {
					if o.Chain >= 0 {
						operators[d.split.Model.Operators[first+k].Name()]++
					}
					called[o.Operator] = called[o.Operator] || !o.Added
				}
			}
			count(0, d.split.Origins)
			for _, l := range d.split.Loops {
				loops++
				if d.chain.Ring {
					rings++
				}
				count(d.split.Model.Subgraphs[l.Body].FirstOperator, l.Origins)
			}
			fused += len(m.Operators) - len(called)
			if got, err := r.outputs(d.split.Model); err != nil || got != want {
				t.Errorf("%v: outputs differ, %v", d, err)
			}
		}
	}
	for _, kind := range strings.Fields(`CONV_2D DEPTHWISE_CONV_2D MAX_POOL_2D AVERAGE_POOL_2D L2_POOL_2D PAD PADV2
		MIRROR_PAD RESIZE_BILINEAR RESIZE_NEAREST_NEIGHBOR ADD SUB MUL MAXIMUM MINIMUM RELU LEAKY_RELU ABS CONCATENATION
		SPLIT SPLIT_V FULLY_CONNECTED TRANSPOSE_CONV PRELU SPACE_TO_DEPTH DEPTH_TO_SPACE SLICE WHILE
		DYNAMIC_UPDATE_SLICE BROADCAST_TO`) {
		if operators[kind] == 0 {
			t.Errorf("no chain has %s", kind)
		}
	}
	t.Logf("%d networks ran, with %d chains, %d of them with a loop, %d of these with a ring", ran, chains, loops, rings)
	if ran < networks || chains < 5*networks || fused == 0 || loops < networks/2 || rings < networks/10 {
		t.Errorf("%d networks ran, with %d chains, %d loops, %d of them with a ring; %d PAD were left out", ran, chains, loops,
			rings, fused)
	}
}

// TestNarrow holds the test of the same bits: if each window reads a line less, the outputs of nearly all networks
// differ whose chains have such windows.
func TestNarrow(t *testing.T) {
	r := micro(t)
	networks, seen, chains, differ := 0, 0, 0, 0
	for seed := range uint64(plantest.Share(2000, 120)) {
		m := network(t, seed)
		want := must.Get(r.outputs(m))(t)
		right, wrong := strips.Of(m), strips.Of(m)
		wrong.Narrow()
		halos, different := 0, 0
		for _, d := range drawChains(m, seed, wrong) {
			same, err := right.Split([]strips.Chain{d.chain})
			if err != nil || reads(d.split) == reads(same) {
				continue // no window reads lines that others read
			}
			halos++
			if must.Get(r.outputs(d.split.Model))(t) != want {
				different++
			}
		}
		networks, seen = networks+min(halos, 1), seen+min(different, 1)
		chains, differ = chains+halos, differ+different
	}
	t.Logf("%d of %d networks and %d of %d chains with a halo differ without a line", seen, networks, differ, chains)
	if networks < 80 || seen*100 < networks*95 || differ*100 < chains*90 {
		t.Error("what is wrong is not seen")
	}
}

// reads says what all operators of a split read and pad.
func reads(s *strips.Split) string {
	var out strings.Builder
	for k := range s.Model.Operators {
		for _, t := range s.Model.Operators[k].Inputs {
			if t >= 0 {
				fmt.Fprintln(&out, s.Model.Integers(int(t)), s.Model.Tensors[t].Shape)
			}
		}
	}
	return out.String()
}
