package main_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
	"github.com/stowage-go/stowage/internal/version"
)

// Idea: the library is found as its users find it. `make install` puts it into a folder. pkg-config and CMake build the
// examples from there, shared and static. The examples run without a library path in the environment. CMake also finds
// the folder that make capi fills, which is what a release has.

// installed returns a prefix that make install has filled, and the folder that it built before.
func installed(t *testing.T) (prefix, bin string) {
	t.Helper()
	library(t) // asks whether there is a compiler
	if _, err := exec.LookPath("make"); err != nil {
		t.Skip("there is no make (POSIX)")
	}
	dir := t.TempDir()
	prefix, bin = filepath.Join(dir, "prefix"), filepath.Join(dir, "bin")
	tool(t, nil, "make", "-C", "../..", "install", "PREFIX="+prefix, "BIN="+bin)
	return prefix, bin
}

// tool runs a program and returns what it prints. LD_LIBRARY_PATH is not set: programs must
// find the library by themselves.
func tool(t *testing.T, environment []string, name string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Env = append(os.Environ(), append([]string{"LD_LIBRARY_PATH="}, environment...)...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return string(out)
}

// planned holds what examples/plan.c and plan.cc print.
func planned(t *testing.T, how, out string) {
	t.Helper()
	if !strings.HasPrefix(out, "height 12, the lowest there is\n0 at ") || !strings.Contains(out, "\n11 is too little") {
		t.Errorf("%s: it prints\n%s", how, out)
	}
}

var project = strings.ReplaceAll(`cmake_minimum_required(VERSION 3.13)
project(user C CXX)
set(CMAKE_CXX_STANDARD 17)
find_package(stowage MINOR REQUIRED)
foreach(form stowage static)
  foreach(language c cc)
    add_executable(plan_${form}_${language} ${SOURCES}/plan.${language})
    target_link_libraries(plan_${form}_${language} PRIVATE stowage::${form})
  endforeach()
endforeach()
find_package(stowage MINOR REQUIRED) # twice, as in a project of parts
find_package(stowage 0.1 QUIET)
if(stowage_FOUND)
  message(FATAL_ERROR "MINOR is found where 0.1 is asked for")
endif()
`, "MINOR", version.Number()[:strings.LastIndex(version.Number(), ".")])

// byCMake builds examples against the libraries that CMake finds by an argument.
func byCMake(t *testing.T, argument string, programs ...string) {
	t.Helper()
	if _, err := exec.LookPath("cmake"); err != nil {
		t.Skip("there is no CMake: cmake is not on PATH")
	}
	sources := must.Get(filepath.Abs("examples"))(t)
	dir := t.TempDir()
	must.Do(t, os.WriteFile(filepath.Join(dir, "CMakeLists.txt"), []byte(project), 0o600))
	build := filepath.Join(dir, "build")
	tool(t, nil, "cmake", "-S", dir, "-B", build, "-DSOURCES="+sources, argument)
	for _, name := range programs {
		tool(t, nil, "cmake", "--build", build, "--target", name)
		planned(t, name, tool(t, nil, filepath.Join(build, name)))
	}
}

func TestInstall(t *testing.T) {
	prefix, bin := installed(t)
	for _, name := range []string{
		"bin/stowage", "lib/libstowage.so", "lib/libstowage.a", "include/stowage.h", "include/stowage.hpp",
		"lib/pkgconfig/stowage.pc",
		"lib/cmake/stowage/stowageConfig.cmake", "lib/cmake/stowage/stowageConfigVersion.cmake",
		"include/stowage_core.h", "include/stowage_core.hpp", "share/stowage/stowage_core.c",
		"include/stowage_place.h", "share/stowage/stowage_place.c",
		"lib/pkgconfig/stowage_core.pc", "lib/cmake/stowage_core/stowage_coreConfig.cmake",
		"share/man/man1/stowage.1", "share/man/man1/stowage-solve.1",
	} {
		info, err := os.Stat(filepath.Join(prefix, filepath.FromSlash(name)))
		if err != nil || info.Size() == 0 || info.Mode().Perm()&0o444 != 0o444 {
			t.Errorf("%s: %v", name, err)
		}
	}
	if out := tool(t, nil, filepath.Join(prefix, "bin", "stowage"), "version"); !strings.HasPrefix(out, "stowage ") {
		t.Errorf("the command prints %q", out)
	}
	t.Run("pkg-config", func(t *testing.T) {
		if _, err := exec.LookPath("pkg-config"); err != nil {
			t.Skip("there is no pkg-config on PATH")
		}
		asked := func(pc string, args ...string) []string {
			return strings.Fields(tool(t, []string{"PKG_CONFIG_PATH=" + pc}, "pkg-config", append(args, "stowage")...))
		}
		for _, pc := range []string{filepath.Join(prefix, "lib", "pkgconfig"), filepath.Join(bin, "capi")} {
			for _, c := range [][]string{{"cc", "examples/plan.c"}, {"c++", "-std=c++17", "examples/plan.cc"}} {
				path := filepath.Join(t.TempDir(), "plan")
				args := append(append(c[1:], asked(pc, "--cflags")...), append(asked(pc, "--libs"), "-o", path)...)
				tool(t, nil, c[0], args...)
				planned(t, pc, tool(t, nil, path))
			}
		}
		core := func(arg string) []string {
			pc := "PKG_CONFIG_PATH=" + filepath.Join(prefix, "lib", "pkgconfig")
			return strings.Fields(tool(t, []string{pc}, "pkg-config", arg, "stowage_core"))
		}
		args := append(core("--cflags"), core("--variable=source")...)
		tool(t, nil, "cc", append(args, "-c", "-o", filepath.Join(t.TempDir(), "core.o"))...)
	})
	t.Run("cmake", func(t *testing.T) {
		byCMake(t, "-DCMAKE_PREFIX_PATH="+prefix, "plan_stowage_c", "plan_stowage_cc", "plan_static_c", "plan_static_cc")
	})
	// Staged into a system folder, without Go: nothing is built, and no path is linked in.
	t.Run("staged", func(t *testing.T) {
		stage := t.TempDir()
		tool(t, nil, "make", "-C", "../..", "install", "GO=none", "PREFIX=/usr", "DESTDIR="+stage, "BIN="+bin)
		pc := string(mustRead(t, filepath.Join(stage, "usr", "lib", "pkgconfig", "stowage.pc")))
		for _, line := range []string{"\nlibdir=/usr/lib\n", "\nincludedir=/usr/include\n", "\nrpath=\n"} {
			if !strings.Contains(pc, line) {
				t.Errorf("stowage.pc has no line %q:\n%s", line, pc)
			}
		}
		tool(t, nil, "make", "-C", "../..", "uninstall", "PREFIX=/usr", "DESTDIR="+stage)
		err := filepath.WalkDir(stage, func(path string, d os.DirEntry, err error) error {
			if err == nil && !d.IsDir() {
				t.Errorf("uninstall leaves %s", path)
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	})
	if !plantest.AtNight() {
		return
	}
	// LIBDIR may be deeper, as on Debian.
	t.Run("libdir", func(t *testing.T) {
		deep := t.TempDir()
		tool(t, nil, "make", "-C", "../..", "install", "GO=none", "PREFIX="+deep, "LIBDIR="+deep+"/lib/x86_64-linux-gnu",
			"BIN="+bin)
		byCMake(t, "-Dstowage_DIR="+deep+"/lib/x86_64-linux-gnu/cmake/stowage", "plan_stowage_c")
	})
	t.Run("one folder", func(t *testing.T) { byCMake(t, "-Dstowage_DIR="+filepath.Join(bin, "capi"), "plan_stowage_cc") })
}

// TestVersions: all files that have the version have the same one.
func TestVersions(t *testing.T) {
	version := regexp.MustCompile(`VERSION "(.+)"`).FindStringSubmatch(string(mustRead(t, "version.c")))
	if version == nil {
		t.Fatal("version.c has no version")
	}
	for path, line := range map[string]string{
		"stowage.pc":                 "\nVersion: " + version[1] + "\n",
		"stowageConfigVersion.cmake": "\nset(PACKAGE_VERSION \"" + version[1] + "\")\n",
	} {
		if !strings.Contains(string(mustRead(t, path)), line) {
			t.Errorf("%s has another version than %s", path, version[1])
		}
	}
}
