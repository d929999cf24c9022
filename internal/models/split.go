package models

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/stowage-go/stowage/format/tflite"
	"github.com/stowage-go/stowage/tflm"
)

// Idea: --split replaces the plan of a model by that of the same model in strips, if its arena is smaller. The report
// then is one of the model in strips, and its sizes "as it is" are those of the model as it was given. What is said
// beside it is in this file: the chains, the arithmetic, the operators that firmware must have, and the other choices.

// A Splitting says how a model is split.
type Splitting struct {
	MaxMACs  float64                  // multiply-accumulates that may be added, as a share
	Progress func(tflm.SplitProgress) // told how far the search is, by several goroutines; may be nil
}

// A splitReport says what came of --split. The keys of its JSON are a contract; new ones go to the end.
type splitReport struct {
	Split      bool           `json:"split"`             // the plan is that of the model in strips
	Why        string         `json:"why,omitempty"`     // why it is not
	Chains     []chainReport  `json:"chains"`            // operators of the model as it was
	Operators  int            `json:"operators"`         // of the model in strips
	MACs       int64          `json:"macs"`              // multiply-accumulates of the model as it was
	Extra      int64          `json:"extra_macs"`        // that strips add
	Added      []string       `json:"added_operators"`   // kinds that the model did not have
	Bound      int64          `json:"bound"`             // no choice of the considered strips has a smaller arena
	Considered int            `json:"considered"`        // chains in strips
	Planned    int            `json:"planned"`           // sets of chains
	Front      []choiceReport `json:"front"`             // choices that no other beats in both arena and arithmetic
	Larger     []growthReport `json:"larger"`            // known kernels with which the arena is larger than without strips
	Stopped    string         `json:"stopped,omitempty"` // what ended the search for strips early
}

type growthReport struct {
	Kernels string `json:"kernels"`
	Arena   int64  `json:"arena"`
	Without int64  `json:"without"`
}

type chainReport struct {
	First  int    `json:"first"` // operators, both included
	Last   int    `json:"last"`
	Strips int    `json:"strips"`
	Lines  string `json:"lines"`     // rows or columns
	Kept   bool   `json:"kept"`      // lines that several strips read are kept, not computed again
	Crop   bool   `json:"cropped"`   // convolutions pad each strip, and what they then have too much is cut off
	Name   string `json:"operators"` // first and last in words
	Looped int    `json:"looped"`    // strips that a loop computes
}

type choiceReport struct {
	Arena     int64 `json:"arena"`
	Head      int64 `json:"head"`
	Tail      int64 `json:"tail"`
	Extra     int64 `json:"extra_macs"`
	Operators int   `json:"operators"`
	File      int   `json:"file_bytes"`
}

// split replaces a plan by that of the model in strips, if it is smaller.
func (p *Options) split(ctx context.Context, made *tflm.Plan, o tflm.Options, weights int) (*tflm.Split, *splitReport,
	error,
) {
	if weights > 0 && !p.Fold {
		return &tflm.Split{}, &splitReport{
			Chains: []chainReport{}, Added: []string{}, Front: []choiceReport{},
			Larger: []growthReport{}, Why: "its weights are float16: --fold-float16",
		}, nil
	}
	x, err := made.Split(ctx, o, tflm.SplitOptions{
		Target: p.on(), MaxMACs: p.Split.MaxMACs, Capacity: p.Capacity,
		NoScratch: p.scratchFrom() == "none", Progress: p.Split.Progress,
	})
	if err != nil {
		return nil, nil, err
	}
	r := splitOf(made.Model, x)
	for k := range x.Front {
		data, err := x.Front[k].Written()
		if err != nil {
			return nil, nil, err
		}
		c := &x.Front[k]
		r.Front = append(r.Front, choiceReport{c.Arena, c.Head, c.Tail, c.MACs, c.Operators, len(data)})
	}
	return x, r, nil
}

// on returns the target of --target.
func (p *Options) on() *tflm.Target {
	return []*tflm.Target{&tflm.Firmware32, &tflm.Firmware64, &tflm.Interpreter}[slices.Index(Targets, p.Target)]
}

