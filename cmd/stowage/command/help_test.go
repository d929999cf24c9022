package command

import (
	"bytes"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// TestHelpLength checks that --help is one screen and the rest two, and that no line except an
// example is wider than a terminal. --help names what it does not explain.
func TestHelpLength(t *testing.T) {
	var check func(cmd *cobra.Command)
	check = func(cmd *cobra.Command) {
		printed := func(most int) string {
			var out bytes.Buffer
			cmd.SetOut(&out)
			help(cmd, nil)
			lines := strings.Split(out.String(), "\n")
			if len(lines)-1 > most {
				t.Errorf("%s: %d lines of help, more than %d", cmd.CommandPath(), len(lines)-1, most)
			}
			for _, line := range lines {
				if len([]rune(line)) > helpWidth && !strings.HasPrefix(line, "  stowage ") {
					t.Errorf("%s: a line is %d wide: %s", cmd.CommandPath(), len([]rune(line)), line)
				}
			}
			return out.String()
		}
		if !topic(cmd) {
			brief := printed(40)
			for _, s := range sections(cmd) {
				for _, f := range s.flags {
					if !strings.Contains(brief, "--"+f.Name) {
						t.Errorf("%s: --help does not name --%s", cmd.CommandPath(), f.Name)
					}
				}
			}
			if err := cmd.Flags().Set(helpAllFlag, "true"); err != nil {
				t.Fatal(err)
			}
		}
		printed(64)
		for _, sub := range cmd.Commands() {
			if !sub.Hidden {
				check(sub)
			}
		}
	}
	var out bytes.Buffer
	check(newRoot(theCommand, &out, &out))
}
