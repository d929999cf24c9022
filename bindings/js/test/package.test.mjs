// Tests of the package in node. Those that hold plans against the command's are in
// npm_test.go, which runs this file with a folder of problems and of their plans.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { test, after } from "node:test";

import { InputError, Order, barriers, close, explain, locate, solve, verify } from "stowage";
import * as files from "stowage/files";

import { COMMON, EXPLAIN, EXPLAIN_FILE, MODEL, OPTIONS, PLACED, PLAN, READ } from "../src/options.js";

after(() => {
  close();
  files.close();
});

const paper = {
  buffers: [
    { id: "b1", lower: 0, upper: 3, size: 4 },
    { id: "b2", lower: 3, upper: 9, size: 4 },
    { id: "b3", lower: 0, upper: 9, size: 4 },
    { id: "b4", lower: 9, upper: 21, size: 4 },
    { id: "b5", lower: 0, upper: 21, size: 4 },
  ],
};

/** Returns a buffer. */
const row = (lower, upper, size, more) => ({ lower, upper, size, ...more });

/** Makes a problem that no planner has done with in some seconds: climb ends six of them 2 % above the bound. */
function hard() {
  let seed = 12345;
  const next = (most) => {
    seed = (Math.imul(seed, 1103515245) + 12345) >>> 0;
    return (seed >>> 8) % most;
  };
  const buffers = Array.from({ length: 2000 }, () => {
    const lower = next(2000);
    return { lower, upper: lower + 1 + next(100), size: 1000 + next(100_000), alignment: 64 };
  });
  return { buffers };
}

const halfopen = {
  columns: { start: [0, 2], end: [2, 4], size: [600, 600] },
  rows: [
    { id: "a", start: 0, end: 2, size: 600 },
    { id: "b", start: 2, end: 4, size: 600 },
  ],
  "x.csv": "name,start,end,size\na,0,2,600\nb,2,4,600\n",
  "x.json": '[{"id": "a", "start": 0, "end": 2, "size": 600}, {"id": "b", "start": 2, "end": 4, "size": 600}]',
};

/** Plans a problem that is an object or the text of a file. */
const planned = (name, problem, options) =>
  typeof problem === "string" ? files.plan(name, problem, options) : solve(problem, options);

test("end is inclusive unless ends says otherwise, and that is said", async () => {
  for (const [name, problem] of Object.entries(halfopen)) {
    const guessed = await planned(name, problem, {});
    assert.deepEqual([guessed.height, guessed.ends], [1200, "inclusive"], name);
    assert.match(guessed.notes.join(), /^end is read as inclusive, .*, say ends: "half-open"$/);
    const said = await planned(name, problem, { ends: "half-open" });
    assert.deepEqual([said.height, said.ends], [600, "half-open"], name);
    assert.equal((await planned(name, problem, { ends: "inclusive" })).height, 1200, name);
    await assert.rejects(planned(name, problem, { ends: "both" }), /must be inclusive or half-open/);
  }
  const plain = await solve(paper);
  assert.deepEqual([plain.ends, plain.notes, plain.timeScale], [undefined, undefined, undefined]);
  await assert.rejects(solve(paper, { ends: "inclusive" }), /upper: is half-open, and ends says otherwise/);
  const to = [{ lower: 0, to: 2, size: 600 }, { lower: 2, to: 4, size: 600 }];
  await assert.rejects(solve(to), /buffer 0: to: could mean two things: ends: "half-open" if/);
  assert.equal((await solve(to, { ends: "half-open" })).height, 600);
  const point = await solve({ start: [0, 2], end: [2, 2], size: [600, 600] });
  assert.match(point.notes[0], /can be nothing else: a buffer starts and ends in one time slot/);
  assert.equal((await verify(halfopen.rows, [0, 0], { ends: "half-open" })).ok, true);
  assert.equal((await verify(halfopen.rows, [0, 0])).ok, false);
});

test("times with fractions are multiplied, which changes no offset", async () => {
  const rows = [
    { id: "a", lower: 0.5, upper: 1.25, size: 600, gaps: [{ lower: 0.75, upper: 1, window: { lower: 0, upper: 8 } }] },
    { id: "b", lower: 1.25, upper: 2, size: 600 },
  ];
  const columns = { lower: [0.5, 1.25], upper: new Float64Array([1.25, 2]), size: [600, 600] };
  const text = "id,lower,upper,size,gaps\na,0.5,1.25,600,0.75-1@0:8\nb,1.25,2,600,\n";
  for (const [name, problem] of Object.entries({ rows, columns, "x.csv": text })) {
    const made = await planned(name, problem, {});
    assert.deepEqual([made.height, made.timeScale], [600, 100], name);
    assert.match(made.notes.join(), /multiplied by 100 here, which changes no offset$/);
    if (made.output) assert.match(new TextDecoder().decode(made.output), /\na,0\.5,1\.25,600,0\.75-1@0:8,0\n/);
  }
  const closed = await solve([{ start: 0.5, end: 1.25, size: 600 }, { start: 1.25, end: 2, size: 600 }]);
  assert.equal(closed.height, 1200);
  const thirds = await solve([{ lower: 0.1, upper: 0.3, size: 1 }, { lower: 0.3, upper: 1e-1, size: 1 }]).catch((e) => e);
  assert.match(thirds.message, /buffer 1: upper "1": the lifespan ends before it starts/);
  await assert.rejects(solve([{ lower: 0, upper: 1e-20, size: 1 }]), /more than 18 decimal places: round/);
  await assert.rejects(solve([{ lower: 1e-10, upper: 1e10, size: 1 }]), /does not fit into 64 bits if it is multiplied by 10000000000/);
  await assert.rejects(solve([{ lower: 0, upper: NaN, size: 1 }]), /must be a whole number/);
  await assert.rejects(solve([{ lower: 0, upper: 1, size: 1.5 }]), /size "1.5": must be a whole number/);
});

for (const worker of [true, false]) {
  test(`a plan, worker: ${worker}`, async () => {
    const plan = await solve(paper, { worker });
    assert.equal(plan.status, "optimal");
    assert.equal(plan.height, 12);
    assert.equal(plan.lowerBound, 12);
    assert.ok(plan.offsets instanceof Float64Array);
    const report = await verify(paper, plan.offsets, { worker });
    assert.deepEqual([report.ok, report.height, report.total], [true, 12, 0]);
    const bad = await verify(paper, [0, 0, 0, 0, 0], { worker });
    assert.equal(bad.ok, false);
    assert.ok(bad.violations[0].message.includes("b1"));
  });

  test(`limits, worker: ${worker}`, async () => {
    const plan = await solve(hard(), { planner: "climb", timeout: 0.4, worker });
    assert.equal(plan.stopped, "timeout");
    assert.equal(plan.status, "feasible");
  });

  test(`cancelling keeps the best plan, worker: ${worker}`, async () => {
    const stop = new AbortController();
    let told = 0;
    const problem = hard();
    const plan = await solve(problem, {
      planner: "climb",
      signal: stop.signal,
      onProgress: (p) => {
        told += p.nodes >= 0;
        stop.abort();
      },
      worker,
    });
    assert.equal(plan.stopped, "interrupt");
    assert.ok((await verify(problem, plan.offsets, { worker })).ok);
    assert.ok(told > 0);
  });
}

