package run

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stowage-go/stowage/plan"
)

// dial has one setting of each kind.
type dial struct {
	memo, lift bool

	count         int
	steps, tries  int64
	waste, share  float64
	search, label string
	even          string
}

func (s *dial) Declare(d *Declaration) {
	d.Technique(&s.memo, "memo", "remember")
	d.Technique(&s.lift, "lift", "raise")
	d.Int(&s.count, "count", 3, 1, 9, "how many")
	d.Int64(&s.steps, "steps", 0, 0, math.MaxInt64, "how long")
	tries := int64(0)
	if d.Endless() {
		tries = 32
	}
	d.Int64OrAuto(&s.tries, "tries", tries, 0, 100, "how often")
	d.Float(&s.waste, "waste", 1.001, 1, math.Inf(1), "how close")
	d.Float(&s.share, "share", 0.5, 0, 1, "how much")
	d.Choice(&s.search, "search", "which way", "restarts", "mcts", "none")
	d.Text(&s.label, "label", "", "", nil, "any text")
	d.Text(&s.even, "even", "ab", "a text of even length", func(text string) bool { return len(text)%2 == 0 }, "pairs")
	if !s.memo && !s.lift {
		d.Refuse("memo and lift are both off")
	}
}

func describeDial() plan.Info {
	return Describe(plan.Info{Name: "dial", Summary: "s", Exact: true}, func() Settings { return new(dial) })
}

func TestDescribe(t *testing.T) {
	i := describeDial()
	if i.Name != "dial" || i.Summary != "s" || !i.Exact {
		t.Errorf("the rest is lost: %+v", i)
	}
	if want := []plan.Technique{{Name: "memo", Summary: "remember"}, {Name: "lift", Summary: "raise"}}; !slices.Equal(i.Techniques, want) {
		t.Errorf("techniques %v, want %v", i.Techniques, want)
	}
	want := []plan.Param{
		{Name: "count", Default: "3", Values: "a whole number from 1 to 9", Summary: "how many"},
		{Name: "steps", Default: "0", Values: "a whole number of at least 0", Summary: "how long"},
		{Name: "tries", Default: "auto", Values: "auto or a whole number from 0 to 100", Summary: "how often"},
		{Name: "waste", Default: "1.001", Values: "a number of at least 1", Summary: "how close"},
		{Name: "share", Default: "0.5", Values: "a number from 0 to 1", Summary: "how much"},
		{Name: "search", Default: "restarts", Values: "restarts, mcts or none", Summary: "which way"},
		{Name: "label", Summary: "any text"},
		{Name: "even", Default: "ab", Values: "a text of even length", Summary: "pairs"},
	}
	if !slices.Equal(i.Params, want) {
		t.Errorf("parameters\n%v, want\n%v", i.Params, want)
	}
}

func TestBind(t *testing.T) {
	otherwise := dial{
		memo: true, lift: true, count: 3, tries: 32, waste: 1.001, share: 0.5, search: "restarts", even: "ab",
	}
	limited := otherwise
	limited.tries = 0
	given := map[string]string{
		"count": "9", "steps": "9223372036854775807", "tries": "7", "waste": "1e3", "share": "0", "search": "mcts",
		"label": "x y", "even": "",
	}
	for _, tc := range []struct {
		o    plan.Options
		want dial
	}{
		{plan.Options{}, otherwise},
		{plan.Options{Timeout: 1}, limited},
		{plan.Options{NodeLimit: 1}, limited},
		{plan.Options{NodeLimit: 1, Params: map[string]string{"tries": "auto"}}, limited},
		{plan.Options{Without: []string{"lift"}, Params: given}, dial{
			memo: true, count: 9, steps: math.MaxInt64, tries: 7, waste: 1000, search: "mcts", label: "x y",
		}},
	} {
		got := dial{count: 77, label: "dirty"}
		if err := Bind("dial", &tc.o, &got); err != nil || got != tc.want {
			t.Errorf("%+v: got %+v, %v, want %+v", tc.o, got, err, tc.want)
		}
		if err := describeDial().Check(tc.o); err != nil {
			t.Errorf("%+v: the check says %v", tc.o, err)
		}
	}
}

// TestBindRefuses has all that is wrong reported at once, in one style.
func TestBindRefuses(t *testing.T) {
	for _, tc := range []struct {
		params  string
		without []string
		want    string
	}{
		{"count=10", nil, `parameter count must be a whole number from 1 to 9, not "10"`},
		{"count=", nil, `parameter count must be a whole number from 1 to 9, not ""`},
		{"steps=-1", nil, `parameter steps must be a whole number of at least 0, not "-1"`},
		{"steps=9223372036854775808", nil, `parameter steps must be a whole number of at least 0, not "9223372036854775808"`},
		{"tries=Auto", nil, `parameter tries must be auto or a whole number from 0 to 100, not "Auto"`},
		{"waste=0.9", nil, `parameter waste must be a number of at least 1, not "0.9"`},
		{"waste=Inf", nil, `parameter waste must be a number of at least 1, not "Inf"`},
		{"waste=1e400", nil, `parameter waste must be a number of at least 1, not "1e400"`},
		{"waste=1,5", nil, `parameter waste must be a number of at least 1, not "1,5"`},
		{"count=3.0", nil, `parameter count must be a whole number from 1 to 9, not "3.0"`},
		{"waste=NaN", nil, `parameter waste must be a number of at least 1, not "NaN"`},
		{"share=1.5", nil, `parameter share must be a number from 0 to 1, not "1.5"`},
		{"search=\n", nil, `parameter search must be restarts, mcts or none, not "\n"`},
		{"even=abc", nil, `parameter even must be a text of even length, not "abc"`},
		{"", []string{"lift", "memo"}, `memo and lift are both off`},
		{"", []string{"lift", "memory"}, `has no technique "memory"; it has memo, lift`},
		{"z=1 count=0 a=auto", nil, `has no parameter "a"; it has count, steps, tries, waste, share, search, label, even|` +
			`has no parameter "z"; it has count, steps, tries, waste, share, search, label, even|parameter count must be a whole number from 1 to 9, not "0"`},
		{"even=abc share=x count=0", []string{"lift", "memo"}, "parameter count must be a whole number from 1 to 9, not \"0\"|" +
			"parameter share must be a number from 0 to 1, not \"x\"|parameter even must be a text of even length, not \"abc\"|memo and lift are both off"},
	} {
		o := plan.Options{Without: tc.without, Params: map[string]string{}}
		for _, pair := range strings.Split(tc.params, " ") {
			if name, value, ok := strings.Cut(pair, "="); ok {
				o.Params[name] = value
			}
		}
		want := "planner dial: " + strings.ReplaceAll(tc.want, "|", "\nplanner dial: ")
		want = strings.ReplaceAll(want, ": has", " has")
		var s dial
		if err := Bind("dial", &o, &s); err == nil || err.Error() != want {
			t.Errorf("%q: got %v, want %s", tc.params, err, want)
		}
		if err := plan.CheckOptions(describeDial(), o); err == nil || err.Error() != want {
			t.Errorf("%q: CheckOptions says %v, want %s", tc.params, err, want)
		}
	}
}
