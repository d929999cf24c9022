package learn

import (
	"bytes"
	"compress/gzip"
	"context"
	_ "embed"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// Idea: training is XGBoost's own business, so it is left to its Python package,
// by a script that comes with the program. A fifth of the problems is held out from it,
// and training ends where another tree no longer helps on these: without that the error
// on what was learned from goes on falling, and the other rises. The label is 10 for a
// target that can be completed and 0 for the others, so that the score is a probability;
// or the paper's (label.go). With one thread and a
// seed its models are the same byte for byte; a test trains twice.
//
// Left out: the xgboost command, which its Python wheels do not carry.

//go:embed train.py
var script []byte

// TrainOptions are XGBoost's. Zero means the default.
type TrainOptions struct {
	Python string  // an interpreter that has the package xgboost; "" means python3
	Trees  int     // at most; 0 means 300
	Depth  int     // of a tree; 0 means 4
	Rate   float64 // learning rate; 0 means 0.1
	Label  string  // "stands" or "paper"; "" means stands
	Blind  bool    // the features of the look-ahead are 0, for a search that has none
	Seed   uint64
	Log    io.Writer // what XGBoost says; nil for nobody
}

// Train trains a model on the samples in a CSV file and writes it as XGBoost's
// JSON, gzipped where the name ends in .gz. The error has XGBoost's last words.
func Train(ctx context.Context, samples, model string, o TrainOptions) error {
	if o.Python == "" {
		o.Python = "python3"
	}
	if o.Trees == 0 {
		o.Trees = 300
	}
	if o.Label == "" {
		o.Label = "stands"
	}
	if o.Depth == 0 {
		o.Depth = 4
	}
	if o.Rate == 0 {
		o.Rate = 0.1
	}
	dir, err := os.MkdirTemp("", "stowage-train")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	program, plain := filepath.Join(dir, "train.py"), filepath.Join(dir, "model.json")
	if err := os.WriteFile(program, script, 0o600); err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, o.Python, program, samples, plain,
		strconv.Itoa(o.Trees), strconv.Itoa(o.Depth), strconv.FormatFloat(o.Rate, 'g', -1, 64), strconv.FormatUint(o.Seed, 10), o.Label, strconv.FormatBool(o.Blind))
	var words bytes.Buffer
	cmd.Stderr = &words
	if err := cmd.Run(); err != nil {
		lines := strings.Split(strings.TrimSpace(words.String()), "\n")
		return fmt.Errorf("train with %s: %w: %s", o.Python, err, lines[len(lines)-1])
	}
	if o.Log != nil {
		if _, err := words.WriteTo(o.Log); err != nil {
			return err
		}
	}
	data, err := os.ReadFile(plain)
	if err != nil {
		return err
	}
	if strings.HasSuffix(model, ".gz") {
		if data, err = zip(data); err != nil {
			return err
		}
	}
	if _, err := ReadForest(bytes.NewReader(data)); err != nil {
		return fmt.Errorf("the model that XGBoost wrote: %w", err)
	}
	return os.WriteFile(model, data, 0o644)
}

// zip compresses without a time or a name, so that equal models stay equal.
func zip(data []byte) ([]byte, error) {
	var out bytes.Buffer
	w, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(data); err != nil {
		return nil, err
	}
	err = w.Close()
	return out.Bytes(), err
}
