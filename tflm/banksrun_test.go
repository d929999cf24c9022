package tflm_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stowage-go/stowage/format/cheader"
	"github.com/stowage-go/stowage/format/tflite"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/tflitemade"
	"github.com/stowage-go/stowage/model"
	"github.com/stowage-go/stowage/tflm"
)

// Idea: plans in two memories run in the real runtime in C++, unmodified, beside the same model as it is. The models
// are those of the runtime's own checkout (STOWAGE_TFLM), and made ones with several subgraphs. The library is what its
// makefile's target microlite makes, or STOWAGE_TFLM_LIBRARY. The arena has the size that is predicted, and 32 bytes
// less must fail, but for models with variable tensors: the runtime does not see that these overlap what it plans with,
// and as nothing is written there meanwhile, it runs.

// A runtime is a driver linked with the runtime.
type runtime struct {
	dir, driver, library string
	flags                []string
}

// builtRuntime compiles the driver, or skips the test.
func builtRuntime(t *testing.T) *runtime {
	t.Helper()
	root := os.Getenv("STOWAGE_TFLM")
	if root == "" {
		t.Skipf("%s needs the sources of tensorflow/tflite-micro in STOWAGE_TFLM, and its library (make microlite, or STOWAGE_TFLM_LIBRARY)", t.Name())
	}
	library := os.Getenv("STOWAGE_TFLM_LIBRARY")
	if library == "" {
		found, err := filepath.Glob(filepath.Join(root, "gen/*/lib/libtensorflow-microlite.a"))
		if err != nil || len(found) == 0 {
			t.Skipf("%s needs the library of the sources in STOWAGE_TFLM: make -f tensorflow/lite/micro/tools/make/Makefile microlite", t.Name())
		}
		library = found[0]
	}
	if _, err := exec.LookPath("c++"); err != nil {
		t.Skip("needs a C++ compiler, c++ (c-compiler)")
	}
	downloads := filepath.Join(root, "tensorflow/lite/micro/tools/make/downloads")
	r := &runtime{dir: t.TempDir(), library: library}
	r.flags = []string{
		"-std=c++17", "-O1", "-fno-rtti", "-fno-exceptions", "-DTF_LITE_STATIC_MEMORY", "-DTF_LITE_DISABLE_X86_NEON",
		"-Itestdata/banks", "-I" + root, "-I" + downloads + "/flatbuffers/include", "-I" + downloads + "/gemmlowp",
		"-I" + downloads + "/ruy",
	}
	r.driver = filepath.Join(r.dir, "driver.o")
	r.compile(t, "testdata/banks/driver.cc", r.driver)
	return r
}

