// What node gives: threads, and files beside this one. host.js is the same for browsers.

import { readFile } from "node:fs/promises";
import { Worker } from "node:worker_threads";

import { placesOf } from "./places.js";

const places = placesOf();

/** Says where the files of the package are, where this one was moved away from them. */
export const locate = places.locate;

/** Returns the bytes of a program, by its name. */
export async function program(name) {
  return readFile(places.of(name) ?? new URL(`../dist/${name}.wasm`, import.meta.url));
}

/** Loads Go's support for WebAssembly into this thread. */
export async function support() {
  await import("../dist/wasm_exec.js");
}

/** Starts a worker; message and error are called with what comes of it. Node waits for it while it is held. */
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
