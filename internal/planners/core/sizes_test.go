package core

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// A target is one compiler with the flags of a processor.
type target struct {
	name, compiler, size, nm string
	flags                    []string
	most                     [3]int // bytes of text by level
}

// targets have limits a little above what compilers of 2022 to 2025 make.
var targets = []target{
	{"x86-64", "cc", "size", "nm", nil, [3]int{4800, 20200, 25600}},
	{
		"Cortex-M4", "arm-none-eabi-gcc", "arm-none-eabi-size", "arm-none-eabi-nm",
		[]string{"-mcpu=cortex-m4", "-mthumb"},
		[3]int{4100, 15900, 19900},
	},
	{
		"Cortex-M4, 32-bit sizes", "arm-none-eabi-gcc", "arm-none-eabi-size", "arm-none-eabi-nm",
		[]string{"-mcpu=cortex-m4", "-mthumb", "-DSTOWAGE_CORE_SIZE32"},
		[3]int{3000, 12800, 16700},
	},
	{
		"RISC-V, 32-bit sizes", "riscv64-unknown-elf-gcc", "riscv64-unknown-elf-size", "riscv64-unknown-elf-nm",
		[]string{"-march=rv32imac", "-mabi=ilp32", "-DSTOWAGE_CORE_SIZE32"},
		[3]int{3600, 15100, 20100},
	},
}

// TestSizes compiles each level for each target that has a compiler here. The code may not grow beyond its limit, nor
// call anything but memcpy, memmove, memset and memcmp. With STOWAGE_SIZES=FILE it writes the table of docs/core.md there.
func TestSizes(t *testing.T) {
	needCC(t)
	dir := t.TempDir()
	var table strings.Builder
	table.WriteString("| text, bytes | heuristics | search | merge |\n|---|---:|---:|---:|\n")
	for _, x := range targets {
		if _, err := exec.LookPath(x.compiler); err != nil || x.name == "x86-64" && !native(t) {
			continue
		}
		fmt.Fprintf(&table, "| %s |", x.name)
		for level, most := range x.most {
			object := filepath.Join(dir, "core.o")
			args := append([]string{"-std=c99", "-Os", "-Wall", "-Wextra", "-Werror", "-pedantic", "-ffreestanding"}, x.flags...)
			args = append(args, fmt.Sprintf("-DSTOWAGE_CORE_LEVEL=%d", level+1), "-c", source+"/stowage_core.c", "-o", object)
			if out, err := exec.Command(x.compiler, args...).CombinedOutput(); err != nil {
				t.Fatalf("%s: %v\n%s", x.name, err, out)
			}
			out, err := exec.Command(x.size, object).Output()
			text := regexp.MustCompile(`\n\s*(\d+)`).FindSubmatch(out)
			if err != nil || text == nil {
				t.Skipf("%s does not say what the size is: %v", x.size, err)
			}
			bytes, _ := strconv.Atoi(string(text[1]))
			if bytes > most {
				t.Errorf("%s, level %d: %d bytes, more than %d", x.name, level+1, bytes, most)
			}
			fmt.Fprintf(&table, " %d |", bytes)
			if out, err = exec.Command(x.nm, "-u", object).Output(); err != nil {
				t.Fatal(err)
			}
			for _, symbol := range strings.Fields(strings.ReplaceAll(string(out), " U ", " ")) {
				if !regexp.MustCompile(`^(U|_?mem(cpy|move|set|cmp)|__aeabi_.*|__(u?div|u?mod|mul|ash|lsh|clz|ctz)\w*)$`).MatchString(symbol) {
					t.Errorf("%s, level %d calls %s", x.name, level+1, symbol)
				}
			}
		}
		table.WriteString("\n")
	}
	if file := os.Getenv("STOWAGE_SIZES"); file != "" {
		if err := os.WriteFile(file, []byte(table.String()), 0o666); err != nil {
			t.Error(err)
		}
	}
	t.Log("\n" + table.String())
}

// native reports whether cc makes code for x86-64 by GCC, whose sizes the table has.
func native(t *testing.T) bool {
	out, err := exec.CommandContext(t.Context(), "cc", "-v").CombinedOutput()
	return err == nil && strings.Contains(string(out), "gcc version") && strings.Contains(string(out), "x86_64")
}

// TestHeaders compiles the headers as C++ and as strict C.
func TestHeaders(t *testing.T) {
	needCC(t)
	if _, err := exec.LookPath("c++"); err != nil {
		t.Skip("there is no C++ compiler for stowage_core.hpp")
	}
	dir := t.TempDir()
	program, object := filepath.Join(dir, "plan"), filepath.Join(dir, "core.o")
	for _, args := range [][]string{
		{"cc", "-std=c99", "-O1", "-c", source + "/stowage_core.c", "-o", object},
		{"c++", "-std=c++20", "-Wall", "-Wextra", "-Werror", "-I" + source, "testdata/plan.cc", object, "-o", program},
		{program},
	} {
		if out, err := exec.CommandContext(t.Context(), args[0], args[1:]...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", args, err, out)
		}
	}
}