func (r *runtime) compile(t *testing.T, source, object string, more ...string) {
	t.Helper()
	args := append(append([]string{"-c", source, "-o", object}, r.flags...), more...)
	if out, err := exec.Command("c++", args...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

// An outcome is what the driver prints.
type outcome struct {
	compared, differ, written, used int64
	code                            int
	said                            string // by the runtime
}

// run runs a model with a plan in an arena of some bytes.
func (r *runtime) run(t *testing.T, data []byte, plan *cheader.BankPlan, arenas ...int64) (out []outcome) {
	t.Helper()
	var args [][]int64
	for _, arena := range arenas {
		args = append(args, []int64{arena, 4, 3})
	}
	return r.drive(t, data, plan, args)
}

// drive runs the driver with each list of numbers.
func (r *runtime) drive(t *testing.T, data []byte, plan *cheader.BankPlan, args [][]int64) (out []outcome) {
	t.Helper()
	dir := t.TempDir()
	var header bytes.Buffer
	must.Do(t, cheader.WritePlanner(&header, plan))
	file := filepath.Join(dir, "net.tflite")
	if err := errors.Join(os.WriteFile(filepath.Join(dir, "net.hpp"), header.Bytes(), 0o666),
		os.WriteFile(file, data, 0o666)); err != nil {
		t.Fatal(err)
	}
	object, program := filepath.Join(dir, "plan.o"), filepath.Join(dir, "program")
	r.compile(t, "testdata/banks/plan.cc", object, "-I"+dir)
	if out, err := exec.Command("c++", "-o", program, object, r.driver, r.library, "-lm").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, list := range args {
		words := []string{file}
		for _, n := range list {
			words = append(words, strconv.FormatInt(n, 10))
		}
		cmd := exec.Command(program, words...)
		var said bytes.Buffer
		cmd.Stderr = &said
		printed, err := cmd.Output()
		if cmd.ProcessState == nil {
			t.Fatal(err)
		}
		o := outcome{code: cmd.ProcessState.ExitCode()}
		if o.code == 0 {
			must.Get(fmt.Sscan(string(printed), &o.compared, &o.differ, &o.written, &o.used))(t, "%q", printed)
		}
		o.said = said.String()
		out = append(out, o)
	}
	return out
}

// bankModels are what is run, with the size of the fast memory: about half of the head.
func bankModels(t *testing.T) map[string][]byte {
	models := map[string][]byte{
		"made: network":  tflitemade.Network(4, 24),
		"made: svdf":     tflitemade.Model([]tflitemade.Graph{svdf()}),
		"made: branches": tflitemade.Model(branches()),
		"made: loop":     tflitemade.Model(loop()),
	}
	for _, path := range []string{
		"models/person_detect.tflite", "models/keyword_scrambled_8bit.tflite", "examples/mnist_lstm/trained_lstm_int8.tflite",
		"examples/dtln/dtln_noise_suppression.tflite", "examples/micro_speech/models/micro_speech_quantized.tflite",
	} {
		data := must.Get(os.ReadFile(filepath.Join(os.Getenv("STOWAGE_TFLM"), "tensorflow/lite/micro", path)))(t)
		models[filepath.Base(path)] = data
	}
	return models
}

// TestBanksRun: the outputs are those of the model as it is, bit for bit, in the smallest arena.
func TestBanksRun(t *testing.T) {
	r := builtRuntime(t)
	scratch, variables, both, exact := 0, 0, 0, 0
	for name, data := range bankModels(t) {
		m := parsed(t, data, name)
		l := must.Get(m.Lifetimes())(t)
		a := must.Get(m.Arena(l, tflm.ReferenceSet.Scratch(m)))(t)
		_, head := must.Two(tflm.Greedy(t.Context(), a.Problem, nil))(t)
		for _, inPlace := range []bool{false, true} {
			b, err := tflm.MakeBanks(t.Context(), m, tflm.BankOptions{
				Pools: []model.Pool{
					{ID: "fast", Capacity: tflite.RoundUp(head / 2), Alignment: 16}, {ID: "slow", Capacity: 1 << 24, Alignment: 16},
				},
				Home: 1, Target: &tflm.Firmware64, Scratch: tflm.ReferenceSet.Scratch(m), InPlace: inPlace,
			})
			if err != nil {
				t.Fatal(err)
			}
			if !b.Result.Status.HasPlan() {
				t.Fatalf("%s: %s", name, b.Result.Status)
			}
			arena := b.Arenas()[1].Bytes
			got := r.run(t, data, b.ForC("net", ""), arena, arena-16, arena-32)
			if o := got[0]; o.code != 0 || o.differ != 0 || o.compared < 12 {
				t.Errorf("%s, in place %v, in %d bytes: %+v", name, inPlace, arena, o)
			} else if b.Heads[0] > 0 && o.written == 0 {
				t.Errorf("%s: nothing was written in the fast memory", name)
			}
			if got[1].code != 0 {
				exact++
			}
			if got[2].code == 0 && b.Variables == 0 {
				t.Errorf("%s: an arena of %d works, and %d is predicted", name, arena-32, arena)
			}
			t.Logf("%s, in place %v: heads %v, arena %d, traffic %d of %d: %+v", name, inPlace, b.Heads, arena, b.Traffic,
				b.Slow, got[0])
			if b.Heads[0] > 0 && b.Heads[1] > 0 {
				both++
				if len(b.Arena.Operators) > 0 {
					scratch++
				}
			}
			if b.Variables > 0 {
				variables++
			}
		}
	}
	if exact < 10 {
		t.Errorf("only %d arenas are the smallest", exact)
	}
	if both < 12 || scratch < 6 || variables < 4 {
		t.Errorf("%d plans use both memories, %d of them with scratch, %d models have variables: this shows little", both,
			scratch, variables)
	}
}

// TestBanksRunWrong: a plan with all buffers at the beginning of their memories is wrong, and the outputs say so; one
// for other scratch is refused by the class.
func TestBanksRunWrong(t *testing.T) {
	r := builtRuntime(t)
	data := bankModels(t)["keyword_scrambled_8bit.tflite"]
	m := parsed(t, data, "net")
	o := tflm.BankOptions{
		Pools: []model.Pool{{ID: "fast", Capacity: 1 << 14, Alignment: 16}, {ID: "slow", Capacity: 1 << 20, Alignment: 16}},
		Home:  1, Target: &tflm.Firmware64, Scratch: tflm.ReferenceSet.Scratch(m),
	}
	b, err := tflm.MakeBanks(t.Context(), m, o)
	if err != nil {
		t.Fatal(err)
	}
	wrong := b.ForC("net", "")
	for k := range wrong.Buffers {
		wrong.Buffers[k].Offset = 0
	}
	if got := r.run(t, data, wrong, wrong.Arenas[1].Bytes)[0]; got.code != 0 || got.differ == 0 {
		t.Errorf("all at the beginning: %+v", got)
	}
	o.Scratch = nil
	if b, err = tflm.MakeBanks(t.Context(), m, o); err != nil {
		t.Fatal(err)
	}
	without := b.ForC("net", "")
	without.Arenas[1].Bytes = 1 << 14
	if got := r.run(t, data, without, 1<<14)[0]; got.code != 3 || !strings.Contains(got.said, "the kernels ask for more") {
		t.Errorf("a plan without scratch: %+v", got)
	}
}

// TestStripRun: two arenas have room for the runtime's own planner, one for the tensors and one for what it keeps, and
// each is at most 16 bytes larger than needed.
func TestStripRun(t *testing.T) {
	r := builtRuntime(t)
	for name, data := range bankModels(t) {
		m := parsed(t, data, name)
		o := tflm.BankOptions{Target: &tflm.Firmware64, Scratch: tflm.ReferenceSet.Scratch(m)}
		s := must.Get(tflm.OneStrip(t.Context(), m, o))(t)
		p := must.Get(tflm.Make(t.Context(), m, tflm.Options{Scratch: o.Scratch}))(t)
		planned := must.Get(p.Written(m))(t)
		o.Pools, o.Home = []model.Pool{
			{ID: "fast", Capacity: 1 << 20, Alignment: 16}, {ID: "slow", Capacity: 1 << 20, Alignment: 16},
		}, 1
		b := must.Get(tflm.MakeBanks(t.Context(), m, o))(t)
		got := r.drive(t, planned, b.ForC("net", ""), [][]int64{
			{0, 2, 2, s.NonPersistent, s.Persistent},
			{0, 2, 2, s.NonPersistent - 32, s.Persistent},
			{0, 2, 2, s.NonPersistent, s.Persistent - 32},
		})
		if got[0].code != 0 || got[0].differ != 0 || got[1].code == 0 || got[2].code == 0 {
			t.Errorf("%s in %d and %d bytes: %+v", name, s.NonPersistent, s.Persistent, got)
		}
	}
}
