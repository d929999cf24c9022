package tests

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
	"github.com/stowage-go/stowage/internal/version"
)

// Idea: each package is built by its own tool, and testdata/plan.c against it. What no registry of packages has is
// replaced by the little that a package asks of it: ESP-IDF's function and vcpkg's functions are a few lines of CMake,
// Arduino's Serial a few of C++.

// planned is what testdata/plan.c prints.
const planned = "0 96\n"

// tool runs a program in a folder and returns what it prints.
func tool(t *testing.T, dir string, environment []string, name string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), environment...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return string(out)
}

func write(t *testing.T, path, text string) {
	t.Helper()
	must.Do(t, os.MkdirAll(filepath.Dir(path), 0o777))
	must.Do(t, os.WriteFile(path, []byte(text), 0o666))
}

func absolute(t *testing.T, path string) string {
	t.Helper()
	return must.Get(filepath.Abs(path))(t)
}

// cmake builds a project whose last lines are given, and expects its program to plan.
func cmake(t *testing.T, lines string, arguments ...string) {
	t.Helper()
	need(t, "cmake", "cc")
	dir := t.TempDir()
	write(t, filepath.Join(dir, "CMakeLists.txt"), "cmake_minimum_required(VERSION 3.13)\nproject(user C)\n"+
		"set(CORE "+absolute(t, "..")+")\nadd_executable(plan "+absolute(t, "testdata/plan.c")+")\n"+lines+
		"\ntarget_link_libraries(plan PRIVATE stowage::core)\n")
	build := filepath.Join(dir, "build")
	tool(t, dir, nil, "cmake", append([]string{"-S", dir, "-B", build}, arguments...)...)
	tool(t, dir, nil, "cmake", "--build", build, "--target", "plan")
	if out := tool(t, dir, nil, filepath.Join(build, "plan")); out != planned {
		t.Errorf("it prints %q", out)
	}
}

// found is how a project asks for an installed core of this minor version, and none of another one.
var found = strings.ReplaceAll(`find_package(stowage_core MINOR REQUIRED)
find_package(stowage_core MINOR REQUIRED) # twice, as in a project of parts
find_package(stowage_core 0.1 QUIET)
if(stowage_core_FOUND)
  message(FATAL_ERROR "MINOR is found where 0.1 is asked for")
endif()`, "MINOR",
	version.Number()[:strings.LastIndex(version.Number(), ".")])

// TestCMakeLanguages: a project of C++ alone is told that the core is C. CMake would leave the file out without a word.
func TestCMakeLanguages(t *testing.T) {
	need(t, "cmake", "c++", "make")
	dir := t.TempDir()
	tool(t, absolute(t, "../.."), nil, "make", "install-core", "PREFIX="+dir, "GO=none")
	write(t, filepath.Join(dir, "CMakeLists.txt"), "cmake_minimum_required(VERSION 3.13)\nproject(user CXX)\n"+
		"find_package(stowage_core QUIET)\nmessage(FATAL_ERROR \"${stowage_core_NOT_FOUND_MESSAGE}\")\n")
	cmd := exec.CommandContext(t.Context(), "cmake", "-S", dir, "-B", filepath.Join(dir, "build"), "-DCMAKE_PREFIX_PATH="+dir)
	if out, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(out), "add C to the languages") {
		t.Errorf("it says %s", out)
	}
}

