package agree

import (
	"fmt"
	"slices"
	"strings"

	"github.com/stowage-go/stowage/internal/testkit/drawn"
)

// Table is the tally as text and a table for a document: how many problems have each pair of features, and how many in
// a hundred of these have no plan. It has no other pairs than with a rule of banks if any problem has such a rule.
func (t *RuledTally) Table() string {
	columns := drawn.RuledFeatures
	if slices.ContainsFunc(drawn.BankRules, func(f string) bool { return t.Features[f] > 0 }) {
		columns = drawn.BankRules
	}
	var s strings.Builder
	decided := t.Plans + t.None
	fmt.Fprintf(&s, "%d problems: %d with a plan, %d (%d%%) without, %d left undecided by brute force. ",
		decided+t.Undecided, t.Plans, t.None, percent(t.None, decided), t.Undecided)
	asked, others, names := 0, 0, 0
	for name, answers := range t.Answers {
		calls := 0
		for _, n := range answers {
			calls += n
		}
		if name == "auto" || name == "exact" {
			asked += calls
		} else {
			others += calls
			names++
		}
	}
	fmt.Fprintf(&s, "`auto` and `exact` were asked %d times, %d of these under a limit; %d other planners %d times.",
		asked, t.Limited, names, others)
	if len(t.Pairs) > 0 {
		s.WriteString(" There are " + t.rarest() + ".")
	}
	s.WriteString("\n\n")
	fmt.Fprintf(&s, "| | %s |\n|---|%s\n", strings.Join(columns, " | "), strings.Repeat("---:|", len(columns)))
	for _, a := range slices.Concat(drawn.RuledFeatures, drawn.BankRules) {
		if t.Features[a] == 0 {
			continue
		}
		fmt.Fprintf(&s, "| %s |", a)
		for _, b := range columns {
			key, n := a, t.Features[a]
			if a != b {
				if key = a + " and " + b; t.Pairs[key] == 0 {
					key = b + " and " + a
				}
				n = t.Pairs[key]
			}
			if n == 0 {
				s.WriteString(" |")
				continue
			}
			fmt.Fprintf(&s, " %d, %d%% |", n, percent(t.NoPlan[key], n))
		}
		s.WriteString("\n")
	}
	return s.String()
}

// percent is part in a hundred of all, rounded.
func percent(part, all int) int { return (part*200 + all) / max(1, 2*all) }
