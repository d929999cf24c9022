// CSV, JSON, TensorFlow Lite, ONNX and dumps in, plan files out, on any host. The files are
// those that the command writes.

import { Client } from "./client.js";
import { explanationOf, numberOf, progressOf, resultOf } from "./columns.js";
import { coreOf } from "./core.js";
import { Faults, InputError } from "./faults.js";
import {
  COMMON,
  EXPLAIN_FILE,
  MODEL,
  PLAN,
  READ,
  callOf,
  digitsOf,
  numbersOf,
  optionsOf,
  pairsOf,
  takenOf,
} from "./options.js";
import { shownText } from "./shown.js";

/** Returns the functions for files for a host. */
export function readersOf(host) {
  const client = new Client("files", host);
  const core = coreOf(host);
  const ask = async (operation, input, options) => {
    try {
      return await client.call(operation, input, { ...callOf(options), onProgress: progressOf(options) });
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      const issues = error.issues.map((issue) => ({ ...issue, message: inOptions(issue.message) }));
      throw new InputError(inOptions(error.message), issues);
    }
  };
  const readers = {
    /**
     * Plans a problem, the File of a page, or a file by its name and content. The name tells the format. What is planned
     * of a .tflite model for TensorFlow Lite Micro has its head and arena, and the files for firmware.
     */
    async plan(name, content, given = {}) {
      if (typeof name?.arrayBuffer === "function") return readers.plan(name.name ?? "", name, content);
      if (typeof name === "object" && name !== null) return core.solve(name, content);
      const [options, input] = await inputOf(name, content, given, PLAN);
      const { format = "auto", view = false, bigint } = options; // CSV, or JSON for a problem with rules
      const out = await ask("plan", { ...input, format, view }, options);
      const made = { ...resultOf(out, bigint, out), ...aboutOf(out, bigint) };
      if (out.output) made.output = out.output;
      if (made.kind === "tflite" && made.offsets) {
        const known = Object.fromEntries(Object.entries(given).filter(([key]) => MODEL.includes(key)));
        const model = await readers.planModel(name, content, known);
        const { arenas, files, capacity, status, offsets, height, reason, next } = model;
        Object.assign(made, { head: made.height, arena: arenas[0].planned, arenas, files, capacity });
        if (!offsets) Object.assign(made, { status, offsets, height, reason, next }); // its arena is above the capacity
      }
      return made;
    },

    /** Plans a model for TensorFlow Lite Micro, and makes the files that firmware needs. */
    async planModel(name, content, given = {}) {
      const [options, input] = await inputOf(name, content, given, MODEL);
      const { view = false, kernels, bigint } = options;
      const out = await ask("planModel", { ...input, view, kernels }, options);
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
        arenaNotes: out.arenaNotes.map(shownText),
        files: out.files && { tflite: out.files.tflite, h: out.files.h, cc: out.files.cc, csv: out.output },
      };
    },

    /** Names buffers of a file that cannot fit together, and says why. */
    async explain(name, content, given = {}) {
      const [options, input] = await inputOf(name, content, given, EXPLAIN_FILE);
      const { smallest = false, bigint } = options;
      const out = await ask("explain", { ...input, smallest }, options);
      return { ...explanationOf(out, bigint), ids: out.ids };
    },

    /** Reads a file, and the plan in it. */
    async read(name, content, given = {}) {
      const [options, input] = await inputOf(name, content, given, READ);
      const out = await ask("read", input, options);
      const { bigint } = options;
      return { ...aboutOf(out, bigint), planned: out.planned, lowerBound: numberOf(out.lowerBound, bigint) };
    },

    /** Lists the planners. */
    async planners(given = {}) {
      const faults = new Faults();
      const options = takenOf(given, COMMON, faults);
      faults.end();
      const { planners } = await client.call("planners", {}, options);
      return planners.map(({ name, summary, exact }) => ({ name, summary, exact }));
    },

    /** Ends the workers. */
    close() {
      client.close();
      core.close();
    },
  };
  return readers;
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

/** Returns what is known of a file, with keys in a fixed order. */
function aboutOf({ name, kind, buffers, capacity, notes, heaps, view, ends, timeScale }, bigint) {
  const told = notes.map((note) => shownText(inOptions(note)));
  const about = { name, kind, buffers, capacity: numberOf(capacity, bigint), notes: told, heaps };
  if (ends) about.ends = ends;
  if (timeScale) about.timeScale = Number(timeScale);
  if (view) about.view = { meta: view.meta, data: view.data };
  return about;
}

/** Returns the options of a call on a file, and what the program gets. */
async function inputOf(name, content, given, known) {
  const faults = new Faults();
  const options = takenOf(given, known, faults);
  const { heap, ends, alignment, dims, values, shapes, sizes, beside } = options;
  const input = {
    name: String(name),
    heap,
    ends,
    alignment: digitsOf(alignment, "alignment", faults),
    dims: numbersOf(dims, "dims", faults),
    values: numbersOf(values, "values", faults),
    shapes: pairsOf(shapes, "shapes", faults),
    sizes: numbersOf(sizes, "sizes", faults),
    options: optionsOf(options, undefined, faults),
  };
  faults.end();
  const others = beside && {};
  for (const [other, bytes] of Object.entries(beside ?? {})) others[other] = await bytesOf(bytes);
  return [options, { ...input, bytes: await bytesOf(content), beside: others }];
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
