// Stowage for JavaScript, with files: CSV, JSON, TensorFlow Lite, ONNX and dumps in, the
// same plan files out that the command writes. docs/javascript.md is the guide.

import { Client } from "./client.js";
import { digits, numberOf, optionsOf, progressOf, resultOf } from "./columns.js";

export { InputError } from "./client.js";

const client = new Client("files");

/** Plans what is in a file, whose name tells what it is. */
export async function plan(name, content, options = {}) {
  const input = {
    ...fileOf(name, content, options),
    options: optionsOf(options),
    format: options.format ?? "csv",
    view: Boolean(options.view),
  };
  const out = await client.call("plan", input, { ...options, onProgress: progressOf(options) });
  return { ...resultOf(out, options.bigint), capacity: numberOf(out.capacity, options.bigint) };
}

/** Reads a file, with the plan that it carries. */
export async function read(name, content, options = {}) {
  const out = await client.call("read", fileOf(name, content, options), options);
  return {
    ...out,
    capacity: numberOf(out.capacity, options.bigint),
    lowerBound: numberOf(out.lowerBound, options.bigint),
  };
}

/** Lists the planners. */
export async function planners(options = {}) {
  return (await client.call("planners", {}, options)).planners;
}

/** Ends the worker. */
export function close() {
  client.close();
}

function fileOf(name, content, { heap, alignment, dims, values, sizes }) {
  const bytes =
    typeof content === "string"
      ? new TextEncoder().encode(content)
      : new Uint8Array(content.buffer ?? content, content.byteOffset ?? 0, content.byteLength);
  const pairs = (of, field) => of && Object.fromEntries(Object.entries(of).map(([k, v]) => [k, digits(v, field)]));
  return {
    name: String(name),
    bytes,
    heap,
    alignment: digits(alignment, "alignment"),
    dims: pairs(dims, "dims"),
    values: pairs(values, "values"),
    sizes: pairs(sizes, "sizes"),
  };
}