test("columns, gaps, what is demanded, capacities", async () => {
  const columns = {
    lower: BigInt64Array.of(0n, 2n),
    upper: [10, 5],
    size: Float64Array.of(8, 8),
    gaps: [0, 2, 5, 1, 0, 4],
    ids: ["a", "b"],
    alignment: [1, 4],
  };
  const plan = await solve(columns);
  assert.equal(plan.height, 12);
  const same = await solve({
    buffers: [
      { id: "a", lower: 0, upper: 10, size: 8, gaps: [{ lower: 2, upper: 5, window: { lower: 0, upper: 4 } }] },
      { id: "b", lower: 2, upper: 5, size: 8, alignment: 4 },
    ],
  });
  assert.deepEqual(same.offsets, plan.offsets);
  const fixed = await solve({ buffers: [row(0, 1, 4, { fixed: 16 }), row(0, 1, 4)] });
  assert.deepEqual([...fixed.offsets], [16, 0]);
  const none = await solve({ ...paper, capacity: 11 });
  assert.deepEqual([none.status, none.offsets, none.height], ["infeasible", null, 0]);
});

test("large numbers", async () => {
  const buffers = [row(0, 1, 2n ** 60n), row(0, 1, 3)];
  const plan = await solve({ buffers }, { bigint: true });
  assert.equal(plan.height, 2n ** 60n + 3n);
  assert.ok(plan.offsets instanceof BigInt64Array);
  await assert.rejects(solve({ buffers }), RangeError);
});

test("what is wrong with an input", async () => {
  await assert.rejects(solve({ buffers: [{ id: "x", lower: 3, upper: 3, size: 0 }] }), (error) => {
    assert.ok(error instanceof InputError);
    assert.deepEqual(error.issues.map((i) => `${i.buffer} ${i.field}`).join(), "x upper,x size");
    return true;
  });
  for (const [problem, options] of [
    [{ buffers: [{ lower: "0.5", upper: 3, size: 1 }] }],
    [{ buffers: [{ lower: 0, upper: 3 }] }],
    [{ lower: [1], upper: [2] }],
    [undefined],
    [{ lower: [1], upper: [2, 3], size: [1] }],
    [paper, { timeout: -1 }],
    [paper, { timeout: "soon" }],
    [paper, { timeoutMs: "5" }],
    [paper, { timeout: 1, timeoutMs: 1 }],
    [paper, null],
    [paper, { nodes: 1.5 }],
    [paper, { seed: -1 }],
    [paper, { start: [1] }],
    [{ lower: [1], upper: [2], size: [1], gaps: [7, 0, 0, 0, 0, 0] }],
    [paper, { without: ["nothing"], planner: "exact" }],
  ]) {
    await assert.rejects(solve(problem, options), InputError, JSON.stringify(problem));
  }
  await assert.rejects(solve(paper, { planner: "nobody" }), /no planner|nobody/);
  await assert.rejects(
    files.plan("x.csv", "id,lower\na,b\n"),
    (error) => error instanceof InputError && error.issues[0].line === 1,
  );
});

test("many calls at once", async () => {
  const plans = await Promise.all(
    Array.from({ length: 40 }, (_, k) => solve({ buffers: paper.buffers.slice(0, 1 + (k % 5)) })),
  );
  plans.forEach((plan, k) => assert.equal(plan.offsets.length, 1 + (k % 5)));
});

test("a closed worker begins anew", async () => {
  close();
  assert.equal((await solve(paper)).height, 12);
  // A call that had not reached the worker is rejected, too, and does not wait for good.
  close();
  const call = solve(paper);
  close();
  await assert.rejects(call, /was closed/);
  assert.equal((await solve(paper)).height, 12);
});

test("what could not be loaded is loaded anew", async () => {
  close();
  for (const worker of [true, false]) {
    locate({ core: new URL("missing.wasm", import.meta.url) });
    // This thread may have the program by now, from another test.
    if (worker) await assert.rejects(solve(paper, { worker }), /missing\.wasm/);
    locate({ core: undefined });
    assert.equal((await solve(paper, { worker })).height, 12);
  }
  assert.throws(() => locate({ wasm: "x" }), InputError);
});

test("an abort that comes before the program is there is kept", async () => {
  close();
  const stop = new AbortController();
  stop.abort();
  const plan = await solve(hard(), { planner: "climb", signal: stop.signal, timeout: 20 });
  assert.equal(plan.stopped, "interrupt");
});

test("slips are told", async () => {
  for (const [problem, options, meant] of [
    [{ buffers: [{ lower: 0, upper: 1, size: 4, aligment: 64 }] }, {}, "alignment"],
    [{ buffers: [{ lower: 0, upper: 1, size: 4, align: 64 }] }, {}, "alignment"],
    [{ buffers: [{ lower: 0, upper: 1, size: 4, offset: 64 }] }, {}, "fixed"],
    [{ lower: [0], upper: [1], size: [4], hints: [0] }, {}, "hint"],
    [{ ...paper, capacty: 3 }, {}, "capacity"],
    [paper, { tiemout: 5 }, "timeout"],
    [paper, { node: 5 }, "nodes"],
  ]) {
    await assert.rejects(
      solve(problem, options),
      (e) => e instanceof InputError && e.message.includes(`${meant} is meant`),
    );
  }
  // What is nowhere near a name is the caller's own.
  assert.equal((await solve({ buffers: [{ lower: 0, upper: 1, size: 4, tensor: 7, name: "x", size2: 1 }] })).height, 4);
  for (const problem of [
    { buffers: 5 },
    { buffers: [null] },
    { buffers: [{ lower: 0, upper: 1, size: 4, gaps: 5 }] },
    { buffers: [{ lower: 0, upper: 1, size: 4, gaps: [[0, 1]] }] },
    { lower: "1", upper: [2], size: [3] },
  ]) {
    await assert.rejects(solve(problem), InputError, JSON.stringify(problem));
  }
  await assert.rejects(
    solve(paper, { planner: "nobody" }),
    (e) => e instanceof InputError && !/imported/.test(e.message),
  );
  await assert.rejects(solve(paper, { signal: {} }), InputError);
  await assert.rejects(solve(paper, { onProgress: 5 }), InputError);
  await assert.rejects(files.plan("x.csv", null), InputError);
  const given = BigInt64Array.of(0n);
  structuredClone(given, { transfer: [given.buffer] });
  await assert.rejects(solve({ lower: given, upper: [1], size: [4] }), InputError);
});

