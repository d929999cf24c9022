package house_test

import (
	"archive/zip"
	"fmt"
	"io/fs"
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

// Idea: in a clone the modules find each other through go.work, so nothing there shows whether each stands alone.
// Here a folder has them as a proxy of Go modules would after a release: a zip of each without the modules below it.
// With that proxy and without go.work they are installed as a user would install them. Modules of others come from
// the module cache of this machine, so nothing is downloaded: the test's cache is a tree of links to it.
//
// https://go.dev/ref/mod#goproxy-protocol has the layout of the proxy, https://go.dev/ref/mod#zip-files that of a zip.

// modules has each module of this repository by its folder, with the command that a user installs. The library is
// first.
var modules = []struct{ folder, command string }{
	{".", ""},
	{"cmd/stowage", "cmd/stowage"},
	{"sweep", "sweep/cmd/stowage-sweep"},
	{"lab", "lab/cmd/stowage-lab"},
}

// TestModulesAlone loads the packages of each command, and of a program with the library, with nothing but what the
// go.mod of its module requires. At night it compiles the library and the command, too.
func TestModulesAlone(t *testing.T) {
	found := slices.DeleteFunc(goMods(t), func(folder string) bool {
		return slices.ContainsFunc(modules, func(m struct{ folder, command string }) bool { return m.folder == folder })
	})
	if len(found) > 0 {
		t.Errorf("go.mod in %s: modules says nothing of it", found)
	}
	sameVersions(t)
	tag := "v" + version.Number()
	proxy := filepath.ToSlash(t.TempDir())
	for _, m := range modules {
		must.Do(t, publish(proxy, m.folder, tag))
	}
	cache, environment := moduleCache(t, proxy)
	bin := t.TempDir()
	run := func(dir string, args ...string) string {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), "go", args...)
		cmd.Dir, cmd.Env = dir, append(environment, "GOBIN="+bin)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
		}
		return string(out)
	}
	do := "-n" // loads all, and prints what it would do
	if plantest.AtNight() {
		do = "-v"
	}
	// A program of a user's, whose go.mod knows of the library alone.
	dir := t.TempDir()
	program := "package main\n\nimport _ \"" + module + "\"\n\nfunc main() {}\n"
	if err := os.WriteFile(filepath.Join(dir, "main.go"), []byte(program), 0o666); err != nil {
		t.Fatal(err)
	}
	run(dir, "mod", "init", "example.org/user")
	run(dir, "mod", "edit", "-require="+module+"@"+tag)
	run(dir, "build", "-mod=mod", do, "-o", os.DevNull, ".")
	for _, m := range modules[1:] {
		run(dir, "list", "-m", modulePath(m.folder)+"@"+tag)
		// go install finds what go.mod lacks by itself, and so does -mod=mod, which then adds it.
		run(dir, "mod", "download", modulePath(m.folder)+"@"+tag)
		at := filepath.Join(cache, filepath.FromSlash(modulePath(m.folder)+"@"+tag))
		run(at, "list", "-mod=mod", "-deps", "./...")
		for _, line := range read(t, filepath.Join(at, "go.mod")) {
			if !slices.Contains(read(t, filepath.Join(m.folder, "go.mod")), line) {
				t.Errorf("%s/go.mod lacks %s", m.folder, strings.TrimSpace(line))
			}
		}
		do := do
		if m.folder != "cmd/stowage" {
			do = "-n" // what others wrote takes minutes to compile
		}
		if m.command == "" {
			continue
		}
		out := run(dir, "install", do, modulePath(m.command)+"@"+tag)
		if do == "-n" && !strings.Contains(out, "importcfg.link") {
			t.Errorf("%s: %s", m.command, out)
		}
	}
}

