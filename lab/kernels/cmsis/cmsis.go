// Package cmsis measures the kernels of CMSIS-NN: driver/driver.c calls them as the glue of TensorFlow Lite Micro does.
//
// The sources are not in this repository: STOWAGE_CMSIS_NN is the folder of a checkout of ARM-software/CMSIS-NN.
package cmsis

import (
	_ "embed"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"

	"github.com/stowage-go/stowage/internal/distance"
	"github.com/stowage-go/stowage/lab/kernels/harness"
)

// Sources is the environment variable with the folder of the sources.
const Sources = "STOWAGE_CMSIS_NN"

// A Target is a build of the library.
type Target struct {
	Machine harness.Machine
	Library distance.Library
}

// Targets returns the builds: plain C here and on a Cortex-M3, with the DSP extension, with vectors.
func Targets() []Target {
	return []Target{
		{harness.Host, distance.C},
		{harness.M3, distance.C},
		{harness.M4, distance.DSP},
		{harness.M55, distance.MVE},
	}
}

// other matches what the driver does not call.
var other = regexp.MustCompile(`f16|f32|Bindings|lstm|svdf`)

//go:embed driver/driver.c
var driver []byte

// Driver returns the driver with the library's sources.
func Driver() (harness.Driver, error) {
	root := os.Getenv(Sources)
	d := harness.Driver{
		Source:  driver,
		Include: []string{filepath.Join(root, "Include")},
	}
	err := filepath.WalkDir(filepath.Join(root, "Source"), func(path string, _ fs.DirEntry, err error) error {
		if err == nil && filepath.Ext(path) == ".c" && !other.MatchString(path[len(root):]) {
			d.Sources = append(d.Sources, path)
		}
		return err
	})
	return d, err
}