// splitOf reports a split of a model, without its front.
func splitOf(m *tflite.Model, x *tflm.Split) *splitReport {
	r := &splitReport{
		Why: x.Why, Stopped: x.Stopped, MACs: x.MACs, Bound: x.Bound, Considered: x.Considered, Planned: x.Planned, Chains: []chainReport{},
		Added: append([]string{}, x.Added...), Front: []choiceReport{}, Larger: []growthReport{},
	}
	if x.Plan == nil {
		return r
	}
	r.Split, r.Operators, r.Extra = true, x.Choice.Operators, x.Choice.MACs
	for _, c := range x.Choice.Chains {
		r.Chains = append(r.Chains, chainOf(m, c))
	}
	for _, g := range x.Larger {
		r.Larger = append(r.Larger, growthReport{g.Set.String(), g.Arena, g.Without})
	}
	return r
}

// chainOf reports a chain of a model.
func chainOf(m *tflite.Model, c tflm.Chain) chainReport {
	label := func(k int) string { return fmt.Sprintf("%s %d", m.Operators[k].Name(), k) }
	name := label(c.First)
	if c.Last > c.First {
		name += " to " + label(c.Last)
	}
	return chainReport{c.First, c.Last, c.Strips, c.Lines, c.Kept, c.Cropped, name, c.Looped}
}

// lines says what the strips are.
func (r *splitReport) lines() (out []string) {
	if !r.Split {
		return slices.Concat(r.unsplit(), r.stopped(), r.bound())
	}
	var chains []string
	for _, c := range r.Chains {
		kept := ""
		switch {
		case c.Kept:
			kept = ", with lines kept"
		case c.Crop:
			kept = ", cropped"
		}
		if c.Looped > 0 {
			kept += fmt.Sprintf(", %d of them in a loop", c.Looped)
		}
		chains = append(chains, fmt.Sprintf("%s in %d strips of %s%s", c.Name, c.Strips, c.Lines, kept))
	}
	out = append(out, fmt.Sprintf("in strips: %s; %d operators, %s more arithmetic", strings.Join(chains, "; "), r.Operators,
		share(r.Extra, r.MACs)))
	out = append(out, r.resolver()...)
	for _, g := range r.Larger {
		out = append(out, fmt.Sprintf("with %s the arena is %d, and %d without strips; --kernels NAME splits for one set of "+
			"kernels", g.Kernels, g.Arena, g.Without))
	}
	return slices.Concat(out, r.stopped(), r.bound())
}

// resolver says which operators the firmware must know that the model did not have before.
func (r *splitReport) resolver() []string {
	if len(r.Added) == 0 {
		return nil
	}
	var calls []string
	for _, name := range r.Added {
		calls = append(calls, "resolver.Add"+camel(name)+"()")
	}
	return []string{"firmware with a MicroMutableOpResolver needs " + strings.Join(calls, ", ")}
}

// brief says what the strips cost and need, or why there are none.
func (r *splitReport) brief() []string {
	if !r.Split {
		return r.unsplit()
	}
	cost := fmt.Sprintf("in strips: %d operators, %s more arithmetic", r.Operators, share(r.Extra, r.MACs))
	return append([]string{cost}, r.resolver()...)
}

// unsplit says why the model is not split.
func (r *splitReport) unsplit() []string {
	if r.Split {
		return nil
	}
	return []string{"not split: " + r.Why}
}

// stopped says that the search for strips ended early.
func (r *splitReport) stopped() []string {
	if r.Stopped == "" {
		return nil
	}
	return []string{"the search for strips was stopped by " + r.Stopped + ": there may be better ones"}
}

// bound says what was proven.
func (r *splitReport) bound() []string {
	if r.Bound == 0 || r.Considered == 0 {
		return nil
	}
	return []string{fmt.Sprintf("no choice of the %d chains in strips that were considered has an arena below %d",
		r.Considered, r.Bound)}
}

// share returns a part of a whole in percent.
func share(part, whole int64) string {
	if whole == 0 {
		return "0%"
	}
	return fmt.Sprintf("%.1f%%", 100*float64(part)/float64(whole))
}

// camel returns a name of the schema as methods have it: CONV_2D is Conv2D.
func camel(name string) string {
	var out strings.Builder
	for _, word := range strings.Split(name, "_") {
		if word != "" && word[0] >= '0' && word[0] <= '9' {
			out.WriteString(word)
			continue
		}
		out.WriteString(word[:min(1, len(word))] + strings.ToLower(word[min(1, len(word)):]))
	}
	return out.String()
}
