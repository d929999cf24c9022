// Package npm tests the package for JavaScript and the page that plans: in node and in a browser, against the command.
package npm

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stowage-go/stowage/format/csv"
	"github.com/stowage-go/stowage/internal/gen"
	"github.com/stowage-go/stowage/internal/shown"
	"github.com/stowage-go/stowage/internal/testkit/built"
	"github.com/stowage-go/stowage/internal/testkit/chromium"
	"github.com/stowage-go/stowage/internal/testkit/drawn"
	"github.com/stowage-go/stowage/internal/testkit/must"
	"github.com/stowage-go/stowage/internal/testkit/onnxmade"
	"github.com/stowage-go/stowage/internal/testkit/plantest"
	"github.com/stowage-go/stowage/internal/testkit/public"
	"github.com/stowage-go/stowage/internal/testkit/tflitemade"
	"github.com/stowage-go/stowage/internal/units"
	"github.com/stowage-go/stowage/model"
)

// pages has the page. Making it also makes the package in bindings/js/dist.
var pages = built.Folder(func(dir string) error {
	return built.Run(nil, "go", "run", "./build", "-npm", ".", "-page", filepath.Join(dir, "page.html"))
})

func TestMain(m *testing.M) { built.Main(m) }

// TestNode runs the package's own tests.
func TestNode(t *testing.T) {
	nodeOrSkip(t)
	pages(t)
	tests(t, ".")
}

// TestInstall packs the package, installs the file into an empty folder, without a network and with an empty home, and
// plans there.
func TestInstall(t *testing.T) {
	node := nodeOrSkip(t)
	npm, err := exec.LookPath("npm")
	if err != nil {
		t.Skip("npm is not on PATH (node)")
	}
	pages(t)
	dir := t.TempDir()
	within := func(folder string, args ...string) string {
		t.Helper()
		c := exec.CommandContext(t.Context(), args[0], args[1:]...)
		c.Dir, c.Env = folder, []string{"HOME=" + dir, "PATH=" + filepath.Dir(node) + ":/usr/bin:/bin"}
		out, err := c.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", args, err, out)
		}
		return string(out)
	}
	within(".", npm, "pack", "--silent", "--pack-destination", dir)
	files := must.Get(filepath.Glob(filepath.Join(dir, "stowage-*.tgz")))(t)
	if len(files) != 1 {
		t.Fatalf("npm packs %s", files)
	}
	must.Do(t, os.WriteFile(filepath.Join(dir, "first.mjs"), []byte(`import { close, plan } from "stowage/files";
console.log((await plan([{ lower: 0, upper: 2, size: 600 }, { lower: 1, upper: 4, size: 300 }])).height);
close();`), 0o600))
	must.Do(t, os.WriteFile(filepath.Join(dir, "package.json"), []byte("{}"), 0o600))
	within(dir, npm, "install", "--offline", "--no-audit", "--no-fund", "--silent", files[0])
	if out := within(dir, node, "first.mjs"); out != "900\n" {
		t.Errorf("the first plan is %q", out)
	}
}

// tests runs those of the package's own tests whose names match.
func tests(t *testing.T, name string, environment ...string) {
	t.Helper()
	c := exec.Command(nodeOrSkip(t), "--test", "--test-name-pattern", name, "test/")
	c.Env = append(os.Environ(), environment...)
	run(t, c)
}

