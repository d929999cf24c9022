// Program release builds the files of a release into one folder:
//
//	go run ./internal/testkit/release -version 0.3.0 -out bin/release
//
// The files are: the command for Linux, macOS and Windows on amd64 and arm64; the C library for Linux on both and for
// Windows on amd64; wheels for all of these systems, with the library if there is one, and for musl; the package for
// npm and the page that plans; checksums; and a list of all parts (SBOM, CycloneDX). `make release` names the C
// compilers.
//
// Reproducible: the same sources, Go, C compilers and Python give the same bytes. Builds contain no paths, no time and
// no commit. Archives have their entries in order, with one date.
//
//	main.go      what is built, and how
//	archive.go   tar and zip
//	sbom.go      what is in it
package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// A system is an operating system and a processor to build for.
type system struct{ os, arch string }

var systems = []system{
	{"linux", "amd64"},
	{"linux", "arm64"},
	{"darwin", "amd64"},
	{"darwin", "arm64"},
	{"windows", "amd64"},
	{"windows", "arm64"},
}

// linked are the systems for which there is a C library.
var linked = []system{{"linux", "amd64"}, {"linux", "arm64"}, {"windows", "amd64"}}

// A release is a release that is being built.
type release struct {
	version, out, work string
	compilers          map[system]string // of C
	binaries           []string          // whose parts the SBOM lists
}