// TestCMake: core/CMakeLists.txt in another project, installed by CMake, and as ESP-IDF and vcpkg call it.
func TestCMake(t *testing.T) {
	need(t, "cmake", "cc")
	t.Run("subdirectory", func(t *testing.T) { cmake(t, "add_subdirectory(${CORE} core)", "-DSTOWAGE_CORE_SIZE32=1") })
	t.Run("ESP-IDF", func(t *testing.T) {
		cmake(t, `function(idf_component_register)
  cmake_parse_arguments(idf "" "" "SRCS;INCLUDE_DIRS" ${ARGN})
  list(TRANSFORM idf_SRCS PREPEND ${CMAKE_CURRENT_LIST_DIR}/)
  add_library(component ${idf_SRCS})
  target_include_directories(component PUBLIC ${CMAKE_CURRENT_LIST_DIR}/${idf_INCLUDE_DIRS})
endfunction()
set(ESP_PLATFORM 1)
add_subdirectory(${CORE} core)
add_library(stowage::core ALIAS component)`)
	})
	t.Run("vcpkg", func(t *testing.T) {
		dir := t.TempDir()
		write(t, filepath.Join(dir, "vcpkg.cmake"), `set(CURRENT_PACKAGES_DIR `+dir+`/packages)
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE failed)
  if(failed)
    message(FATAL_ERROR "${ARGN}")
  endif()
endfunction()
function(vcpkg_cmake_configure)
  cmake_parse_arguments(port "" "SOURCE_PATH" "" ${ARGN})
  run(cmake -S ${port_SOURCE_PATH} -B `+dir+`/build -DCMAKE_INSTALL_PREFIX=${CURRENT_PACKAGES_DIR})
endfunction()
function(vcpkg_cmake_install)
  run(cmake --build `+dir+`/build --target install)
endfunction()
function(vcpkg_cmake_config_fixup)
  cmake_parse_arguments(port "" "PACKAGE_NAME;CONFIG_PATH" "" ${ARGN})
  file(MAKE_DIRECTORY ${CURRENT_PACKAGES_DIR}/share)
  file(RENAME ${CURRENT_PACKAGES_DIR}/${port_CONFIG_PATH} ${CURRENT_PACKAGES_DIR}/lib/cmake/${port_PACKAGE_NAME})
endfunction()
function(vcpkg_install_copyright)
  cmake_parse_arguments(port "" "" "FILE_LIST" ${ARGN})
  file(COPY ${port_FILE_LIST} DESTINATION ${CURRENT_PACKAGES_DIR}/share)
endfunction()
include(`+absolute(t, "../vcpkg/stowage-core/portfile.cmake")+`)
`)
		tool(t, dir, nil, "cmake", "-DCMAKE_INSTALL_LIBDIR=lib", "-P", "vcpkg.cmake")
		packages := filepath.Join(dir, "packages")
		must.Get(os.Stat(filepath.Join(packages, "share", "LICENSE")))(t)
		cmake(t, found, "-DCMAKE_PREFIX_PATH="+packages)
	})
}

// TestInstall: what make install-core installs, found by pkg-config and CMake, in lib and in a deeper folder.
func TestInstall(t *testing.T) {
	need(t, "make")
	root := absolute(t, "../..")
	for _, lib := range []string{"lib", "lib/x86_64-linux-gnu"} {
		prefix := t.TempDir()
		where := []string{"PREFIX=" + prefix, "LIBDIR=" + filepath.Join(prefix, lib), "GO=none"}
		tool(t, root, nil, "make", append([]string{"install-core"}, where...)...)
		t.Run("cmake "+lib, func(t *testing.T) {
			cmake(t, found, "-Dstowage_core_DIR="+filepath.Join(prefix, lib, "cmake", "stowage_core"))
		})
		t.Run("pkg-config "+lib, func(t *testing.T) {
			need(t, "pkg-config", "cc")
			ask := func(what string) []string {
				environment := []string{"PKG_CONFIG_PATH=" + filepath.Join(prefix, lib, "pkgconfig")}
				return strings.Fields(tool(t, "", environment, "pkg-config", what, "stowage_core"))
			}
			program := filepath.Join(t.TempDir(), "plan")
			args := append(ask("--cflags"), ask("--variable=source")...)
			tool(t, "", nil, "cc", append(args, "testdata/plan.c", "-o", program)...)
			if out := tool(t, "", nil, program); out != planned {
				t.Errorf("it prints %q", out)
			}
		})
		tool(t, root, nil, "make", append([]string{"uninstall"}, where...)...)
		must.Do(t, filepath.WalkDir(prefix, func(path string, d os.DirEntry, err error) error {
			if err == nil && !d.IsDir() {
				t.Errorf("uninstall leaves %s", path)
			}
			return err
		}))
	}
}

// TestArduino holds library.properties against Arduino's specification of libraries, and runs the example. An Arduino
// library without a folder src is all C files of its own folder.
func TestArduino(t *testing.T) {
	text := string(must.Get(os.ReadFile("../library.properties"))(t))
	properties := map[string]string{}
	for _, m := range regexp.MustCompile(`(?m)^(\w+)=(.+)$`).FindAllStringSubmatch(text, -1) {
		properties[m[1]] = m[2]
	}
	for _, name := range []string{
		"name", "version", "author", "maintainer", "sentence", "paragraph", "category", "url", "architectures",
	} {
		if properties[name] == "" {
			t.Errorf("library.properties has no %s", name)
		}
	}
	categories := []string{
		"Display", "Communication", "Signal Input/Output", "Sensors", "Device Control", "Timing", "Data Storage",
		"Data Processing", "Other",
	}
	if !slices.Contains(categories, properties["category"]) ||
		!regexp.MustCompile(`^[A-Za-z][\w .-]{0,62}$`).MatchString(properties["name"]) {
		t.Errorf("library.properties: the category or the name is not allowed:\n%s", text)
	}
	must.Get(os.Stat("../" + properties["includes"]))(t)
	if files := must.Get(filepath.Glob("../*.c*"))(t); !slices.Equal(files, []string{"../stowage_core.c", "../stowage_place.c"}) {
		t.Errorf("Arduino would compile %s", files)
	}
	need(t, "cc", "c++")
	dir := t.TempDir()
	tool(t, "", nil, "cc", "-Os", "-c", "../stowage_core.c", "-o", filepath.Join(dir, "core.o"))
	tool(t, "", nil, "c++", "-Wall", "-Werror", "-I..", "testdata/arduino/main.cpp", filepath.Join(dir, "core.o"), "-o",
		filepath.Join(dir, "sketch"))
	if out := tool(t, "", nil, filepath.Join(dir, "sketch")); len(strings.Fields(out)) != 3 {
		t.Errorf("the sketch prints %q", out)
	}
}