// TestTypes compiles a program that uses every type of the package, as programs for node and
// for bundlers are compiled. STOWAGE_TSC names TypeScript's compiler; tsc is the default.
func TestTypes(t *testing.T) {
	tsc := os.Getenv("STOWAGE_TSC")
	if tsc == "" {
		tsc = "tsc"
	}
	if _, err := exec.LookPath(tsc); err != nil {
		t.Skip("no typescript on this machine: tsc is not on PATH, and STOWAGE_TSC names none")
	}
	dir := t.TempDir()
	into := filepath.Join(dir, "node_modules", "stowage")
	must.Do(t, os.MkdirAll(filepath.Join(into, "src"), 0o777))
	for from, to := range map[string]string{
		"testdata/use.ts": filepath.Join(dir, "use.ts"), "package.json": filepath.Join(into, "package.json"),
		"src/index.d.ts": filepath.Join(into, "src", "index.d.ts"),
		"src/files.d.ts": filepath.Join(into, "src", "files.d.ts"),
	} {
		text, err := os.ReadFile(filepath.FromSlash(from))
		must.Do(t, errors.Join(err, os.WriteFile(to, text, 0o666)))
	}
	must.Do(t, os.WriteFile(filepath.Join(dir, "package.json"), []byte(`{"type": "module"}`), 0o666))
	for _, resolution := range [][]string{
		{"--module", "nodenext"}, {"--module", "esnext", "--moduleResolution", "bundler"},
	} {
		c := exec.Command(tsc, append(resolution, "--noEmit", "--strict", "--exactOptionalPropertyTypes",
			"--skipLibCheck", "false",
			"--target", "es2022", "--lib", "es2023,dom,dom.iterable", "--types", "", "use.ts")...)
		c.Dir = dir
		run(t, c)
	}
}

// TestSizes: the page reads sizes as the command does.
func TestSizes(t *testing.T) {
	texts := []string{
		"0", "1", "1000", "64k", "64K", "64kb", "64kB", "64KiB", "64kib", "1.5MiB", "1.5 MiB", "2m", "2mb", "3g", "3gb",
		"3gib", "4t", "4tb",
		"4TiB", "5b", "5B", "1e6", "1E3", "1.5e3kB", "25e-1k", "+7", "-7", "", " ", "k", "kib", "1.", ".5", "1.2.3", "1p",
		"1pib", "1e", "1ek",
		"0x10", "1_000", "ten", "1 000", "1ib", "infinity", "nan", "1kk", "1 k b",
	}
	got := mapped[*float64](t, `import { parse } from "../../render/html/viewer/numbers.js"`, "parse", texts) // null for NaN
	refused := 0
	for k, text := range texts {
		want, err := units.Parse(text)
		if (got[k] == nil) != errors.Is(err, units.ErrSyntax) {
			t.Errorf("%q: the page reads %v, the command says %v", text, got[k], err)
		} else if err == nil && *got[k] != float64(want) {
			t.Errorf("%q: the page reads %v, the command %d", text, *got[k], want)
		}
		if err != nil {
			refused++
		}
	}
	if refused < 15 || refused > len(texts)-20 {
		t.Errorf("%d of %d are refused: lopsided", refused, len(texts))
	}
}

// TestShown: texts of the package show the same characters as those of the command.
func TestShown(t *testing.T) {
	script := `import { shownText, shownLines } from "./src/shown.js";
		for (let c = 0; c < 0x110000; c++) {
			if (c >= 0xd800 && c < 0xe000) continue; // no letters
			const [text, lines] = [shownText, shownLines].map((of) => of(String.fromCodePoint(c)));
			if (text.length > 2 || lines !== text || c < 0x80) console.log(JSON.stringify([c, text, lines]));
		}`
	got := map[rune][2]string{}
	for line := range strings.Lines(printed(t, script)) {
		var row []any
		must.Do(t, json.Unmarshal([]byte(line), &row))
		got[rune(row[0].(float64))] = [2]string{row[1].(string), row[2].(string)}
	}
	for r := range rune(0x110000) {
		if r >= 0xd800 && r < 0xe000 {
			continue
		}
		want := [2]string{shown.Text(string(r)), shown.Lines(string(r))}
		if has, ok := got[r]; ok && has != want || !ok && want != [2]string{string(r), string(r)} {
			t.Errorf("U+%04X: the package shows %q, the command %q", r, has, want)
		}
	}
}

