// Passes calls to a worker, or to an engine in this thread.

import { faultOf } from "./faults.js";

/** One program, loaded by its first call: in a worker, or by an engine in this thread. */
export class Client {
  #name;
  #host;
  #session = null; // a promise
  #engine = null; // likewise

  /** The name is that of a file in dist; the host is host.js or host-node.js. */
  constructor(name, host) {
    this.#name = name;
    this.#host = host;
  }

  /** Calls an operation. options.js has checked signal, onProgress and worker. */
  async call(name, input, { signal, onProgress, worker = true } = {}) {
    // If onProgress throws, the search ends, and the call is rejected with what was thrown.
    const stop = new AbortController();
    let thrown = null;
    const tell =
      onProgress &&
      ((snapshot) => {
        if (thrown) return;
        try {
          onProgress(snapshot);
        } catch (error) {
          thrown = { error };
          stop.abort();
        }
      });
    const abort = () => stop.abort();
    if (signal?.aborted) abort();
    signal?.addEventListener("abort", abort);
    try {
      const out = await (worker
        ? this.#afar(name, input, stop.signal, tell)
        : this.#here(name, input, stop.signal, tell));
      if (thrown) throw thrown.error;
      return out;
    } finally {
      signal?.removeEventListener("abort", abort);
    }
  }

  /** Ends the worker; a later call starts another. */
  close() {
    const session = this.#session;
    this.#session = null;
    session?.then(
      (s) => s.end(new Error("the worker was closed")),
      () => {},
    );
  }

  async #here(name, input, signal, tell) {
    const starting = (this.#engine ??= this.#load());
    let engine;
    try {
      engine = await starting;
      const { id, answer } = engine.call(name, input, tell);
      const cancel = () => engine.cancel(id);
      if (signal.aborted) cancel();
      signal.addEventListener("abort", cancel);
      return await answer;
    } catch (fault) {
      // A worker that could not be loaded, or has ended, is loaded anew by the next call.
      if ((!engine || engine.ended) && this.#engine === starting) this.#engine = null;
      throw fault instanceof Error ? fault : faultOf(fault);
    }
  }

  async #load() {
    await this.#host.support();
    const { Engine } = await import("./engine.js");
    return Engine.start(await this.#host.program(this.#name));
  }

  async #afar(name, input, signal, tell) {
    const session = await (this.#session ??= this.#begin());
    return session.call(name, input, signal, tell);
  }

  #begin() {
    const forget = () => {
      if (this.#session === session) this.#session = null;
    };
    const session = this.#host.program(this.#name).then((source) => new Session(this.#host, source, forget));
    session.catch(forget);
    return session;
  }
}

/** A worker and its calls that are not answered yet. */
class Session {
  #calls = new Map();
  #last = 0;
  #worker;
  #ended = null; // once set, the error of all later calls
  #forget;

  constructor(host, source, forget) {
    this.#forget = forget;
    this.#worker = host.start(
      (message) => this.#answer(message),
      (error) => this.end(error),
    );
    this.#worker.post({ type: "start", source });
  }

  async call(name, input, signal, tell) {
    if (this.#ended) throw this.#ended;
    const id = ++this.#last;
    const cancel = () => this.#ended || this.#worker.post({ type: "cancel", id });
    this.#worker.hold();
    try {
      return await new Promise((resolve, reject) => {
        this.#calls.set(id, { resolve, reject, tell });
        this.#worker.post({ type: "call", id, name, input });
        if (signal.aborted) cancel();
        signal.addEventListener("abort", cancel);
      });
    } finally {
      this.#calls.delete(id);
      if (!this.#calls.size) this.#worker.release();
    }
  }

  end(error) {
    if (this.#ended) return;
    this.#ended = error;
    this.#forget();
    this.#worker.end();
    for (const [, call] of this.#calls) call.reject(error);
    this.#calls.clear();
  }

  #answer({ type, id, out, fault, snapshot }) {
    const call = this.#calls.get(id);
    if (type === "done") call?.resolve(out);
    else if (type === "fail") call?.reject(faultOf(fault));
    else if (type === "ended") this.end(new Error(fault.message));
    else call?.tell?.(snapshot);
  }
}