test("an option of another type, and one that no call has, is refused", async () => {
  const x = ["x.csv", "id,lower,upper,size\nx,0,1,1\n"];
  const offsets = [8, 0, 4, 0, 0];
  const calls = [
    [OPTIONS, (options) => solve(paper, options)],
    [EXPLAIN, (options) => explain(paper, options)],
    [PLACED, (options) => verify(paper, offsets, options)],
    [PLACED, (options) => barriers(paper, offsets, options)],
    [PLAN, (options) => files.plan(...x, options)],
    [MODEL, (options) => files.planModel("x.tflite", "", options)],
    [EXPLAIN_FILE, (options) => files.explain(...x, options)],
    [READ, (options) => files.read(...x, options)],
    [COMMON, (options) => files.planners(options)],
  ];
  for (const [known, call] of calls) {
    for (const name of known) {
      const lists = ["start", "pools", "parts"].includes(name);
      for (const wrong of lists ? [Symbol("wrong")] : [Symbol("wrong"), [{}]]) {
        const [{ field, value, message }, ...more] = await issuesOf(call({ [name]: wrong }));
        const text = typeof wrong === "symbol" ? "Symbol(wrong)" : name === "without" ? "{}" : "[{}]";
        assert.deepEqual([field, value, more], [name, text, []]);
        assert.match(message, /^must be /);
      }
    }
    const both = await issuesOf(call({ worker: 5, signal: 5 }));
    assert.deepEqual(both.map(({ field }) => field), ["worker", "signal"]);
    const [{ field, message }] = await issuesOf(call({ unheard: undefined }));
    assert.equal(field, "unheard");
    assert.ok(message.startsWith("is unknown as an option: the choices are worker"), message);
    assert.ok((await issuesOf(call({ constructor: 5 })))[0].message.includes("the choices are"));
  }
  for (const [options, message] of [
    [{ params: 5 }, 'params "5": must be an object with a text or a number for each name'],
    [{ params: new Map() }, 'params "{}": must be an object with a text or a number for each name'],
    [{ params: { shake: {} } }, 'params.shake "{}": must be text or a number'],
    [{ without: 5 }, 'without "5": must be text, or a list of texts'],
    [{ without: ["a", 5] }, 'without "5": must be text'],
    [{ progress: 5 }, "progress: is unknown as an option: the choices are worker, signal, ends, "],
    [{ minimize: "no" }, 'minimize "no": must be true or false'],
    [{ planner: ["auto"] }, 'planner "[\\"auto\\"]": must be text'],
    [{ start: "0" }, 'start "0": must be an array or a typed array of numbers'],
    [{ onProgress: 5 }, 'onProgress "5": must be a function'],
    [{ signal: {} }, 'signal "{}": must be an AbortSignal'],
  ])
    await assert.rejects(solve(paper, options), (e) => e instanceof InputError && e.message.startsWith(message));
  for (const [options, message] of [
    [{ dims: 5 }, 'dims "5": must be an object with a number for each name'],
    [{ dims: { batch: "many" } }, 'dims.batch "many": must be a whole number below 2^53, or a BigInt'],
    [{ shapes: { x: [1, 2] } }, 'shapes.x "[1,2]": must be text'],
    [{ sizes: { x: "2 parts" } }, 'sizes.x "2 parts": must be a whole number below 2^53, or a BigInt, or text'],
    [{ heap: 5 }, 'heap "5": must be text'],
    [{ view: 1 }, 'view "1": must be true or false'],
    [{ ends: "open", format: "svg" }, 'ends "open": must be inclusive or half-open\nformat "svg": must be csv or json'],
  ])
    await assert.rejects(files.plan(...x, options), (e) => e instanceof InputError && e.message.startsWith(message));
  await assert.rejects(verify(paper), (e) => e instanceof InputError && e.message.startsWith("offsets: "));
  // undefined and null are no options; what can be listed once is listed once.
  const none = Object.fromEntries(OPTIONS.map((name) => [name, null]));
  assert.equal((await solve(paper, none)).height, 12);
  const names = (function* () {
    yield "merge";
  })();
  assert.equal((await solve(paper, { without: names })).height, 12);
  assert.throws(() => locate(5), InputError);
  assert.throws(() => locate({ core: 5 }), InputError);
});

test("texts show the characters that act on a terminal or turn a line", async () => {
  const id = "a\x1b[31m\u202eb";
  const buffers = [row(0, 2, 8, { id }), row(0, 2, 8, { id: "c" })];
  const told = String.raw`a\x1b[31m\u202eb`;
  const { why } = await explain({ buffers, capacity: 8 });
  const { violations } = await verify({ buffers }, [0, 0]);
  const fault = (problem, options) => solve(problem, options).then(assert.fail, (e) => e);
  const [byGo, here] = [await fault([{ ...buffers[0], size: 0 }]), await fault([{ ...buffers[0], size: "x" }])];
  const read = (await files.plan("x.csv", `id,lower,upper,size\n${id},0,2,none\n`).catch((e) => e)).message;
  for (const text of [why, violations[0].message, byGo.message, here.message, read])
    assert.ok(text.includes(told) && !/[\x1b\u202e]/.test(text), JSON.stringify(text));
  assert.deepEqual([byGo.issues[0].buffer, here.issues[0].buffer], [id, id]); // data
  assert.match((await fault(paper, { [id]: 1 })).message, /a\\x1b/);
});

const issuesOf = async (call) => {
  let error;
  await assert.rejects(call, (e) => ((error = e), e instanceof InputError));
  return error.issues;
};

const told = async (call) =>
  (await issuesOf(call)).map(({ buffer, field, value }) => [buffer, field, value].join(" ").trim());

test("issues have every fault, of whatever kind", async () => {
  for (const worker of [true, false]) {
    const buffers = [
      { lower: 0, upper: 0, size: -1 },
      { lower: "1.5", upper: 3, size: 4 },
      { lower: 0, upper: 2, sise: 4 },
      { id: "t", lower: 0, upper: 2, size: "4 bytes", gaps: [{ lower: 5, upper: 9 }] },
      null,
      { lower: 0, upper: 2, size: 1, alignment: 0, fixed: {} },
    ];
    const issues = await told(solve({ buffers, capacty: 5 }, { tiemout: 3, nodes: -2, worker }));
    const want = "0 size -1,0 upper 0,1 lower 1.5,2 sise,4  null,5 fixed {},capacty,nodes -2,t size 4 bytes,tiemout";
    assert.equal(issues.toSorted().join(), want);
    const columns = { lower: [0, "0.5", 0], upper: [0, 2, 2], size: [1, 1, "x"] };
    assert.deepEqual((await told(solve(columns, { worker }))).toSorted(), ["0 upper 0", "1 lower 0.5", "2 size x"]);
  }
  // Of many, the first 20 are listed, and the message says how many there are.
  const many = solve({ buffers: Array.from({ length: 30 }, () => ({ lower: 0, upper: 1 })) });
  await assert.rejects(many, (e) => e.issues.length === 20 && e.message.endsWith("… and 10 more"));
  assert.deepEqual(await told(verify({ buffers: [{ lower: 0, upper: 1, siz: 4 }] }, [0])), ["0 siz"]);
  const slips = files.plan("x.csv", "id,lower,upper,size\nx,0,1,1\n", { timeot: 3, fromat: "csv" });
  assert.equal((await told(slips)).join(), "timeot,fromat");
});