// TestUnits: the package reads sizes and times as the command does.
func TestUnits(t *testing.T) {
	sizes := []string{
		"0", "1", "64k", "64kb", "64KiB", "1.5MiB", "1.5 MiB", "2m", "3gb", "4TiB", "5b", "1e6", "1.5e3kB", "25e-1k",
		"+7", "-7", "", " ", "k", "1.", ".5", "1.2.3",
		"1p", "1e", "0x10", "1_000", "1 000", "1ib", "nan", "1kk", "8388607t", "8388608t", "9223372036854775807",
		"9223372036854775808", "0.1", "0.5k", "1e18", "1e19", "1e-3",
		"1000e-3", "12.000", "7 k b",
	}
	times := []string{
		"0", "1", "10", "0.5", "1e-3", "1.5e2", "10s", "500ms", "1h30m", "1.5h", "2 s", "1h 30m", "100us", "100µs",
		"3ns", "-1", "-1s", "", "s", "10x", "1 2", "1d", "1m30", "ten", ".5s", "1.s",
		"+3", "+3s", "1,5s", "0s", "1e3s", "5 ms ", "1hour",
	}
	const module = `import { sizeOf, timeOf } from "./src/units.js"`
	gotSizes := mapped[string](t, module, "(s) => String(sizeOf(s))", sizes)
	gotTimes := mapped[string](t, module, "(s) => String(timeOf(s))", times)
	for k, text := range sizes {
		want, err := units.Parse(text)
		switch {
		case err == nil && gotSizes[k] != strconv.FormatInt(want, 10), errors.Is(err, units.ErrSyntax) && gotSizes[k] != "null":
			t.Errorf("size %q: the package reads %s, the command %d, %v", text, gotSizes[k], want, err)
		}
	}
	for k, text := range times {
		ms := must.Get(strconv.ParseFloat(gotTimes[k], 64))(t)
		want, err := units.Duration(text)
		if math.IsNaN(ms) != (err != nil) || err == nil && math.Abs(ms-float64(want)/1e6) > 1e-9*math.Abs(ms) {
			t.Errorf("time %q: the package reads %v ms, the command %v, %v", text, ms, want, err)
		}
	}
}

// printed returns what a script prints.
func printed(t *testing.T, script string) string {
	t.Helper()
	out := must.Get(exec.Command(nodeOrSkip(t), "--input-type=module", "-e", script).Output())(t)
	return string(out)
}

// mapped returns what a function of a module makes of texts.
func mapped[T any](t *testing.T, module, function string, texts []string) (got []T) {
	t.Helper()
	given := must.Get(json.Marshal(texts))(t)
	out := printed(t, fmt.Sprintf("%s; console.log(JSON.stringify(%s.map(%s)))", module, given, function))
	if err := json.Unmarshal([]byte(out), &got); err != nil || len(got) != len(texts) {
		t.Fatalf("%v: %s", err, out)
	}
	return got
}

func nodeOrSkip(t *testing.T) string {
	t.Helper()
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("no node on this machine")
	}
	if out, err := exec.Command(node, "--version").Output(); err != nil || major(string(out)) < 20 {
		t.Skipf("node 20 or newer is needed, this is %s", out)
	}
	return node
}

func major(version string) int {
	text, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimSpace(version), "v"), ".")
	n, err := strconv.Atoi(text)
	if err != nil {
		return 0
	}
	return n
}

