package house_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/built"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/version"
)

// versions has the files with a copy of the version, each with what stands before it.
var versions = []struct{ file, before string }{
	{"bindings/c/version.c", `#define STOWAGE_VERSION "`},
	{"bindings/c/stowage.pc", `Version: `},
	{"bindings/c/stowageConfigVersion.cmake", `set\(PACKAGE_VERSION "`},
	{"bindings/c/stowage.h", `stowage_version returns the library's version, such as "`},
	{"docs/core.md", "`stowage-core/"},
	{"core/CMakeLists.txt", `project\(stowage_core VERSION `},
	{"core/cmake/stowage_core.pc", `Version: `},
	{"core/cmake/stowage_coreConfigVersion.cmake", `set\(PACKAGE_VERSION "`},
	{"core/library.properties", `\nversion=`},
	{"core/library.json", `"version": "`},
	{"core/idf_component.yml", `version: "`},
	{"core/conanfile.py", `version = "`},
	{"core/vcpkg/stowage-core/vcpkg.json", `"version": "`},
	{"python/pyproject.toml", `\nversion = "`},
	{"python/stowage/_version.py", `__version__ = "`},
	{"bindings/js/package.json", `"version": "`},
	{"docs/javascript.md", `stowage-`},
	{"go.work", `stowage-go/stowage(?:/[a-z/]+)? v`},
	{"cmd/stowage/go.mod", `stowage-go/stowage(?:/[a-z/]+)? v`},
	{"lab/go.mod", `stowage-go/stowage(?:/[a-z/]+)? v`},
	{"sweep/go.mod", `stowage-go/stowage v`},
	{".github/CONTRIBUTING.md", "`(?:[a-z/]+/)?v"},
	{".github/CONTRIBUTING.md", "-version=v"},
}

// TestVersion compares all copies of the version with internal/version/VERSION. With -update it writes them.
func TestVersion(t *testing.T) {
	now := version.Number()
	if !regexp.MustCompile(`^[0-9]+\.[0-9]+\.[0-9]+$`).MatchString(now) {
		t.Fatalf("internal/version/VERSION has %q", now)
	}
	for _, v := range versions {
		text := must.Get(os.ReadFile(filepath.FromSlash(v.file)))(t)
		copies := regexp.MustCompile("(" + v.before + `)([0-9]+\.[0-9]+\.[0-9]+)`)
		found := copies.FindAllSubmatch(text, -1)
		if len(found) == 0 {
			t.Errorf("%s has no version behind %q", v.file, v.before)
		}
		if *update {
			must.Do(t, os.WriteFile(filepath.FromSlash(v.file), copies.ReplaceAll(text, []byte("${1}"+now)), 0o666))
			continue
		}
		for _, f := range found {
			if string(f[2]) != now {
				t.Errorf("%s has the version %s, and internal/version/VERSION %s: go test ./internal/house -run TestVersion -update", v.file, f[2], now)
			}
		}
	}
	// CMake takes no other minor version, so what users copy names this one.
	minor := now[:strings.LastIndex(now, ".")]
	for _, file := range []string{"docs/c.md", "docs/core.md", "bindings/c/stowageConfig.cmake"} {
		asked := regexp.MustCompile(`(find_package\(stowage(?:_core)? )([0-9.]+)`)
		text := must.Get(os.ReadFile(filepath.FromSlash(file)))(t)
		if *update {
			must.Do(t, os.WriteFile(filepath.FromSlash(file), asked.ReplaceAll(text, []byte("${1}"+minor)), 0o666))
		} else if found := asked.FindSubmatch(text); found == nil || string(found[2]) != minor {
			t.Errorf("%s asks CMake for %q, and the version is %s: go test ./internal/house -run TestVersion -update", file,
				found, minor)
		}
	}
	// A program that go build makes, without flags of the linker, says it too.
	out, err := exec.Command(built.Command(t), "version").Output()
	if err != nil || !strings.HasPrefix(string(out), "stowage v"+now+" ") {
		t.Errorf("stowage version: %s, %v", out, err)
	}
}

// TestChangelog: the newest section of CHANGELOG.md is the version's, and only this one may be unreleased.
func TestChangelog(t *testing.T) {
	heads := regexp.MustCompile(`(?m)^## ([0-9.]+), (unreleased|20[0-9]{2}-[0-9]{2}-[0-9]{2})$`).FindAllStringSubmatch(strings.Join(read(t, "CHANGELOG.md"), "\n"), -1)
	all := regexp.MustCompile(`(?m)^## `).FindAllString(strings.Join(read(t, "CHANGELOG.md"), "\n"), -1)
	if len(heads) == 0 || len(heads) != len(all) {
		t.Fatalf("CHANGELOG.md: %d of %d sections have a version and a date", len(heads), len(all))
	}
	for k, h := range heads {
		if k == 0 && h[1] != version.Number() {
			t.Errorf("the newest section is of %s, and the version is %s", h[1], version.Number())
		}
		if k > 0 && h[2] == "unreleased" {
			t.Errorf("%s is unreleased, and a newer version is there", h[1])
		}
	}
}