test("what others call it gets a hint", async () => {
  assert.equal((await solve(paper.buffers)).height, 12); // a bare array
  const hint = async (problem, ...words) => {
    await assert.rejects(solve(problem), (e) => {
      for (const word of words)
        assert.ok(e instanceof InputError && e.message.includes(word), `${word} in ${e.message}`);
      return true;
    });
  };
  await hint([{ first: 0, finish: 4, size: 8 }], "buffer 0: lower: is missing", "called first", "and end the last time");
  await hint([{ id: "a", begin: 0, stop: 4, size: 8 }], "buffer a: stop: could mean two things");
  await hint({ first: [0], upper: [1], size: [1] }, "first");
  await hint([{ lower: 0, upper: 1 }], "buffer 0: size: is missing");
  await hint([{ lower: 0, upper: 1, size: 4, timeout: 3 }, 7], "buffer 1", "is not an object");
  await hint([{ lower: 0, upper: 1, bytes: 4 }], "buffer 0: size: is missing: what is called bytes there is size here");
  await hint({ lower: [0], upper: [1], nbytes: [4] }, "the column size", "nbytes");
  await hint({ buffer: [{ lower: 0, upper: 1, size: 4 }] }, "buffer: is unknown: buffers is meant?");
  const one = { buffers: [{ lower: 0, upper: 1, size: 4 }] };
  await hint({ ...one, pools: ["a"], apart: [] }, "pools: is a rule: rules: { pools } is meant\napart: is a rule: rules: { apart } is meant");
  await hint({ ...one, ends: "half-open" }, "ends: is an option of the call, beside the problem");
  await hint("id,lower,upper,size\n", "the problem is text", "stowage/files");
  await hint({ lower: [0, 1], upper: [2], size: [3, 4] }, "upper has 1 number for 2 buffers");
  const text = "id,lower,upper,size\nx,0,1,1\n";
  for (const [call, message] of [
    [() => solve(paper, { workers: 4 }), "workers: is unknown as an option: a search here has one thread"],
    [() => solve(paper).then((plan) => verify(paper, plan)), "offsets: is a plan: give its offsets, as in plan.offsets"],
    [() => files.plan("x.csv", text, { format: "svg" }), 'format "svg": must be csv or json'],
    [() => files.plan(text), "it is the second argument, after the name"],
  ]) {
    await assert.rejects(call(), (e) => e instanceof InputError && e.message.includes(message) && e.issues.length > 0);
  }
  assert.ok((await files.plan("x.csv", text, { format: "json" })).output.length > 0);
});

test("every error of an input has an issue", async () => {
  for (const problem of [undefined, null, "x", 5, {}, { buffers: 5 }, { lower: [0], upper: [1, 2], size: [3] }])
    await assert.rejects(solve(problem), (e) => e instanceof InputError && e.issues[0].message.length > 0);
  const nobody = (e) => e instanceof InputError && e.issues.length === 1 && e.issues[0].message === e.message;
  await assert.rejects(solve(paper, { planner: "nobody" }), nobody);
  await assert.rejects(solve(paper, 100), nobody);
});

test("an answer of no has its reason and what to call next", async () => {
  const two = [row(0, 2, 4, { id: "a" }), row(1, 3, 5, { id: "b" })];
  const no = await solve(two, { capacity: 8 });
  assert.equal(no.status, "infeasible");
  assert.match(no.reason, /take 9, which is 1 more than the capacity of 8/);
  assert.equal(no.next, "explain names the buffers that cannot fit; solve without a capacity looks for the lowest plan");
  const fixed = await solve(two.map((b) => ({ ...b, fixed: 0 })));
  assert.match(fixed.reason, /fixed.*no capacity is enough/);
  assert.equal(fixed.next, "solve plans anew if the fixed offsets are left out");
  const rules = await solve({ buffers: two, rules: { pools: [{ id: "p", capacity: 8 }] } });
  assert.equal(rules.status, "infeasible");
  assert.match(rules.reason, /^No plan keeps the rules/);
  assert.equal(rules.next, "explain names the buffers and rules that cannot go together");
  const yes = await solve(two);
  assert.deepEqual([yes.reason, yes.next], [undefined, undefined]);
});

test("times are seconds or have a unit; sizes may have one", async () => {
  for (const limit of [{ timeout: 0.2 }, { timeout: "200ms" }, { timeout: "0.2" }, { timeoutMs: 200 }]) {
    const plan = await solve(hard(), { planner: "climb", ...limit });
    assert.deepEqual([plan.stopped, plan.status], ["timeout", "feasible"]);
  }
  const buffers = [row(0, 2, "2KiB", { alignment: "1k" }), row(0, 2, "1.5 kB", { fixed: "2 KiB" })];
  assert.deepEqual([...(await solve(buffers, { capacity: "4KiB" })).offsets], [0, 2048]);
  assert.equal((await solve(buffers, { capacity: "3KiB" })).status, "infeasible");
  assert.equal((await solve({ lower: [0], upper: [1], size: ["1MiB"], capacity: "1MiB" })).height, 1 << 20);
  assert.equal((await solve([{ lower: 0, upper: 1, size: "1TiB" }], { bigint: true })).height, 2n ** 40n);
});

test("why nothing fits", async () => {
  for (const worker of [true, false]) {
    const why = await explain({ ...paper, capacity: 11 }, { worker });
    assert.deepEqual(
      [why.status, why.buffers, why.irreducible, why.capacity, why.load, why.at],
      ["infeasible", [0, 2, 4], true, 11, 12, [0, 3]],
    );
    assert.equal(
      why.why,
      "b1, b3 and b5 cannot fit 11 together. In [0, 3) they take 12, which is 1 too much. If any one of them is left out, the others of this set fit; the whole problem may still not.",
    );
  }
  const fits = await explain(paper, { capacity: 12 });
  assert.deepEqual([fits.status, fits.why, fits.buffers], ["feasible", "", []]);
  const fewest = await explain(paper, { capacity: "11", smallest: true, bigint: true });
  assert.deepEqual([fewest.smallest, fewest.atLeast, fewest.capacity], [true, 3, 11n]);
  const collide = await explain([row(0, 2, 4, { fixed: 0 }), row(1, 3, 4, { fixed: 2 })]);
  assert.match(collide.why, /^The buffers 0 and 1 have fixed offsets that collide: both use bytes \[2, 4\)/);
  assert.deepEqual(await told(explain(paper)), ["capacity"]);
  assert.deepEqual(await told(explain({ ...paper, capacity: 11 }, { smalest: true })), ["smalest"]);
  const large = await explain([row(0, 1, 20, { id: "big" }), row(0, 1, 2)], { capacity: 10 });
  assert.match(large.why, /^big alone cannot fit 10\. In \[0, 1\) it takes 20/);
  const file = await files.explain("p.csv", "id,lower,upper,size\nx,0,3,4\ny,1,5,6\nz,6,7,1\n", { capacity: 9 });
  assert.deepEqual(`${file.ids} ${file.buffers}`, "x,y 0,1");
  assert.match(file.why, /^x and y cannot fit 9 together\./);
});

test("no limit is no limit", async () => {
  assert.equal((await solve(paper, { timeout: Infinity })).status, "optimal");
  assert.equal((await solve(paper, { timeout: 1e300 })).status, "optimal");
  assert.equal((await solve(paper, { without: "merge,climb" })).height, 12);
});

