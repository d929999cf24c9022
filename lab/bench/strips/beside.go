package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/stowage-go/stowage/internal/testkit/interpreter"
)

// beside runs a model, and beside it its plans, in the arenas that are printed.
func (t *table) beside(r *result, given []byte, written [][]byte) error {
	folder, err := os.MkdirTemp("", "strips-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	var paths []string
	for k, model := range append([][]byte{given}, written...) {
		paths = append(paths, filepath.Join(folder, fmt.Sprint(k)+".tflite"))
		if err := os.WriteFile(paths[k], model, 0o600); err != nil {
			return err
		}
	}
	if err := t.besideLite(r, paths); err != nil {
		return err
	}
	enough := 2*max(r.Ways[0].Python, r.Ways[1].Python, r.Own) + 1<<20
	ratios := make([][]float64, len(r.Ways))
	for seed := range int64(5) {
		was, err := t.process.Run(interpreter.Request{Model: paths[0], Arena: enough, Runs: 3, Seed: seed})
		if err != nil {
			return err
		}
		if r.NotRun = was.Error; was.Error != "" {
			return nil
		}
		for k := range r.Ways {
			w := &r.Ways[k]
			if seed == 0 {
				a, err := t.process.Run(interpreter.Request{
					Model: paths[k+1], Arena: enough, Smallest: true, Expected: w.Python,
				})
				if err != nil {
					return err
				}
				if a.Smallest != w.Python || a.Below != "refused" {
					w.Fault += fmt.Sprintf("the smallest arena is %d, predicted %d; 16 bytes less: %s", a.Smallest,
						w.Python, a.Below)
				}
			}
			if !w.Split {
				continue
			}
			is, err := t.process.Run(interpreter.Request{Model: paths[k+1], Arena: w.Python, Runs: 3, Seed: seed})
			if err != nil {
				return err
			}
			if is.Error != "" || is.Outputs != was.Outputs {
				w.Fault += "outputs differ " + is.Error
			}
			ratios[k] = append(ratios[k], is.Seconds/max(was.Seconds, 1e-6))
		}
	}
	for k, of := range ratios {
		if len(of) > 0 {
			slices.Sort(of)
			r.Ways[k].Ratio = of[len(of)/2]
		}
	}
	return nil
}

// besideLite runs a model in LiteRT, and beside it its plans, on three inputs.
func (t *table) besideLite(r *result, paths []string) error {
	for seed := range int64(3) {
		if t.lite == nil {
			return nil
		}
		was, err := t.lite.Run(interpreter.Request{Model: paths[0], Runs: 1, Seed: seed})
		if err != nil { // it has crashed
			t.lite.Close()
			t.lite, _ = interpreter.StartLiteRT(interpreter.Python())
		}
		if err != nil || was.Error != "" {
			return nil
		}
		for k := range r.Ways {
			w := &r.Ways[k]
			if !w.Split || w.LiteRT == "differ" {
				continue
			}
			is, err := t.lite.Run(interpreter.Request{Model: paths[k+1], Runs: 1, Seed: seed})
			if err != nil {
				return err
			}
			if w.LiteRT = "same"; is.Error != "" || is.Outputs != was.Outputs {
				w.LiteRT = "differ"
				w.Fault += "outputs in LiteRT differ " + is.Error
			}
		}
	}
	return nil
}
