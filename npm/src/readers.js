// CSV, JSON, TensorFlow Lite, ONNX and dumps in, plan files out, on any host. The files are
// those that the command writes.

import { Client } from "./client.js";
import {
  COMMON,
  EXPLAIN,
  OPTIONS,
  digits,
  explanationOf,
  numberOf,
  optionsOf,
  progressOf,
  resultOf,
} from "./columns.js";
import { Faults, InputError, checkOptions } from "./faults.js";
import { checkEnds } from "./times.js";

const LEFT_OPEN = ["dims", "values", "shapes", "sizes", "alignment", "heap", "ends", "beside"];
const PLAN = [...OPTIONS, ...LEFT_OPEN, "format", "ignoreOffsets", "view"];
const MODEL = OPTIONS.filter((name) => name !== "start").concat("view", "kernels");
const FORMATS = ["csv", "json"];
const READ = [...COMMON, ...LEFT_OPEN, "bigint"];

/** Returns the functions for files for a host. */
export function readersOf(host) {
  const client = new Client("files", host);
  const ask = async (operation, input, options) => {
    try {
      return await client.call(operation, input, options);
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      const issues = error.issues.map((issue) => ({ ...issue, message: inOptions(issue.message) }));
      throw new InputError(inOptions(error.message), issues);
    }
  };
  return {
    /** Plans the problem in a file. The name of the file tells its format. */
    async plan(name, content, options = {}) {
      checkOptions(options, PLAN);
      const { format = "auto" } = options; // CSV, or JSON for a problem with rules
      if (format !== "auto" && !FORMATS.includes(format)) {
        const faults = new Faults();
        faults.say({ field: "format", value: String(format), message: `must be ${FORMATS.join(" or ")}` });
        faults.end();
      }
      const input = {
        ...(await fileOf(name, content, options)),
        options: searchOf(options),
        format,
        view: Boolean(options.view),
      };
      const out = await ask("plan", input, { ...options, onProgress: progressOf(options) });
      const made = { ...resultOf(out, options.bigint, out), ...aboutOf(out, options.bigint) };
      if (out.output) made.output = out.output;
      return made;
    },

    /** Plans a model for TensorFlow Lite Micro, and makes the files that firmware needs. */
    async planModel(name, content, options = {}) {
      checkOptions(options, MODEL);
      const input = {
        ...(await fileOf(name, content, options)),
        options: searchOf(options),
        view: Boolean(options.view),
        kernels: options.kernels === undefined ? undefined : String(options.kernels),
      };
      const out = await ask("planModel", input, { ...options, onProgress: progressOf(options) });
      const { bigint } = options;
      return {
        ...resultOf(out, bigint),
        ...aboutOf(out, bigint),
        arenas: out.arenas.map(({ target, before, planned, atLeast }) => ({
          target,
          before: numberOf(before, bigint),
          planned: numberOf(planned, bigint),
          atLeast,
        })),
        kernels: out.kernels,
        arenaNotes: out.arenaNotes,
        files: out.files && { tflite: out.files.tflite, h: out.files.h, cc: out.files.cc, csv: out.output },
      };
    },

    /** Names buffers of a file that cannot fit together, and says why. */
    async explain(name, content, options = {}) {
      checkOptions(options, [...EXPLAIN, ...LEFT_OPEN, "ignoreOffsets"]);
      const input = {
        ...(await fileOf(name, content, options)),
        options: searchOf(options),
        smallest: Boolean(options.smallest),
      };
      const out = await ask("explain", input, options);
      return { ...explanationOf(out, options.bigint), ids: out.ids };
    },

    /** Reads a file, and the plan in it. */
    async read(name, content, options = {}) {
      checkOptions(options, READ);
      const out = await ask("read", await fileOf(name, content, options), options);
      return {
        ...aboutOf(out, options.bigint),
        planned: out.planned,
        lowerBound: numberOf(out.lowerBound, options.bigint),
      };
    },

    /** Lists the planners. */
    async planners(options = {}) {
      const { planners } = await client.call("planners", {}, options);
      return planners.map(({ name, summary, exact }) => ({ name, summary, exact }));
    },

    /** Ends the worker. */
    close() {
      client.close();
    },
  };
}

/** Replaces the command's flags in a message by options: --dim batch=1 becomes dims: { batch: 1 }. */
function inOptions(message) {
  return message
    .replace(
      /--(dim|value|shape|size) (?:'([^']*)=([^'=]*)'|(\S+)=([\w:]+))/g,
      (_, flag, name, value, plainName, plainValue) => {
        const [key, to] = [name ?? plainName, value ?? plainValue];
        const text = (word, plain) => (plain.test(word) ? word : JSON.stringify(word));
        return `${flag}s: { ${text(key, /^[A-Za-z_$][\w$]*$/)}: ${text(to, /^\d+$/)} }`;
      },
    )
    .replace(/--ends (inclusive|half-open)/g, 'ends: "$1"')
    .replace(/--(heap|alignment|ends)\b/g, "$1");
}

/** Returns the options of a search. */
function searchOf(options) {
  const faults = new Faults();
  const out = optionsOf(options, undefined, "start", faults);
  faults.end();
  return out;
}

/** Returns what is known of a file, with keys in a fixed order. */
function aboutOf({ name, kind, buffers, capacity, notes, heaps, view, ends, timeScale }, bigint) {
  const about = { name, kind, buffers, capacity: numberOf(capacity, bigint), notes: notes.map(inOptions), heaps };
  if (ends) about.ends = ends;
  if (timeScale) about.timeScale = Number(timeScale);
  if (view) about.view = { meta: view.meta, data: view.data };
  return about;
}

async function fileOf(name, content, { heap, ends, alignment, dims, values, shapes, sizes, beside }) {
  checkEnds(ends);
  const others = beside && {};
  for (const [other, bytes] of Object.entries(beside ?? {})) others[other] = await bytesOf(bytes);
  const pairs = (of, field) =>
    of && Object.fromEntries(Object.entries(of).map(([k, v]) => [k, digits(v, field === "sizes" ? "size" : field)]));
  return {
    name: String(name),
    bytes: await bytesOf(content),
    heap,
    ends,
    alignment: digits(alignment, "alignment"),
    dims: pairs(dims, "dims"),
    values: pairs(values, "values"),
    shapes: shapes && Object.fromEntries(Object.entries(shapes).map(([k, v]) => [k, String(v)])),
    sizes: pairs(sizes, "sizes"),
    beside: others,
  };
}

/** Returns the bytes of a text, a buffer, a view of a buffer, or a Blob; a File is a Blob. */
async function bytesOf(content) {
  if (typeof content === "string") return new TextEncoder().encode(content);
  if (ArrayBuffer.isView(content)) return new Uint8Array(content.buffer, content.byteOffset, content.byteLength);
  if (typeof content?.arrayBuffer === "function") return new Uint8Array(await content.arrayBuffer());
  if (Object.prototype.toString.call(content) === "[object ArrayBuffer]") return new Uint8Array(content);
  const missing = content === undefined ? "; it is the second argument, after the name" : "";
  throw new InputError(`the content must be a string, an ArrayBuffer, a view of one, or a Blob${missing}`);
}
