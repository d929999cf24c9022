package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// longHelps are commands whose help may be longer than others.
var longHelps = map[string]int{"plan": 140, "eval": 85}

// TestHelpLength has every help on a screen or two, with no line wider than a terminal but for
// examples.
func TestHelpLength(t *testing.T) {
	var check func(cmd *cobra.Command)
	check = func(cmd *cobra.Command) {
		var out bytes.Buffer
		cmd.SetOut(&out)
		help(cmd, nil)
		most := 60
		if own := longHelps[cmd.Name()]; own > 0 {
			most = own
		}
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
	check(newRoot(&out, &out))
}
