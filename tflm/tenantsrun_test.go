package tflm_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/tflm"
)

// TestTenantsRun runs models of the runtime's checkout from one arena in the real runtime in C++, with their plans and
// in strips, beside the same with arenas of their own: the predicted arena works, and 16 bytes less are refused.
func TestTenantsRun(t *testing.T) {
	r := builtRuntime(t)
	object, program := filepath.Join(r.dir, "tenants.o"), filepath.Join(r.dir, "tenants")
	r.compile(t, "testdata/banks/tenants.cc", object)
	if out, err := exec.Command("c++", "-o", program, object, r.library, "-lm").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	root := filepath.Join(os.Getenv("STOWAGE_TFLM"), "tensorflow/lite/micro")
	var plans []*tflm.Plan
	var files []string
	add := func(p *tflm.Plan) {
		path := filepath.Join(r.dir, fmt.Sprint(len(files), ".tflite"))
		must.Do(t, os.WriteFile(path, must.Get(p.Written(p.Given()))(t), 0o666))
		plans, files = append(plans, p), append(files, path)
	}
	for _, path := range []string{
		"models/person_detect.tflite", "examples/micro_speech/models/micro_speech_quantized.tflite",
		"examples/hello_world/models/hello_world_int8.tflite", "examples/hello_world/models/hello_world_float.tflite",
	} {
		m := parsed(t, must.Get(os.ReadFile(filepath.Join(root, path)))(t), path)
		o := options(m)
		p := must.Get(tflm.Make(context.Background(), m, o))(t)
		add(p)
		if len(plans) == 1 {
			o.Kernels = tflm.ReferenceKernels
			p := must.Get(tflm.Make(context.Background(), m, o))(t)
			s := must.Get(p.Split(t.Context(), o, tflm.SplitOptions{Target: &tflm.Firmware64, MaxMACs: 0.05}))(t)
			add(s.Plan)
		}
	}
	for _, group := range [][]int{{0}, {1}, {0, 2}, {2, 0}, {3, 4}, {4, 2, 3}, {0, 2, 3, 4}, {1, 2, 3, 4}} {
		var of []*tflm.Plan
		for _, i := range group {
			of = append(of, plans[i])
		}
		x := tflm.NewTenancy(of, &tflm.Firmware64)
		for less, want := range map[int64]int{0: 0, 16: 3} {
			args := []string{strconv.FormatInt(x.Arenas[1].Smallest-less, 10), "3"}
			for _, i := range x.Order {
				args = append(args, files[group[i]])
			}
			cmd := exec.Command(program, args...)
			out, _ := cmd.Output()
			var compared, differ int
			if code := cmd.ProcessState.ExitCode(); code != want {
				t.Errorf("%v in %s: exit code %d, want %d", group, args[0], code, want)
			} else if code == 0 {
				if _, err := fmt.Sscan(string(out), &compared, &differ); err != nil || compared != 3*len(group) || differ > 0 {
					t.Errorf("%v: %d outputs compared, %d differ", group, compared, differ)
				}
			}
		}
	}
}
