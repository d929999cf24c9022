// Numbers and options as the programs take them: columns of BigInt64Array, and single
// numbers as text, since JavaScript's own end at 2⁵³.

import { InputError, slips } from "./faults.js";

const LEAST = -(2n ** 63n);
const MOST = 2n ** 63n - 1n;

/** The options that every call has, and those of a search. */
export const COMMON = ["worker", "signal"];
export const OPTIONS = [
  ...COMMON,
  "planner",
  "capacity",
  "minimize",
  "timeout",
  "nodes",
  "seed",
  "without",
  "params",
  "start",
  "onProgress",
  "bigint",
];

/** Milliseconds from which on a limit is none: a century, and less than Go can count. */
const LONG = 100 * 365 * 24 * 3600 * 1000;

const BUFFER = ["id", "lower", "upper", "size", "alignment", "gaps", "fixed", "hint"];
const COLUMNS = ["lower", "upper", "size", "alignment", "gaps", "fixed", "hint", "ids", "capacity", "buffers"];

/** Returns a whole number as a BigInt, or throws what is wrong with it. */
function whole(value, field, buffer) {
  if (typeof value === "bigint" && value >= LEAST && value <= MOST) return value;
  if (Number.isSafeInteger(value)) return BigInt(value);
  const message = "must be a whole number below 2^53, or a BigInt";
  const issue = { file: "", line: 0, buffer: buffer ?? "", field, value: String(value), message };
  throw new InputError(`${buffer === undefined ? "" : `buffer ${buffer}: `}${field} "${value}": ${message}`, [issue]);
}

/** Makes a column of anything that has a length; what is one already is used as it is. */
function column(values, field, n, name) {
  if (values === undefined || values === null) return undefined;
  if (typeof values === "string" || !Number.isSafeInteger(values.length))
    throw new InputError(`${field}: must be an array or a typed array of numbers`);
  if (values.length !== n)
    throw new InputError(`${field} has ${values.length} numbers for ${n} buffers${lost(values)}`);
  if (values instanceof BigInt64Array) return values;
  const out = new BigInt64Array(n);
  for (let i = 0; i < n; i++) out[i] = whole(values[i], field, name(i));
  return out;
}

/** Says so where an array has no numbers because its memory was given away. */
function lost(values) {
  return ArrayBuffer.isView(values) && !values.byteLength && values.buffer.detached ? ": its buffer is detached" : "";
}

/** Returns the columns of a problem, which is given as buffers or as columns. */
export function problemOf(problem) {
  if (!problem || typeof problem !== "object") throw new InputError("the problem is not an object");
  const { buffers } = problem;
  slips(problem, COLUMNS, "field of the problem");
  const capacity = digits(problem.capacity, "capacity");
  if (buffers === undefined || buffers === null) {
    const n = problem.lower?.length ?? 0;
    const name = (i) => (problem.ids ? String(problem.ids[i]) : String(i));
    if (problem.ids && problem.ids.length !== n)
      throw new InputError(`ids has ${problem.ids.length} names for ${n} buffers`);
    const of = (field) => column(problem[field], field, n, name);
    for (const field of ["lower", "upper", "size"]) {
      if (!problem[field]) throw new InputError(`the problem has neither buffers nor a column ${field}`);
    }
    if (lost(problem.lower)) throw new InputError(`lower has no numbers${lost(problem.lower)}`);
    const gaps = problem.gaps && column(problem.gaps, "gaps", problem.gaps.length, () => "");
    if (gaps && gaps.length % 6) throw new InputError("gaps has not six numbers for each");
    for (let g = 0; gaps && g < gaps.length; g += 6) {
      if (gaps[g] < 0n || gaps[g] >= BigInt(n)) throw new InputError(`gaps has the buffer ${gaps[g]}, of ${n}`);
    }
    return {
      lower: of("lower"),
      upper: of("upper"),
      size: of("size"),
      alignment: of("alignment"),
      fixed: of("fixed"),
      hint: of("hint"),
      ids: problem.ids && Array.from(problem.ids, String),
      gaps,
      capacity,
    };
  }
  if (!Array.isArray(buffers)) throw new InputError("buffers: must be an array of objects");
  const n = buffers.length;
  for (let i = 0; i < n; i++) {
    if (!buffers[i] || typeof buffers[i] !== "object") throw new InputError(`buffer ${i}: is not an object`);
    slips(buffers[i], BUFFER, `buffer ${buffers[i].id ?? i}: field`);
  }
  const name = (i) => String(buffers[i].id ?? i);
  const of = (field) => {
    const out = new BigInt64Array(n);
    for (let i = 0; i < n; i++) out[i] = whole(buffers[i][field], field, name(i));
    return out;
  };
  const may = (field, none) => {
    if (!buffers.some((b) => given(b[field]))) return undefined;
    const out = new BigInt64Array(n).fill(none);
    for (let i = 0; i < n; i++) if (given(buffers[i][field])) out[i] = whole(buffers[i][field], field, name(i));
    return out;
  };
  const gaps = [];
  buffers.forEach((b, i) => {
    if (given(b.gaps) && !Array.isArray(b.gaps)) throw new InputError(`buffer ${name(i)}: gaps: must be an array`);
    for (const g of b.gaps ?? []) {
      if (!g || typeof g !== "object" || Array.isArray(g))
        throw new InputError(`buffer ${name(i)}: gaps: each must be { lower, upper }, and may have a window`);
      gaps.push(BigInt(i), whole(g.lower, "gaps", name(i)), whole(g.upper, "gaps", name(i)));
      if (g.window) gaps.push(1n, whole(g.window.lower, "gaps", name(i)), whole(g.window.upper, "gaps", name(i)));
      else gaps.push(0n, 0n, 0n);
    }
  });
  return {
    lower: of("lower"),
    upper: of("upper"),
    size: of("size"),
    alignment: may("alignment", 1n),
    fixed: may("fixed", -1n),
    hint: may("hint", -1n),
    ids: buffers.some((b) => b.id !== undefined) ? Array.from(buffers, (_, i) => name(i)) : undefined,
    gaps: gaps.length ? BigInt64Array.from(gaps) : undefined,
    capacity,
  };
}

