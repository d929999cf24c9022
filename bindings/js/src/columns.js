// Numbers and options as the programs take them: columns are BigInt64Arrays. Single numbers
// are text, because JavaScript's own numbers are exact only up to 2⁵³.

import { Faults, InputError, given } from "./faults.js";
import { misplaced, ruledOf, rulesOf } from "./rules.js";
import { shownLines, shownText } from "./shown.js";
import { timesOf } from "./times.js";
import { LEAST, MOST, sizeOf } from "./units.js";

const BUFFER = ["id", "lower", "upper", "size", "alignment", "gaps", "fixed", "hint"];
const COLUMNS = ["lower", "upper", "size", "alignment", "gaps", "fixed", "hint", "ids", "capacity", "buffers", "rules"];

const SIZES = ["size", "alignment", "fixed", "hint", "capacity", "start", "offsets"];

/** For each field that a buffer must have: names that others use for it, and what to say. */
const CALLED = {
  lower: [["first"], "is missing: what is called NAME there is lower here"],
  upper: [["finish"], "is missing: upper is one past the last time, and end the last time"],
  size: [["bytes", "nbytes"], "is missing: what is called NAME there is size here"],
};

/** Returns a whole number as a BigInt, or null if it is none. A size may be text with a unit. */
export function numberIn(value, field) {
  if (SIZES.includes(field)) return sizeOf(value);
  if (typeof value === "bigint" && value >= LEAST && value <= MOST) return value;
  return Number.isSafeInteger(value) ? BigInt(value) : null;
}

export function wrongNumber(field) {
  const size = SIZES.includes(field) ? ", or text with a unit, such as 2KiB" : "";
  return `must be a whole number below 2^53, or a BigInt${size}`;
}

/** Returns a whole number as a BigInt, or throws an error that says what is wrong. */
function whole(value, field) {
  const number = numberIn(value, field);
  if (number !== null) return number;
  const faults = new Faults();
  faults.say({ field, value: shownValue(value), message: wrongNumber(field) });
  return faults.end();
}

/** Returns a value as text for messages. */
export function shownValue(value) {
  if (typeof value === "string") return value;
  try {
    return typeof value === "object" && value !== null ? JSON.stringify(value).slice(0, 80) : String(value);
  } catch {
    return Object.prototype.toString.call(value);
  }
}

/** Returns a note if an array is empty because its memory was transferred elsewhere. */
function lost(values) {
  return ArrayBuffer.isView(values) && !values.byteLength && values.buffer.detached ? ": its buffer is detached" : "";
}

/**
 * Returns the columns of a problem. The problem is an array of buffers, an object with buffers,
 * or columns. Faults in single numbers and names are collected in faults, and valid numbers take
 * their place in the columns. So the program can find the other faults. If no columns can be
 * made, an error is thrown.
 */
export function problemOf(problem, faults, ends) {
  if (Array.isArray(problem)) problem = { buffers: problem };
  if (typeof problem === "string")
    throw new InputError("the problem is text, not an object: plan() of stowage/files reads CSV and JSON");
  if (!problem || typeof problem !== "object") throw new InputError("the problem is not an object");
  let told;
  [problem, told] = timesOf(problem, ends, faults);
  const { buffers } = problem;
  if (faults.slips(problem, COLUMNS).has("buffers") && !given(buffers)) faults.end();
  misplaced(problem, faults);
  let capacity;
  if (given(problem.capacity)) {
    capacity = sizeOf(problem.capacity)?.toString();
    if (capacity === undefined)
      faults.say({ field: "capacity", value: shownValue(problem.capacity), message: wrongNumber("capacity") });
  }
  const columns = { ...(given(buffers) ? ofBuffers(buffers, faults) : ofColumns(problem, faults)), capacity };
  columns.rules = rulesOf(problem.rules, columns.lower.length, columns.ids);
  columns.told = told;
  return columns;
}

