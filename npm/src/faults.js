// What goes wrong.

/** What is wrong with an input or an option; issues has each fault by itself. */
export class InputError extends Error {
  constructor(message, issues = []) {
    super(message);
    this.name = "InputError";
    this.issues = issues;
  }
}

/** Makes an error of what a program says went wrong. */
export function faultOf({ message, input, issues }) {
  return input
    ? new InputError(
        message,
        issues.map(({ file, line, buffer, field, value, message }) => ({ file, line, buffer, field, value, message })),
      )
    : new Error(message);
}

/** Refuses names that are one slip away from one that means something: they would be ignored. */
export function slips(object, known, what) {
  for (const name in object) {
    if (known.includes(name)) continue;
    const meant = OTHER[name] && known.includes(OTHER[name]) ? OTHER[name] : known.find((k) => near(name, k));
    if (meant) throw new InputError(`${what} "${name}": is unknown: ${meant} is meant?`);
  }
}

/** What other places call the same: the files of the command, and C. */
const OTHER = {
  align: "alignment",
  offset: "fixed",
  offsets: "fixed",
  buffer: "buffers",
  time: "timeout",
  bigInt: "bigint",
};

/** Whether one letter more, less or other, or two that changed places, make one word of the other. */
function near(a, b) {
  if (Math.abs(a.length - b.length) > 1 || b.length < 3 || /\d/.test(a)) return false;
  let k = 0;
  while (k < a.length && a[k] === b[k]) k++;
  const rest = (by, at) => a.slice(k + by) === b.slice(k + at);
  const changed = a[k] === b[k + 1] && a[k + 1] === b[k] && rest(2, 2);
  return rest(1, 0) || rest(0, 1) || rest(1, 1) || changed;
}
