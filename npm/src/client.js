// Passes calls to a worker, or to an engine in this thread.

const inNode = typeof process !== "undefined" && Boolean(process.versions?.node);

/** What is wrong with an input or an option; issues has each fault by itself. */
export class InputError extends Error {
  constructor(message, issues = []) {
    super(message);
    this.name = "InputError";
    this.issues = issues;
  }
}

function faultOf({ message, input, issues }) {
  return input ? new InputError(message, issues) : new Error(message);
}

/** One program, loaded when it is first called; the worker and the engine of this thread are apart. */
export class Client {
  #name;
  #worker = null;
  #engine = null;
  #calls = new Map();
  #last = 0;

  /** The name is that of a file in dist. */
  constructor(name) {
    this.#name = name;
  }

  /** Calls an operation; options has signal, onProgress and worker. */
  async call(name, input, { signal, onProgress, worker = true } = {}) {
    return worker ? this.#afar(name, input, signal, onProgress) : this.#here(name, input, signal, onProgress);
  }

  /** Ends the worker; a later call starts another. */
  close() {
    this.#worker?.then((w) => w.terminate());
    this.#worker = null;
    for (const [, call] of this.#calls) call.reject(new Error("the worker was closed"));
    this.#calls.clear();
  }

  async #here(name, input, signal, onProgress) {
    this.#engine ??= (async () => {
      await import("../dist/wasm_exec.js");
      const { Engine } = await import("./engine.js");
      return Engine.start(await this.#bytes());
    })();
    const engine = await this.#engine;
    const { id, answer } = engine.call(name, input, onProgress);
    const cancel = () => engine.cancel(id);
    if (signal?.aborted) cancel();
    signal?.addEventListener("abort", cancel);
    try {
      return await answer;
    } catch (fault) {
      throw faultOf(fault);
    } finally {
      signal?.removeEventListener("abort", cancel);
    }
  }

  async #afar(name, input, signal, onProgress) {
    const worker = await (this.#worker ??= this.#begin());
    const id = ++this.#last;
    const cancel = () => worker.postMessage({ type: "cancel", id });
    worker.ref?.(); // node waits for a worker that has work
    try {
      return await new Promise((resolve, reject) => {
        this.#calls.set(id, { resolve, reject, onProgress });
        worker.postMessage({ type: "call", id, name, input });
        if (signal?.aborted) cancel();
        signal?.addEventListener("abort", cancel);
      });
    } finally {
      signal?.removeEventListener("abort", cancel);
      this.#calls.delete(id);
      if (!this.#calls.size) worker.unref?.();
    }
  }

  async #begin() {
    const source = await this.#bytes();
    let worker;
    if (inNode) {
      const { Worker } = await import("node:worker_threads");
      worker = new Worker(new URL("./worker.js", import.meta.url));
      worker.on("message", (message) => this.#answer(message));
      worker.on("error", (error) => this.#broken(error));
      worker.unref();
    } else {
      worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
      worker.addEventListener("message", (event) => this.#answer(event.data));
      worker.addEventListener("error", (event) =>
        this.#broken(new Error(event.message || "the worker could not be loaded")),
      );
    }
    worker.postMessage({ type: "start", source });
    return worker;
  }

  #answer({ type, id, out, fault, snapshot }) {
    const call = this.#calls.get(id);
    if (type === "done") call?.resolve(out);
    else if (type === "fail") call?.reject(faultOf(fault));
    else call?.onProgress?.(snapshot);
  }

  #broken(error) {
    this.#worker = null;
    for (const [, call] of this.#calls) call.reject(error);
    this.#calls.clear();
  }

  async #bytes() {
    if (inNode) {
      const { readFile } = await import("node:fs/promises");
      return readFile(new URL(`../dist/${this.#name}.wasm`, import.meta.url));
    }
    // The places are spelled out for those who bundle: they look for them in this form.
    const url =
      this.#name === "files"
        ? new URL("../dist/files.wasm", import.meta.url)
        : new URL("../dist/core.wasm", import.meta.url);
    const answer = await fetch(url);
    if (!answer.ok) throw new Error(`${url} cannot be had: ${answer.status}`);
    return answer.arrayBuffer();
  }
}
