package command

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// Idea: a shell can start a program with a closed standard output (>&-). Go's runtime then opens
// /dev/null in its place, for reading and writing, before any code of ours runs; a plan would be
// lost without a word. A shell's own >/dev/null is for writing only, so the two can be told apart.
// Other programs, such as Python's subprocess, open /dev/null for reading and writing on purpose.
// So the parent must be a shell, and must not have /dev/null as its own output, which it hands on.
//
// If that cannot be known, the output counts as open.

// shells are the names of processes that are shells.
var shells = []string{"sh", "bash", "dash", "ash", "busybox", "zsh", "ksh", "mksh", "fish", "csh", "tcsh"}

// closedByShell reports whether a shell has closed a standard output.
func closedByShell(f *os.File) bool {
	flags, _, fault := syscall.Syscall(syscall.SYS_FCNTL, f.Fd(), syscall.F_GETFL, 0)
	if fault != 0 || flags&syscall.O_ACCMODE != syscall.O_RDWR || !isNull(strconv.Itoa(int(f.Fd())), "self") {
		return false
	}
	parent := strconv.Itoa(os.Getppid())
	name, err := os.ReadFile(filepath.Join("/proc", parent, "comm"))
	return err == nil && slices.Contains(shells, strings.TrimSpace(string(name))) && !isNull("1", parent)
}

// isNull reports whether a descriptor of a process is /dev/null.
func isNull(descriptor, process string) bool {
	path, err := os.Readlink(filepath.Join("/proc", process, "fd", descriptor))
	return err == nil && path == os.DevNull
}