for (const worker of [true, false]) {
  test(`what onProgress throws rejects the call, worker: ${worker}`, async () => {
    const onProgress = () => {
      throw new Error("mine");
    };
    await assert.rejects(solve(hard(), { planner: "climb", timeout: "10m", onProgress, worker }), /mine/);
    assert.equal((await solve(paper, { worker })).height, 12);
  });
}

test("who found the plan, who proved it, and why the run ended", async () => {
  const words = ({ foundBy, provedBy, ended }) => [foundBy, provedBy, ended];
  assert.deepEqual(words(await solve(paper, { planner: "exact" })), ["exact", "bound", "proof"]);
  assert.deepEqual(words(await solve(paper, { capacity: 11 })), ["", "bound", "proof"]);
  assert.deepEqual(words(await solve(paper, { planner: "first-fit", capacity: 1000 })).slice(0, 1), ["first-fit"]);
  assert.deepEqual(words(await solve(hard(), { planner: "climb", nodes: 50 })), ["climb", "", "nodes"]);
  const easy = [row(0, 4, 10, { fixed: 0 }), row(0, 4, 10, { fixed: 5 })];
  assert.deepEqual(words(await solve(easy)), ["", "collision", "proof"]);
  const csv = new Blob(["id,lower,upper,size\nx,0,3,4\n"]);
  const made = await files.plan("p.csv", csv, { planner: "exact", capacity: 9 });
  assert.deepEqual(words(made), ["exact", "bound", "proof"]);
});

test("results have their names in order", async () => {
  const order =
    "status,height,lowerBound,offsets,planner,member,foundBy,provedBy,ended,stopped,nodes,backtracks,seconds";
  assert.equal(Object.keys(await solve(paper)).join(), order);
  const made = await files.plan("p.csv", new Blob(["id,lower,upper,size\nx,0,3,4\n"]));
  assert.equal(Object.keys(made).join(), order + ",name,kind,buffers,capacity,notes,heaps,output");
});

