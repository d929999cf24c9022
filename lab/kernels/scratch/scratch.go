// Package scratch asks the size functions of kernel libraries how much scratch their kernels request, and compares
// internal/kernelscratch with them.
//
// The sources are not in this repository: STOWAGE_CMSIS_NN and STOWAGE_ESP_NN are the folders of clones of
// ARM-software/CMSIS-NN and espressif/esp-nn. Each version is taken from the clone's history.
package scratch

import (
	"bytes"
	"context"
	"embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/stowage-go/stowage/internal/distance"
	"github.com/stowage-go/stowage/internal/kernelscratch"
	"github.com/stowage-go/stowage/internal/testkit/scratchcase"
	"github.com/stowage-go/stowage/lab/kernels/cmsis"
	"github.com/stowage-go/stowage/lab/kernels/esp"
)

// Idea: the size functions are plain C and compute with numbers only, so a host's compiler builds them for any core:
// the library's own macros choose which. A program of ours (driver) reads operators, calls the functions that the
// glue calls, and writes the answers. The linker leaves out kernels in assembly, which nothing calls.
//
// Cost: a second for a build; 2,000 operators are some milliseconds.

// Kinds returns the operators that a library's size functions are asked about.
func Kinds(l distance.Library) []string {
	if l == distance.ESP {
		return []string{"CONV_2D", "DEPTHWISE_CONV_2D", "SOFTMAX"}
	}
	return []string{
		"CONV_2D", "DEPTHWISE_CONV_2D", "TRANSPOSE_CONV", "FULLY_CONNECTED", "AVERAGE_POOL_2D", "SVDF", "BATCH_MATMUL",
	}
}

// clone returns the variable that names a library's clone.
func clone(s kernelscratch.Set) string {
	if s.Library == distance.ESP {
		return esp.Sources
	}
	return cmsis.Sources
}

// Missing says why a set's size functions cannot be asked here, "" if they can.
func Missing(s kernelscratch.Set) string {
	folder := os.Getenv(clone(s))
	if folder == "" {
		return clone(s) + " does not say where the sources are"
	}
	for _, program := range []string{"gcc", "git", "tar"} {
		if _, err := exec.LookPath(program); err != nil {
			return program + " is not installed"
		}
	}
	if _, revision := s.Source(); exec.Command("git", "-C", folder, "cat-file", "-e", revision+"^{commit}").Run() != nil {
		return fmt.Sprintf("%s is no clone with %s", clone(s), revision)
	}
	return ""
}

// sized matches a file that defines a size function.
var sized = regexp.MustCompile(`(?m)^ *(\w+ )?int(32_t)? \w*_get_\w*_size\w*\(`)

// sources has the programs in C that ask the functions.
//
//go:embed driver
var sources embed.FS

// Build builds the program that asks a set's size functions, in an empty folder, and returns its path.
func Build(ctx context.Context, s kernelscratch.Set, folder string) (string, error) {
	_, revision := s.Source()
	pack := filepath.Join(folder, "sources.tar")
	if err := run(ctx, "git", "-C", os.Getenv(clone(s)), "archive", "-o", pack, revision); err != nil {
		return "", err
	}
	if err := run(ctx, "tar", "-xf", pack, "-C", folder); err != nil {
		return "", err
	}
	if err := os.CopyFS(filepath.Join(folder, "ask.src"), sources); err != nil {
		return "", err
	}
	driver := filepath.Join(folder, "ask.src", "driver")
	program := filepath.Join(folder, "ask")
	args := []string{
		"-O1", "-w", "-ffunction-sections", "-fdata-sections", "-Wl,--gc-sections", "-I" + driver, "-o", program,
	}
	patterns := []string{
		"Source/*/*get_buffer_sizes*_s4.c", "Source/*/*get_buffer_sizes*_s8.c", "Source/*/*get_buffer_sizes*_s16.c",
	}
	switch s.Library {
	case distance.ESP:
		args = append(args, "-DCONFIG_NN_OPTIMIZED", "-Iinclude", "-Isrc/common", filepath.Join(driver, "esp.c"))
		patterns = []string{"src/*/*_opt.c", "src/*/*_ansi.c"}
		if s.Part != kernelscratch.InC {
			args = append(args, "-DCONFIG_IDF_TARGET_"+strings.ToUpper(s.Part), "-include", filepath.Join(driver, "esp_host.h"))
			patterns = append(patterns, "src/*/*_"+s.Part+".c")
		}
	case distance.MVE:
		args = append(args, "-DARM_MATH_DSP", "-DARM_MATH_MVEI", "-include", filepath.Join(driver, "cmsis_mve.h"))
		fallthrough
	case distance.DSP:
		args = append(args, "-DARM_MATH_DSP")
		fallthrough
	default:
		args = append(args, "-IInclude", filepath.Join(driver, "cmsis.c"))
	}
	for _, p := range patterns {
		files, err := filepath.Glob(filepath.Join(folder, filepath.FromSlash(p)))
		if err != nil {
			return "", err
		}
		for _, f := range files {
			if text, err := os.ReadFile(f); err != nil {
				return "", err
			} else if sized.Match(text) {
				args = append(args, f)
			}
		}
	}
	cmd := exec.CommandContext(ctx, "gcc", args...)
	cmd.Dir = folder
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("gcc for %s: %w\n%s", s, err, out)
	}
	return program, nil
}

func run(ctx context.Context, name string, args ...string) error {
	if out, err := exec.CommandContext(ctx, name, args...).CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", name, err, out)
	}
	return nil
}

// A Said is the answer of a library's size functions for an operator.
type Said struct {
	Requests []int64
	Kept     int64 // bytes that the glue keeps for good, 0 for none
	Open     bool  // the answer depends on a field that the glue does not set
}

// Ask asks a program that Build built about operators.
func Ask(ctx context.Context, program string, ops []*distance.Operator) ([]Said, error) {
	var text strings.Builder
	for _, op := range ops {
		text.WriteString(scratchcase.Line(op) + "\n")
	}
	cmd := exec.CommandContext(ctx, program)
	cmd.Stdin = strings.NewReader(text.String())
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Base(program), err)
	}
	lines := strings.Split(string(bytes.TrimSuffix(out, []byte("\n"))), "\n")
	if len(lines) != len(ops) {
		return nil, fmt.Errorf("%d answers to %d operators", len(lines), len(ops))
	}
	all := make([]Said, len(lines))
	for i, line := range lines {
		line, ok := strings.CutPrefix(line, "=")
		if !ok {
			return nil, fmt.Errorf("the answer is %q", lines[i])
		}
		requests, kept, _ := strings.Cut(line, "|")
		for _, word := range strings.Fields(requests) {
			if word == "?" {
				all[i].Open = true
				continue
			}
			n, err := strconv.ParseInt(word, 10, 64)
			if err != nil {
				return nil, fmt.Errorf("the answer is %q", lines[i])
			}
			all[i].Requests = append(all[i].Requests, n)
		}
		if kept = strings.TrimSpace(kept); kept != "" {
			if all[i].Kept, err = strconv.ParseInt(kept, 10, 64); err != nil {
				return nil, fmt.Errorf("the answer is %q", lines[i])
			}
		}
	}
	return all, nil
}
