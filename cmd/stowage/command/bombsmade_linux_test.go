package command

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"

	"github.com/stowage-go/stowage/format/arena"
	"github.com/stowage-go/stowage/internal/testkit/onnxmade"
	"github.com/stowage-go/stowage/internal/testkit/tflitemade"
)

// many returns n texts, one after the other, made of their numbers.
func many(n int, format string) string {
	var b strings.Builder
	for k := range n {
		fmt.Fprintf(&b, format, k)
	}
	return b.String()
}

// proto returns a field of a protobuf message that has a body, and a number one that has none.
func proto(field int, parts ...[]byte) []byte {
	body := bytes.Join(parts, nil)
	b := binary.AppendUvarint(nil, uint64(field)<<3|2)
	return append(binary.AppendUvarint(b, uint64(len(body))), body...)
}

func protoNumber(field, value int) []byte {
	return binary.AppendUvarint(binary.AppendUvarint(nil, uint64(field)<<3), uint64(value))
}

// bombs has small files that pass the first checks of their reader and then grow: many tiny parts, shared parts, long
// names, deep nesting, lists within lists, and texts that could take quadratic time.
func bombs() map[string]func() []byte {
	all := map[string]func() []byte{}
	text := func(name string, parts func() []string) {
		all[name] = func() []byte { return []byte(strings.Join(parts(), "")) }
	}
	rep := strings.Repeat

	// Tables.
	text("badclocks.csv", func() []string {
		return []string{"lower,upper,size\n", rep("0:", 400_000), "0,1:", rep("0:", 399_999), "0,1\n", rep("x\n", 999)}
	})
	text("exponents.csv", func() []string { return []string{"lower,upper,size\n", rep("0,1,1E+999999999\n", 900)} })
	// A row is cut one field past its header.
	text("commas.csv", func() []string { return []string{"id,lower,upper,size\na,0,1,1\n", rep(",", 15_000_000), "x"} })
	text("rows.csv", func() []string { return []string{"lower,upper,size\n", rep("0,1,1\n", 2_500_000)} })
	text("fractions.csv", func() []string { return []string{"lower,upper,size\n", rep("0,0.5,1\n", 2_000_000)} })
	text("comments.csv", func() []string { return []string{"lower,upper,size\n0,1,1\n", rep("#\n", 7_000_000)} })
	text("gaps.csv", func() []string { return []string{"lower,upper,size,gaps\n0,1,1,", rep("0-1 ", 3_500_000), "\n"} })
	text("clocks.csv", func() []string { return []string{"lower,upper,size\n0", rep(":0", 7_000_000), ",1:0,1\n"} })
	text("wide.csv", func() []string {
		return []string{"id,lower,upper,size", many(9_000, ",c%d"), "\n", rep("a,0,1,1"+rep(",", 9_000)+"\n", 1_700)}
	})
	text("quotes.csv", func() []string {
		return []string{
			"id,lower,upper,size\n", `"`, rep(`""`, 4_000_000), `",0,1,1`, "\n",
		}
	})
	text("returns.csv", func() []string { return []string{"id,lower,upper,size\r", rep("\r", 12_000_000)} })
	text("windows.csv", func() []string {
		return []string{"lower,upper,size,gaps\n0,9999999,9,", many(90_000, "%d-%[1]d@0:1 "), "\n"}
	})

	// JSON.
	buffer := func(more string) string {
		return `{"version":2,"buffers":[{"id":"a","lower":0,"upper":1,"size":1` + more + "}]"
	}
	text("buffers.json", func() []string {
		return []string{
			`[{"id":"a","lower":0,"upper":1,"size":1}`, rep(`,{"id":"a","lower":0,"upper":1,"size":1}`, 400_000), "]",
		}
	})
	text("offsets.json", func() []string {
		return []string{buffer(""), `,"plan":{"status":"feasible","offsets":[0`, rep(",0", 7_000_000), "]}}"}
	})
	text("gaps.json", func() []string { return []string{buffer(`,"gaps":[[0,1]` + rep(",[0,1]", 2_000_000) + "]"), "}"} })
	text("evictions.json", func() []string {
		const one = `{"lower":0,"upper":1,"cost":1}`
		return []string{buffer(`,"evictions":[` + one + rep(","+one, 400_000) + "]"), "}"}
	})
	text("pools.json", func() []string {
		return []string{buffer(""), `,"pools":[{"id":"p"}`, many(50_000, `,{"id":"p%d"}`), "]}"}
	})
	text("apart.json", func() []string {
		return []string{buffer(""), `,"apart":[["a","a"]`, rep(`,["a","a"]`, 1_400_000), "]}"}
	})
	text("together.json", func() []string {
		return []string{buffer(""), `,"together":[{"buffers":["a","a"]}`, rep(`,{"buffers":["a","a"]}`, 600_000), "]}"}
	})
	text("graph-operators.json", func() []string {
		return []string{
			`{"values":[{"name":"v","size":1}],"operators":[{"name":"o","operands":["v"]}`,
			rep(`,{"name":"o","operands":["v"]}`, 400_000), "]}",
		}
	})
	text("keys.json", func() []string { return []string{buffer(many(150_000, `,"k%d":0`)), "}"} })
	text("samekeys.json", func() []string { return []string{buffer(rep(`,"k":0`, 2_000_000)), "}"} })
	text("escapes.json", func() []string { return []string{buffer(`,"id":"` + rep(`\u0041`, 2_000_000) + `"`), "}"} })
	text("clocks.json", func() []string {
		return []string{
			`{"version":2,"threads":65536,"buffers":[{"id":"a","lower":[0`, rep(",0", 3_000_000), `],"upper":[0`,
			rep(",0", 3_000_000), `],"size":1}]}`,
		}
	})
	text("names.json", func() []string {
		return []string{buffer(""), `,"together":[{"buffers":["a"`, rep(`,"a"`, 3_000_000), "]}]}"}
	})
	text("choices.json", func() []string {
		return []string{buffer(`,"pools":["p"` + rep(`,"p"`, 3_000_000) + "]"), `,"pools":[{"id":"p"}]}`}
	})
	text("costs.json", func() []string {
		return []string{buffer(`,"costs":{"p":0` + rep(`,"p":0`, 2_000_000) + "}"), `,"pools":[{"id":"p"}]}`}
	})
	text("parts.json", func() []string {
		return []string{
			buffer(""), `,"plan":{"status":"feasible","offsets":[0],"parts":{`, many(150_000, `"k%d":[],`), `"a":[]}}}`,
		}
	})
	text("nested.json", func() []string { return []string{buffer(`,"gaps":` + rep("[", 9_000) + rep("]", 9_000)), "}"} })
	text("dsa.json", func() []string {
		return []string{
			`{"schema_version":1,"problem":{"buffers":[{"id":0,"live_intervals":[{}`, rep(",{}", 900_000), "]}]}}",
		}
	})
	text("metadata.json", func() []string {
		return []string{
			`{"schema_version":1,"metadata":[0`, rep(",0", 1_500_000), "]}",
		}
	})
	text("graph-operands.json", func() []string {
		return []string{
			`{"values":[{"name":"v","size":1}],"operators":[{"name":"o","operands":["v"`, rep(`,"v"`, 3_000_000), "]}]}",
		}
	})
	text("graph-values.json", func() []string {
		return []string{`{"values":[{"name":"v","size":1}`, many(150_000, `,{"name":"v%d","size":1}`), `],"operators":[]}`}
	})

	// Traces.
	text("calls.trace", func() []string {
		return []string{"stowage-arena-trace 1\nb 1 0 train\n", rep("a 1 1 0 0\n", 1_500_000), "e 1 0\nend 3 -\n"}
	})
	text("begins.trace", func() []string {
		return []string{"stowage-arena-trace 1\n", rep("b 1 0 x\ne 1 0\n", 1_000_000), "end 3 -\n"}
	})
	text("line.jsonl", func() []string {
		return []string{`{"op":"open","format":"stowage-trace/1"}`, "\n", `{"op":"add","id":`, rep("[", 9_000_000)}
	})
	text("adds.jsonl", func() []string {
		return []string{
			`{"op":"open","format":"stowage-trace/1"}`, "\n",
			many(50_000, `{"op":"add","id":"b%d","lower":0,"upper":1,"size":1}`+"\n"), "x\n",
		}
	})
	text("marks.jsonl", func() []string {
		return []string{
			`{"op":"open","format":"stowage-trace/1"}`, "\n", many(50_000, `{"op":"mark","id":"b%d"}`+"\n"), "x\n",
		}
	})
	trace := func(name string, make func() (events []arena.Event, names []string)) {
		all[name] = func() []byte {
			events, names := make()
			var b bytes.Buffer
			if err := arena.WriteTrace(&b, &arena.Trace{Events: events, Names: append([]string{""}, names...)}); err != nil {
				panic(err)
			}
			return b.Bytes()
		}
	}
	begin, end := arena.Event{Kind: arena.Begin, Level: 1}, arena.Event{Kind: arena.End, Level: 1}
	trace("threads.trace", func() ([]arena.Event, []string) {
		events := []arena.Event{begin}
		for k := range 50_000 {
			events = append(events, arena.Event{Kind: arena.Alloc, N: 64, Thread: int32(k)})
		}
		return append(events, end), nil
	})
	trace("waits.trace", func() ([]arena.Event, []string) {
		events := []arena.Event{begin}
		for k := range 20_000 {
			events = append(events, arena.Event{Kind: arena.Alloc, N: 64, Stream: 1},
				arena.Event{Kind: arena.Use, N: int64(k), Stream: 2}, arena.Event{Kind: arena.Free, N: int64(k)})
		}
		for range 200_000 {
			events = append(events, arena.Event{Kind: arena.Wait, Waiter: 1, Stream: 3})
		}
		return append(events, end), nil
	})
	trace("steps.trace", func() (events []arena.Event, _ []string) {
		for k := range 50_000 {
			events = append(events, begin, arena.Event{Kind: arena.Alloc, N: int64(k + 1)}, end)
		}
		return events, nil
	})
	trace("scopes.trace", func() ([]arena.Event, []string) {
		events, names := []arena.Event{begin}, []string(nil)
		for k := range 50_000 {
			names = append(names, fmt.Sprint("n", k))
			events = append(events, arena.Event{Kind: arena.Begin, Level: 2, N: int64(k + 1)},
				arena.Event{Kind: arena.End, Level: 2})
		}
		return append(events, end), names
	})
	const planHead = "stowage-arena-plan 1\nname -\nalignment 64\nguard 0\nheight 0\nbound 0\nstatus optimal\nperiod 1\nbaselines 0\n"
	text("lanes.plan", func() []string {
		return []string{planHead, "regions 0\nlanes 1\nlane 0 700000 0\n", rep("p 1 64 0 - 0 0\n", 900_000)}
	})
	text("regions.plan", func() []string {
		return []string{
			planHead, "regions 60000\n", many(60_000, "r %d 0 0\n"), "lanes 1\nlane 0 60000 0\n",
			many(70_000, "p 64 64 %d 0 0 1\n"),
		}
	})

	// Logs and code of compilers.
	const alloc = "ggml_dyn_tallocr_alloc: allocating x (32 bytes) - block 0, offset "
	text("graphs.ggml-log", func() []string { return []string{rep(alloc+"0, chunk 0\n", 150_000)} })
	text("blocks.ggml-log", func() []string { return []string{many(60_000, alloc+"%d00, chunk 0\n")} })
	text("views.ggml-log", func() []string {
		return []string{alloc, "0, chunk 0\nreusing view parent ", rep(" (", 4_000_000), ") for y\n"}
	})
	text("reuses.ggml-log", func() []string {
		return []string{alloc, "0, chunk 0\n", many(150_000, "reusing parent x for y%d\n")}
	})
	const mlir = "// -----// IR Dump Before LayoutSlicesPass (iree-stream-layout-slices) //----- //\n"
	text("slices.mlir", func() []string {
		return []string{
			mlir, "%c = arith.constant 1 : index\n%0 = stream.resource.pack slices({\n", rep("[0, 0] = %c,\n", 900_000),
			"}) : index\n",
		}
	})
	text("constants.mlir", func() []string { return []string{mlir, many(150_000, "%%c%d = arith.constant 1 : index\n")} })
	text("packs.mlir", func() []string {
		return []string{
			mlir, "%c = arith.constant 1 : index\n",
			rep("%0 = stream.resource.pack slices({\n[0, 0] = %c\n}) : index\n", 200_000),
		}
	})
	const pool = "b = alloc_from_pool(p, 0, torch.int8, (1, ), (1, ))\n"
	text("allocs.py", func() []string { return []string{"# AOT ID: ['0_inference']\n", rep(pool, 250_000)} })
	text("pools.py", func() []string {
		return []string{
			"# AOT ID: ['0_inference']\n", many(75_000, "b%d = alloc_from_pool(p%[1]d, 0, torch.int8, (1, ), (1, ))\n"),
		}
	})
	text("aliases.py", func() []string {
		return []string{"# AOT ID: ['0_inference']\n", pool, many(150_000, "a%d = b\n")}
	})
	text("defs.py", func() []string {
		return []string{
			"# AOT ID: ['0_inference']\n", many(60_000, "b%d = alloc_from_pool(p, 0, torch.int8, (1, ), (1, ))\n"),
			rep("def f():\n"+pool, 40_000),
		}
	})
	text("shapes.py", func() []string {
		return []string{
			"# AOT ID: ['0_inference']\nb = alloc_from_pool(p, 0, torch.int8, (", rep("1, ", 4_000_000), "), (1, ))\n",
		}
	})

	// XLA.
	const heap = "BufferAssignment:\nallocation 0: size 64, preallocated-temp:\n"
	text("values-buffer-assignment.txt", func() []string {
		return []string{heap, many(80_000, " value: <%d a%[1]d @0> (size=8,offset=0): f32[2]{0}\n")}
	})
	xla := func(name string, assignment func() []byte) {
		all[name] = func() []byte { return append(proto(1, proto(1, []byte("x"))), proto(3, assignment())...) }
	}
	logical := func(id int) []byte { return proto(1, protoNumber(1, id), protoNumber(2, 8)) }
	event := func(kind, id int) []byte { return proto(1, protoNumber(1, kind), protoNumber(2, id)) }
	repeat := func(n int, make func(k int) []byte) (b []byte) {
		for k := range n {
			b = append(b, make(k)...)
		}
		return b
	}
	xla("buffers.pb", func() []byte {
		return append(repeat(100_000, logical), proto(4, repeat(100_000, func(k int) []byte { return event(0, k) }))...)
	})
	xla("aliases.pb", func() []byte {
		return append(repeat(50_001, logical), proto(4, event(0, 0), repeat(50_000, func(k int) []byte {
			return proto(1, protoNumber(1, 2), protoNumber(2, k+1), protoNumber(5, k))
		}))...)
	})
	xla("heaps.pb", func() []byte { return append(logical(0), bytes.Repeat(proto(4, event(0, 0)), 300_000)...) })
	xla("traces.pb", func() []byte { return append(logical(0), bytes.Repeat([]byte{4<<3 | 2, 0}, 6_000_000)...) })
	xla("allocations.pb", func() []byte { return append(logical(0), bytes.Repeat([]byte{3<<3 | 2, 0}, 6_000_000)...) })
	xla("indices.pb", func() []byte {
		return append(proto(1, protoNumber(1, 0), protoNumber(2, 8),
			proto(3, proto(3, bytes.Repeat([]byte{0xff}, 9_000_000)))), proto(4, event(0, 0))...)
	})

	// Pickles.
	const root = "\x80\x04}\x8c\x0ddevice_traces]("
	allocated := "}(\x8c\x06action\x8c\x05alloc\x8c\x04addrK\x01\x8c\x04sizeK\x02\x8c\x06streamK\x00u\x94"
	text("memo.pickle", func() []string {
		return []string{root, "]", allocated, "a", rep("(", 1), rep("h\x00", 250_000), "ee", "s."}
	})
	text("events.pickle", func() []string {
		return []string{root, "](" + allocated, rep("h\x00", 200_000), "e", rep("(", 1) + "e", "es."}
	})
	text("devices.pickle", func() []string {
		return []string{
			root, "](", many(9_000, strings.ReplaceAll("}(\x8c\x06action\x8c\x05alloc\x8c\x04addrK\x01\x8c\x04sizeK\x02\x8c\x06streamQ", "Q", "\x8a\x05%05d")+"u"), "e", rep("]", 200_000), "es.",
		}
	})
	text("nested.pickle", func() []string { return []string{"\x80\x04", rep("]", 15_000_000), "."} })
	text("tuples.pickle", func() []string { return []string{"\x80\x04(", rep("}", 15_000_000), "t."} })
	text("lists.pickle", func() []string { return []string{root, "]\x94", rep("(h\x00h\x00t\x85", 400_000), "es."} })
	text("dicts.pickle", func() []string { return []string{root, rep("}\x8c\x04addrK\x01s0", 900_000), "es."} })
	text("marks.pickle", func() []string { return []string{root, rep("(1", 5_000_000), "es."} })

	// Models.
	onnx := func(name string, make func() onnxmade.Model) { all[name] = func() []byte { return make().Bytes() } }
	small := func(nodes ...onnxmade.Node) onnxmade.Model {
		return onnxmade.Model{
			Graph: onnxmade.Graph{
				Nodes: nodes, Inputs: []onnxmade.Value{onnxmade.Floats("x", int64(4))}, Outputs: onnxmade.Names("y"),
			},
		}
	}
	relu := func(in, out string) onnxmade.Node {
		return onnxmade.Node{Op: "Relu", In: []string{in}, Out: []string{out}}
	}
	onnx("inputs.onnx", func() onnxmade.Model {
		return small(onnxmade.Node{Op: "Sum", Out: []string{"y"}, In: strings.Split(rep("x,", 1_500_000)+"x", ",")})
	})
	onnx("nodes.onnx", func() onnxmade.Model {
		m := small(relu("x", "y"))
		for k := range 40_000 {
			m.Graph.Nodes = append(m.Graph.Nodes, relu("x", fmt.Sprint("v", k)))
		}
		return m
	})
	onnx("functions.onnx", func() onnxmade.Model {
		m := small(onnxmade.Node{Op: "F0", Domain: "own", In: []string{"x"}, Out: []string{"y"}})
		m.Domains = []string{"own"}
		for k := range 20 {
			next := fmt.Sprint("F", k+1)
			m.Functions = append(m.Functions,
				onnxmade.Function{Domain: "own", Name: fmt.Sprint("F",
					k), Inputs: []string{"a"}, Outputs: []string{"c"}, Nodes: []onnxmade.Node{
					{Op: next, Domain: "own", In: []string{"a"}, Out: []string{"b"}},
					{Op: next, Domain: "own", In: []string{"b"}, Out: []string{"c"}},
				}})
		}
		m.Functions = append(m.Functions,
			onnxmade.Function{
				Domain: "own", Name: "F20", Inputs: []string{"a"}, Outputs: []string{"c"}, Nodes: []onnxmade.Node{relu("a", "c")},
			})
		return m
	})
	onnx("shape.onnx", func() onnxmade.Model {
		m := small(onnxmade.Node{Op: "ConstantOfShape", In: []string{"s"}, Out: []string{"y"}})
		m.Graph.Stored = []onnxmade.Tensor{onnxmade.Ints("s", 1<<31, 1<<31, 1<<31)}
		return m
	})
	onnx("branches.onnx", func() onnxmade.Model {
		nested := onnxmade.Graph{Nodes: []onnxmade.Node{relu("x", "r")}, Outputs: onnxmade.Names("r")}
		for range 30 {
			nested = onnxmade.Graph{Nodes: []onnxmade.Node{{Op: "If", In: []string{"c"}, Out: []string{"r"}, Attributes: map[string]any{
				"then_branch": nested, "else_branch": onnxmade.Graph{Outputs: onnxmade.Names("x")},
			}}}, Outputs: onnxmade.Names("r")}
		}
		return onnxmade.Model{Graph: nested}
	})
	wire := func(name string, graph func() []byte) {
		all[name] = func() []byte { return append([]byte{8, 8}, graph()...) }
	}
	empty := func(field int) []byte { return bytes.Repeat(proto(field), 6_000_000) }
	wire("nodelist.onnx", func() []byte { return proto(7, empty(1)) })
	wire("initializers.onnx", func() []byte { return proto(7, empty(5)) })
	wire("attributes.onnx", func() []byte { return proto(7, proto(1, empty(5))) })
	wire("operands.onnx", func() []byte { return proto(7, proto(1, empty(1))) })
	wire("packeddims.onnx", func() []byte { return proto(7, proto(5, proto(1, make([]byte, 6_000_000)))) })
	wire("functionlist.onnx", func() []byte { return append(proto(7, proto(1)), empty(25)...) })

	flat := func(name string, make func() tflitemade.Graph) {
		all[name] = func() []byte { return tflitemade.Model([]tflitemade.Graph{make()}) }
	}
	flat("tensors.tflite", func() (g tflitemade.Graph) {
		for k := range 8_000 {
			g.Tensors = append(g.Tensors, tflitemade.Tensor{Shape: []int32{4}})
			if k > 0 {
				g.Ops = append(g.Ops, tflitemade.Op{Inputs: []int32{int32(k - 1)}, Outputs: []int32{int32(k)}})
			}
		}
		return g
	})
	all["shared.tflite"] = func() []byte { return sharedTensors(all["tensors.tflite"]()) }
	flat("dims.tflite", func() tflitemade.Graph {
		return tflitemade.Graph{
			Tensors: []tflitemade.Tensor{{Shape: make([]int32, 2_000_000)}}, Inputs: []int32{0}, Outputs: []int32{0},
		}
	})
	flat("operands.tflite", func() tflitemade.Graph {
		return tflitemade.Graph{
			Tensors: []tflitemade.Tensor{{Shape: []int32{4}}},
			Ops:     []tflitemade.Op{{Inputs: make([]int32, 2_000_000), Outputs: []int32{0}}},
		}
	})
	return all
}

// sharedTensors points all references in consecutive vectors to the first table, if they look like references. Many
// of the results are damaged on purpose.
func sharedTensors(model []byte) []byte {
	b := bytes.Clone(model)
	for at := 4; at+8 <= len(b); at += 4 {
		x, y := binary.LittleEndian.Uint32(b[at:]), binary.LittleEndian.Uint32(b[at+4:])
		if x > 64 && int(x) < len(b)-at && y > 64 && int(y) < len(b)-at {
			binary.LittleEndian.PutUint32(b[at+4:], x-4)
		}
	}
	return b
}
