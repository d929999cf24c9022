package kernelscratch

import (
	"fmt"
	"slices"
	"strings"

	"github.com/stowage-go/stowage/internal/distance"
)

// A Set is a library of kernels at one version, for one family of chips.
type Set struct {
	Library distance.Library
	Version string // a release or a revision of the library's repository, one of Sets; "" for the reference kernels
	Part    string // of ESP-NN: the chips that its kernels are for, one of the parts below; "" for other libraries
}

// The parts that ESP-NN has kernels for.
const (
	ESP32S3 = "esp32s3" // in assembly
	ESP32P4 = "esp32p4" // in assembly
	InC     = "c"       // in C: ESP32, S2, C3 and others
)

// A name is what flags call a library, with its versions, the default first.
type name struct {
	name     string
	set      Set // without a version
	versions []string
}

// Versions of ESP-NN that differ. The others are as one of these, see alias.
const (
	esp112  = "1.1.2"   // 596b084, September 2025
	esp120  = "1.2.0"   // b859e50, April 2026: depthwise convolutions of 16 bits ask for 16 bytes more
	esp27d1 = "27d1f4a" // March 2026, on the way to 1.2.1: convolutions of the ESP32-S3 keep the weights twice
	esp121  = "1.2.1"   // 79d59ae: depthwise convolutions of the ESP32-S3 in tiles and with more channels
	esp123  = "1.2.3"   // d45b843, April 2026: another margin, and kernels for the ESP32-P4
)

// Versions of CMSIS-NN that differ.
const (
	cmsis99f7 = "99f736a6" // July 2026
	cmsis700  = "7.0.0"    // 22080c68, November 2024: convolutions in groups are taken for others
)

// alias maps a version to another one with the same formulas.
var alias = map[string]string{
	"1.0.0": esp112, "1.1.0": esp112, "1.1.1": esp112, "1.2.2": esp121, "d45b843": esp123,
	"4ab83cc3": cmsis99f7, // tflite-micro's makefile downloads it
}

var (
	espVersions   = []string{esp27d1, esp123, esp121, esp120, esp112}
	cmsisVersions = []string{cmsis99f7, cmsis700}
)

// names lists all libraries, in the order in which help lists them.
var names = []name{
	{"reference", Set{Library: distance.Reference}, []string{""}},
	{"cmsis-nn-mve", Set{Library: distance.MVE}, cmsisVersions},
	{"cmsis-nn-dsp", Set{Library: distance.DSP}, cmsisVersions},
	{"cmsis-nn-c", Set{Library: distance.C}, cmsisVersions},
	{"esp-nn", Set{Library: distance.ESP, Part: ESP32S3}, espVersions},
	{"esp-nn-p4", Set{Library: distance.ESP, Part: ESP32P4}, espVersions},
	{"esp-nn-c", Set{Library: distance.ESP, Part: InC}, espVersions},
}

// Sets returns every library at every version, the default version of each library first.
func Sets() (all []Set) {
	for _, n := range names {
		for _, v := range n.versions {
			s := n.set
			s.Version = v
			all = append(all, s)
		}
	}
	return all
}

// Names returns the names of the libraries, without versions.
func Names() (all []string) {
	for _, n := range names {
		all = append(all, n.name)
	}
	return all
}

// Parse returns the set of a name such as "esp-nn" or "esp-nn@27d1f4a". Without a version it is the library's default
// version. The case of a name does not matter. A version may begin with v. A version with the formulas of another
// becomes the other.
func Parse(text string) (Set, error) {
	called, version, versioned := strings.Cut(text, "@")
	at := slices.IndexFunc(names, func(n name) bool { return strings.EqualFold(n.name, called) })
	if at < 0 {
		return Set{}, fmt.Errorf("no kernel library is called %q: there are %s", called, strings.Join(Names(), ", "))
	}
	n := names[at]
	s := n.set
	s.Version = n.versions[0]
	if !versioned {
		return s, nil
	}
	if s.Version == "" {
		return Set{}, fmt.Errorf("%q has a version, and %s has none to choose", text, n.name)
	}
	version = strings.TrimPrefix(version, "v")
	if as, ok := alias[version]; ok {
		version = as
	}
	if !slices.Contains(n.versions, version) {
		return Set{}, fmt.Errorf("version %q of %s is not known: there are %s",
			version, n.name, strings.Join(n.versions, ", "))
	}
	s.Version = version
	return s, nil
}

// Name returns the name of the library with its part, without the version, as Parse takes it.
func (s Set) Name() string {
	for _, n := range names {
		if n.set.Library == s.Library && n.set.Part == s.Part {
			return n.name
		}
	}
	return string(s.Library)
}

// String returns name and version, as Parse takes them.
func (s Set) String() string {
	if s.Version == "" {
		return s.Name()
	}
	return s.Name() + "@" + s.Version
}

// Order returns the library whose order of reading and writing (internal/distance) the kernels have. It is false
// if their order is not known: ESP-NN's kernels in assembly are not those in C.
func (s Set) Order() (distance.Library, bool) {
	return s.Library, s.Library != distance.ESP || s.Part == InC
}

// Source returns the repository of the library and the revision whose formulas a set has.
func (s Set) Source() (repository, revision string) {
	repository, revision = s.Library.Source()
	switch s.Version {
	case esp112:
		revision = "596b08401a63da3a2e1b40868c442f582a99ae26"
	case esp120:
		revision = "b859e50b9019a873f2c271ad51a005d18d1336aa"
	case esp121:
		revision = "79d59ae3eb5f6b6ebc5149034ae5876d29605eed"
	case esp27d1:
		revision = "27d1f4ab114547878b665f8de5ed6c5756ab3d90"
	case cmsis700:
		revision = "22080c68d040c98139e6cb1549473e3149735f4d"
	}
	return repository, revision
}
