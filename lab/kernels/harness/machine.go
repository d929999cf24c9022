package harness

import (
	"fmt"
	"os"
	"os/exec"
)

// A Machine is what a program is built for and runs on.
type Machine struct {
	Name     string   // as tables say it
	Compiler string   // gcc or arm-none-eabi-gcc
	Flags    []string // of the processor
	Board    []string // QEMU's options; none: the program runs here
}

// The machines: the host, and a Cortex-M of each kind that CMSIS-NN has kernels for.
var (
	Host = Machine{Name: "host", Compiler: "gcc"}
	M3   = Machine{
		"Cortex-M3", "arm-none-eabi-gcc",
		[]string{"-mcpu=cortex-m3", "-DCASES=0x21400000"},
		[]string{"-M", "mps2-an385", "-cpu", "cortex-m3"},
	}
	M4 = Machine{
		"Cortex-M4", "arm-none-eabi-gcc",
		[]string{"-mcpu=cortex-m4", "-mfpu=fpv4-sp-d16", "-mfloat-abi=hard", "-DCASES=0x21400000"},
		[]string{"-M", "mps2-an386", "-cpu", "cortex-m4"},
	}
	M55 = Machine{
		"Cortex-M55", "arm-none-eabi-gcc",
		[]string{"-mcpu=cortex-m55", "-mfloat-abi=hard"},
		[]string{"-M", "mps3-an547", "-cpu", "cortex-m55"},
	}
)

// Traced reports whether the machine is one that a plugin sees.
func (m Machine) Traced() bool { return m.Board != nil }

// Missing says what the machines need and is not installed, "" if nothing. sources is the environment variable with
// the folder of the library's sources.
func Missing(sources string, machines ...Machine) string {
	if os.Getenv(sources) == "" {
		return fmt.Sprintf("%s does not say where the sources are", sources)
	}
	for _, m := range machines {
		need := []string{m.Compiler}
		if m.Traced() {
			need = append(need, "gcc", "qemu-system-arm") // the plugin is built by gcc
		}
		for _, program := range need {
			if _, err := exec.LookPath(program); err != nil {
				return fmt.Sprintf("%s is not installed", program)
			}
		}
	}
	return ""
}
