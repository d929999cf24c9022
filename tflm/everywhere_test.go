package tflm

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/format/tflite"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
	"github.com/stowage-go/stowage/internal/testkit/pypi"
	"github.com/stowage-go/stowage/internal/testkit/tflitemade"
)

// headsWith returns the head of a model as it is with a set of kernels: by the runtime itself, and with its plan.
func headsWith(t *testing.T, m *tflite.Model, s Set) (own, planned int64) {
	t.Helper()
	bare := *m
	bare.Offline = nil
	own, err := Head(t.Context(), &bare, s.Scratch(m))
	if err != nil {
		t.Fatal(err)
	}
	if planned, err = Head(t.Context(), m, s.Scratch(m)); err != nil {
		t.Fatal(err)
	}
	return own, planned
}

// written returns a plan's model as it is read again.
func written(t *testing.T, p *Plan, m *tflite.Model) *tflite.Model {
	t.Helper()
	data := must.Get(p.Written(m))(t)
	return parse(t, data)
}

// TestEverywhere plans networks of 8 bits: with no known kernels is a plan that is written worse than what the runtime
// makes by itself. The lowest plan for the reference kernels alone often is.
func TestEverywhere(t *testing.T) {
	lower, alone, withheld := 0, 0, 0
	for seed := range uint64(300) {
		m := parse(t, tflitemade.Bytes(seed, 6+int(seed)%11))
		o := Options{Scratch: ReferenceSet.Scratch(m), InPlace: seed%3 == 0}
		p := must.Get(Make(t.Context(), m, o))(t)
		after := written(t, p, m)
		for _, s := range KnownSets() {
			if own, head := headsWith(t, after, s); head > own {
				t.Errorf("seed %d: with %s the head is %d, %d without the plan", seed, s, head, own)
			}
		}
		if _, head := headsWith(t, after, ReferenceSet); head != p.WrittenHead() {
			t.Errorf("seed %d: a head of %d, not %d", seed, head, p.WrittenHead())
		}
		if v, err := Check(after, 0); err != nil || !v.OK() {
			t.Errorf("seed %d: %+v, %v", seed, v, err)
		}
		if worse, err := WorseWith(t.Context(), after); err != nil || len(worse) > 0 {
			t.Errorf("seed %d: %+v, %v", seed, worse, err)
		}
		if len(p.Withheld) > 0 {
			withheld++
			if p.Worth() || p.Head != p.Before {
				t.Errorf("seed %d: a plan that is withheld is written, heads %d and %d", seed, p.Before, p.Head)
			}
		}
		if !p.Worth() && len(p.Withheld) == 0 {
			continue
		}
		lower++
		// What was done for the reference kernels alone: the tensors where the planner has them.
		q := &Plan{Model: m, Arena: p.Arena, Life: p.Life}
		if err := q.solveWith(t.Context(), func(int, int) bool { return false },
			stowage.Options{Minimize: true}); err != nil {
			t.Fatal(err)
		}
		data := must.Get(m.WithOffsets(q.Offsets))(t)
		worse := must.Get(WorseWith(t.Context(), parse(t, data)))(t)
		if len(worse) > 0 {
			alone++
		}
	}
	if lower < 30 || alone < 15 || withheld < 2 || withheld > 20 {
		t.Errorf("%d plans are lower, %d of them were worse with other kernels, %d are withheld", lower, alone, withheld)
	}
}

// TestNamed: who names the kernels gets the lowest plan for them, and hears if it is worse.
func TestNamed(t *testing.T) {
	worse := 0
	for seed := range uint64(160) {
		m := parse(t, tflitemade.Bytes(seed, 8))
		for _, s := range DefaultSets() {
			o := Options{Scratch: s.Scratch(m), Set: s, Named: true}
			p := must.Get(Make(t.Context(), m, o))(t)
			after := written(t, p, m)
			own, head := headsWith(t, after, s)
			if head > own || head != p.WrittenHead() || own != p.Greedy {
				t.Errorf("seed %d, %s: heads %d and %d, by the plan %d and %d", seed, s, own, head, p.Greedy, p.WrittenHead())
			}
			for _, x := range p.Worse() {
				worse++
				if own, head := headsWith(t, after, x.Set); own != x.Own || head != x.Head || head <= own {
					t.Errorf("seed %d, %s: with %s heads of %d and %d, reported as %d and %d", seed, s, x.Set, own, head,
						x.Own, x.Head)
				}
			}
		}
	}
	if worse < 10 {
		t.Errorf("%d plans are worse with other kernels: these models test little", worse)
	}
}

// TestMends: a model whose plan is worse than the runtime's own with some kernels gets one that is not, though it is no
// lower.
func TestMends(t *testing.T) {
	mended := 0
	for seed := range uint64(160) {
		m := parse(t, tflitemade.Bytes(seed, 10))
		p, err := Make(t.Context(), m, Options{})
		if err != nil || !p.Worth() {
			continue
		}
		q := &Plan{Model: m, Arena: p.Arena, Life: p.Life}
		must.Do(t, q.solveWith(t.Context(), func(int, int) bool { return false }, stowage.Options{Minimize: true}))
		data := must.Get(m.WithOffsets(q.Offsets))(t)
		bad := parse(t, data)
		if worse, err := WorseWith(t.Context(), bad); err != nil || len(worse) == 0 {
			continue
		}
		p = must.Get(Make(t.Context(), bad, Options{}))(t)
		if !p.Worth() {
			continue
		}
		mended++
		after := written(t, p, bad)
		if worse, err := WorseWith(t.Context(), after); err != nil || len(worse) > 0 || p.Head > p.Before {
			t.Errorf("seed %d: %+v, heads %d and %d, %v", seed, worse, p.Before, p.Head, err)
		}
		again, err := Make(t.Context(), after, Options{})
		if err != nil || again.Worth() || !slices.Equal(again.Offsets, p.Offsets) {
			t.Errorf("seed %d: planned again it is another plan: %v", seed, err)
		}
	}
	if mended < 4 {
		t.Errorf("%d models are mended", mended)
	}
}

