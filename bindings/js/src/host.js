// The host for browsers, in a page or in a worker: workers, and files beside this one.
//
// This file names no module of node. Bundlers read both branches of a condition, and fail at
// a module that browsers do not have. host-node.js is the host for node. package.json says
// which of the two a program gets.

import { placesOf } from "./places.js";

const places = placesOf();

/** Sets the places of the package's files, for bundlers that do not find them. */
export const locate = places.locate;

/** Returns the bytes of a program, by its name. */
export async function program(name) {
  // Bundlers look for places that are spelled out in this form.
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

/** Starts a worker. message and error are its callbacks. */
export function start(message, error) {
  const place = places.of("worker");
  const worker = place
    ? new Worker(place, { type: "module" })
    : new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
  worker.addEventListener("message", (event) => message(event.data));
  worker.addEventListener("error", (event) => error(new Error(event.message || "the worker could not be loaded")));
  return { post: (m) => worker.postMessage(m), end: () => worker.terminate(), hold() {}, release() {} };
}
