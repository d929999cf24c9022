package harness

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/stowage-go/stowage/internal/testkit/kernelcase"
)

// A Model is a list of calls that run one after the other in two arenas.
type Model struct {
	Input int      // bytes of the model's input
	From  [2]int64 // its offsets in the two arenas
	Calls []Call
}

// A Call is an operator of a model.
type Call struct {
	Case    *kernelcase.Case // nil: it copies Bytes bytes, unless the two lie at one place
	Bytes   int
	Offsets [2][3]int64 // in each arena: operand, second operand or -1, result
}

// copies is the driver's number of an operator that copies, arena the bytes of each arena: CHAIN_SIZE of bare/places.h.
const (
	copies = 100
	arena  = 0x300000
)

// RunModel runs a model in both arenas with some sets of random inputs. It returns for each the first operator whose
// result differs, -1 if none does.
func (p *Program) RunModel(ctx context.Context, m Model, sets int) ([]int, error) {
	var text strings.Builder
	fmt.Fprintln(&text, sets, 2, len(m.Calls), m.Input, m.From[0], m.From[1])
	for _, c := range m.Calls {
		call := make([]int, len(fields(kernelcase.Case{Kind: "ADD", Type: "INT8", Extra: []int{0}, Stride: [2]int{1, 1}})))
		call[0], call[len(call)-1] = copies, c.Bytes
		if c.Case != nil {
			call = fields(*c.Case)
		}
		fmt.Fprint(&text, strings.Trim(fmt.Sprint(call), "[]"))
		for _, plan := range c.Offsets {
			for _, at := range plan {
				if at > arena/2 {
					return nil, fmt.Errorf("the model needs %d bytes, the driver has %d", at, arena/2)
				}
				fmt.Fprint(&text, " ", at)
			}
		}
		fmt.Fprintln(&text)
	}
	if err := os.WriteFile(filepath.Join(p.folder, "cases"), []byte(text.String()), 0o644); err != nil {
		return nil, err
	}
	args := []string{p.file}
	if p.machine.Traced() {
		args = append(append([]string{"qemu-system-arm"}, p.machine.Board...), "-semihosting", "-nographic", "-monitor",
			"none", "-serial", "none", "-kernel", p.file)
	}
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Dir, cmd.WaitDelay = p.folder, 5*time.Second
	out, err := cmd.CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("%s on %s: %w\n%s", filepath.Base(p.file), p.machine.Name, err, out)
	}
	said := strings.Split(string(bytes.TrimSpace(out)), "\n")
	if len(said) != sets+1 || said[sets] != "done" {
		return nil, fmt.Errorf("%s on %s answers %q", filepath.Base(p.file), p.machine.Name, said)
	}
	var all []int
	for set, line := range said[:sets] {
		var number, status, wrong, lively int
		if _, err := fmt.Sscan(line, &number, &status, &wrong, &lively); err != nil || number != set {
			return nil, fmt.Errorf("the answer is %q", line)
		}
		if status != 0 || lively < len(m.Calls)*9/10 { // results of one value would hide what is wrong
			return nil, fmt.Errorf("status %d, only %d of %d results have several values", status, lively, len(m.Calls))
		}
		all = append(all, wrong)
	}
	return all, nil
}