// modelsNamed returns the models of these names below a folder, by name, or nil if one is not there.
func modelsNamed(t *testing.T, folder string, names ...string) map[string]*tflite.Model {
	t.Helper()
	found := map[string]*tflite.Model{}
	if folder != "" {
		must.Do(t, filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
			if err != nil || !slices.Contains(names, d.Name()) || found[d.Name()] != nil {
				return err
			}
			data, err := os.ReadFile(path)
			if err == nil && !bytes.HasPrefix(data, []byte("version ")) { // of Git LFS
				found[d.Name()] = parse(t, data)
			}
			return err
		}))
	}
	if len(found) < len(names) {
		return nil
	}
	return found
}

// TestWakeWords compares heads and arenas of 32 bit with what the vendor's size functions give, and what devices
// logged (esphome/issues#7242, esphome#15628). With the plan that is written no kernels make them larger.
func TestWakeWords(t *testing.T) {
	plantest.Nightly(t)
	models := modelsNamed(t, pypi.WakeWords(t), "okay_nabu.tflite", "hey_jarvis.tflite", "alexa.tflite",
		"hey_mycroft.tflite")
	if models == nil {
		t.Fatal("the package pymicro-wakeword lacks a model")
	}
	for _, c := range []struct {
		model       string
		head, arena int64 // with ESP-NN at 27d1f4a on the ESP32-S3
		on          string
		own         int64 // the head as it is on that set; the lowest plan for the reference kernels alone was above
		alone       int64
	}{
		{"okay_nabu.tflite", 33488, 50288, "cmsis-nn-dsp", 3712, 3584},
		{"hey_jarvis.tflite", 17840, 30096, "cmsis-nn-mve", 11984, 3248},
		{"alexa.tflite", 17584, 30240, "cmsis-nn-mve", 12080, 3200},
		{"hey_mycroft.tflite", 18224, 31536, "cmsis-nn-mve", 12720, 3840},
	} {
		m := models[c.model]
		esp := must.Get(ParseSet("esp-nn@27d1f4a"))(t)
		p := must.Get(Make(t.Context(), m, Options{Scratch: esp.Scratch(m), Set: esp, Named: true}))(t)
		if x := p.Sizes()[0]; p.Before != c.head || p.WrittenHead() != c.head || x.Before.Smallest != c.arena ||
			x.After.Smallest != c.arena {
			t.Errorf("%s: heads %d and %d, arenas %d and %d, want %d and %d", c.model, p.Before, p.WrittenHead(),
				x.Before.Smallest, x.After.Smallest, c.head, c.arena)
		}
		p = must.Get(Make(t.Context(), m, Options{Scratch: ReferenceSet.Scratch(m)}))(t)
		if !p.Worth() || p.Head != c.alone {
			t.Errorf("%s: a head of %d, written: %v; want %d", c.model, p.Head, p.Worth(), c.alone)
		}
		on := must.Get(ParseSet(c.on))(t)
		if own, head := headsWith(t, written(t, p, m), on); own != c.own || head > own {
			t.Errorf("%s with %s: heads %d and %d, want %d and no more", c.model, on, own, head, c.own)
		}
	}
}

// TestMycroft: the scratch of CMSIS-NN with Helium is declared, as a log would. The arena as it is has 26,016 bytes.
func TestMycroft(t *testing.T) {
	plantest.Nightly(t)
	m := modelsNamed(t, pypi.WakeWords(t), "hey_mycroft.tflite")["hey_mycroft.tflite"]
	if m == nil {
		t.Fatal("the package pymicro-wakeword has no hey_mycroft")
	}
	declared := []tflite.Scratch{
		{Operator: 14, Bytes: 832},
		{Operator: 19, Bytes: 2480},
		{Operator: 25, Bytes: 4464},
		{Operator: 31, Bytes: 6448},
		{Operator: 36, Bytes: 10416},
	}
	p := must.Get(Make(t.Context(), m, Options{Scratch: ReferenceSet.Scratch(m)}))(t)
	after := written(t, p, m)
	for name, m := range map[string]*tflite.Model{"as it is": m, "planned": after} {
		p := must.Get(Make(t.Context(), m, Options{Scratch: declared, Named: true}))(t)
		if got := p.Sizes()[0].Before.Smallest; got != 26016 {
			t.Errorf("%s: an arena of %d, want 26016", name, got)
		}
	}
}

// TestVisualWakeWords: planned with the scratch of ESP-NN the head is smaller with it, too.
func TestVisualWakeWords(t *testing.T) {
	m := modelsNamed(t, os.Getenv("STOWAGE_MODELS"), "vww_96_int8.tflite")["vww_96_int8.tflite"]
	if m == nil {
		t.Skip("the public instances are not here: vww_96_int8.tflite of mlcommons/tiny, in the folder STOWAGE_MODELS")
	}
	esp := must.Get(ParseSet("esp-nn"))(t)
	p := must.Get(Make(t.Context(), m, Options{Scratch: esp.Scratch(m), Set: esp, Named: true}))(t)
	if x := p.Sizes()[0]; p.Before != 95456 || p.WrittenHead() != 86240 || x.After.Smallest >= x.Before.Smallest {
		t.Errorf("heads of %d and %d, want 95456 and 86240; arenas of %d and %d", p.Before, p.WrittenHead(),
			x.Before.Smallest, x.After.Smallest)
	}
}
