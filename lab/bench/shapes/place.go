package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/format"
	"github.com/stowage-go/stowage/format/json"
	"github.com/stowage-go/stowage/internal/testkit/built"
	"github.com/stowage-go/stowage/model"
)

// Idea: what an order costs a program: the processor time of stowage_place, the least of twenty rounds on one thread,
// and the bytes of the order as a table of C and as a plan of JSON; and the most that it is over the load in any
// scenario. The JSON repeats the problem beside the plan.

// recorded are families of five shapes of real programs, and what they are.
var recorded = [][2]string{
	{"gpt2_train.json.gz", "GPT-2 in training, by tokens"},
	{"resnet_batch.json.gz", "ResNet in training, by batch"},
	{"gpt2_prefill_seq.json.gz", "GPT-2 on a prompt, by tokens"},
	{"ppocr_rec_w.json.gz", "recognition of PP-OCR, by width"},
	{"tts_text_phon.json.gz", "text to speech, by phonemes"},
	{"voicefilter.json", "voicefilter-lite, by length"},
}

// placed returns the table. It is run in the root of the repository.
func placed(ctx context.Context) (string, error) {
	dir, err := os.MkdirTemp("", "place")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	program := filepath.Join(dir, "placetime")
	if err = built.Run(nil, "cc", "-std=c99", "-O2", "-Icore", "-o", program, "lab/bench/shapes/testdata/placetime.c",
		"core/stowage_place.c"); err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteString("| family | buffers | over the load | at the largest | pairs | placed in C, µs | table of C, kB | plan in JSON, kB | file with the problem, kB |\n" +
		"|---|---:|---:|---|---:|---:|---:|---:|---:|\n")
	for _, n := range []int{62, 1289, 2001} {
		if err = place(ctx, &b, program, "layers of attention", layers(n)); err != nil {
			return "", err
		}
	}
	for _, r := range recorded {
		file, err := format.ReadFile("internal/shapes/testdata/" + r[0])
		if err != nil {
			return "", err
		}
		if err = place(ctx, &b, program, r[1], file.Family); err != nil {
			return "", err
		}
	}
	return b.String(), nil
}

// place writes the row of a family.
func place(ctx context.Context, b *strings.Builder, program, name string, f *model.Family) error {
	r, err := stowage.SolveFamily(ctx, f, stowage.Options{NodeLimit: 20_000})
	if err != nil || r.Order == nil {
		return fmt.Errorf("%s: no plan: %w", name, err)
	}
	n, words, below := len(f.Problem.Buffers), r.Order.Words(), r.Order.Below()
	pairs := 0
	for _, list := range below {
		pairs += len(list)
	}
	var text bytes.Buffer
	made := &json.Plan{
		Planner: r.Planner, Status: r.Status, Height: r.Height, LowerBound: r.LowerBound, Offsets: r.Offsets, Below: below, Points: r.Points,
	}
	if err := json.WriteWith(&text, f.Problem, made, json.WriteOptions{Family: f}); err != nil {
		return err
	}
	plan := text.Len() - bytes.LastIndex(text.Bytes(), []byte(`"plan": {`))
	c := exec.CommandContext(ctx, program)
	c.Stdin = strings.NewReader(fmt.Sprintf("20\n%d %d\n%s\n%s\n", len(words), n, strings.Trim(fmt.Sprint(words), "[]"),
		strings.Trim(fmt.Sprint(f.SizesAt(1)), "[]")))
	out, err := c.Output()
	if err != nil {
		return err
	}
	var ns float64
	if _, err := fmt.Sscan(string(out), &ns); err != nil {
		return err
	}
	kB := func(n int) float64 { return float64(n) / 1000 }
	proof := "not proven"
	if r.Status == model.Optimal {
		proof = "proven"
	}
	fmt.Fprintf(b, "| %s | %d | %.3f%% | %s | %d | %.2f | %.1f | %.1f | %.1f |\n", name, n, 100*r.Worst, proof, pairs, ns/1000, kB(4*len(words)), kB(plan), kB(text.Len()))
	return nil
}

// layers returns n buffers as of layers of attention at three lengths.
func layers(n int) *model.Family {
	f := &model.Family{Problem: &model.Problem{}, Scenarios: []string{"16", "64", "256"}, Sizes: make([][]int64, 3)}
	lives := [10][2]int64{{0, 9}, {1, 4}, {1, 4}, {1, 6}, {2, 3}, {3, 5}, {4, 6}, {5, 7}, {6, 8}, {1, 20}}
	for i := range n {
		at, k := int64(i/10*8), i%10
		f.Problem.Buffers = append(f.Problem.Buffers, model.Buffer{
			ID: fmt.Sprint(i), Lower: at + lives[k][0], Upper: at + lives[k][1], Alignment: 64,
		})
		for s, tokens := range []int64{16, 64, 256} {
			scores, wide, narrow := 4*tokens*tokens, 1024*tokens, 256*tokens
			sizes := [10]int64{narrow, narrow, narrow, narrow, 4096, scores, scores + 64, wide, wide, 64}
			f.Sizes[s] = append(f.Sizes[s], sizes[k])
		}
	}
	return f
}