func main() {
	r := release{compilers: map[system]string{}}
	flag.StringVar(&r.version, "version", "", "the `version`, such as 0.3.0")
	flag.StringVar(&r.out, "out", "bin/release", "the `folder` that is filled")
	for _, s := range linked {
		if s == (system{runtime.GOOS, runtime.GOARCH}) {
			r.compilers[s] = "cc"
		}
		flag.Func("cc-"+s.os+"-"+s.arch, "the C `compiler` for "+s.os+"/"+s.arch, func(command string) error {
			r.compilers[s] = command
			return nil
		})
	}
	flag.Parse()
	if r.version == "" || flag.NArg() > 0 {
		fmt.Fprintln(os.Stderr, "release: -version is needed, and no arguments")
		os.Exit(2)
	}
	if err := r.build(); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

func (r *release) build() (err error) {
	if r.work, err = os.MkdirTemp("", "release"); err != nil {
		return err
	}
	defer os.RemoveAll(r.work)
	if r.out, err = filepath.Abs(r.out); err != nil {
		return err
	}
	// Files of another release must not stay in the folder.
	if err := os.RemoveAll(r.out); err != nil {
		return err
	}
	if err := os.MkdirAll(r.out, 0o755); err != nil {
		return err
	}
	for _, step := range []func() error{r.commands, r.libraries, r.wheels, r.npm, r.sbom, r.checksums} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// path returns where a file of the release goes.
func (r *release) path(format string, args ...any) string {
	return filepath.Join(r.out, fmt.Sprintf(format, args...))
}

// command returns where the command for a system is built.
func (r *release) command(s system) string {
	name := "stowage"
	if s.os == "windows" {
		name += ".exe"
	}
	return filepath.Join(r.work, s.os+"-"+s.arch, name)
}

// commands builds the command and its archives.
func (r *release) commands() error {
	papers, err := r.papers()
	if err != nil {
		return err
	}
	for _, s := range systems {
		path := r.command(s)
		flags := "-s -w -buildid="
		environment := []string{"CGO_ENABLED=0", "GOOS=" + s.os, "GOARCH=" + s.arch}
		if err := run(environment, "go", "build", "-trimpath", "-buildvcs=false", "-ldflags", flags, "-o", path,
			"./cmd/stowage"); err != nil {
			return err
		}
		r.binaries = append(r.binaries, path)
		name := fmt.Sprintf("stowage-%s-%s-%s", r.version, s.os, s.arch)
		a := archive{name, append([]entry{{filepath.Base(path), path, true}}, papers...)}
		if err := r.pack(&a, s); err != nil {
			return err
		}
	}
	return nil
}

// licences is the file of all licences but ours.
const licences = "LICENSES-THIRD-PARTY.txt"

// papers returns the files that go along with every command, and writes the licences of its parts.
func (r *release) papers() ([]entry, error) {
	out, err := output("go", "list", "-deps", "-f", "{{with .Module}}{{.Path}}\t{{.Dir}}{{end}}", "./cmd/stowage",
		"./bindings/c")
	if err != nil {
		return nil, err
	}
	lines := strings.Split(strings.TrimSpace(out), "\n")
	slices.Sort(lines)
	var text bytes.Buffer
	add := func(title, path string) error {
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		fmt.Fprintf(&text, "%s\n%s\n\n%s\n\n", title, strings.Repeat("=", len(title)), bytes.TrimSpace(data))
		return nil
	}
	for _, line := range slices.Compact(lines) {
		module, dir, _ := strings.Cut(line, "\t")
		if dir == "" || strings.HasPrefix(module, "github.com/stowage-go/stowage") {
			continue
		}
		names, err := filepath.Glob(filepath.Join(dir, "LICENSE*"))
		if err != nil || len(names) == 0 {
			return nil, errors.Join(err, errors.New(module+" has no licence"))
		}
		if err := add(module, names[0]); err != nil {
			return nil, err
		}
	}
	root, err := output("go", "env", "GOROOT")
	if err != nil {
		return nil, err
	}
	if err := add("Go", filepath.Join(strings.TrimSpace(root), "LICENSE")); err != nil {
		return nil, err
	}
	path := filepath.Join(r.work, licences)
	if err := os.WriteFile(path, text.Bytes(), 0o644); err != nil {
		return nil, err
	}
	return []entry{
		{"LICENSE", "LICENSE", false},
		{licences, path, false},
		{"README.md", "README.md", false},
		{"CHANGELOG.md", "CHANGELOG.md", false},
	}, nil
}

// library returns the folder where the C library for a system is built, and the names of
// its files, the shared one first.
func (r *release) library(s system) (dir string, names []string) {
	if names = []string{"libstowage.so", "libstowage.a"}; s.os == "windows" {
		names[0] = "stowage.dll"
	}
	return filepath.Join(r.work, "c-"+s.os+"-"+s.arch), names
}

// libraries builds the C library for each system that has a compiler.
func (r *release) libraries() error {
	for _, s := range linked {
		cc, ok := r.compilers[s]
		if !ok {
			fmt.Fprintf(os.Stderr, "release: no C library for %s/%s: -cc-%s-%s names no compiler\n", s.os, s.arch, s.os, s.arch)
			continue
		}
		// Go's own flags for C have -g, as Zig has by default, and debugging data contain paths.
		environment := []string{"CGO_ENABLED=1", "CGO_CFLAGS=-O2 -g0", "GOOS=" + s.os, "GOARCH=" + s.arch, "CC=" + cc}
		flags := "-s -w -buildid="
		if s.os == "windows" {
			flags += " -extldflags=-Wl,-s" // debugging data have a number that differs from build to build
		}
		if s.os == "linux" {
			shown, err := filepath.Abs("bindings/c/stowage.map")
			if err != nil {
				return err
			}
			flags += " -extldflags=-Wl,-s,-soname,libstowage.so,--version-script=" + shown
		}
		dir, names := r.library(s)
		name := fmt.Sprintf("stowage-c-%s-%s-%s", r.version, s.os, s.arch)
		a := archive{name, []entry{
			{"stowage.h", "bindings/c/stowage.h", false},
			{"stowage.hpp", "bindings/c/stowage.hpp", false},
			{"stowage.pc", "bindings/c/stowage.pc", false},
			{"stowageConfig.cmake", "bindings/c/stowageConfig.cmake", false},
			{"stowageConfigVersion.cmake", "bindings/c/stowageConfigVersion.cmake", false},
			{"examples/plan.c", "bindings/c/examples/plan.c", false},
			{"examples/plan.cc", "bindings/c/examples/plan.cc", false},
			{"examples/hook.cc", "bindings/c/examples/hook.cc", false},
			{"examples/memories.c", "bindings/c/examples/memories.c", false},
			{"LICENSE", "LICENSE", false},
			{licences, filepath.Join(r.work, licences), false},
			{"README.md", "docs/c.md", false},
		}}
		for k, mode := range []string{"c-shared", "c-archive"} {
			path := filepath.Join(dir, names[k])
			if err := run(environment, "go", "build", "-trimpath", "-buildvcs=false", "-ldflags", flags, "-buildmode="+mode,
				"-o", path, "./bindings/c"); err != nil {
				return err
			}
			a.entries = append(a.entries, entry{names[k], path, k == 0})
		}
		r.binaries = append(r.binaries, filepath.Join(dir, names[0]))
		if err := r.pack(&a, s); err != nil {
			return err
		}
	}
	return nil
}

// pack writes an archive of the kind that is usual on a system.
func (r *release) pack(a *archive, s system) error {
	if s.os == "windows" {
		return a.zip(r.path("%s.zip", a.folder))
	}
	return a.tar(r.path("%s.tar.gz", a.folder))
}

// wheels builds the Python package for all systems, with the commands, and with the C libraries that exist. For Linux
// there is also a wheel without the library, which pip takes if the C library is musl.
func (r *release) wheels() error {
	for _, s := range systems {
		kinds := []string{"none"}
		if r.compilers[s] != "" {
			dir, names := r.library(s)
			kinds = []string{filepath.Join(dir, names[0])}
			if s.os == "linux" {
				kinds = append(kinds, "none")
			}
		}
		for _, library := range kinds {
			environment := []string{
				"GOOS=" + s.os, "GOARCH=" + s.arch, "SOURCE_DATE_EPOCH=0",
				"STOWAGE_COMMAND=" + r.command(s),
				"STOWAGE_LIBRARY_FILE=" + library,
				"STOWAGE_LICENSES=" + filepath.Join(r.work, licences),
			}
			if err := run(environment, "python3", "python/stowage_build.py", r.out); err != nil {
				return err
			}
		}
	}
	return nil
}

// npm packs the package for JavaScript, and builds the page.
func (r *release) npm() error {
	if err := run(nil, "go", "run", "./bindings/js/build", "-page", r.path("stowage-%s.html", r.version)); err != nil {
		return err
	}
	var manifest struct{ Files []string }
	data, err := os.ReadFile("bindings/js/package.json")
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, &manifest); err != nil {
		return fmt.Errorf("bindings/js/package.json: %w", err)
	}
	a := archive{"package", []entry{{"package.json", "bindings/js/package.json", false}}}
	for _, name := range manifest.Files {
		if err := a.add(name, filepath.Join("bindings", "js", name)); err != nil {
			return err
		}
	}
	return a.tar(r.path("stowage-%s.tgz", r.version))
}

// checksums lists all files of the release.
func (r *release) checksums() error {
	files, err := os.ReadDir(r.out)
	if err != nil {
		return err
	}
	var text bytes.Buffer
	for _, f := range files {
		data, err := os.ReadFile(r.path("%s", f.Name()))
		if err != nil {
			return err
		}
		fmt.Fprintf(&text, "%x  %s\n", sha256.Sum256(data), f.Name())
	}
	os.Stdout.Write(text.Bytes())
	return os.WriteFile(r.path("SHA256SUMS"), text.Bytes(), 0o644)
}

// run runs a program in the root of the clone.
func run(environment []string, name string, args ...string) error {
	cmd := exec.Command(name, args...)
	cmd.Env = append(os.Environ(), environment...)
	cmd.Stderr = os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s %s: %w", name, strings.Join(args, " "), err)
	}
	return nil
}

func output(name string, args ...string) (string, error) {
	cmd := exec.Command(name, args...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w", name, strings.Join(args, " "), err)
	}
	return string(out), nil
}