func run(t *testing.T, c *exec.Cmd) {
	t.Helper()
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

// TestSame: the command and node plan the same problems, and their plans must be equal byte
// for byte. The problems are random ones of all kinds, and the public ones if they are
// here. The runs use every planner of the product, node limits and seeds.
func TestSame(t *testing.T) {
	nodeOrSkip(t)
	pages(t)
	command := built.Command(t)
	dir := t.TempDir()
	type asked struct {
		Input   string         `json:"input"`
		Output  string         `json:"output"`
		Options map[string]any `json:"options"`
	}
	var list []asked
	ask := func(name string, content []byte, planner string, nodes, seed int, format string) {
		a := asked{
			name, fmt.Sprintf("plan-%d.%s", len(list), format),
			map[string]any{"planner": planner, "nodes": nodes, "seed": seed, "format": format},
		}
		list = append(list, a)
		must.Do(t, os.WriteFile(filepath.Join(dir, name), content, 0o666))
		c := exec.Command(command, "solve", "-q", "--planner", planner, "--nodes", strconv.Itoa(nodes), "--seed",
			strconv.Itoa(seed), "-o", a.Output, name)
		c.Dir = dir
		out, err := c.CombinedOutput()
		if exit := c.ProcessState.ExitCode(); exit == 3 || exit == 4 { // no plan
			must.Do(t, os.WriteFile(filepath.Join(dir, a.Output), nil, 0o666))
		} else if err != nil {
			t.Fatalf("%s: %v\n%s", name, err, out)
		}
	}
	r := rand.New(rand.NewPCG(11, 12))
	planners := []string{"auto", "auto", "auto", "exact", "merge", "climb", "first-fit", "sweep"}
	for k := range plantest.Share(1000, 200, 50) {
		p := drawn.Wide(uint64(k))
		var b bytes.Buffer
		must.Do(t, csv.Write(&b, p, nil))
		ask(fmt.Sprintf("wide-%d.csv", k), b.Bytes(), planners[r.IntN(len(planners))], 1+r.IntN(3000), r.IntN(5),
			[]string{"csv", "json"}[r.IntN(2)])
	}
	public := instances()
	for _, path := range public {
		content := must.Get(os.ReadFile(path))(t)
		ask(filepath.Base(path), content, "auto", 20000, 0, "csv")
	}
	ask("net.tflite", tflitemade.Network(4, 24), "auto", 5000, 0, "csv")
	text := must.Get(json.Marshal(list))(t)
	must.Do(t, os.WriteFile(filepath.Join(dir, "list.json"), text, 0o666))
	tests(t, "the same plans", "STOWAGE_SAME="+dir)
	t.Logf("%d plans are the same, %d of public instances", len(list), len(public))
}

// TestPage drops a file of each format onto the page that plans, as it is and packed.
func TestPage(t *testing.T) {
	chromium.Path(t)
	dir := pages(t)
	page := chromium.Open(t, 1400, 900)
	page.Go("file://" + filepath.Join(dir, "page.html"))
	page.Until("window.stowage && stowage.ready")
	at := func(n int64) *int64 { return &n }
	var fixed, plain bytes.Buffer
	p := &model.Problem{
		Buffers: []model.Buffer{{ID: "a", Upper: 4, Size: 8, Fixed: at(8)}, {ID: "b", Upper: 4, Size: 4, Fixed: at(0)}},
	}
	must.Do(t, csv.Write(&fixed, p, nil))
	p.Buffers[0].Fixed, p.Buffers[1].Fixed = nil, nil
	must.Do(t, csv.Write(&plain, p, nil))
	drop := func(name string, content []byte) {
		t.Helper()
		page.Eval(fmt.Sprintf(`(() => { document.querySelector(".planning-says").textContent = "waiting"; const t = new DataTransfer();
			t.items.add(new File([Uint8Array.from(atob(%q), (c) => c.charCodeAt(0))], %q));
			document.dispatchEvent(new DragEvent("drop", { dataTransfer: t, bubbles: true, cancelable: true })); })()`, base64.StdEncoding.EncodeToString(content), name), nil)
	}
	tight := []byte(`{"version": 1, "capacity": 10, "buffers": [{"id": "a", "lower": 0, "upper": 3, "size": 8}, {"id": "b", "lower": 5, "upper": 6, "size": 9}, {"id": "c", "lower": 1, "upper": 2, "size": 4}]}`)
	const says = `document.querySelector(".planning-says").textContent`
	for _, test := range []struct {
		name    string
		content []byte
		says    string // the beginning of what the page says
		buffers string
	}{
		{"x.csv", plain.Bytes(), "x.csv: optimal, height 12,", "2"},
		{"x.json", []byte(`{"version": 1, "buffers": [{"id": "a", "lower": 0, "upper": 3, "size": 8}]}`), "x.json: optimal, height 8,", "1"},
		{"net.tflite", tflitemade.Network(4, 24), "net.tflite: optimal, height ", ""},
		{"net.onnx", onnxmade.Network(4, 24), "net.onnx: ", ""},
		{
			"tight.json", tight,
			"tight.json: infeasible, no plan is lower than 12, ", "3",
		},
		{"bad.csv", []byte("id,lower,upper,size\nx,0,0,1\n"), "bad.csv:2: buffer x: upper", ""},
	} {
		drop(test.name, test.content)
		if test.name == "net.onnx" {
			page.Until(`document.activeElement.id === "plan-dims"`)
			page.Eval(`document.querySelector(".planning-says").textContent = "waiting"; document.getElementById("plan-dims").value = "batch=1"; [...document.querySelectorAll("#drop button")].find((b) => b.textContent === "Plan").click()`, nil)
		}
		page.Until(`!/^(waiting|Reading|Planning)/.test(` + says + `) && ` + says)
		if got := page.Text(says); !strings.HasPrefix(got, test.says) {
			t.Errorf("%s: it says %q, want %q", test.name, got, test.says)
		}
		if got := page.Text("String(stowage.files[0]?.doc.n)"); test.buffers != "" && got != test.buffers {
			t.Errorf("%s: %s buffers are shown", test.name, got)
		}
		page.Eval(`document.getElementById("plan-dims").value = ""`, nil)
	}
	// Each file starts afresh: answers about the file before are gone, also if the next file has a fault.
	drop("x.csv", plain.Bytes())
	page.Until(`/^x.csv: optimal, height 12,/.test(` + says + `) && !document.getElementById("playback").hidden`)
	page.Eval(`document.getElementById("plan-capacity").value = "7"; document.getElementById("plan-dims").value = "batch=3"; document.getElementById("plan-alignment").value = "64"`, nil)
	drop("again.csv", plain.Bytes())
	page.Until(`/^again.csv: optimal, height 12,/.test(` + says + `)`)
	if got := page.Text(`["plan-capacity", "plan-dims", "plan-shapes", "plan-values", "plan-sizes", "plan-alignment"].map((id) => document.getElementById(id).value).join("")`); got != "" {
		t.Errorf("of the file before %q is kept", got)
	}
	drop("bad.csv", []byte("id,lower,upper,size\nx,0,0,1\n"))
	page.Until(`/^bad.csv:2/.test(` + says + `)`)
	if got := page.Text(`[...document.querySelectorAll("main, .saves, .arenas")].filter((e) => e.checkVisibility()).map((e) => e.innerText.trim()).join("")`); got != "" {
		t.Errorf("beside the error of a file there is %q", got)
	}
	// A problem that does not fit is drawn as its lowest plan, with the conflict in red.
	drop("tight.json", tight)
	page.Until(`/^tight.json: infeasible, no plan is lower than 12, /.test(` + says + `)`)
	if got, want := page.Text(`document.getElementById("warning").textContent`), "a and c cannot fit 10 together. In [1, 2) they take 12, which is 2 too much. If any one of them is left out, the others of this set fit; the whole problem may still not."; got != want {
		t.Errorf("it warns %q, want %q", got, want)
	}
	page.Until(`stowage.files[0].height === 12 && stowage.files[0].doc.capacity === 10 && stowage.files[0].doc.conflict && [...stowage.files[0].doc.broken].join() === "1,0,1" && !document.getElementById("warning").hidden`)
	if got := page.Text(`[0, 1, 2].map((i) => stowage.plots[0].scene.kinds[i] === stowage.KIND.broken).join()`); got != "true,false,true" {
		t.Errorf("red are %s", got)
	}
	if got := page.Text(`document.getElementById("legend").lastElementChild.textContent`); got != "cannot fit together" {
		t.Errorf("the legend ends with %q", got)
	}
	// The page asks for the open properties of a model, and shows nothing of another file. The button Plan then
	// continues.
	drop("open.onnx", onnxmade.Network(4, 24))
	page.Until(`/Give them under Model, as Dimensions batch=1/.test(` + says +
		`) && !stowage.files.length && document.activeElement.id === "plan-dims"`)
	page.Eval(`document.getElementById("plan-dims").value = "batch=2"; [...document.querySelectorAll("#drop button")].find((b) => b.textContent === "Plan").click()`, nil)
	page.Until(`/^open.onnx: [a-z]+, height/.test(` + says + `)`)
	page.Eval(`document.getElementById("plan-dims").value = ""`, nil)
	// A shape can be given in place of a dimension.
	drop("open.onnx", onnxmade.Network(4, 24))
	page.Until(`/Give them under Model/.test(` + says + `)`)
	page.Eval(`document.getElementById("plan-shapes").value = "input=2x3x16x16:float32"; [...document.querySelectorAll("#drop button")].find((b) => b.textContent === "Plan").click()`, nil)
	page.Until(`/^open.onnx: [a-z]+, height/.test(` + says + `)`)
	page.Eval(`document.getElementById("plan-shapes").value = ""`, nil)
	// A table whose ends may mean two things has a control that reads it the other way; others have none.
	drop("ends.csv", []byte("id,start,end,size\na,0,2,600\nb,2,4,600\n"))
	page.Until(`/^ends.csv: optimal, height 1,200,/.test(` + says + `)`)
	if got := page.Text(says); !strings.HasSuffix(got, "; ends are read as inclusive: see End is") {
		t.Errorf("of the ends it says %q", got)
	}
	if got := page.Text(`JSON.stringify(stowage.files[0].doc.facts)`); !strings.Contains(got, "choose half-open under End is") || strings.Contains(got, "--ends") {
		t.Error("the note about ends is not in words of the page")
	}
	const endsSeen = `String(document.getElementById("plan-ends").checkVisibility()) + " " + document.getElementById("plan-ends").value`
	if got := page.Text(endsSeen); got != "true inclusive" {
		t.Errorf("the control of ends is %s", got)
	}
	page.Eval(`(() => { const e = document.getElementById("plan-ends"); e.value = "half-open"; e.dispatchEvent(new Event("change")); })()`, nil)
	page.Until(`/^ends.csv: optimal, height 600,/.test(` + says + `)`)
	if got := page.Text(endsSeen); got != "true half-open" {
		t.Errorf("the control of ends is %s", got)
	}
	drop("x.csv", plain.Bytes())
	page.Until(`/^x.csv: optimal, height 12,/.test(` + says + `)`)
	if got := page.Text(endsSeen); !strings.HasPrefix(got, "false ") {
		t.Errorf("the control of ends is %s for a table with upper", got)
	}
	drop("stop.csv", []byte("id,start,stop,size\na,0,2,600\nb,2,4,600\n"))
	page.Until(`/could mean two things: half-open if/.test(` + says + `) && document.activeElement.id === "plan-ends"`)
	page.Eval(`(() => { const e = document.getElementById("plan-ends"); e.value = "half-open"; e.dispatchEvent(new Event("change")); })()`, nil)
	page.Until(`/^stop.csv: optimal, height 600,/.test(` + says + `)`)
	// The page shows the plan during a search. Dropping another file ends the search, and nothing
	// of the first file remains.
	var long bytes.Buffer
	hard := must.Get(gen.Generate("random", gen.Options{Buffers: 1000, Seed: 3}))(t)
	must.Do(t, csv.Write(&long, hard, nil))
	drop("long.csv", long.Bytes())
	page.Until(`stowage.drop.running && stowage.files[0]?.doc.n === 1000 && stowage.files[0].offsets`)
	drop("x.csv", plain.Bytes())
	page.Until(`/^x.csv: optimal, height 12,/.test(` + says + `) && stowage.files[0].height === 12`)
	drop("long.csv", long.Bytes())
	drop("bad.csv", []byte("id,lower,upper,size\nx,0,0,1\n"))
	page.Until(`/^bad.csv:2/.test(` + says + `) && !stowage.files.length && !stowage.drop.busy`)
	// A folder is refused.
	page.Eval(`document.querySelector(".planning-says").textContent = "waiting"`, nil)
	for _, kind := range []string{"dragEnter", "dragOver", "drop"} {
		page.Call("Input.dispatchDragEvent",
			map[string]any{
				"type": kind, "x": 500, "y": 300,
				"data": map[string]any{"items": []any{}, "files": []string{t.TempDir()}, "dragOperationsMask": 1},
			})
	}
	page.Until(`/of a folder, drop the files in it/.test(` + says + `)`)
	// The page plays back the moves of exact search without a request.
	page.Eval(`document.getElementById("plan-with").value = "exact"`, nil)
	drop("x.csv", plain.Bytes())
	page.Until(`stowage.playback.doc?.moves?.told > 2 && stowage.playback.what === "moves"`)
	page.Eval(`document.getElementById("plan-with").value = "auto"`, nil)
	// A plan is shown as it is. On request its problem is planned anew, and shown beside it.
	drop("plan.csv", fixed.Bytes())
	page.Until(`stowage.files.length === 1 && stowage.files[0].doc.title === "plan" && stowage.files[0].height === 16`)
	page.Eval(`[...document.querySelectorAll("#drop button")].find((b) => b.textContent === "Plan").click()`, nil)
	page.Until(`stowage.files.length === 2 && stowage.files[1].height === 12 && stowage.comparison.counts.down === 1`)
	firmware(t, page, drop, says)
	page.Quiet()
	samePlans(t, page, built.Command(t))
}

// firmware drops a model. The arenas and files must be those that the command makes.
func firmware(t *testing.T, page *chromium.Page, drop func(name string, content []byte), says string) {
	t.Helper()
	model := tflitemade.Network(4, 24)
	dir := t.TempDir()
	path := filepath.Join(dir, "net.tflite")
	must.Do(t, os.WriteFile(path, model, 0o644))
	drop("net.tflite", model)
	page.Until(`/^net.tflite: optimal, height /.test(` + says + `) && !stowage.drop.busy`)
	command := func(args ...string) []byte {
		t.Helper()
		c := exec.Command(built.Command(t), args...)
		c.Dir = dir
		out := must.Get(c.Output())(t, "%v", args)
		return out
	}
	var report struct {
		Head   int64 `json:"head_planned"`
		Arenas []struct {
			Before, Planned int64
		} `json:"smallest_arenas"`
	}
	if err := json.Unmarshal(command("plan", "--json", "-o", "planned.tflite", path), &report); err != nil ||
		len(report.Arenas) != 3 {
		t.Fatalf("%v, %d arenas", err, len(report.Arenas))
	}
	table := page.Text(`[...document.querySelectorAll(".arenas td")].map((e) => e.textContent.replaceAll(",", "")).join(" ")`)
	for _, a := range report.Arenas {
		want := fmt.Sprintf("%d %d %d (", a.Before, a.Planned, a.Before-a.Planned)
		if !strings.Contains(table, want) {
			t.Errorf("the page has the arenas %q, the command %s…", table, want)
		}
	}
	if got := page.Text(`String(stowage.files[0].height)`); got != strconv.FormatInt(report.Head, 10) {
		t.Errorf("the page has the head %s, the command %d", got, report.Head)
	}
	if got, want := page.Text(`[...document.querySelectorAll(".saves button")].map((b) => b.textContent).join(", ")`), "Save .tflite, Save .h, Save .cc, Save plan.csv"; got != want {
		t.Errorf("the page offers %q, want %q", got, want)
	}
	// A capacity is that of the arena: nothing is compared with the head.
	need := report.Arenas[0].Planned
	for _, test := range []struct {
		capacity int64
		says     string
	}{
		{need - 16, fmt.Sprintf("net.tflite: it does not fit into %d: the arena needs %d bytes (firmware of 32 bit), 16 too many, ", need-16, need)},
		{need, fmt.Sprintf("net.tflite: it fits into %d: the arena needs %d bytes (firmware of 32 bit), 0 less; optimal, height ", need, need)},
	} {
		page.Eval(fmt.Sprintf(`document.querySelector(".planning-says").textContent = "waiting"; document.getElementById("plan-capacity").value = "%d"; [...document.querySelectorAll("#drop button")].find((b) => b.textContent === "Plan").click()`, test.capacity), nil)
		page.Until(`!/^(waiting|Reading|Planning)/.test(` + says + `) && ` + says + ` && !stowage.drop.busy`)
		if got := page.Text(says); !strings.HasPrefix(got, test.says) {
			t.Errorf("for a capacity of %d it says %q, want %q", test.capacity, got, test.says)
		}
		if got := page.Text(`document.querySelector("main").innerText.match(/.{9}(% free|exceeded by)/)?.[0] ?? ""`); got != "" {
			t.Errorf("for a capacity of %d the head is compared with it: %q", test.capacity, got)
		}
	}
	saved := func(kind string) []byte {
		t.Helper()
		text := page.Text(`btoa(Array.from(stowage.drop.files[0].made.files.` + kind +
			`, (b) => String.fromCharCode(b)).join(""))`)
		return must.Get(base64.StdEncoding.DecodeString(text))(t)
	}
	for _, kind := range []string{"tflite", "h", "cc"} {
		command("plan", "-q", "-o", "planned."+kind, path)
		want := must.Get(os.ReadFile(filepath.Join(dir, "planned."+kind)))(t)
		if got := saved(kind); !bytes.Equal(got, want) {
			t.Errorf("the page's .%s is not the command's:\n%.2000s\n%.2000s", kind, got, want)
		}
	}
}

// samePlans: the page's planner and the command plan the same problems, and their plans must be equal byte for byte.
func samePlans(t *testing.T, page *chromium.Page, command string) {
	t.Helper()
	inputs := map[string][]byte{}
	for k := range plantest.Share(1000, 100, 50) {
		var b bytes.Buffer
		must.Do(t, csv.Write(&b, drawn.Wide(uint64(5000+k)), nil))
		inputs[fmt.Sprintf("wide-%d.csv", k)] = b.Bytes()
	}
	for _, path := range instances() {
		content := must.Get(os.ReadFile(path))(t)
		inputs[filepath.Base(path)] = content
	}
	for name, content := range inputs {
		c := exec.Command(command, "solve", "-q", "--nodes", "3000", "-")
		c.Stdin = bytes.NewReader(content)
		want, err := c.Output()
		if exit := c.ProcessState.ExitCode(); err != nil && exit != 3 && exit != 4 {
			t.Fatal(err)
		}
		got := page.Text(fmt.Sprintf(`(async () => { const bytes = Uint8Array.from(atob(%q), (c) => c.charCodeAt(0));
			const out = await stowage.drop.planner.call("plan", { name: %q, bytes, format: "csv", options: { nodes: "3000" } });
			return out.output ? new TextDecoder().decode(out.output) : ""; })()`, base64.StdEncoding.EncodeToString(content), name))
		if got != string(want) {
			t.Fatalf("%s: the page and the command differ:\n%s\n%s", name, got, want)
		}
	}
	t.Logf("%d plans are the same in the browser", len(inputs))
}

// instances returns the public challenging problems, or none if they are not here.
func instances() []string {
	dir := public.Dir()
	if dir == "" {
		return nil
	}
	paths, err := filepath.Glob(filepath.Join(dir, "challenging", "*.csv"))
	if err != nil {
		return nil
	}
	return paths
}
