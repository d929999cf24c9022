package chain_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stowage-go/stowage/format/tflite"
	"github.com/stowage-go/stowage/internal/distance"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/lab/kernels/chain"
	"github.com/stowage-go/stowage/lab/kernels/cmsis"
	"github.com/stowage-go/stowage/lab/kernels/esp"
	"github.com/stowage-go/stowage/lab/kernels/harness"
)

// models are files of a folder that STOWAGE_KERNEL_MODELS names: models/person_detect.tflite of
// tensorflow/tflite-micro, and of mlcommons/tiny, benchmark/training, the others.
var models = []string{
	"person_detect.tflite", "kws_ref_model.tflite", "pretrainedResnet_quant.tflite", "vww_96_int8.tflite",
}

// TestModels plans models with the overlaps that each library permits, runs their operators through the library's
// kernels, and compares each operator's result with a run whose tensors lie apart. It fails unless a plan with all
// distances 16 bytes shorter gives a wrong result.
func TestModels(t *testing.T) {
	type build struct {
		name, sources string
		machine       harness.Machine
		library       distance.Library
		driver        func() (harness.Driver, error)
	}
	var builds []build
	for _, b := range cmsis.Targets() {
		builds = append(builds, build{
			string(b.Library) + " " + b.Machine.Name, cmsis.Sources, b.Machine, b.Library, cmsis.Driver,
		})
	}
	for _, b := range esp.Targets() {
		builds = append(builds, build{
			"esp-nn " + b.Kernels + " " + b.Machine.Name, esp.Sources, b.Machine, distance.ESP, b.Driver,
		})
	}
	for _, b := range builds {
		t.Run(b.name, func(t *testing.T) {
			if why := harness.Missing(b.sources, b.machine); why != "" {
				t.Skip(why)
			}
			folder := os.Getenv("STOWAGE_KERNEL_MODELS")
			if folder == "" {
				t.Skip("STOWAGE_KERNEL_MODELS does not say where the models are")
			}
			d := must.Get(b.driver())(t)
			program := must.Get(harness.Build(t.Context(), t.TempDir(), b.machine, d))(t)
			seen := 0
			for _, name := range models {
				file := must.Get(os.Open(filepath.Join(folder, name)))(t)
				m, err := tflite.Read(file, name)
				file.Close()
				if err != nil {
					t.Fatal(err)
				}
				seen += one(t, b.library, program, name, m)
			}
			if seen < 2 {
				t.Errorf("with distances 16 bytes shorter, results differ in %d models", seen)
			}
		})
	}
}

// one runs a model, and returns 1 if it differs with distances that are too short.
func one(t *testing.T, l distance.Library, program *harness.Program, name string, m *tflite.Model) int {
	c, err := chain.Read(m)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	apart, err := c.Plan(t.Context(), "", 0)
	if err != nil {
		t.Fatal(err)
	}
	p, err := c.Plan(t.Context(), l, 0)
	if err != nil {
		t.Fatal(err)
	}
	wrong, err := c.Run(t.Context(), program, p, 5)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if first := slices.Max(wrong); first >= 0 {
		t.Errorf("%s: the result of operator %d differs", name, first)
	}
	if p.Bytes > apart.Bytes {
		t.Errorf("%s: %d bytes with overlaps, %d without", name, p.Bytes, apart.Bytes)
	}
	short, err := c.Plan(t.Context(), l, 16)
	if err != nil {
		t.Fatal(err)
	}
	if wrong, err = c.Run(t.Context(), program, short, 5); err != nil {
		t.Fatal(err)
	}
	t.Logf("%s: %d bytes with %d overlaps, %d without; 16 bytes closer, operator %d differs first",
		name, p.Bytes, p.Overlaps, apart.Bytes, slices.Max(wrong))
	if slices.Max(wrong) >= 0 {
		return 1
	}
	return 0
}