// sameVersions holds that the modules require the same versions.
func sameVersions(t *testing.T) {
	t.Helper()
	required, of := regexp.MustCompile(`^\s*(?:require )?(\S+\.\S+/\S+) (v\S+)`), map[string]string{}
	for _, m := range modules {
		for _, line := range read(t, filepath.Join(m.folder, "go.mod")) {
			if f := required.FindStringSubmatch(line); f != nil {
				if other, ok := of[f[1]]; ok && other != f[2] {
					t.Errorf("%s/go.mod requires %s %s, another module %s", m.folder, f[1], f[2], other)
				}
				of[f[1]] = f[2]
			}
		}
	}
}

func modulePath(folder string) string { return strings.TrimSuffix(module+"/"+folder, "/.") }

// goMods returns the folders with a go.mod.
func goMods(t *testing.T) (folders []string) {
	t.Helper()
	for folder := range goFolders(t) {
		if _, err := os.Stat(filepath.Join(folder, "go.mod")); err == nil {
			folders = append(folders, folder)
		}
	}
	return folders
}

// publish writes a module into the folder of a proxy.
func publish(proxy, folder, tag string) error {
	at := filepath.Join(proxy, modulePath(folder), "@v")
	if err := os.MkdirAll(at, 0o777); err != nil {
		return err
	}
	mod, err := os.ReadFile(filepath.Join(folder, "go.mod"))
	if err != nil {
		return err
	}
	for name, text := range map[string]string{
		"list": tag + "\n", tag + ".info": fmt.Sprintf("{%q:%q}", "Version", tag), tag + ".mod": string(mod),
	} {
		if err := os.WriteFile(filepath.Join(at, name), []byte(text), 0o666); err != nil {
			return err
		}
	}
	file, err := os.Create(filepath.Join(at, tag+".zip"))
	if err != nil {
		return err
	}
	defer file.Close()
	w := zip.NewWriter(file)
	if err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			_, err := os.Stat(filepath.Join(path, "go.mod"))
			below := err == nil && path != folder
			if path != folder && (below || strings.HasPrefix(d.Name(), ".") || d.Name() == "bin") {
				return filepath.SkipDir
			}
			return nil
		}
		if !d.Type().IsRegular() {
			return nil
		}
		name, err := filepath.Rel(folder, path)
		if err != nil {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		// Stored as it is, since this is quicker.
		entry, err := w.CreateHeader(&zip.FileHeader{Name: modulePath(folder) + "@" + tag + "/" + filepath.ToSlash(name)})
		if err == nil {
			_, err = entry.Write(data)
		}
		return err
	}); err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	return file.Close()
}

// moduleCache makes a module cache that has what the cache of this machine has, except modules of ours, and returns it
// with the environment in which Go uses it.
func moduleCache(t *testing.T, proxy string) (cache string, environment []string) {
	t.Helper()
	out := must.Get(exec.Command("go", "env", "GOMODCACHE").Output())(t)
	real := strings.TrimSpace(string(out))
	cache = t.TempDir()
	// Folders on the way to ours are made, and the rest of each is linked.
	for _, way := range []string{"", "cache", "cache/download", "github.com", "cache/download/github.com"} {
		must.Do(t, os.MkdirAll(filepath.Join(cache, way), 0o777))
		entries := must.Get(os.ReadDir(filepath.Join(real, way)))(t)
		for _, e := range entries {
			switch e.Name() {
			case "cache", "download", "github.com", "stowage-go", "lock":
			default:
				if err := os.Symlink(filepath.Join(real, way, e.Name()), filepath.Join(cache, way, e.Name())); err != nil {
					t.Skipf("no symbolic links here: %v", err)
				}
			}
		}
	}
	return cache, append(os.Environ(), "GOMODCACHE="+cache, "GOWORK=off",
		"GOFLAGS="+os.Getenv("GOFLAGS")+" -modcacherw", "GOSUMDB=off", "GONOPROXY=none", "GOPRIVATE=",
		"GOPROXY=file://"+proxy+",file://"+filepath.ToSlash(filepath.Join(real, "cache", "download")))
}
