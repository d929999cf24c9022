package main_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
)

// Idea: examples/vulkan/graph.c draws a frame whose images share bytes, on whatever Vulkan driver there is, such as
// Debian's in software. The validation layer judges the barriers: with all of them it is silent, and without any one
// it complains. The pixels equal a run in which no images share bytes.

// vulkan runs the example and returns its last line and its complaints.
func vulkan(t *testing.T, path string, args ...string) (line, complaints string) {
	t.Helper()
	var out, errs bytes.Buffer
	cmd := exec.CommandContext(t.Context(), path, args...)
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) && exit.ExitCode() == 77 {
		t.Skipf("%s (vulkan)", strings.TrimSpace(errs.String()))
	}
	if err != nil {
		t.Fatalf("%s: %v\n%s%s", args, err, &out, &errs)
	}
	return strings.TrimSpace(out.String()), errs.String()
}

func number(t *testing.T, text string) int {
	t.Helper()
	n := must.Get(strconv.Atoi(text))(t)
	return n
}

func TestVulkan(t *testing.T) {
	plantest.Nightly(t)
	dir := library(t)
	folder := t.TempDir()
	header := filepath.Join(folder, "header.c")
	must.Do(t, os.WriteFile(header, []byte("#include <vulkan/vulkan.h>\nint main(void) { return vkEnumerateInstanceVersion(NULL); }\n"), 0o600))
	if out, err := exec.CommandContext(t.Context(), "cc", header, "-o", filepath.Join(folder, "header"),
		"-lvulkan").CombinedOutput(); err != nil {
		t.Skipf("there is no header or loader of Vulkan here (vulkan): %s", strings.SplitN(string(out), "\n", 2)[0])
	}
	path := filepath.Join(folder, "graph")
	args := []string{
		"-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-I.", "../../examples/vulkan/graph.c", "-o", path,
		"-L" + dir, "-lstowage", "-Wl,-rpath," + dir, "-lvulkan",
	}
	tool(t, nil, "cc", args...)
	outcome := regexp.MustCompile(`^18 images in (\d+) bytes, (\d+) barriers, pixels ([0-9a-f]{16}), (\d+) complaints$`)
	figures := func(line string) []string {
		m := outcome.FindStringSubmatch(line)
		if m == nil {
			t.Fatalf("it prints %q", line)
		}
		return m[1:]
	}
	together, apart := filepath.Join(folder, "together.ppm"), filepath.Join(folder, "apart.ppm")
	line, complaints := vulkan(t, path, "-o", together)
	planned := figures(line)
	if planned[3] != "0" {
		t.Errorf("with every barrier: %s\n%s", line, complaints)
	}
	line, complaints = vulkan(t, path, "--apart", "-o", apart)
	alone := figures(line)
	if alone[3] != "0" || alone[1] != "0" {
		t.Errorf("with bytes of its own for each image: %s\n%s", line, complaints)
	}
	if number(t, planned[0]) >= number(t, alone[0]) {
		t.Errorf("the plan takes %s bytes, and without one it is %s", planned[0], alone[0])
	}
	a := must.Get(os.ReadFile(together))(t)
	b := must.Get(os.ReadFile(apart))(t)
	if !bytes.Equal(a, b) || planned[2] != alone[2] {
		t.Error("the pixels are not those of the run with bytes of its own for each image")
	}
	seen := map[byte]bool{}
	for _, x := range a[16:] {
		seen[x] = true
	}
	if len(seen) < 100 {
		t.Errorf("the picture has only %d shades", len(seen))
	}
	t.Logf("planned %s bytes, alone %s, %s barriers", planned[0], alone[0], planned[1])

	list, _ := vulkan(t, path, "--list")
	images := strings.Split(list, "\n")
	if len(images) < 8 {
		t.Fatalf("only %d images have barriers", len(images))
	}
	for _, image := range images {
		number, name, _ := strings.Cut(image, " ")
		line, complaints := vulkan(t, path, "--drop", number)
		if figures(line)[3] == "0" || !strings.Contains(complaints, "SYNC-HAZARD") {
			t.Errorf("without the barrier of %s nobody complains of a hazard: %s", name, line)
		}
	}
}
