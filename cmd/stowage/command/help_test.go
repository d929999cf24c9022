package command

import (
	"bytes"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// TestHelpLength checks that every help fits one or two screens, and that no line except an
// example is wider than a terminal.
func TestHelpLength(t *testing.T) {
	var check func(cmd *cobra.Command)
	check = func(cmd *cobra.Command) {
		var out bytes.Buffer
		cmd.SetOut(&out)
		help(cmd, nil)
		const most = 60
		if lines := strings.Count(out.String(), "\n"); lines > most {
			t.Errorf("%s: %d lines of help, more than %d", cmd.CommandPath(), lines, most)
		}
		for _, line := range strings.Split(out.String(), "\n") {
			if len([]rune(line)) > helpWidth && !strings.HasPrefix(line, "  stowage ") {
				t.Errorf("%s: a line is %d wide: %s", cmd.CommandPath(), len([]rune(line)), line)
			}
		}
		for _, sub := range cmd.Commands() {
			if !sub.Hidden {
				check(sub)
			}
		}
	}
	var out bytes.Buffer
	check(newRoot(theCommand, &out, &out))
}
