package session_test

import (
	"testing"

	"github.com/stowage-go/stowage/internal/testkit/changes"
	"github.com/stowage-go/stowage/internal/testkit/recorded"
)

// TestRecordedTraces makes the calls of traces, with and without rules.
func TestRecordedTraces(t *testing.T) {
	plain, err := changes.Cases(3)
	if err != nil {
		t.Fatal(err)
	}
	ruled, err := changes.RuledCases(12)
	if err != nil {
		t.Fatal(err)
	}
	recorded.Hold(t, "traces", func(b *recorded.Book) {
		for k := range plain {
			b.Line(plain[k].Name, func(say func(...any)) { say(plain[k].Answers) })
		}
		for k := range ruled {
			b.Line("rules, "+ruled[k].Name, func(say func(...any)) { say(ruled[k].Answers) })
		}
	})
}
