// The options of all calls: their names, what each takes, and reading them. An option that no call
// has, and a value of another type, are faults of the input like any other. A value of undefined
// or null is the same as no option.

import { columnOf, numberIn, shownValue, wrongNumber } from "./columns.js";
import { InputError, given } from "./faults.js";
import { ENDS } from "./times.js";
import { LEAST, timeOf } from "./units.js";

/** The options that every call has, and those of a search. */
export const COMMON = ["worker", "signal"];
// generated: options
// prettier-ignore
export const OPTIONS = [
  ...COMMON, "ends", "planner", "capacity", "minimize", "timeout", "timeoutMs", "nodes", "seed", "without", "params",
  "start", "onProgress", "bigint",
];

/** The options of an explanation. */
// prettier-ignore
export const EXPLAIN = [
  ...COMMON, "ends", "smallest", "planner", "capacity", "timeout", "timeoutMs", "nodes", "seed", "bigint",
];

/** What a file may leave open. */
const LEFT_OPEN = ["dims", "values", "shapes", "sizes", "alignment", "heap", "ends", "beside"];
// end of options

/** The options of calls on a plan. */
export const PLACED = [...COMMON, "ends", "capacity", "pools", "parts", "bigint"];

/** The options of calls on files. */
export const READ = [...COMMON, ...LEFT_OPEN, "bigint"];
export const PLAN = [...new Set([...OPTIONS, ...LEFT_OPEN]), "format", "ignoreOffsets", "view"];
export const MODEL = [...OPTIONS.filter((name) => name !== "start"), "view", "kernels"];
export const EXPLAIN_FILE = [...new Set([...EXPLAIN, ...LEFT_OPEN]), "ignoreOffsets"];

const is = (type) => (value) => typeof value === type;
const oneOf = (words) => [(value) => words.includes(value), `must be ${words.join(" or ")}`];
const listed = (value) => Array.isArray(value) || ArrayBuffer.isView(value);
const lengthy = (value) => typeof value === "object" && Number.isSafeInteger(value.length);
const named = (value) => typeof value === "object" && !(Symbol.iterator in value);
const numeric = (value) => typeof value === "number" || typeof value === "bigint";

const TEXT = [is("string"), "must be text"];
const SWITCH = [is("boolean"), "must be true or false"];
const FUNCTION = [is("function"), "must be a function"];
const LIST = [listed, "must be an array"];
const NUMBERS = [named, "must be an object with a number for each name"];

/** What an option takes, and the message for another value. Numbers are left out: those who read them check them. */
const TAKES = {
  worker: SWITCH,
  signal: [(value) => typeof value.addEventListener === "function", "must be an AbortSignal"],
  ends: oneOf(ENDS),
  planner: TEXT,
  minimize: SWITCH,
  smallest: SWITCH,
  without: [(value) => typeof value === "string" || value[Symbol.iterator], "must be text, or a list of texts"],
  params: [named, "must be an object with a text or a number for each name"],
  start: [lengthy, "must be an array or a typed array of numbers"],
  onProgress: FUNCTION,
  bigint: SWITCH,
  pools: LIST,
  parts: LIST,
  dims: NUMBERS,
  values: NUMBERS,
  sizes: NUMBERS,
  shapes: [named, "must be an object with a text for each name"],
  heap: TEXT,
  beside: [named, "must be an object with the content of a file for each name"],
  format: oneOf(["csv", "json"]),
  ignoreOffsets: SWITCH,
  view: SWITCH,
  kernels: TEXT,
};

/** A century in milliseconds, which Go can count. A limit this long is no limit. */
const LONG = 100 * 365 * 24 * 3600 * 1000;

/** Returns the options that are given and whose type is right. All others are faults. */
export function takenOf(options, known, faults) {
  if (!options || typeof options !== "object") throw new InputError("the options are not an object");
  faults.options(options, known);
  const taken = {};
  for (const field of known) {
    const value = options[field];
    if (!given(value)) continue;
    const [right, message] = TAKES[field] ?? [() => true];
    if (right(value)) taken[field] = value;
    else faults.say({ field, value: shownValue(value), message });
  }
  return taken;
}

/** Returns the options that a call on the program takes. */
export const callOf = ({ worker, signal, onProgress }) => ({ worker, signal, onProgress });

/** Returns the number of an option as text, or undefined if there is none. */
export function digitsOf(value, field, faults, kind = field, least = 0n) {
  if (!given(value)) return undefined;
  const out = numberIn(value, kind);
  if (out === null) faults.say({ field, value: shownValue(value), message: wrongNumber(kind) });
  else if (out < least) faults.say({ field, value: shownValue(value), message: "must be at least 0" });
  else return out.toString();
  return undefined;
}

/** Returns a value as text, and tells if it is none that is right. */
function textOf(value, field, right, message, faults) {
  if (!right(value)) faults.say({ field, value: shownValue(value), message });
  return typeof value === "symbol" ? "" : String(value);
}

/** Returns names with texts, or undefined if there are none. */
export function pairsOf(pairs, field, faults, numbers = false) {
  if (!pairs) return undefined;
  const right = (value) => typeof value === "string" || (numbers && numeric(value));
  const message = `must be text${numbers ? " or a number" : ""}`;
  const text = ([key, value]) => [key, textOf(value, `${field}.${key}`, right, message, faults)];
  return Object.fromEntries(Object.entries(pairs).map(text));
}

/** What the numbers of an option are, for numberIn, and the least that they may be. */
const NUMBERED = { dims: ["dims", 0n], values: ["values", LEAST], sizes: ["size", 0n] };

/** Returns names with numbers as text, or undefined if there are none. */
export function numbersOf(pairs, field, faults) {
  if (!pairs) return undefined;
  const text = ([key, value]) => [key, digitsOf(value, `${field}.${key}`, faults, ...NUMBERED[field])];
  return Object.fromEntries(Object.entries(pairs).map(text));
}

/** Returns the options of a search as the program takes them. It checks values that takenOf has left. */
export function optionsOf(options, n, faults) {
  const { planner, minimize, without, params, start, ignoreOffsets } = options;
  const number = (field) => digitsOf(options[field], field, faults);
  const names = typeof without === "string" ? without.split(",") : without && [...without];
  return {
    planner,
    capacity: number("capacity"),
    minimize: Boolean(minimize),
    ignoreOffsets: Boolean(ignoreOffsets),
    timeoutMs: limitOf(options, faults),
    nodes: number("nodes"),
    seed: number("seed"),
    without: names?.map((name) => textOf(name, "without", is("string"), "must be text", faults)),
    params: pairsOf(params, "params", faults, true),
    start: start && columnOf(start, "start", n ?? start.length),
  };
}

/** Returns the time limit in milliseconds, or undefined if there is none. */
function limitOf({ timeout, timeoutMs }, faults) {
  if (given(timeout) && given(timeoutMs)) faults.say({ field: "timeoutMs", message: "timeout is given, too" });
  const [field, value] = given(timeout) ? ["timeout", timeout] : ["timeoutMs", timeoutMs];
  if (!given(value)) return undefined;
  const ms = field === "timeout" ? timeOf(value) : typeof value === "number" ? value : NaN;
  if (ms >= 0) return ms < LONG ? ms : undefined;
  const message =
    field === "timeout"
      ? "must be a number of seconds, at least 0, or text with a unit, such as 500ms"
      : "must be a number of milliseconds, at least 0";
  faults.say({ field, value: shownValue(value), message });
  return undefined;
}