// script returns the program of a Python package, from PATH or beside STOWAGE_PYTHON, or skips the test.
func script(t *testing.T, name, from string) string {
	t.Helper()
	if path := filepath.Join(filepath.Dir(os.Getenv("STOWAGE_PYTHON")), name); filepath.IsAbs(path) {
		if _, err := os.Stat(path); err == nil {
			return path
		}
	}
	path, err := exec.LookPath(name)
	if err != nil {
		t.Skipf("needs the Python package %s, or its program %s on PATH", from, name)
	}
	return path
}

// TestConan creates the package, and builds a program with it.
func TestConan(t *testing.T) {
	plantest.Nightly(t)
	conan := script(t, "conan", "conan")
	dir := t.TempDir()
	environment := []string{"CONAN_HOME=" + filepath.Join(dir, "home")}
	write(t, filepath.Join(dir, "user", "conanfile.txt"), "[requires]\nstowage-core/"+version.Number()+
		"\n[generators]\nCMakeDeps\n[layout]\n")
	tool(t, "", environment, conan, "profile", "detect")
	tool(t, "", environment, conan, "create", "..", "--no-remote")
	tool(t, "", environment, conan, "install", filepath.Join(dir, "user"), "--no-remote")
	cmake(t, found, "-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_PREFIX_PATH="+filepath.Join(dir, "user"))
}

// packed holds the files of an archive, sorted.
func packed(t *testing.T, archive string, want ...string) {
	t.Helper()
	var files []string
	for _, name := range strings.Fields(tool(t, "", nil, "tar", "tzf", archive)) {
		if name = strings.TrimPrefix(name, "./"); name != "" && !strings.HasSuffix(name, "/") {
			files = append(files, name)
		}
	}
	slices.Sort(files)
	if !slices.Equal(files, want) {
		t.Errorf("it packs %s", files)
	}
}

// TestPlatformIO has PlatformIO check and pack the library. The licence is left out, since PlatformIO asks the network
// for the list of all licences.
func TestPlatformIO(t *testing.T) {
	plantest.Nightly(t)
	pio := script(t, "pio", "platformio")
	dir := t.TempDir()
	must.Do(t, os.CopyFS(filepath.Join(dir, "core"), os.DirFS("..")))
	manifest := map[string]any{}
	must.Do(t, json.Unmarshal(must.Get(os.ReadFile("../library.json"))(t), &manifest))
	if manifest["license"] != "Apache-2.0" {
		t.Errorf("the licence is %v", manifest["license"])
	}
	delete(manifest, "license")
	write(t, filepath.Join(dir, "core", "library.json"), string(must.Get(json.Marshal(manifest))(t)))
	archive := filepath.Join(dir, "core.tar.gz")
	tool(t, dir, []string{"PLATFORMIO_CORE_DIR=" + dir, "PLATFORMIO_SETTING_ENABLE_TELEMETRY=no"}, pio, "pkg", "pack",
		"core", "-o", archive)
	packed(t, archive, "examples/Plan/Plan.ino", "library.json", "library.properties", "stowage_core.c",
		"stowage_core.h", "stowage_core.hpp")
}

// TestESPIDF has ESP-IDF's component manager check and pack the component.
func TestESPIDF(t *testing.T) {
	plantest.Nightly(t)
	compote := script(t, "compote", "idf-component-manager")
	dir := t.TempDir()
	tool(t, "..", nil, compote, "component", "pack", "--name", "stowage_core", "--dest-dir", dir)
	packed(t, filepath.Join(dir, "stowage_core_"+version.Number()+".tgz"), "CMakeLists.txt", "idf_component.yml",
		"stowage_core.c", "stowage_core.h", "stowage_core.hpp", "tflm/stowage_tflm_planner.h")
}
