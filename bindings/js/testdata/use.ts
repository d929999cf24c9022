// A program that uses every type of the package. It is compiled and never run: see TestTypes.

import {
  barriers,
  close,
  explain,
  InputError,
  locate,
  solve,
  verify,
  type BigOptions,
  type BigResult,
  type Buffer,
  type Buffers,
  type CallOptions,
  type Columns,
  type ExplainOptions,
  type Explanation,
  type Gap,
  type Issue,
  type Name,
  type Part,
  type Places,
  type Pool,
  type Problem,
  type Progress,
  type Report,
  type Result,
  type Rules,
  type Size,
  type SolveOptions,
  type Status,
  type Time,
  type VerifyOptions,
  type Violation,
  type Wait,
  type Whole,
} from "stowage";
import * as files from "stowage/files";

// The two types are the same one; an assignment that does not compile is a fault.
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
function same<A, B>(_: Same<A, B>): void {}

const size: Size = "1.5MiB";
const time: Time = "500ms";
const whole: Whole = 3n;
const gap: Gap = { lower: 1, upper: 2n, window: { lower: 0, upper: "64B" } };
const buffer: Buffer = { id: "a", lower: 0, upper: whole, size, alignment: 64, gaps: [gap], fixed: 0, hint: "1KiB" };
const least: Buffer = { lower: 0, upper: 1, size: 1 };
const buffers: Buffers = { buffers: [buffer, least], capacity: "2MiB" };
const columns: Columns = {
  lower: new BigInt64Array(2),
  upper: [1, 2n],
  size: ["1KiB", 4],
  alignment: new Int32Array(2),
  fixed: [-1, -1],
  hint: [-1, 0],
  ids: ["a", "b"] as const,
  gaps: new BigInt64Array(0),
  capacity: 4096,
};
// What is read-only, or passes through a variable, is a problem, too.
const frozen = [{ lower: 0, upper: 1, size: 1 }] as const;
const problems: Problem[] = [[buffer], buffers, columns, [], frozen, { buffers: frozen }];

const pool: Pool = { id: "tcm", capacity: "64KiB", alignment: 16, cost: 2n, reserved: [[0, 16]] };
const name: Name = "a";
const rules: Rules = {
  pools: [pool, "dram"],
  allowed: [null, ["tcm", 1]],
  costs: [{ dram: 4096 }, null],
  together: [["a", "b"], { buffers: [0, 1], at: [0, 64n] }],
  apart: [[name, 1]],
  mayOverlap: [[0, 1]],
  distances: [["a", "b", -3], { buffers: ["a", "b"], distance: 96 }],
  penalties: [["a", "b", 3], { buffers: ["a", "b"], cost: 3 }],
  clocks: { lower: [[0, 0], [1, 1]], upper: [[1, 1], [2, 2]] },
  period: 9,
  evictions: [null, [[1, 2, 3], { lower: 4, upper: 5, cost: 6 }]],
  objective: ["cost", "height:tcm"],
};
const ruled: Result = await solve({ ...columns, rules });
const ruledBig: BigResult = await solve({ buffers: [buffer], rules }, { bigint: true });
const parts: Part[] = ruled.parts ?? [];
const checked: VerifyOptions = { pools: ruled.pools ?? null, parts };
console.log(ruled.measures?.["cost"], ruled.bounds, ruled.objective, parts[0]?.pool, ruledBig.parts?.[0]?.offset === 4n, checked);

const call: CallOptions = { worker: false, signal: new AbortController().signal };
const options: SolveOptions = {
  ...call,
  planner: "exact",
  capacity: size,
  minimize: true,
  timeout: time,
  nodes: 1e6,
  seed: 7n,
  without: new Set(["memo"]),
  params: { rounds: 3, order: "size" },
  start: new Float64Array(2),
  onProgress(progress: Progress) {
    same<typeof progress.height, number>(true);
  },
};
const big: BigOptions = { bigint: true, timeoutMs: 10, without: ["memo"], onProgress: (progress) => same<typeof progress.height, bigint>(true) };
const asked: ExplainOptions = { planner: "auto", capacity: 1, smallest: true, timeout: 1, timeoutMs: 5, nodes: 3n, seed: 1 };

locate({ worker: new URL("file:///worker.js"), core: "core.wasm", files: "files.wasm" } satisfies Places);

