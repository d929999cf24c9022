// Stowage for JavaScript: buffers in, offsets out. What it takes and gives is in
// index.d.ts; docs/javascript.md is the guide.

import { Client } from "./client.js";
import { digits, numberOf, optionsOf, problemOf, progressOf, resultOf } from "./columns.js";

export { InputError } from "./client.js";

const client = new Client("core");

/** Plans a problem. */
export async function solve(problem, options = {}) {
  const columns = problemOf(problem);
  const input = { problem: columns, options: optionsOf(options, columns.lower.length) };
  const out = await client.call("solve", input, { ...options, onProgress: progressOf(options) });
  return resultOf(out, options.bigint);
}

/** Checks a plan. */
export async function verify(problem, offsets, options = {}) {
  const columns = problemOf(problem);
  const { start } = optionsOf({ start: offsets }, columns.lower.length);
  const out = await client.call(
    "verify",
    { problem: columns, offsets: start, capacity: digits(options.capacity, "capacity") },
    options,
  );
  return { ...out, height: numberOf(out.height, options.bigint) };
}

/** Ends the worker. */
export function close() {
  client.close();
}
