// What a browser gives, in a page or in a worker of one: workers, and files beside this one.
//
// Nothing here names a module of node's: bundlers read both sides of a condition, and
// stop at what browsers do not have. host-node.js is the same for node, and package.json
// says who gets which.

import { placesOf } from "./places.js";

const places = placesOf();

/** Says where the files of the package are, for bundlers that do not find them. */
export const locate = places.locate;

/** Returns the bytes of a program, by its name. */
export async function program(name) {
  // The places are spelled out for those who bundle: they look for them in this form.
  const url =
    places.of(name) ??
    (name === "files" ? new URL("../dist/files.wasm", import.meta.url) : new URL("../dist/core.wasm", import.meta.url));
  const answer = await fetch(url);
  if (!answer.ok) throw new Error(`${url} cannot be had: ${answer.status}`);
  return answer.arrayBuffer();
}

/** Loads Go's support for WebAssembly into this thread. */
export async function support() {
  await import("../dist/wasm_exec.js");
}

/** Starts a worker; message and error are called with what comes of it. */
export function start(message, error) {
  const place = places.of("worker");
  const worker = place
    ? new Worker(place, { type: "module" })
    : new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
  worker.addEventListener("message", (event) => message(event.data));
  worker.addEventListener("error", (event) => error(new Error(event.message || "the worker could not be loaded")));
  return { post: (m) => worker.postMessage(m), end: () => worker.terminate(), hold() {}, release() {} };
}
