package distance

import (
	"fmt"
	"strings"
)

// A Library is a set of kernels whose order of reading and writing is known.
type Library string

// The libraries, by the names that flags and files use.
const (
	Reference Library = "reference"    // TensorFlow Lite Micro's reference kernels
	MVE       Library = "cmsis-nn-mve" // CMSIS-NN for cores with vectors (Cortex-M52, M55, M85)
	DSP       Library = "cmsis-nn-dsp" // CMSIS-NN for cores with the DSP extension (Cortex-M4, M7, M33), by GCC or Clang
	C         Library = "cmsis-nn-c"   // CMSIS-NN in plain C (Cortex-M0, M0+, M3, M23)
	ESP       Library = "esp-nn"       // ESP-NN's kernels in C
)

// Libraries returns all libraries, in the order in which help lists them.
func Libraries() []Library { return []Library{Reference, MVE, DSP, C, ESP} }

// ParseLibrary returns the library of a name. The error lists the names that there are.
func ParseLibrary(name string) (Library, error) {
	var all []string
	for _, l := range Libraries() {
		if string(l) == name {
			return l, nil
		}
		all = append(all, string(l))
	}
	return "", fmt.Errorf("no kernel library is called %q: there are %s", name, strings.Join(all, ", "))
}

// String returns the library's name.
func (l Library) String() string { return string(l) }

// Source names the place and the revision of a library's kernels.
func (l Library) Source() (repository, revision string) {
	switch l {
	case Reference:
		return "https://github.com/tensorflow/tflite-micro", "90b983c2b3f1480642e040bbd2ddb37b998f3424"
	case MVE, DSP, C:
		return "https://github.com/ARM-software/CMSIS-NN", "99f736a63036613032f9b70de36b493bcd7802d4"
	case ESP:
		return "https://github.com/espressif/esp-nn", "d45b843ca5f873ca9d0706ab0e7f14eafd132e98"
	}
	return "", ""
}

// A rule answers for one kind of operator: what it permits, or why it permits nothing.
type rule func(op *Operator) (permits []Permit, refused string)

// rules returns a library's rules by kind of operator, nil if none has been worked out.
func rules(l Library) map[string]rule {
	switch l {
	case Reference:
		return reference()
	case MVE:
		return mve()
	case DSP:
		return dsp()
	case C:
		return inC()
	case ESP:
		return esp()
	}
	return nil
}
