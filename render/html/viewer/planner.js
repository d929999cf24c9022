// Asks the worker that plans. Its script and its program are in the page, packed, and
// are unpacked when something is first dropped.

import { decode, fromBase64, inflate } from "./data.js";

export class Planner {
  constructor(script, program) {
    this.script = script;
    this.program = program;
    this.calls = new Map();
    this.last = 0;
    this.worker = null;
  }

  async #begin() {
    const url = URL.createObjectURL(new Blob([this.script.textContent], { type: "text/javascript" }));
    const worker = new Worker(url);
    URL.revokeObjectURL(url);
    worker.onmessage = ({ data }) => this.#answer(data);
    worker.onerror = (event) => this.#broken(event.message || "the planner could not be started");
    const bytes = await inflate(fromBase64(this.program.textContent.trim()), "gzip");
    worker.postMessage({ type: "start", source: bytes.buffer }, [bytes.buffer]);
    return worker;
  }

  /** Rejects what is under way; the next call starts another worker. */
  #broken(message) {
    this.worker?.then((w) => w.terminate());
    this.worker = null;
    for (const [, call] of this.calls) call.reject({ message });
    this.calls.clear();
  }

  #answer({ type, id, out, fault, snapshot }) {
    if (type === "ended") return this.#broken(fault.message);
    const call = this.calls.get(id);
    if (!call) return;
    if (type === "progress") return call.progress?.(snapshot);
    this.calls.delete(id);
    if (type === "done") call.resolve(out);
    else call.reject(fault);
  }

  /** Calls an operation of bindings/js/wasm/files. Its number is told at once, for cancel. */
  async call(name, input, { progress, began } = {}) {
    const worker = await (this.worker ??= this.#begin());
    const id = ++this.last;
    began?.(id);
    return new Promise((resolve, reject) => {
      this.calls.set(id, { resolve, reject, progress });
      worker.postMessage({ type: "call", id, name, input });
    });
  }

  async cancel(id) {
    (await this.worker)?.postMessage({ type: "cancel", id });
  }
}

/** Makes a document of what an operation answers. */
export async function docOf(out) {
  return decode(JSON.parse(out.view.meta), await inflate(out.view.data));
}
