// The host for node: threads, and files beside this one. host.js is the host for browsers.

import { readFile } from "node:fs/promises";
import { Worker } from "node:worker_threads";

import { placesOf } from "./places.js";

const places = placesOf();

/** Sets the places of the package's files, for a host that was moved away from them. */
export const locate = places.locate;

/** Returns the bytes of a program, by its name. */
export async function program(name) {
  return readFile(places.of(name) ?? new URL(`../dist/${name}.wasm`, import.meta.url));
}

/** Loads Go's support for WebAssembly into this thread. */
export async function support() {
  await import("../dist/wasm_exec.js");
}

/** Starts a worker. message and error are its callbacks. Node does not exit while the worker is held. */
export function start(message, error) {
  const worker = new Worker(places.of("worker") ?? new URL("./worker-node.js", import.meta.url));
  worker.on("message", message);
  worker.on("error", error);
  worker.on("exit", () => error(new Error("the worker ended")));
  worker.unref();
  return {
    post: (m) => worker.postMessage(m),
    end: () => worker.terminate(),
    hold: () => worker.ref(),
    release: () => worker.unref(),
  };
}
