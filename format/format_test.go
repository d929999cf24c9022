package format

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/stowage-go/stowage/format/json"
	"github.com/stowage-go/stowage/format/tflite"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/onnxmade"
	"github.com/stowage-go/stowage/internal/testkit/public"
	"github.com/stowage-go/stowage/internal/testkit/tflitemade"
	"github.com/stowage-go/stowage/model"
)

const (
	csvText  = "id,lower,upper,size\nb1,0,3,4\n"
	jsonText = `{"version":1,"buffers":[{"id":"b1","lower":0,"upper":3,"size":4}],"plan":{"status":"feasible","offsets":[8]}}`
	planText = "offset,id\n8,b1\n"
)

func buffers() []model.Buffer {
	return []model.Buffer{{ID: "b1", Upper: 3, Size: 4, Alignment: 1}}
}

// put writes a file into a new folder and returns its path.
func put(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	must.Do(t, os.WriteFile(path, []byte(text), 0o644))
	return path
}

// asStdin makes a file of the text standard input for the rest of the test.
func asStdin(t *testing.T, text string) {
	t.Helper()
	f := must.Get(os.Open(put(t, "in", text)))(t)
	old := os.Stdin
	os.Stdin = f
	t.Cleanup(func() { os.Stdin = old; f.Close() })
}

func TestReadProblem(t *testing.T) {
	spaces := strings.Repeat(" \r\n\t", 200)
	for _, test := range []struct {
		file, text, name string
		offsets          []int64
	}{
		{"A.1048576.csv", csvText, "A.1048576", nil},
		{"a.CSV", csvText, "a", nil},
		{"a.json", jsonText, "a", []int64{8}},
		{"a.Json", "\uFEFF" + jsonText, "a", []int64{8}},
		{"a.txt", csvText, "a", nil},
		{"a", "\uFEFF" + spaces + jsonText, "a", []int64{8}},
		{"a", "\n" + csvText, "a", nil},
		{"named", strings.Replace(jsonText, "{", `{"name":"other",`, 1), "other", []int64{8}},
		{Standard, csvText, "", nil},
		{Standard, spaces + jsonText, "", []int64{8}},
	} {
		path := test.file
		if path == Standard {
			asStdin(t, test.text)
		} else {
			path = put(t, path, test.text)
		}
		p, plan, err := ReadProblem(path)
		if err != nil {
			t.Errorf("%s: %v", test.file, err)
			continue
		}
		if diff := cmp.Diff(&model.Problem{Name: test.name, Buffers: buffers()}, p); diff != "" {
			t.Errorf("%s: %s", test.file, diff)
		}
		var offsets []int64
		if plan != nil {
			offsets = plan.Offsets
		}
		if diff := cmp.Diff(test.offsets, offsets); diff != "" {
			t.Errorf("%s: %s", test.file, diff)
		}
	}
}