function given(value) {
  return value !== undefined && value !== null;
}

/** Returns a number as text; undefined for none. */
export function digits(value, field) {
  return value === undefined || value === null ? undefined : whole(value, field).toString();
}

/** Returns options of a search, their types checked: what is left to check are values. */
export function optionsOf(options, n, startName = "start") {
  const { planner, capacity, minimize, timeout, nodes, seed, without, params, start, ignoreOffsets } = options;
  if (given(timeout) && !(Number(timeout) >= 0))
    throw new InputError(`timeout "${timeout}": must be milliseconds, at least 0`);
  if (given(seed) && whole(seed, "seed") < 0n) throw new InputError(`seed "${seed}": must be at least 0`);
  return {
    planner,
    capacity: digits(capacity, "capacity"),
    minimize: Boolean(minimize),
    ignoreOffsets: Boolean(ignoreOffsets),
    timeout: Number(timeout) < LONG ? Number(timeout) : undefined,
    nodes: digits(nodes, "nodes"),
    seed: digits(seed, "seed"),
    without: without && Array.from(typeof without === "string" ? without.split(",") : without, String),
    params: params && Object.fromEntries(Object.entries(params).map(([k, v]) => [k, String(v)])),
    start: start && column(start, startName, n ?? start.length, String),
  };
}

/** Makes a number of text: a BigInt where that is asked for. */
export function numberOf(text, bigint) {
  if (bigint) return BigInt(text);
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError(`${text} is above 2^53: ask for it with bigint: true`);
  return value;
}

/** Makes a column of numbers, or leaves it BigInts. */
export function numbersOf(column, bigint) {
  if (!column || bigint) return column;
  const out = new Float64Array(column.length);
  for (let i = 0; i < out.length; i++) out[i] = numberOf(column[i], false);
  return out;
}

/** Makes a result of what a program answers, whose own order of names changes. */
export function resultOf(out, bigint) {
  const { status, planner, member, stopped, nodes, backtracks, seconds } = out;
  return {
    status,
    height: numberOf(out.height, bigint),
    lowerBound: numberOf(out.lowerBound, bigint),
    offsets: numbersOf(out.offsets, bigint),
    planner,
    member,
    stopped,
    nodes,
    backtracks,
    seconds,
  };
}

/** Puts the names of a violation in order. */
export function violationOf({ rule, a, b, message }) {
  return { rule, a, b, message };
}

/** Wraps what is told of progress. */
export function progressOf({ onProgress, bigint }) {
  if (typeof onProgress !== "function") return onProgress;
  return ({ height, lowerBound, nodes, seconds }) =>
    onProgress({ height: numberOf(height, bigint), lowerBound: numberOf(lowerBound, bigint), nodes, seconds });
}