test("browsers get nothing of node's, and workers wait for nothing at their top", async () => {
  const seen = new Set();
  const look = async (name) => {
    if (seen.has(name)) return;
    seen.add(name);
    const text = await readFile(new URL(`../src/${name}`, import.meta.url), "utf8");
    assert.doesNotMatch(text, /["']node:|require\(/, name);
    assert.doesNotMatch(text, /^(?:const .* = |\{ .* \} = )?await /m, name);
    for (const [, next] of text.matchAll(/(?:from |import\()"\.\/([\w-]+\.js)"/g)) await look(next);
  };
  for (const name of ["index.js", "files.js", "worker.js"]) await look(name);
  assert.ok(seen.has("engine.js") && !seen.has("host-node.js"));
});

test("files", async () => {
  const csv = "id,lower,upper,size\nx,0,3,4\ny,1,5,6\n";
  const plan = await files.plan("p.csv", csv);
  assert.equal(new TextDecoder().decode(plan.output), "id,lower,upper,size,offset\nx,0,3,4,6\ny,1,5,6,0\n");
  assert.deepEqual([plan.kind, plan.buffers, plan.name], ["csv", 2, "p"]);
  const json = JSON.parse(new TextDecoder().decode((await files.plan("p.csv", csv, { format: "json" })).output));
  assert.equal(json.plan.height, 10);
  const read = await files.read("plan.csv", plan.output);
  assert.equal(read.planned, true);
  assert.ok((await files.planners()).some((p) => p.name === "auto"));
});

test("plan takes anything", async () => {
  assert.equal((await files.plan(paper)).height, 12);
  assert.equal((await files.plan(paper.buffers, { capacity: 11 })).status, "infeasible");
  const text = "id,lower,upper,size\nx,0,3,4\n";
  const csv = await files.plan(new File([text], "p.csv"), { format: "json" });
  assert.deepEqual([csv.kind, csv.height, JSON.parse(new TextDecoder().decode(csv.output)).plan.height], ["csv", 4, 4]);
  assert.equal((await files.plan(new Blob([text]))).kind, "csv"); // its content tells
  const model = await files.plan("tiny.tflite", await modelBytes());
  assert.deepEqual([model.head, model.arena, model.arenas.length], [2048, 3168, 3]);
  assert.equal(new TextDecoder().decode(model.files.tflite.subarray(4, 8)), "TFL3");
  assert.equal((await files.plan("tiny.tflite", await modelBytes(), { bigint: true })).arena, 3168n);
});

test("what a model leaves open is asked for in options", async () => {
  const bytes = await readFile(new URL("../../../examples/tiny.onnx", import.meta.url));
  for (const call of [() => files.plan("tiny.onnx", bytes), () => files.read("tiny.onnx", bytes)]) {
    await assert.rejects(call(), (e) => {
      assert.ok(e instanceof InputError && e.issues.length === 1, e.message);
      for (const text of [e.message, e.issues[0].message])
        assert.ok(text.includes("dims: { batch: 1 }") && !text.includes("--"), text);
      return true;
    });
  }
  assert.equal((await files.plan("tiny.onnx", bytes, { dims: { batch: 1 } })).height, 16384);
  assert.equal((await files.plan("tiny.onnx", bytes, { shapes: { input: "1x3x16x16:float32" } })).height, 16384);
  for (const [shape, told] of [
    ["1x4x16x16", "does not fit what the model says: it is FLOAT [?,3,16,16]"],
    ["1x3", "does not fit"],
    ["many", "must be DIMS:TYPE"],
  ])
    await assert.rejects(files.plan("tiny.onnx", bytes, { shapes: { input: shape } }), (e) => {
      assert.ok(e instanceof InputError && e.message.includes(told) && e.message.includes("shape of input"), e.message);
      return true;
    });
});

test("files that belong to another are given with it", async () => {
  const name = "x-buffer-assignment.txt";
  const text =
    "BufferAssignment:\nallocation 0: size 64, preallocated-temp:\n value: <1 a @0> (size=64,offset=0): f32[16]{0}\n";
  await assert.rejects(files.plan(name, text), /has no live ranges/);
  const ranges = "HloLiveRange (max 3):\n  InstructionSequence:\n    0:a\n  BufferLiveRange:\n    a{}:0-3\n";
  const out = await files.plan(name, text, { beside: { "x-live-range.txt": ranges } });
  assert.deepEqual([out.kind, out.buffers, out.height], ["xla", 1, 64]);
});

test("the JavaScript of the documents", async () => {
  const root = new URL("../../../", import.meta.url);
  const Run = Object.getPrototypeOf(async () => {}).constructor;
  const given = {
    assert,
    solve,
    explain,
    verify,
    barriers,
    plan: files.plan,
    problem: paper.buffers.slice(0, 3), // as the first block has them
    ...{ lower: [0, 0, 1], upper: [2, 4, 4], size: [600, 300, 500] },
    bytes: await readFile(new URL("examples/tiny.onnx", root)),
    planModel: files.planModel,
    model: await modelBytes(),
  };
  let ran = 0;
  let values = 0;
  for (const name of ["docs/javascript.md", "bindings/js/README.md"]) {
    const text = await readFile(new URL(name, root), "utf8");
    for (const [, block] of text.matchAll(/```js\n(.*?)```/gs)) {
      if (block.includes("locate(")) continue; // for a bundler
      const code = block
        .replace(/^import .*$/gm, "")
        .replace(/^(\S[^;\n]*); \/\/ ("\w+"|\d+|true|\[[\d, ]+\]).*$/gm, (_, left, right) => {
          values++;
          return `assert.deepEqual(${left}, ${right});`;
        });
      await new Run(...Object.keys(given), `{${code}}`)(...Object.values(given));
      ran++;
    }
  }
  assert.ok(ran >= 5 && values >= 5, `${ran} blocks, ${values} values`);
});

const modelBytes = () => readFile(new URL("../../../examples/tiny.tflite", import.meta.url));

test("a model for firmware", async () => {
  const made = await files.planModel("tiny.tflite", await modelBytes());
  assert.equal(made.kind, "tflite");
  assert.equal(made.arenas.length, 3);
  for (const { target, before, planned, atLeast } of made.arenas) {
    const right = target && planned > 0 && planned <= before && planned % 16 === 0 && atLeast === false;
    assert.ok(right, JSON.stringify(made.arenas));
  }
  assert.equal(new TextDecoder().decode(made.files.tflite.subarray(4, 8)), "TFL3");
  assert.match(new TextDecoder().decode(made.files.h), /^#ifndef /m);
  assert.match(new TextDecoder().decode(made.files.cc), /alignas\(16\)|unsigned char/);
  await assert.rejects(files.planModel("x.tflite", "no model"), InputError);
  assert.deepEqual(await told(files.planModel("x.tflite", "", { dim: 3, timeot: 1 })), ["dim", "timeot"]);
  // The sizes are for kernels, which are named.
  assert.deepEqual(made.kernels, { name: "reference", version: "90b983c" });
  assert.match(made.arenaNotes[0], /^The sizes are for the reference kernels/);
  const vendor = await files.planModel("tiny.tflite", await modelBytes(), { kernels: "esp-nn@27d1f4a" });
  assert.deepEqual(vendor.kernels, { name: "esp-nn", version: "27d1f4a" });
  assert.equal(vendor.arenas.length, 2); // the interpreter of PyPI has the reference kernels
  assert.match(new TextDecoder().decode(vendor.files.h), /The sizes are for the kernels of esp-nn 27d1f4a/);
  await assert.rejects(files.planModel("tiny.tflite", await modelBytes(), { kernels: "esp" }), InputError);
});

test("the capacity of a model is that of its arena", async () => {
  for (const call of [files.plan, files.planModel]) {
    const fits = await call("tiny.tflite", await modelBytes(), { capacity: 3168 });
    assert.deepEqual([fits.status, fits.capacity, fits.height, fits.reason], ["optimal", 3168, 2048, undefined]);
    const not = await call("tiny.tflite", await modelBytes(), { capacity: "3KiB" });
    assert.deepEqual([not.status, not.capacity, not.height, not.offsets], ["infeasible", 3072, 0, null]);
    assert.match(not.reason, /^it does not fit into 3072: the arena needs 3168 bytes .*, 96 too many$/);
    assert.deepEqual([not.arenas[0].planned, not.files.tflite.length > 0], [3168, true]);
  }
});

const folder = process.env.STOWAGE_SAME;
test("the same plans as the command", { skip: !folder && "npm_test.go runs it" }, async () => {
  const list = JSON.parse(await readFile(path.join(folder, "list.json"), "utf8"));
  for (const { input, output, options } of list) {
    const content = await readFile(path.join(folder, input));
    const plan = await files.plan(input, content, { ...options, bigint: true });
    const want = await readFile(path.join(folder, output), "utf8");
    const got = new TextDecoder().decode(plan.output ?? new Uint8Array());
    assert.equal(got, want, `${input} with ${JSON.stringify(options)}`);
  }
  assert.ok(list.length > 0);
});

test("the same waits as in Go", { skip: !process.env.STOWAGE_WAITS && "npm_test.go runs it" }, async () => {
  const list = JSON.parse(await readFile(process.env.STOWAGE_WAITS, "utf8"));
  for (const [k, { problem, waits }] of list.entries()) {
    const { offsets, pools, parts } = problem.plan;
    const places = Object.entries(parts ?? {}).flatMap(([buffer, all]) => all.map((part) => ({ buffer, ...part })));
    const options = { ...(problem.version === 2 && { pools, parts: places }), worker: k % 8 > 0 };
    assert.deepEqual(await barriers(taken(problem), offsets, options), waits, JSON.stringify(problem));
  }
  assert.ok(list.length > 0);
});

test("the same orders as in Go", { skip: !process.env.STOWAGE_ORDERS && "npm_test.go runs it" }, async () => {
  const list = JSON.parse(await readFile(process.env.STOWAGE_ORDERS, "utf8"));
  for (const { plan, rows } of list) {
    const order = new Order(plan);
    for (const row of rows) {
      assert.deepEqual(order.sizes(row.at), row.sizes, plan);
      assert.deepEqual([...order.place(row.sizes)], row.offsets, plan);
      assert.equal(order.height, row.offsetsHeight);
      assert.ok(order.height <= order.arena);
      assert.deepEqual([...order.place(row.otherSizes)], row.others, plan);
      assert.equal(order.height, row.othersHeight);
    }
  }
  assert.ok(list.length > 0);
});

test("an order says what is wrong", () => {
  const buffers = [{ id: "a", size: "n+1" }, { id: "b", size: 4, offset: 8 }];
  const plan = { symbols: { n: [1, 9] }, buffers, plan: { height: 12, below: [[], ["a"]] } };
  const order = new Order(plan);
  assert.deepEqual(order.sizes({ n: 3 }), [4, 4]);
  assert.deepEqual([...order.place([8, 4])], [0, 8]);
  assert.deepEqual([...new Order({ ...plan, buffers: [buffers[0], { id: "b", size: 4, fixed: 16 }] }).place([8, 4])], [0, 16]);
  const wrong = (call, words) => assert.throws(call, (e) => e instanceof InputError && e.message.includes(words));
  wrong(() => order.place([9, 4]), "reach above its offset of 8");
  wrong(() => order.place([9]), "1 sizes for 2 buffers");
  wrong(() => order.place([-1, 4]), "size -1 of buffer a");
  wrong(() => order.sizes({ m: 3 }), "the symbols are n; given are m");
  wrong(() => new Order({ buffers, plan: {} }), "the plan has no order");
  wrong(() => new Order({ ...plan, plan: { ...plan.plan, below: [["b"], ["a"]] } }), "lies above itself");
  wrong(() => new Order({ ...plan, buffers: [{ id: "a", size: "n+" }, buffers[1]] }).sizes({ n: 1 }), "unexpected end");
});

test("a plan with several orders has one at each value", () => {
  const orders = [[["b"], []], [[], ["a"]]];
  const buffers = [{ id: "a", size: "n" }, { id: "b", size: 3 }];
  const made = { height: 12, below: orders[0], switch: "n", from: [1, 5], orders };
  const order = new Order({ symbols: { n: [1, 9, 1] }, buffers, plan: made });
  const offsets = (at, sizes) => [...at.place(sizes)];
  assert.deepEqual([1, 4, 5, 90].map((n) => offsets(order.at({ n }), [n, 3])), [[3, 0], [3, 0], [0, 5], [0, 90]]);
  assert.throws(() => order.at({ m: 1 }), /the value of n chooses the order/);
  const named = new Order({ scenarios: ["x", "y"], buffers: [{ id: "a", sizes: [1, 2] }, buffers[1]], plan: { ...made, from: [0, 1] } });
  assert.deepEqual(["x", "y"].map((name) => offsets(named.at(name), named.sizes(name))), [[3, 0], [0, 2]]);
  assert.throws(() => named.at("z"), /no scenario z/);
  const one = new Order({ symbols: { n: [1, 9] }, buffers, plan: { height: 12, below: orders[0] } });
  assert.equal(one.at({ n: 3 }), one);
});

/** Returns a problem in the command's JSON as the package takes it. */
function taken({ version, name, threads, plan, capacity, buffers: rows, may_overlap: mayOverlap, ...rest }) {
  const each = (key) => rows.map((b) => b[key] ?? null);
  const clocks = Array.isArray(rows[0]?.lower) ? { lower: each("lower"), upper: each("upper") } : undefined;
  const windowOf = ({ window: w, ...gap }) => ({ ...gap, ...(w && { window: { lower: w[0], upper: w[1] } }) });
  const buffers = rows.map(({ id, lower, upper, size, alignment, gaps, offset, fixed = offset }) => {
    const life = clocks ? { lower: 0, upper: 1 } : { lower, upper };
    return { id, ...life, size, alignment, gaps: gaps?.map(windowOf), fixed };
  });
  const rules = { ...rest, mayOverlap, allowed: each("pools"), costs: each("costs"), evictions: each("evictions"), clocks };
  return version === 2 ? { buffers, rules } : { buffers, capacity };
}

test("waits", async () => {
  const chain = { lower: [0, 2, 4], upper: [2, 4, 6], size: [8, 8, 8] };
  const second = { buffer: 1, at: 2, behind: 0, until: 2, turn: 0 };
  assert.deepEqual(await barriers(chain, (await solve(chain)).offsets), [
    second,
    { buffer: 2, at: 4, behind: 1, until: 4, turn: 0 },
  ]);
  assert.deepEqual(await barriers(chain, [0, 8, 16]), []);
  assert.deepEqual(await barriers([], []), []);
  const [exact] = await barriers(chain, [0n, 7n, 99n], { bigint: true });
  assert.deepEqual(exact, { buffer: 1, at: 2n, behind: 0, until: 2n, turn: 0 });
  const turns = { lower: [0, 2], upper: [2, 5], size: [4, 4], rules: { period: 6 } };
  assert.deepEqual(await barriers(turns, [0, 0]), [{ buffer: 0, at: 0, behind: 1, until: 5, turn: -1 }, second]);
  const late = { lower: [0n, 2n ** 60n], upper: [2n ** 60n, 2n ** 60n + 1n], size: [4, 4] };
  assert.equal((await barriers(late, [0, 0], { bigint: true }))[0].at, 2n ** 60n);
  await assert.rejects(barriers(late, [0, 0]), RangeError);
  // A plan that is not valid is refused, and so is one that is above the capacity.
  for (const [problem, offsets, options, said] of [
    [chain, [0, -1, 0], {}, /below zero/],
    [{ lower: [0, 1], upper: [2, 3], size: [8, 8] }, [0, 4], {}, /both use bytes/],
    [chain, [0, 8, 16], { capacity: 20 }, /20/],
    [{ ...chain, capacity: 20 }, [0, 8, 16], {}, /20/],
    [chain, [0, 8], {}, /offsets has 2 numbers for 3 buffers/],
    [chain, undefined, {}, /plan/],
    [chain, [0, 0, 0], { pools: ["x", "x", "x"] }, /for a problem with rules/],
    [chain, [0, 0, 0], { capcity: 1 }, /capacity is meant/],
  ]) {
    await assert.rejects(barriers(problem, offsets, options), (error) => {
      assert.ok(error instanceof InputError, String(error));
      assert.match(error.message, said);
      return true;
    });
  }
});

const memories = {
  lower: [0, 1, 2, 5],
  upper: [4, 5, 6, 8],
  size: [24, 24, 16, 32],
  ids: ["a", "b", "c", "d"],
  rules: {
    pools: [
      { id: "tcm", capacity: "64", reserved: [[0, 16]] },
      { id: "dram", cost: 1 },
    ],
    apart: [["a", 3]],
  },
};
const spilled = memories.ids.map((id, i) => row(memories.lower[i], memories.upper[i], memories.size[i], { id }));

test("two pools, in columns and as objects", async () => {
  for (const problem of [memories, { buffers: spilled, rules: memories.rules }]) {
    const plan = await solve(problem);
    assert.deepEqual([plan.status, plan.height, plan.objective, plan.parts], ["optimal", 88, ["cost", "height"], []]);
    assert.deepEqual(plan.bounds, { cost: 24, height: 88 });
    assert.deepEqual(
      [plan.measures.cost, plan.measures["peak:tcm"], plan.pools.filter((x) => x === "dram").length],
      [24, 64, 1],
    );
    const report = await verify(problem, plan.offsets, { pools: plan.pools, parts: plan.parts });
    assert.deepEqual([report.ok, report.height, report.measures.cost], [true, 88, 24]);
    const bad = await verify(problem, [0, 16, 48, 16], { pools: [0, "tcm", 0, 0] });
    assert.ok(!bad.ok && bad.violations.some(({ rule }) => rule === "reserved"));
    assert.ok(!(await verify(problem, plan.offsets)).ok);
  }
  const big = await solve(memories, { bigint: true });
  assert.deepEqual([big.measures.cost, big.bounds.height], [24n, 88n]);
  const tight = { ...memories, rules: { pools: [{ id: "tcm", capacity: 40 }], apart: [["a", "d"]] } };
  const why = await explain(tight);
  assert.deepEqual([why.status, why.irreducible, why.buffers.length], ["infeasible", true, 2]);
  assert.match(why.why, /Every two of them conflict.*pool tcm with 40 free/);
});

test("every rule", async () => {
  // For each rule: heights of the objective with it and without it.
  const two = { lower: [0, 0], upper: [4, 4], size: [6, 5] };
  const apart = { lower: [0, 4], upper: [4, 8], size: [6, 5] };
  const meet = { lower: [0, 3], upper: [4, 8], size: [6, 5] };
  const both = (...times) => times.map((x) => [x, x]); // by two clocks
  const cases = [
    [apart, { apart: [[0, 1]] }, "height", 11, 6],
    [two, { mayOverlap: [["0", "1"]] }, "height", 6, 11],
    [apart, { penalties: [[0, 1, 7]], objective: ["height", "penalty"] }, "penalty", 7],
    [apart, { penalties: [{ buffers: [0, 1], cost: 7 }], objective: "penalty" }, "penalty", 0],
    [apart, { together: [{ buffers: [0, 1], at: [0, 8] }] }, "height", 13],
    [apart, { together: [[0, 1]] }, "height", 6],
    [meet, { distances: [[0, 1, 5]] }, "height", 11],
    [meet, { distances: [{ buffers: [0, 1], distance: 2 }] }, "height", 8, 11],
    [{ lower: [0, 3], upper: [2, 5], size: [6, 5] }, { period: 4 }, "height", 11, 6],
    [two, { clocks: { lower: both(0, 1), upper: both(1, 2) } }, "height", 6, 11],
    [two, { pools: ["x", "y"], allowed: [null, ["y"]], costs: [{ x: 3, y: 9 }, { y: 2 }] }, "cost", 5],
    [two, { pools: [{ id: "x", cost: 1 }], objective: ["cost"] }, "cost", 11],
    [{ lower: [0, 0, 0], upper: [4, 4, 4], size: [6, 5, 3] }, { pools: ["x", "y"], allowed: ["x", "y", "y"], objective: ["max_height"], lockstep: [[0, 2]] }, "max_height", 8, 14],
    [two, { pools: [{ id: "x", borders: [8] }] }, "height", 13, 11],
    [two, { pools: [{ id: "x", borders: [8] }], spans: [1] }, "height", 11],
    [two, { pools: [{ id: "x", granularity: 8 }], kinds: [[0], [1]] }, "height", 13, 11],
    [two, { pools: ["x", "y"], alternatives: [[0, "1"]], objective: ["height"] }, "height", 5, 11],
    [apart, { groups: [{ pairs: [[0, 1]], cost: 7 }], objective: ["penalty", "height"] }, "height", 11, 6],
    [apart, { groups: [{ pairs: [[0, 1]], cost: 7, paid: "unless all coincide" }], objective: "penalty" }, "penalty", 0],
    [two, { pools: [{ id: "x", sizes: [[8, 1], [16, 5]] }, { id: "y", sizes: [[8, 3]] }] }, "cost", 4],
    [apart, { pools: ["x", "y"], differentPools: [["0", 1]], objective: ["height"] }, "height", 11, 6],
    [two, { pools: ["x", "y"], samePool: [[0, 1]], objective: ["max_height"] }, "max_height", 11, 11],
    [meet, { pools: [{ id: "x", objects: true }], objective: ["height", "objects"] }, "objects", 2],
    [apart, { pools: [{ id: "x", objects: true }], objective: ["height", "objects"] }, "objects", 1, 6],
    [apart, { pools: [{ id: "x", objects: true }], extents: [[6, 1], [3, 2]] }, "height", 12],
    [apart, { pools: [{ id: "x", objects: true }], extents: [[6, 1, 1], [6, 1, 2]] }, "height", 12],
  ];
  for (const [problem, rules, measure, value, without] of cases) {
    const plan = await solve({ ...problem, rules });
    assert.equal(plan.measures[measure], value, JSON.stringify(rules));
    assert.ok((await verify({ ...problem, rules }, plan.offsets, { pools: plan.pools })).ok);
    if (without !== undefined) assert.equal((await solve(problem)).height, without);
  }
  // The example of the model: b leaves for 3; a would for 5.
  const evicted = {
    lower: [0, 0, 4],
    upper: [10, 10, 6],
    size: [4, 4, 4],
    rules: {
      pools: [{ id: "x", capacity: 8 }],
      evictions: [[[3, 7, 5]], [{ lower: 2, upper: 8, cost: 3 }], null],
      objective: ["eviction", "height"],
    },
  };
  const plan = await solve(evicted);
  assert.equal(plan.measures.eviction, 3);
  const parts = plan.parts.map(({ buffer, lower, upper, pool }) => `${buffer} [${lower}, ${upper}) ${pool}`);
  assert.deepEqual(parts, ["1 [0, 2) x", "1 [8, 10) x"]);
  assert.ok((await verify(evicted, plan.offsets, { pools: plan.pools, parts: plan.parts })).ok);
  assert.ok(!(await verify(evicted, plan.offsets, { pools: plan.pools })).ok);
});

test("wrong rules", async () => {
  for (const [rules, said] of [
    [{ apart: [["a", "x"]] }, /apart\[0\]: there is no buffer "x"/],
    [{ apart: [[0, 4]] }, /apart\[0\]: there is no buffer at 4; there are 4/],
    [{ samePool: [["a", "x"]] }, /samePool\[0\]: there is no buffer "x"/],
    [{ differentPools: [["a"]] }, /needs at least 2/],
    [{ apart: [[0, 0]] }, /a pair has two different buffers/],
    [{ apart: [[0]] }, /must have 2 values, has 1/],
    [{ may_overlap: [] }, /mayOverlap/],
    [{ speed: 1 }, /there is no rule speed/],
    [{ pools: [{ id: "x" }, { id: "x" }] }, /is a duplicate/],
    [{ pools: [{ id: "x", capcity: 4 }] }, /capacity is meant/],
    [{ extents: [[6]] }, /extents/],
    [{ pools: [{ id: "x", objects: 1 }] }, /pools\[0\].objects: must be true or false/],
    [{ pools: [{ id: "x", capacity: "many" }] }, /pools\[0\].capacity/],
    [{ allowed: [0] }, /allowed has 1 values for 4 buffers/],
    [{ penalties: [[0, 1, 0.5]] }, /0.5 must be a whole number/],
    [{ together: [{ buffers: [0, 1], at: [1] }] }, /2 buffers and 1 distances/],
    [{ clocks: { lower: [[0]], upper: [[1]] } }, /for each of 4 buffers/],
    [{ objective: "speed" }, /objective/],
    [{ evictions: [null, null, null, [[0, 9, 1]]] }, /evictions/],
  ]) {
    await assert.rejects(solve({ ...memories, rules }), said);
  }
  await assert.rejects(solve({ ...memories, capacity: 9 }), /each pool has its own|capacities of their own/);
});

test("files with rules", async () => {
  const text = JSON.stringify({
    version: 2,
    pools: [
      { id: "tcm", capacity: 64, reserved: [[0, 16]] },
      { id: "dram", cost: 1 },
    ],
    buffers: spilled,
    apart: [["a", "d"]],
  });
  const plan = await files.plan("spill.json", text);
  assert.deepEqual([plan.status, plan.measures.cost, plan.pools.length, plan.bounds.height], ["optimal", 24, 4, 88]);
  const written = JSON.parse(new TextDecoder().decode(plan.output));
  assert.deepEqual([written.version, written.plan.pools, written.plan.measures.cost], [2, plan.pools, 24]);
  await assert.rejects(files.plan("spill.json", text, { format: "csv" }), /rules.*json/);
  const { view } = await files.plan("spill.json", text, { view: true });
  assert.deepEqual(
    JSON.parse(view.meta).lanes.map(({ name }) => name),
    ["tcm", "dram"],
  );
  const read = await files.read("spill.json", plan.output);
  assert.deepEqual([read.planned, JSON.parse(read.view.meta).measures[0]], [true, { name: "cost", value: 24 }]);
  assert.equal((await files.explain("spill.json", text)).status, "feasible");
});