func TestReadProblemFails(t *testing.T) {
	if _, _, err := ReadProblem(filepath.Join(t.TempDir(), "none.csv")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	if _, _, err := ReadProblem(t.TempDir()); err == nil {
		t.Error("a folder is read")
	}
	var input *model.InputError
	for _, test := range []struct{ file, text, want string }{
		{"a.csv", jsonText, ":1: is JSON, and such a file is named .json"},
		{"a.json", csvText, ":1: is not JSON: it begins as CSV does, and such a file is named .csv"},
		{"a.txt", "", ":1: is empty: expected a header such as id,lower,upper,size"},
		{"a.txt", strings.Repeat("\n", 10000), ":1: is empty: expected a header such as id,lower,upper,size"},
	} {
		path := put(t, test.file, test.text)
		if _, _, err := ReadProblem(path); !errors.As(err, &input) || !strings.HasPrefix(err.Error(), path+test.want) {
			t.Errorf("%s: got %v, want %s", test.file, err, test.want)
		}
	}
	asStdin(t, "id,lower,upper,size\nb1,0,3,x\n")
	_, _, err := ReadProblem(Standard)
	if want := `stdin:2: buffer b1: size "x": is not an integer`; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestReadPlan(t *testing.T) {
	p := &model.Problem{Buffers: buffers()}
	for _, test := range []struct{ file, text string }{
		{"a.csv", planText}, {"a.json", jsonText}, {"a", planText}, {"a", jsonText},
	} {
		got, err := ReadPlan(put(t, test.file, test.text), p)
		want := &model.Plan{Offsets: []int64{8}, Height: 8 + p.Buffers[0].Size}
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%s: %v %s", test.file, err, diff)
		}
	}
	if _, err := ReadPlan(filepath.Join(t.TempDir(), "none"), p); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
}

func TestWrite(t *testing.T) {
	p := &model.Problem{Name: "a", Buffers: buffers()}
	plan := &json.Plan{Status: model.Feasible, Offsets: []int64{8}, Height: 12}
	for _, test := range []struct {
		path string
		plan *json.Plan
		want string
	}{
		{"a.csv", nil, "id,lower,upper,size\nb1,0,3,4\n"},
		{"-", plan, "id,lower,upper,size,offset\nb1,0,3,4,8\n"},
		{"a.JSON", plan, "{\n  \"version\": 1,\n  \"name\": \"a\",\n  \"buffers\": [\n    {\"id\": \"b1\", \"lower\": 0, \"upper\": 3, \"size\": 4}\n  ],\n  \"plan\": {\n    \"planner\": \"\",\n    \"status\": \"feasible\",\n    \"height\": 12,\n    \"lower_bound\": 0,\n    \"offsets\": [8]\n  }\n}\n"},
	} {
		var b bytes.Buffer
		must.Do(t, Write(&b, test.path, p, test.plan))
		if diff := cmp.Diff(test.want, b.String()); diff != "" {
			t.Errorf("%s: %s", test.path, diff)
		}
	}
}

// TestPublicInstances reads the instances that lie beside a developer's tree: all are taken, and what is written of
// them is, but for the line ends, the same file.
func TestPublicInstances(t *testing.T) {
	dir := public.Dir()
	if dir == "" {
		t.Skip("no public instances: set STOWAGE_DATA to their folder")
	}
	paths, err := filepath.Glob(filepath.Join(dir, "*", "*.csv"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no instance in %s: %v", dir, err)
	}
	for _, path := range paths {
		p, _, err := ReadProblem(path)
		if err != nil {
			t.Error(err)
			continue
		}
		want := must.Get(os.ReadFile(path))(t)
		var b bytes.Buffer
		must.Do(t, Write(&b, path, p, nil))
		want = bytes.ReplaceAll(want, []byte("\r\n"), []byte("\n"))
		if !bytes.Equal(bytes.TrimSpace(want), bytes.TrimSpace(b.Bytes())) {
			t.Errorf("%s is not what is written of it", path)
		}
	}
}

// hello is the content that the tests of WriteFile write.
func hello(w io.Writer) error {
	_, err := io.WriteString(w, "hello")
	return err
}

// holds checks the content of a file and that nothing else is in its folder.
func holds(t *testing.T, path, want string) {
	t.Helper()
	got, err := os.ReadFile(path)
	if err != nil {
		t.Error(err)
	} else if string(got) != want {
		t.Errorf("%s holds %q, want %q", path, got, want)
	}
	entries := must.Get(os.ReadDir(filepath.Dir(path)))(t)
	if len(entries) != 1 {
		t.Errorf("the folder has %v", entries)
	}
}

func TestWriteFileNew(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new.csv")
	must.Do(t, WriteFile(path, hello))
	holds(t, path, "hello")
	plain := put(t, "plain", "") // has what the umask leaves of 0644
	info := must.Get(os.Stat(path))(t)
	like := must.Get(os.Stat(plain))(t)
	if got, want := info.Mode()&0o444, like.Mode()&0o444; got != want {
		t.Errorf("the mode is %v, want %v", got, want)
	}
}

func TestWriteFileOver(t *testing.T) {
	for _, mode := range []fs.FileMode{0o600, 0o664, 0o755} {
		path := put(t, "old.csv", "a longer text")
		must.Do(t, os.Chmod(path, mode))
		must.Do(t, WriteFile(path, hello))
		holds(t, path, "hello")
		if info, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && info.Mode() != mode {
			t.Errorf("the mode is %v, want %v", info.Mode(), mode)
		}
	}
}

// A failure, or a panic, at any point leaves the old file and no other.
func TestWriteFileFails(t *testing.T) {
	broken := errors.New("broken")
	half := func(w io.Writer) error {
		if err := hello(w); err != nil {
			return err
		}
		return broken
	}
	path := put(t, "old.csv", "old")
	if err := WriteFile(path, half); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
	holds(t, path, "old")
	func() {
		defer func() {
			if recover() == nil {
				t.Error("the panic is gone")
			}
		}()
		_ = WriteFile(path, func(w io.Writer) error { _ = hello(w); panic("broken") })
	}()
	holds(t, path, "old")
	// The name becomes a folder while the content is written: no rename.
	gone := filepath.Join(t.TempDir(), "gone")
	err := WriteFile(gone, func(w io.Writer) error { return errors.Join(hello(w), os.Mkdir(gone, 0o755)) })
	if err == nil {
		t.Error("a folder is replaced")
	}
	if entries, _ := os.ReadDir(filepath.Dir(gone)); len(entries) != 1 {
		t.Errorf("the folder has %v", entries)
	}
	if err := WriteFile(filepath.Join(t.TempDir(), "no", "folder"), hello); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no folder: %v", err)
	}
	if err := WriteFile(t.TempDir(), hello); err == nil {
		t.Error("a folder is written")
	}
}

// A file that may not be written is not replaced either. Root may write all.
func TestWriteFileReadOnly(t *testing.T) {
	path := put(t, "old.csv", "old")
	must.Do(t, os.Chmod(path, 0o444))
	err := WriteFile(path, hello)
	if os.Geteuid() == 0 {
		if err != nil {
			t.Error(err)
		}
		holds(t, path, "hello")
		return
	}
	if !errors.Is(err, fs.ErrPermission) {
		t.Errorf("got %v", err)
	}
	holds(t, path, "old")
}

func TestWriteFileThroughLinks(t *testing.T) {
	// links/a -> alias/b, where alias -> ../deep/er and b -> ../target
	root := t.TempDir()
	for _, dir := range []string{"links", "deep/er"} {
		must.Do(t, os.MkdirAll(filepath.Join(root, dir), 0o755))
	}
	for name, to := range map[string]string{"links/alias": "../deep/er", "links/a": "alias/b", "deep/er/b": "../target"} {
		if err := os.Symlink(to, filepath.Join(root, name)); err != nil {
			t.Skipf("no symbolic links here: %v", err)
		}
	}
	link, target := filepath.Join(root, "links", "a"), filepath.Join(root, "deep", "target")
	for range 2 { // the target is new, then old
		must.Do(t, WriteFile(link, hello))
		if info, err := os.Lstat(target); err != nil || !info.Mode().IsRegular() {
			t.Fatalf("the target is %v, %v", info, err)
		}
		if info, err := os.Lstat(link); err != nil || info.Mode()&fs.ModeSymlink == 0 {
			t.Fatalf("the link is %v, %v", info, err)
		}
		if text, err := os.ReadFile(link); err != nil || string(text) != "hello" {
			t.Fatalf("the link leads to %q, %v", text, err)
		}
	}
	round := filepath.Join(root, "round")
	must.Do(t, os.Symlink("round", round))
	if err := WriteFile(round, hello); err == nil || !strings.Contains(err.Error(), "too many symbolic links") {
		t.Errorf("a link to itself: %v", err)
	}
}

func TestWriteFileDirectly(t *testing.T) {
	if info, err := os.Stat(os.DevNull); err != nil || info.Mode().IsRegular() {
		t.Skip("no null device here")
	}
	if err := WriteFile(os.DevNull, hello); err != nil {
		t.Error(err)
	}
	if info, err := os.Stat(os.DevNull); err != nil || info.Mode().IsRegular() {
		t.Errorf("the null device is %v, %v", info, err)
	}
}

func TestWriteFileStandard(t *testing.T) {
	for _, test := range []struct {
		path   string
		stream **os.File
	}{
		{"", &os.Stdout},
		{"-", &os.Stdout},
		{"/dev/stdout", &os.Stdout},
		{"/dev/fd/1", &os.Stdout},
		{"/dev/stderr", &os.Stderr},
	} {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		old := *test.stream
		*test.stream = w
		err = WriteFile(test.path, hello)
		*test.stream = old
		w.Close()
		got, readErr := io.ReadAll(r)
		r.Close()
		if err != nil || readErr != nil || string(got) != "hello" {
			t.Errorf("%q: got %q, %v, %v", test.path, got, err, readErr)
		}
	}
}

// TestPinned tells plans that are read as problems: CSV has one column for a
// demand and a plan, JSON has a key for each.
func TestPinned(t *testing.T) {
	for _, test := range []struct {
		name, text string
		pinned     bool
		plan       bool
	}{
		{"problem.csv", csvText, false, false},
		{"none.csv", "id,lower,upper,size,offset\n", false, false},
		{"part.csv", "id,lower,upper,size,offset\na,0,1,2,3\nb,0,1,2,-1\n", false, false},
		{"plan.csv", "id,lower,upper,size,offset\na,0,1,2,3\nb,0,1,2,0\n", true, false},
		{"plan.json", jsonText, false, true},
		{"pins.json", `{"version":1,"buffers":[{"id":"b1","lower":0,"upper":3,"size":4,"offset":8}]}`, true, false},
	} {
		f := must.Get(ReadFile(put(t, test.name, test.text)))(t)
		if f.Pinned() != test.pinned || (f.Plan != nil) != test.plan ||
			(f.Header != nil) != strings.HasSuffix(test.name, ".csv") {
			t.Errorf("%s: pinned %v, plan %v, header %v", test.name, f.Pinned(), f.Plan, f.Header)
		}
		if f.Unpin(); f.Pinned() {
			t.Errorf("%s: is pinned still", test.name)
		}
	}
}

// TestModels reads models as problems, by name and by content, and the plan of one that has one.
func TestModels(t *testing.T) {
	data := tflitemade.Network(5, 20)
	m := must.Get(tflite.Parse(data, "net"))(t)
	offsets := make([]int32, len(m.Tensors))
	for i := range offsets {
		offsets[i] = int32(64 * i)
	}
	planned := must.Get(m.WithOffsets(offsets))(t)
	for _, test := range []struct {
		file string
		data []byte
		plan bool
	}{{"a.tflite", data, false}, {"a.TFLite", planned, true}, {"a", data, false}, {Standard, planned, true}} {
		path := test.file
		if path == Standard {
			asStdin(t, string(test.data))
		} else {
			path = put(t, path, string(test.data))
		}
		f, err := ReadFile(path)
		if err != nil {
			t.Errorf("%s: %v", test.file, err)
			continue
		}
		if f.Kind != TFLite || !f.Kind.Model() || len(f.Problem.Buffers) == 0 || (f.Plan != nil) != test.plan || f.Pinned() {
			t.Errorf("%s: kind %s, %d buffers, plan %v", test.file, f.Kind, len(f.Problem.Buffers), f.Plan)
		}
		if test.plan && (len(f.Plan.Offsets) != len(f.Problem.Buffers) ||
			f.Plan.Height != model.HeightOf(f.Problem, f.Plan.Offsets)) {
			t.Errorf("%s: the plan is %+v", test.file, f.Plan)
		}
	}
	graph := string(onnxmade.Network(3, 12))
	for _, name := range []string{"a.onnx", "a.ONNX", "a", Standard} {
		path := name
		if path == Standard {
			asStdin(t, graph)
		} else {
			path = put(t, path, graph)
		}
		f, err := ReadFileWith(path, Options{Dims: map[string]int64{"batch": 2}, Alignment: 16})
		if err != nil || f.Kind != ONNX || len(f.Problem.Buffers) != 13 || f.Problem.Buffers[0].Size != 2*3*16*16*4 ||
			f.Problem.Buffers[0].Alignment != 16 {
			t.Errorf("%s: %+v, %v", name, f, err)
		}
	}
	if _, err := ReadFile(put(t, "a.onnx", graph)); err == nil ||
		!strings.Contains(err.Error(), "open dimensions: batch") {
		t.Errorf("without its dimension: %v", err)
	}
	path := put(t, "a.tflite", string(data))
	if _, err := ReadFileWith(path, Options{Alignment: 4}); err == nil ||
		!strings.Contains(err.Error(), "takes no option for a dimension, value, shape, size or alignment") {
		t.Errorf("with an option: %v", err)
	}
	if _, err := ReadPlan(path, &model.Problem{}); err == nil ||
		!strings.Contains(err.Error(), "the model has no plan: it lacks an offset for a tensor") {
		t.Errorf("as a plan: %v", err)
	}
	if _, err := ReadFile(put(t, "a.tflite", csvText)); err == nil ||
		!strings.Contains(err.Error(), "is not a TensorFlow Lite model") {
		t.Errorf("text: %v", err)
	}
}

// TestReadPlanPools reads a plan of two pools with an eviction, whose file has buffers and pools in another order.
func TestReadPlanPools(t *testing.T) {
	const text = `{"version": 2, "pools": [{"id": "y"}, {"id": "z"}, {"id": "x"}],
		"buffers": [{"id": "b", "lower": 0, "upper": 9, "size": 2},
			{"id": "a", "lower": 0, "upper": 9, "size": 4, "evictions": [{"lower": 3, "upper": 5, "cost": 1}]}],
		"plan": {"status": "feasible", "offsets": [8, 0], "pools": ["y", "x"],
			"parts": {"a": [{"lower": 0, "upper": 3, "offset": 0, "pool": "x"}, {"lower": 5, "upper": 9, "offset": 12, "pool": "y"}]}}}`
	rules := &model.Rules{Pools: []model.Pool{{ID: "x"}, {ID: "y"}}}
	p := &model.Problem{Buffers: []model.Buffer{{ID: "a", Upper: 9, Size: 4}, {ID: "b", Upper: 9, Size: 2}}, Rules: rules}
	want := &model.Plan{
		Offsets: []int64{0, 8}, Pools: []int32{0, 1}, Height: 4 + 16,
		Parts: []model.Parts{{Buffer: 0, Parts: []model.Part{{Upper: 3}, {Lower: 5, Upper: 9, Pool: 1, Offset: 12}}}},
	}
	path := put(t, "a.json", text)
	got, err := ReadPlan(path, p)
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v %s", err, diff)
	}
	if q, plan, err := ReadProblem(path); err != nil || len(q.Rules.Pools) != 3 || len(plan.Pools) != 2 ||
		plan.Pools[1] != 2 || len(plan.Parts) != 1 {
		t.Errorf("%v %+v", err, plan)
	}
	rules.Pools[1].ID = "other"
	if _, err := ReadPlan(path, p); err == nil || err.Error() != path+`: pools "y": is not a pool of the problem` {
		t.Error(err)
	}
	p.Rules = nil
	if _, err := ReadPlan(path, p); err == nil ||
		!strings.HasSuffix(err.Error(), `: pools "x": is not a pool of the problem`) {
		t.Error(err)
	}
}
