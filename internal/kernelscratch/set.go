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
	Version string // a release or a revision of the library's repository; "" for the reference kernels
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

// Versions of ESP-NN. A release that is not here has the formulas of the one before it: v1.0.0, v1.1.0 and v1.1.1 are as v1.1.2.
const (
	espOld     = "v1.1.2"  // 596b084, September 2025
	espAligned = "v1.2.0"  // b859e50, April 2026: depthwise convolutions of 16 bits ask for 16 bytes more
	espColumns = "27d1f4a" // March 2026, between v1.2.0 and 1.2.1: convolutions of the ESP32-S3 with narrow rows of the filter
)

// names lists all libraries, in the order in which help lists them.
var names = []name{
	{"reference", Set{Library: distance.Reference}, []string{""}},
	{"esp-nn", Set{Library: distance.ESP, Part: ESP32S3}, []string{espColumns, espAligned, espOld}},
	{"esp-nn-p4", Set{Library: distance.ESP, Part: ESP32P4}, []string{espColumns, espAligned, espOld}},
	{"esp-nn-c", Set{Library: distance.ESP, Part: InC}, []string{espColumns, espAligned, espOld}},
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

// Parse returns the set of a name such as "esp-nn" or "esp-nn@27d1f4a". Without a version it is the library's
// default version.
func Parse(text string) (Set, error) {
	called, version, versioned := strings.Cut(text, "@")
	at := slices.IndexFunc(names, func(n name) bool { return n.name == called })
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
	if !slices.Contains(n.versions, version) {
		return Set{}, fmt.Errorf("version %q of %s is not known: there are %s", version, n.name, strings.Join(n.versions, ", "))
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
