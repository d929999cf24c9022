// Package esp measures ESP-NN's kernels in C: driver/driver.c calls them as the glue of esp-tflite-micro does.
//
// The sources are not in this repository: STOWAGE_ESP_NN is the folder of a checkout of espressif/esp-nn.
package esp

import (
	_ "embed"
	"os"
	"path/filepath"
	"strings"

	"github.com/stowage-go/stowage/lab/kernels/harness"
)

// Sources is the environment variable with the folder of the sources.
const Sources = "STOWAGE_ESP_NN"

// A Target is a build of the library.
type Target struct {
	Kernels string // "opt", which is built unless an option is off, or "ansi"
	Machine harness.Machine
}

// Targets returns the builds: both sets of kernels, here and on a Cortex-M3, whose accesses can be traced. The code is
// plain C, so its loops are the same on an ESP32.
func Targets() []Target {
	return []Target{{"opt", harness.Host}, {"opt", harness.M3}, {"ansi", harness.Host}, {"ansi", harness.M3}}
}

//go:embed driver/driver.c
var driver []byte

// Driver returns the driver with the library's sources.
func (t Target) Driver() (harness.Driver, error) {
	root := os.Getenv(Sources)
	d := harness.Driver{
		Source:  driver,
		Include: []string{filepath.Join(root, "include"), filepath.Join(root, "src", "common")},
	}
	if t.Kernels == "opt" {
		d.Flags = []string{"-DCONFIG_NN_OPTIMIZED"}
	}
	for _, suffix := range []string{"ansi", "opt"} {
		files, err := filepath.Glob(filepath.Join(root, "src", "*", "*_"+suffix+".c"))
		if err != nil {
			return d, err
		}
		d.Sources = append(d.Sources, files...)
	}
	return d, nil
}

// Takes reports whether the glue hands a path's operators to the library: operators on INT8 with INT8 weights.
func Takes(path string) bool {
	for _, other := range []string{"INT16", "4 bits", "maximum", "minimum", "pad", "groups"} {
		if strings.Contains(path, other) {
			return false
		}
	}
	return true
}