/** Returns the columns of a problem that is given as columns. */
function ofColumns(problem, faults) {
  const n = problem.lower?.length ?? 0;
  for (const field of ["lower", "upper", "size"]) {
    if (problem[field]) continue;
    const hint = CALLED[field][0].find((name) => typeof problem[name] === "object" && given(problem[name]));
    if (hint) throw new InputError(`the column ${field} ${CALLED[field][1].replaceAll("NAME", hint)}`);
    throw new InputError(`the problem has neither buffers nor a column ${field}`);
  }
  if (problem.ids && problem.ids.length !== n)
    throw new InputError(`ids has ${counted(problem.ids.length, "name")} for ${counted(n, "buffer")}`);
  if (lost(problem.lower)) throw new InputError(`lower has no numbers${lost(problem.lower)}`);
  const wrong = new Map(); // the faulty fields by buffer
  const name = (i) => (problem.ids ? String(problem.ids[i]) : String(i));
  const of = (field) =>
    columnOf(problem[field], field, n, (i, value) => {
      faults.say({ buffer: name(i), field, value: shownValue(value), message: wrongNumber(field) });
      wrong.set(i, (wrong.get(i) ?? new Set()).add(field));
    });
  const columns = {};
  for (const field of ["lower", "upper", "size", "alignment", "fixed", "hint"]) columns[field] = of(field);
  const gaps = problem.gaps && columnOf(problem.gaps, "gaps", problem.gaps.length);
  if (gaps && gaps.length % 6) throw new InputError("gaps has not six numbers for each");
  for (let g = 0; gaps && g < gaps.length; g += 6) {
    if (gaps[g] < 0n || gaps[g] >= BigInt(n)) throw new InputError(`gaps has the buffer ${gaps[g]}, of ${n}`);
  }
  columns.ids = problem.ids && Array.from(problem.ids, String);
  columns.gaps = mended(columns, wrong, gaps);
  return columns;
}

/** Makes a column of an array or a typed array. A BigInt64Array is used as it is. */
export function columnOf(values, field, n, wrong) {
  if (!given(values)) return undefined;
  if (given(values.offsets)) throw new InputError(`${field}: is a plan: give its offsets, as in plan.offsets`);
  if (typeof values === "string" || !Number.isSafeInteger(values.length))
    throw new InputError(`${field}: must be an array or a typed array of numbers`);
  if (values.length !== n)
    throw new InputError(`${field} has ${counted(values.length, "number")} for ${counted(n, "buffer")}${lost(values)}`);
  if (values instanceof BigInt64Array) return values;
  const out = new BigInt64Array(n);
  for (let i = 0; i < n; i++) {
    const number = numberIn(values[i], field);
    if (number !== null) out[i] = number;
    else if (wrong) wrong(i, values[i]);
    else whole(values[i], field);
  }
  return out;
}

/** Returns the columns of buffers that are objects. */
function ofBuffers(buffers, faults) {
  if (!Array.isArray(buffers)) throw new InputError("buffers: must be an array of objects");
  const n = buffers.length;
  const wrong = new Map();
  const name = (i) => String(buffers[i]?.id ?? i);
  const say = (i, field, value, message) => {
    faults.say({ buffer: name(i), field, value: value === undefined ? "" : shownValue(value), message });
    wrong.set(i, (wrong.get(i) ?? new Set()).add(field));
  };
  const filled = (value) => () => new BigInt64Array(n).fill(value);
  const columns = { lower: filled(0n)(), upper: filled(1n)(), size: filled(1n)() };
  const none = { alignment: filled(1n), fixed: filled(-1n), hint: filled(-1n) };
  const gaps = [];
  let named = false;
  for (let i = 0; i < n; i++) {
    const b = buffers[i];
    if (!b || typeof b !== "object") {
      say(i, "", b === undefined ? "undefined" : b, "is not an object");
      for (const field of ["lower", "upper", "size"]) wrong.get(i).add(field);
      continue;
    }
    named ||= b.id !== undefined;
    const meant = faults.slips(b, BUFFER, name(i));
    for (const field of ["lower", "upper", "size"]) {
      const number = numberIn(b[field], field);
      if (number !== null) columns[field][i] = number;
      else if (given(b[field])) say(i, field, b[field], wrongNumber(field));
      else if (meant.has(field))
        wrong.set(i, (wrong.get(i) ?? new Set()).add(field)); // the fault is known already
      else {
        const other = CALLED[field][0].find((known) => given(b[known]));
        say(i, field, undefined, other ? CALLED[field][1].replaceAll("NAME", other) : "is missing");
      }
    }
    for (const field of ["alignment", "fixed", "hint"]) {
      if (!given(b[field])) continue;
      const number = numberIn(b[field], field);
      columns[field] ??= none[field]();
      if (number !== null) columns[field][i] = number;
      else say(i, field, b[field], wrongNumber(field));
    }
    gapsOf(b, i, gaps, (value, message) => say(i, "gaps", value, message));
  }
  return {
    ...columns,
    gaps: mended(columns, wrong, gaps.length ? BigInt64Array.from(gaps) : undefined),
    ids: named ? Array.from(buffers, (_, i) => name(i)) : undefined,
  };
}