for (const problem of problems) {
  const result: Result = await solve(problem, options);
  const larger: BigResult = await solve(problem, big);
  await solve(problem);
  await solve(problem, { bigint: false });
  await solve(problem, { onProgress: (progress) => same<typeof progress.lowerBound, number>(true) });
  await solve(problem, { bigint: true, onProgress: (progress) => same<typeof progress.lowerBound, bigint>(true) });
  same<typeof result.status, Status>(true);
  same<typeof result.height, number>(true);
  same<typeof larger.height, bigint>(true);
  same<typeof larger.offsets, BigInt64Array | null>(true);
  const text: string = result.planner + result.member + result.foundBy + result.provedBy + result.stopped;
  same<typeof result.ended, "proof" | "fits" | "done" | "timeout" | "nodes" | "interrupt" | "effort">(true);
  const figures: number = result.nodes + result.backtracks + result.seconds + text.length;

  if (result.offsets && larger.offsets) {
    const report: Report = await verify(problem, result.offsets, { capacity: figures });
    const other: Report<bigint> = await verify(problem, larger.offsets, { bigint: true });
    const first: Violation | undefined = report.violations[0];
    if (first && !report.ok && other.total > 0) console.log(first.rule, first.a, first.b, first.message, report.height);
    await verify(problem, Array.from(result.offsets));
    const waits: Wait[] = await barriers(problem, result.offsets, checked);
    const exact: Wait<bigint>[] = await barriers(problem, larger.offsets, { bigint: true });
    for (const { buffer, at, behind, until, turn } of waits) console.log(buffer + at + behind + until + turn);
    if (exact[0]) same<typeof exact[0]["until"], bigint>(true);
    // A plan is where the next search may start, in numbers or BigInt.
    await solve(problem, { start: result.offsets });
    await solve(problem, { start: larger.offsets });
  }

  const reason: Explanation = await explain(problem, asked);
  const exactly: Explanation<bigint> = await explain(problem, { ...asked, bigint: true });
  await explain(problem);
  same<typeof reason.at, number[]>(true);
  same<typeof exactly.load, bigint>(true);
  console.log(reason.status, reason.why, reason.buffers, reason.irreducible, reason.smallest, reason.atLeast, reason.capacity);
}

try {
  // @ts-expect-error: a buffer has a size
  await solve([{ lower: 0, upper: 1 }]);
  // @ts-expect-error: there is no such option
  await solve([], { plannner: "exact" });
  // @ts-expect-error: a size is no truth
  await solve([], { capacity: true });
} catch (err) {
  if (err instanceof InputError) {
    const issues: Issue[] = err.issues;
    for (const issue of issues) console.log(issue.file, issue.line, issue.buffer, issue.field, issue.value, issue.message, err.name);
  }
  // Both parts of the package throw the same class.
  if (err instanceof files.InputError) same<typeof err, InputError>(true);
}

const contents: files.Content[] = ["id,lower", new Uint8Array(4), new ArrayBuffer(4), new Blob(["x"]), new DataView(new ArrayBuffer(1))];
const settled: files.FileOptions = {
  dims: { batch: 1, "input:0": 2n },
  values: { steps: 3 },
  sizes: { y: "4KiB" },
  alignment: 64,
  heap: "0",
  beside: { "x-live-range.txt": contents[0]! },
};
for (const content of contents) {
  const how: files.PlanOptions & SolveOptions = { ...settled, ...options, format: "json", ignoreOffsets: true, view: true };
  const planned: files.Planned = await files.plan("x.csv", content, how);
  const larger: files.Planned<bigint, BigInt64Array> = await files.plan("x.csv", content, { ...settled, ...big });
  await files.plan("x.csv", content);
  same<typeof larger.capacity, bigint>(true);
  same<typeof planned.output, Uint8Array | undefined>(true);
  console.log(planned.name, planned.kind, planned.buffers, planned.notes, planned.heaps, planned.view?.meta, planned.view?.data);

  const model: files.PlannedModel = await files.planModel("x.tflite", content, { view: true, timeout: 1 });
  const other: files.PlannedModel<bigint, BigInt64Array> = await files.planModel("x.tflite", content, { bigint: true });
  await files.planModel("x.tflite", content);
  const arena: files.ArenaSize | undefined = model.arenas[0];
  if (arena && other.arenas[0]) same<typeof other.arenas[0]["before"], bigint>(true);
  console.log(arena?.target, arena?.before, arena?.planned, arena?.atLeast, model.files?.tflite, model.files?.h, model.files?.cc, model.files?.csv);

  const reason: files.ExplainedFile = await files.explain("x.csv", content, { ...settled, ...asked, ignoreOffsets: true });
  const exactly: files.ExplainedFile<bigint> = await files.explain("x.csv", content, { ...asked, bigint: true });
  await files.explain("x.csv", content);
  console.log(reason.ids, exactly.capacity);

  const read: files.Read = await files.read("x.csv", content, { ...settled, ...call });
  const about: files.About = read;
  console.log(read.planned, read.lowerBound, about.kind);
}
for (const planner of await files.planners(call)) console.log(planner.name, planner.summary, planner.exact);
const status: files.Status = "optimal";
const place: files.Places = {};
const fault: files.Issue | null = null;
const seen: files.Progress<bigint> | null = null;
files.locate(place);
console.log(status, fault, seen);
files.close();
close();
