// What goes wrong.

import { shownLines, shownText } from "./shown.js";

/**
 * The error for a wrong input or option. issues has each fault, at least one. Messages are shown as shown.js says; the
 * names and values of issues are data, and stay as they are.
 */
export class InputError extends Error {
  constructor(message, issues = []) {
    super(shownLines(message));
    this.name = "InputError";
    const all = issues.length ? issues : [{ file: "", line: 0, buffer: "", field: "", value: "", message }];
    this.issues = all.map((issue) => ({ ...issue, message: shownText(issue.message) }));
  }
}

/** Whether there is a value: null is the same as none. */
export const given = (value) => value !== undefined && value !== null;

/** Makes an error of the fault that a program reports. */
export function faultOf({ message, input, issues }) {
  return input
    ? new InputError(
        message,
        issues.map(({ file, line, buffer, field, value, message }) => ({ file, line, buffer, field, value, message })),
      )
    : new Error(message);
}

/** The most faults in the message and the issues of an error, as in Go. */
const MOST = 20;

/** Collects the faults of an input, so that one error reports all of them. */
export class Faults {
  issues = [];

  /** Adds a fault; buffer is a name, or "" for none. */
  say({ buffer = "", field = "", value = "", message }) {
    this.issues.push({ file: "", line: 0, buffer, field, value, message });
  }

  /** Throws the faults, if there are any. */
  end() {
    if (this.issues.length) throw inputError(this.issues);
  }

  /** Adds a fault for each unknown name that is a slip of a known one. It returns the names that were meant. */
  slips(object, known, buffer = "") {
    const meant = new Set();
    for (const name in object) {
      const means = known.includes(name) ? undefined : meantBy(name, known);
      if (!means) continue;
      meant.add(means);
      this.say({ buffer, field: name, message: `is unknown: ${means} is meant?` });
    }
    return meant;
  }

  /** Adds a fault for each option that a call does not have. */
  options(options, known) {
    for (const name in options) {
      if (known.includes(name)) continue;
      const means = meantBy(name, known);
      const choices = `the choices are ${known.slice(0, -1).join(", ")} and ${known.at(-1)}`;
      const what = ELSEWHERE[name] ?? (means ? `${means} is meant?` : choices);
      this.say({ field: name, message: `is unknown as an option: ${what}` });
    }
  }
}

/** Makes one error of faults. Its message is the one that Go writes. */
export function inputError(issues) {
  const lines = issues.slice(0, MOST).map(({ buffer, field, value, message }) => {
    const what = [field, value && JSON.stringify(value)].filter(Boolean).join(" ");
    return (buffer && `buffer ${buffer}: `) + (what && `${what}: `) + message;
  });
  if (issues.length > MOST) lines.push(`… and ${issues.length - MOST} more`);
  return new InputError(lines.join("\n"), issues.slice(0, MOST));
}

/** Names that the command's files and C have for these fields. */
const OTHER = {
  __proto__: null,
  align: "alignment",
  offset: "fixed",
  offsets: "fixed",
  buffer: "buffers",
  time: "timeout",
  timeout_ms: "timeoutMs",
  timeoutms: "timeoutMs",
  bigInt: "bigint",
};

/** Options that only the command has, with what to say about them. */
const ELSEWHERE = { __proto__: null, workers: "a search here has one thread" };

/** Returns the known name that may be meant by another one. */
function meantBy(name, known) {
  return known.includes(OTHER[name]) ? OTHER[name] : known.find((k) => near(name, k));
}

/** Whether two words differ by one letter that is added, missing or wrong, or by two that changed places. */
function near(a, b) {
  if (Math.abs(a.length - b.length) > 1 || b.length < 3 || /\d/.test(a)) return false;
  let k = 0;
  while (k < a.length && a[k] === b[k]) k++;
  const rest = (by, at) => a.slice(k + by) === b.slice(k + at);
  const changed = a[k] === b[k + 1] && a[k + 1] === b[k] && rest(2, 2);
  return rest(1, 0) || rest(0, 1) || rest(1, 1) || changed;
}