/** Appends six numbers for each gap of a buffer. */
function gapsOf(b, i, gaps, say) {
  if (!given(b.gaps)) return;
  if (!Array.isArray(b.gaps)) return say(b.gaps, "must be an array");
  for (const g of b.gaps) {
    if (!g || typeof g !== "object" || Array.isArray(g)) {
      say(g, "each must be { lower, upper }, and may have a window");
      continue;
    }
    const times = [g.lower, g.upper].map((v) => numberIn(v, "lower"));
    const window = g.window ? [g.window.lower, g.window.upper].map((v) => numberIn(v, "size")) : [0n, 0n];
    if ([...times, ...window].includes(null)) say(g, "lower, upper and those of the window must be whole numbers");
    else gaps.push(BigInt(i), ...times, g.window ? 1n : 0n, ...window);
  }
}

/**
 * Replaces the wrong numbers of buffers by numbers that cause no further fault: the shortest
 * life, the smallest size, no demands. It returns the gaps of the buffers without faults.
 */
function mended(columns, wrong, gaps) {
  for (const [i, fields] of wrong) {
    if (fields.has("lower") || fields.has("upper")) {
      columns.lower[i] = 0n;
      columns.upper[i] = 1n;
    }
    if (fields.has("size")) columns.size[i] = 1n;
    if (fields.has("alignment")) columns.alignment[i] = 1n;
    for (const field of ["fixed", "hint"]) {
      if (columns[field] && (fields.has(field) || fields.has("alignment") || fields.has("size")))
        columns[field][i] = -1n;
    }
  }
  if (!gaps || !wrong.size) return gaps;
  const kept = [];
  for (let g = 0; g < gaps.length; g += 6) if (!wrong.has(Number(gaps[g]))) kept.push(...gaps.subarray(g, g + 6));
  return kept.length ? BigInt64Array.from(kept) : undefined;
}

function counted(n, thing) {
  return `${n} ${thing}${n === 1 ? "" : "s"}`;
}

/** Makes a number of text, or a BigInt if bigint is set. */
export function numberOf(text, bigint) {
  if (bigint) return BigInt(text);
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError(`${text} is above 2^53: ask for it with bigint: true`);
  return value;
}

/** Makes a column of numbers, or leaves it as BigInts if bigint is set. */
export function numbersOf(column, bigint) {
  if (!column || bigint) return column;
  const out = new Float64Array(column.length);
  for (let i = 0; i < out.length; i++) out[i] = numberOf(column[i], false);
  return out;
}

/** Makes a result of the answer of a program. Its keys are in a fixed order; those of the answer are not. */
export function resultOf(out, bigint, rules, told = {}) {
  const { status, planner, member, foundBy, provedBy, ended, stopped, nodes, backtracks, seconds } = out;
  return {
    status,
    height: numberOf(out.height, bigint),
    lowerBound: numberOf(out.lowerBound, bigint),
    offsets: numbersOf(out.offsets, bigint),
    planner,
    member,
    foundBy,
    provedBy,
    ended,
    stopped,
    nodes,
    backtracks,
    seconds,
    ...(out.reason !== undefined && { reason: shownLines(out.reason), next: out.next }),
    ...ruledOf(out, out.objective && rules, (text) => numberOf(text, bigint)),
    ...told,
  };
}

/** Makes an explanation of the answer of a program. */
export function explanationOf({ status, buffers, irreducible, smallest, atLeast, capacity, load, at, why }, bigint) {
  const number = (text) => numberOf(text, bigint);
  return {
    status,
    why: shownLines(why),
    buffers: [...buffers].map(Number),
    irreducible,
    smallest,
    atLeast,
    capacity: number(capacity),
    load: number(load),
    at: at.map(number),
  };
}

/** Puts the keys of a violation in a fixed order. */
export function violationOf({ rule, a, b, message }) {
  return { rule, a, b, message: shownText(message) };
}

/** Makes waits of a column with five numbers for each. */
export function waitsOf(column, bigint) {
  const waits = [];
  for (let k = 0; k < column.length; k += 5) {
    const [buffer, at, behind, until, turn] = column.subarray(k, k + 5);
    waits.push({
      buffer: Number(buffer),
      at: numberOf(at, bigint),
      behind: Number(behind),
      until: numberOf(until, bigint),
      turn: Number(turn),
    });
  }
  return waits;
}

/** Returns a callback that makes numbers of a program's report and calls onProgress. */
export function progressOf({ onProgress, bigint }) {
  if (!onProgress) return undefined;
  return ({ height, lowerBound, nodes, seconds }) =>
    onProgress({ height: numberOf(height, bigint), lowerBound: numberOf(lowerBound, bigint), nodes, seconds });
}
